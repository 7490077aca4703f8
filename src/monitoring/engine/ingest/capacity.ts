import { Refusal } from '../../../lib/errors.ts'
import type { Job } from '../head/job.ts'
import type { Unflushed } from '../wal/wal.ts'

/** Samples that may wait for a flush; past them deliveries are refused. */
const UNFLUSHED_SAMPLES_MAX = 5_000_000
/** The same as text of the journal: long strings take more memory than their number tells. */
export const UNFLUSHED_BYTES_MAX = 64 * 1024 * 1024

/** Why a delivery could not be kept, `storage_full` or `overloaded`; null where it can. `isFull` when no more may wait for a
 * commit; `freeBytes` is what may still be stored. */
export function capacityRefusal(
  load: Readonly<Unflushed>,
  isFull: boolean,
  freeBytes: number,
): Refusal | null {
  // A flush writes once more what the journal holds, and a copy of it in the write-ahead log.
  if (freeBytes < 2 * load.sizeBytes) {
    return new Refusal(
      'storage_full',
      'The disk is nearly full. Deliveries are accepted again once there is free space.',
    )
  }
  const isBehind = load.samples >= UNFLUSHED_SAMPLES_MAX || load.sizeBytes >= UNFLUSHED_BYTES_MAX
  if (!isFull && !isBehind) return null
  return new Refusal('overloaded', 'More deliveries are waiting than can be stored. Try again shortly.')
}

/** Refuses a delivery of a job that sends more than its share; it is not taken for silent.
 * @throws {Refusal} too_fast */
export function requireRate(job: Job, now: number): void {
  if (job.tryConsume(now)) return
  job.refuse(now)
  throw new Refusal('too_fast', 'The job receives more than 5,000 deliveries per second. Send fewer.')
}
