import { useEffect, useRef, useState } from 'preact/hooks'

import type { Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { follow } from '../../api/operations.ts'
import { invalidate } from '../../api/resource.ts'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'

type Route = '/dataSources/{id}/tables/{table}/refresh'

export type Refreshing = {
  /** The table whose rows are being read. */
  readonly table: string | null
  readonly failure: Failure | null
  readonly start: (table: string) => Promise<void>
  readonly cancel: () => void
}

/** Replaces the rows of tables by those that are in their database now. */
export function useRefresh(id: number): Refreshing {
  const [table, setTable] = useState<string | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const start = async (name: string): Promise<void> => {
    abort.current?.abort()
    const controller = new AbortController()
    abort.current = controller
    setTable(name)
    setFailure(null)
    try {
      const request = { path: { id, table: name } } as Call<Route, 'post'>
      const { rows } = await follow('/dataSources/{id}/tables/{table}/refresh', request, {
        signal: controller.signal,
      })
      toast({ text: t('data.refresh.done', { name, count: rows }) })
    } catch (error) {
      if (!controller.signal.aborted) setFailure(asFailure(error))
    } finally {
      if (abort.current === controller) setTable(null)
      invalidate(`/dataSources/${id}/`)
    }
  }
  return { table, failure, start, cancel: () => abort.current?.abort() }
}
