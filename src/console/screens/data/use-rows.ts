import { useEffect, useRef, useState } from 'preact/hooks'

import type { Answer } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { follow } from '../../api/operations.ts'
import type { Cell } from './cells.ts'
import type { GridColumn } from './grid.tsx'

type Select = '/dataSources/{id}/tables/{table}/select'
type Selection = Exclude<Answer<Select, 'post'>, Answer<'/operations/{id}'>>

/** Rows that were read, and how many there are. */
export type Rows = {
  readonly columns: readonly GridColumn[]
  readonly rows: readonly (readonly Cell[])[]
  readonly total: number | null
  readonly truncated: boolean
  readonly durationMs: number
}

export type ReadRows = {
  /** The last rows that were read; they stay while others are read. */
  readonly data: Rows | null
  readonly failure: Failure | null
  readonly isLoading: boolean
  readonly reload: () => void
  readonly cancel: () => void
}

/** Selects rows of a table.
 * @throws {Failure} */
export async function selectRows(
  path: { readonly id: number; readonly table: string },
  body: object,
  signal: AbortSignal,
): Promise<Rows> {
  const found: Selection = await follow(
    '/dataSources/{id}/tables/{table}/select',
    { path, body },
    {
      signal,
      wait: 'PT5S',
    },
  )
  const { columns, total, truncated, durationMs } = found
  return { columns, rows: found.rows as readonly (readonly Cell[])[], total, truncated, durationMs }
}

/** Reads rows, and again when the request changes.
 * @param body null: nothing is read yet */
export function useRows(
  path: { readonly id: number; readonly table: string },
  body: object | null,
): ReadRows {
  const [state, setState] = useState<Pick<ReadRows, 'data' | 'failure' | 'isLoading'>>({
    data: null,
    failure: null,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const abort = useRef<AbortController | null>(null)
  const key = JSON.stringify([path, body])
  useEffect(() => {
    if (body === null) return undefined
    const controller = new AbortController()
    abort.current = controller
    const set = (part: Partial<typeof state>): void => {
      if (!controller.signal.aborted)
        setState((now) => ({ ...now, isLoading: false, failure: null, ...part }))
    }
    setState((now) => ({ ...now, isLoading: true }))
    selectRows(path, body, controller.signal).then(
      (data) => set({ data }),
      (error: unknown) => set({ failure: asFailure(error) }),
    )
    return () => controller.abort()
  }, [key, round])
  return {
    ...state,
    reload: () => setRound((now) => now + 1),
    cancel: () => {
      abort.current?.abort()
      setState((now) => ({ ...now, isLoading: false }))
    },
  }
}
