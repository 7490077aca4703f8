import type { Contained, Exit } from './sandbox/container.ts'

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000
/** The longest that a timer takes; a longer one would come at once. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** The reason for which a run is stopped early: a user cancelled it, it exceeded its timeout, the service gave it to another
 * runner, or this runner ends. */
export type StopReason = 'cancelled' | 'timed_out' | 'fenced' | 'closing'

/** The error of each wait of a run that is stopped. */
export class Stopped extends Error {
  override readonly name = 'Stopped'

  constructor(readonly reason: StopReason) {
    super(`The run was stopped: ${reason}.`)
  }
}

/** Waits until no process of the run is left. The signal sends SIGTERM, then SIGKILL after the grace time; if another runner
 * may have the run already, it is killed at once. */
export async function untilEnded(contained: Contained, signal: AbortSignal): Promise<Exit> {
  let timer: NodeJS.Timeout | undefined
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

/** Calls a function after a delay, which may be longer than the maximum of a timer. @returns the function that cancels it */
export function after(ms: number, act: () => void): () => void {
  const endAt = performance.now() + ms
  let timer: NodeJS.Timeout
  const wait = () => {
    const leftMs = endAt - performance.now()
    timer = setTimeout(leftMs > TIMER_MAX_MS ? wait : act, Math.min(leftMs, TIMER_MAX_MS))
  }
  wait()
  return () => clearTimeout(timer)
}
