/** The wall clock. Read once per operation and passed down. */
export interface Clock {
  /** Epoch milliseconds, an integer. */
  now(): number
}
