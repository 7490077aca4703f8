/** From one instant to another, epoch milliseconds. */
export type DeafTime = { readonly fromAt: number; readonly toAt: number }

/** How well this process hears its senders. A host whose jobs live in other processes answers that all is well. */
export type Hearing = {
  /** The latest time in which deliveries could not be received: the process stood still or was away, or its clock was set
   * ahead, which looks the same. Null where there was none. */
  readonly lastDeaf: () => DeafTime | null
  /** By how many milliseconds the clock is behind what is stored; 0 where it is not. */
  readonly clockBehindMs: () => number
}

/** Of a host whose jobs live in other processes. */
export const HEARS_ALL: Hearing = { lastDeaf: () => null, clockBehindMs: () => 0 }
