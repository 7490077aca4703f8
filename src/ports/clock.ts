/** The wall clock. An operation reads it once and passes the instant down. */
export interface Clock {
  /** Epoch milliseconds, an integer. */
  now(): number
}

/** A wall clock together with one that setting the wall clock does not move. */
export interface SteadyClock extends Clock {
  /** Milliseconds since an instant that is fixed for the life of the process or isolate; never goes back. */
  monotonic(): number
}

/** Begins to measure. @returns the whole milliseconds since then, which setting the wall clock does not change; never negative */
export function stopwatch(clock: Pick<SteadyClock, 'monotonic'>): () => number {
  const startedMs = clock.monotonic()
  // On Workers both clocks are the same.
  return () => Math.max(0, Math.round(clock.monotonic() - startedMs))
}
