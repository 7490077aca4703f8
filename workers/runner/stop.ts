import type { Contained, Exit } from './sandbox/container.ts'

/** How long what is told to end may take until it is killed. */
const GRACE_MS = 5_000
/** The longest that a timer takes; a longer one would come at once. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** Why a job is ended before it ends by itself: somebody asked for it, it took too long, the service has given it to
 * somebody else, or the runner itself ends. */
export type StopReason = 'cancelled' | 'timed_out' | 'fenced' | 'closing'

/** Thrown through everything that a job waits for when it is ended. */
export class Stopped extends Error {
  override readonly name = 'Stopped'

  constructor(readonly reason: StopReason) {
    super(`The run was stopped: ${reason}.`)
  }
}

/** Waits until nothing of it runs any more. Once the signal comes it is told to end, and killed when it does not; where
 * somebody else may have the job already, it is killed at once. */
export async function untilEnded(contained: Contained, signal: AbortSignal): Promise<Exit> {
  let timer: Timer | undefined
  const onAbort = () => {
    if (signal.reason instanceof Stopped && signal.reason.reason === 'fenced') return contained.kill()
    contained.terminate()
    timer = setTimeout(() => contained.kill(), GRACE_MS)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await contained.exited
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Does something after a time, which may be longer than a timer takes. @returns what calls it off */
export function after(ms: number, act: () => void): () => void {
  const endAt = performance.now() + ms
  let timer: Timer
  const wait = () => {
    const leftMs = endAt - performance.now()
    timer = setTimeout(leftMs > TIMER_MAX_MS ? wait : act, Math.min(leftMs, TIMER_MAX_MS))
  }
  wait()
  return () => clearTimeout(timer)
}
