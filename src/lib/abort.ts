/** The outcome of a promise, or the reason of the signal when it is aborted first. The promise itself continues. */
export async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort = () => undefined as void
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Waits until the time has passed or the signal is aborted. */
export async function passed(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}

/** The signal of a request; without a request one that is never aborted. */
export function signalOf(request: Request | undefined): AbortSignal {
  return request?.signal ?? new AbortController().signal
}
