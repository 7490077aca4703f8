import type { OpenStatePipeline } from '../../src/state-pipeline.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/ports/log.ts'

const LOOK_MS = 250
/** The pause after a failure: more attempts would not end it sooner. */
const PAUSE_MS = 5_000

/** Settles the flow, the post or the dispatch whenever something is due in it, by the time of the clock and never by a long timer.
 * @returns the function that ends the watch; it resolves once the work in progress is done */
export function runWhenDue(
  flow: Pick<OpenStatePipeline, 'nextAt' | 'runDue'>,
  { clock, log }: { clock: Clock; log: Log },
): () => Promise<void> {
  let settling: Promise<void> | null = null
  let pausedUntil = 0
  const timer = setInterval(() => {
    const now = clock.now()
    // A clock that was set back ends the pause.
    const isPaused = now < pausedUntil && pausedUntil - now <= PAUSE_MS
    if (settling || isPaused || flow.nextAt > now) return
    settling = flow
      .runDue()
      .catch((error: unknown) => {
        pausedUntil = now + PAUSE_MS
        log.error('state pipeline: processing due work failed; retrying', error)
      })
      .finally(() => (settling = null))
  }, LOOK_MS)
  return async () => {
    clearInterval(timer)
    await settling
  }
}
