import type { Refusal } from '../lib/errors.ts'

/** The two instants between which deliveries were lost, epoch milliseconds. */
export type IngestGap = { readonly fromAt: number; readonly toAt: number }

/** The figures of the storage engine of a process. Totals count from the start of the process. */
export type EngineFigures = {
  readonly jobs: number
  /** Durable values. */
  readonly storedValues: number
  readonly commits: number
  /** Durable values, WAL rows and characters in them that no flush has moved into segments. */
  readonly unflushed: { readonly samples: number; readonly rows: number; readonly sizeBytes: number }
  /** The milliseconds by which the earliest deadline of a job has passed without a decision; 0 if no deadline has. */
  readonly overdueMs: number
}

/** The faults that keep this process from storing deliveries. A host whose jobs live in other processes reports no fault. */
export type IngestHealth = {
  /** The latest time in which deliveries could not be received or were refused: the process was suspended or down, its
   * clock was set ahead, which looks the same, or nothing could be stored. Null before the first gap has ended. */
  readonly lastIngestGap: () => IngestGap | null
  /** The milliseconds by which the clock is behind the latest stored value; 0 if the clock is not behind. */
  readonly clockBehindMs: () => number
  /** The jobs with predicted or adaptive limits that are unknown, by ascending id: the first `UNKNOWN_LIMITS_MAX`. */
  readonly unknownLimits: () => Promise<readonly number[]>
  /** Null where the jobs live in other processes. */
  readonly figures: () => EngineFigures | null
  /** The refusal of all deliveries while the process can store none; null while it can. */
  readonly refusal: () => Refusal | null
  /** Records that a delivery was refused through no fault of its sender, before its job was known. */
  readonly recordRefusal: () => void
}

export const UNKNOWN_LIMITS_MAX = 1_000

/** The health of a host whose jobs live in other processes. These processes report unknown limits. */
export const ALWAYS_HEALTHY: Omit<IngestHealth, 'unknownLimits'> = {
  lastIngestGap: () => null,
  clockBehindMs: () => 0,
  figures: () => null,
  refusal: () => null,
  recordRefusal: () => undefined,
}
