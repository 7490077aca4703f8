import type { Refusal } from '../lib/errors.ts'

/** From one instant to another, epoch milliseconds. */
export type IngestGap = { readonly fromAt: number; readonly toAt: number }

/** The storage engine of a process. Totals count from its start. */
export type EngineFigures = {
  readonly jobs: number
  /** Durable values. */
  readonly storedValues: number
  readonly commits: number
  /** Durable values, WAL rows and characters in them that no flush has moved into segments. */
  readonly unflushed: { readonly samples: number; readonly rows: number; readonly sizeBytes: number }
  /** The milliseconds by which the earliest deadline of a job has passed without a decision; 0 where none has. */
  readonly overdueMs: number
}

/** How well this process hears its senders. A host whose jobs live in other processes answers that all is well. */
export type IngestHealth = {
  /** The latest time in which deliveries could not be received or were refused: the process was suspended or down, its
   * clock was set ahead, which looks the same, or nothing could be stored. Known once it is over; null where there was none. */
  readonly lastIngestGap: () => IngestGap | null
  /** How far the clock is behind the latest stored value, ms; 0 where it is not behind. */
  readonly clockBehindMs: () => number
  /** The jobs with predicted or adaptive limits that are unknown, by ascending id: the first `UNKNOWN_LIMITS_MAX`. */
  readonly unknownLimits: () => Promise<readonly number[]>
  /** Null where the jobs live in other processes. */
  readonly figures: () => EngineFigures | null
  /** Why nothing can be stored just now; null while it can. */
  readonly refusal: () => Refusal | null
  /** A delivery is refused through no fault of its sender, before it is known of which job. */
  readonly recordRefusal: () => void
}

export const UNKNOWN_LIMITS_MAX = 1_000

/** Of a host whose jobs live in other processes, which report unknown limits. */
export const ALWAYS_HEALTHY: Omit<IngestHealth, 'unknownLimits'> = {
  lastIngestGap: () => null,
  clockBehindMs: () => 0,
  figures: () => null,
  refusal: () => null,
  recordRefusal: () => undefined,
}
