const FIRST_MS = 250
const LONGEST_MS = 15_000

/** The pause before the next try, in milliseconds: the pause that the service demands, else a growing one of 15 s at most. A
 * random part keeps runners that lost the service at once from returning at once.
 * @param tries the number of tries so far
 * @param demandedS the pause that the service demands, in seconds; 0 without one */
export function pauseOf(tries: number, demandedS = 0): number {
  const ownMs = FIRST_MS * 2 ** Math.min(tries - 1, 10)
  const pauseMs = Math.min(LONGEST_MS, demandedS > 0 ? demandedS * 1_000 : ownMs)
  return pauseMs * (0.5 + Math.random() / 2)
}

/** Waits. @throws the reason of the signal when it is aborted first */
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
