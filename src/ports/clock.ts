/** The wall clock. Read once per operation and passed down. */
export interface Clock {
  /** Epoch milliseconds, an integer. */
  now(): number
}

/** A wall clock together with one that setting the wall clock does not move. */
export interface SteadyClock extends Clock {
  /** Milliseconds since an instant that is fixed for the life of the process or isolate; never goes back. */
  monotonic(): number
}
