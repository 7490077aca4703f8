import { useEffect, useState } from 'preact/hooks'

import type { Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { follow } from '../../api/operations.ts'
import type { Clusters } from './places.ts'
import type { Body } from './source.ts'

/** While the map moves, nothing is asked. */
const SETTLE_MS = 250

export type ReadClusters = {
  /** The last answer; it stays while a newer one is read. */
  readonly data: Clusters | null
  /** The request of the last answer. */
  readonly asked: Body | null
  readonly failure: Failure | null
  readonly isLoading: boolean
  /** Reads the same again. */
  readonly reload: () => void
}

/** Reads the clusters of a box. @param body null: nothing is read yet */
export function useClusters(body: Body | null): ReadClusters {
  const [state, setState] = useState<Omit<ReadClusters, 'reload'>>({
    data: null,
    asked: null,
    failure: null,
    isLoading: false,
  })
  const [attempt, setAttempt] = useState(0)
  const key = JSON.stringify(body)
  useEffect(() => {
    if (body === null) return undefined
    const abort = new AbortController()
    const read = async (): Promise<void> => {
      setState((now) => ({ ...now, isLoading: true }))
      try {
        const request = { body } as Call<'/gis/cluster', 'post'>
        const data = await follow('/gis/cluster', request, { signal: abort.signal, wait: 'PT10S' })
        if (!abort.signal.aborted) setState({ data, asked: body, failure: null, isLoading: false })
      } catch (error) {
        if (!abort.signal.aborted)
          setState((now) => ({ ...now, failure: asFailure(error), isLoading: false }))
      }
    }
    const timer = setTimeout(() => void read(), SETTLE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key, attempt])
  return { ...state, reload: () => setAttempt((now) => now + 1) }
}
