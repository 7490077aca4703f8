const FIRST_MS = 250
const LONGEST_MS = 15_000

/** How long to wait before the next try, in milliseconds: what the service said, else longer each time, 15 s at most, and
 * never quite the same, so that runners which lost the service at once do not come back at once.
 * @param tries how many there were, from 1
 * @param saidS what the service said, in seconds; 0 for nothing */
export function pauseOf(tries: number, saidS = 0): number {
  const ownMs = FIRST_MS * 2 ** Math.min(tries - 1, 10)
  const pauseMs = Math.min(LONGEST_MS, saidS > 0 ? saidS * 1_000 : ownMs)
  return pauseMs * (0.5 + Math.random() / 2)
}

/** Waits; throws the signal's reason when that comes first. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}
