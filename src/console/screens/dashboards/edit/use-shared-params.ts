import { useEffect } from 'preact/hooks'

import { useGet } from '../../../api/resource.ts'
import { user } from '../../../api/session.ts'
import type { Parameter, Values, Widget } from '../dashboard.ts'
import { sharedParams } from './shared-params.ts'

/** Offers values for the parameters of a data query that was chosen now.
 * @param before the data query of the widget as it is stored */
export function useSharedParams(
  before: Widget,
  draft: Widget,
  parameters: readonly Parameter[],
  onParams: (params: Values) => void,
): void {
  const id = queryOf(draft)
  const role = user.value?.role
  const mayRead = role === 'administrator' || role === 'Data_Editor'
  const isNew = id !== null && id !== queryOf(before) && parameters.length > 0
  const query = useGet('/dataQueries/{id}', isNew && mayRead ? { path: { id } } : null)
  const found = query.data?.id === id ? query.data : undefined
  useEffect(() => {
    if (found) onParams(sharedParams(found.parameters, parameters))
  }, [found?.id])
}

const queryOf = (widget: Widget): number | null =>
  'dataQueryId' in widget && typeof widget.dataQueryId === 'number' ? widget.dataQueryId : null
