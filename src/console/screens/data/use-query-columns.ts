import { useEffect, useState } from 'preact/hooks'

import { follow } from '../../api/operations.ts'
import type { Call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import type { GridColumn } from './grid.tsx'
import { exampleValues } from './query-columns.ts'

/** A stored result of an equal run has the same columns up to this age. */
const AGE_MAX = 'PT1M'

/** Whether the user may read data queries and run them. */
export function mayReadQueries(): boolean {
  const role = user.value?.role
  return role === 'administrator' || role === 'Data_Editor'
}

/** The columns of the published result of a data query, by a run that reads no row.
 * @param id null without a chosen data query
 * @returns null while they are not known: before the answer, for a user who may not run it, without a published version, and
 * after a failed run */
export function useQueryColumns(id: number | null): readonly GridColumn[] | null {
  const query = useGet('/dataQueries/{id}', id !== null && mayReadQueries() ? { path: { id } } : null)
  const [found, setFound] = useState<{ readonly key: string; readonly columns: readonly GridColumn[] }>()
  const { data } = query
  const parameters = data?.id === id && data.published > 0 ? exampleValues(data.parameters) : null
  const key = parameters === null ? null : JSON.stringify({ id, parameters })
  useEffect(() => {
    if (key === null) return
    const abort = new AbortController()
    readColumns(JSON.parse(key) as Wanted, abort.signal).then(
      (columns) => abort.signal.aborted || setFound({ key, columns }),
      // Without columns the user types their names. The dashboard or the map shows the failure of the data query.
      () => undefined,
    )
    return () => abort.abort()
  }, [key])
  return found !== undefined && found.key === key ? found.columns : null
}

type Wanted = { readonly id: number; readonly parameters: object }

async function readColumns({ id, parameters }: Wanted, signal: AbortSignal): Promise<readonly GridColumn[]> {
  const body = { parameters, limit: 0, maxAge: AGE_MAX }
  const request = { path: { id }, body } as unknown as Call<'/dataQueries/{id}/run', 'post'>
  const { columns } = await follow('/dataQueries/{id}/run', request, { signal, wait: 'PT5S' })
  return columns
}
