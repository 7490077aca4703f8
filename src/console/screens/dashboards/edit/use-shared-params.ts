import { useEffect } from 'preact/hooks'

import { useGet } from '../../../api/resource.ts'
import { mayReadQueries } from '../../data/use-query-columns.ts'
import type { Parameter, Values } from '../dashboard.ts'
import { sharedParams } from './shared-params.ts'

/** Offers values for the parameters of a data query that was chosen now.
 * @param chosenId null: the widget keeps its data query */
export function useSharedParams(
  chosenId: number | null,
  parameters: readonly Parameter[],
  onParams: (params: Values) => void,
): void {
  const isRead = chosenId !== null && parameters.length > 0 && mayReadQueries()
  const query = useGet('/dataQueries/{id}', isRead ? { path: { id: chosenId } } : null)
  const found = query.data?.id === chosenId ? query.data : undefined
  useEffect(() => {
    if (found) onParams(sharedParams(found.parameters, parameters))
  }, [found?.id])
}
