import { useEffect, useRef, useState } from 'preact/hooks'

import type { Answer, Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { follow } from '../../api/operations.ts'
import { textBodyOf } from './query.ts'
import type { QueryDraft } from './query.ts'

export type Result = Exclude<Answer<'/dataQueries/preview', 'post'>, Answer<'/operations/{id}'>>
/** The rows that a run reads. */
const ROWS_MAX = 10_000

export type Run = {
  /** The last result; it stays while a run goes on. */
  readonly result: Result | null
  readonly failure: Failure | null
  readonly isRunning: boolean
  readonly start: (draft: QueryDraft, texts: Readonly<Record<string, string>>) => Promise<void>
  readonly cancel: () => void
}

/** Runs the text as it is typed, which need not be stored. */
export function useRun(): Run {
  const [result, setResult] = useState<Result | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isRunning, setRunning] = useState(false)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const cancel = (): void => {
    abort.current?.abort()
    abort.current = null
    setRunning(false)
  }
  return {
    result,
    failure,
    isRunning,
    cancel,
    start: async (draft, texts) => {
      cancel()
      const controller = new AbortController()
      abort.current = controller
      const body = { ...textBodyOf(draft, texts), limit: ROWS_MAX }
      setRunning(true)
      setFailure(null)
      try {
        const request = { body } as Call<'/dataQueries/preview', 'post'>
        const found = await follow('/dataQueries/preview', request, {
          signal: controller.signal,
          wait: 'PT5S',
        })
        if (abort.current === controller) setResult(found)
      } catch (error) {
        if (abort.current === controller) setFailure(asFailure(error))
      } finally {
        if (abort.current === controller) setRunning(false)
      }
    },
  }
}
