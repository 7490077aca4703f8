import { Refusal } from '../../../lib/errors.ts'
import type { Unflushed } from '../head/head.ts'

/** Samples that may wait for a flush; past them deliveries are refused. */
const UNFLUSHED_SAMPLES_MAX = 5_000_000
/** The maximum number of unflushed characters of the WAL, because long strings take more memory than numbers. */
export const UNFLUSHED_BYTES_MAX = 64 * 1024 * 1024

/** The reason to refuse deliveries, `storage_full` or `overloaded`; null where there is capacity.
 * @param isFull whether too many deliveries wait for a commit
 * @param freeBytes free space, in bytes */
export function capacityRefusal(
  load: Readonly<Unflushed>,
  isFull: boolean,
  freeBytes: number,
): Refusal | null {
  // A flush writes the samples of the WAL again, and SQLite copies them to its own log first.
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
