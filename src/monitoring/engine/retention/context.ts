import type { Blobs } from '../../../ports/blobs.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import type { Job } from '../head/job.ts'
import type { Mutex } from '../../../lib/mutex.ts'
import { deleteBlobRows, readDoomedBlobs } from '../store/blobs.ts'
import { blobKey } from '../blocks/segment-body.ts'

const BLOBS_AT_ONCE = 100

/** What context needs of the engine. */
export type RetentionContext = {
  readonly values: ValuesDatabase
  readonly blobs: Blobs
  readonly lock: Mutex
  /** What a blob holds at most, in bytes, and a quarter of it at least. */
  readonly blobBytes: number
  /** Blobs that are being put: nothing refers to them yet, and still they stay. */
  readonly reserved: Set<number>
  /** Lets deliveries in between. */
  readonly turn: () => Promise<void>
  /** False once the job was forgotten. */
  readonly isKnown: (job: Job) => boolean
}

/** When what a job keeps is cold, and when it expires. */
export type RetentionLimits = {
  readonly coldAt: number
  readonly rawAt: number
  readonly minutesAt: number
  readonly hoursAt: number
}

/** Commits while the job is still here; false when it was forgotten meanwhile. */
export function commitUnlessForgotten(
  { values, lock, isKnown }: RetentionContext,
  job: Job,
  statements: () => Promise<readonly Statement[]>,
): Promise<boolean> {
  return lock.run(async () => {
    if (!isKnown(job)) return false
    await values.commit(await statements())
    return true
  })
}

/** Removes blobs to which nothing refers any more: of expired samples, of forgotten jobs, of what was cut off. */
export async function sweepBlobs({ values, blobs, lock, reserved }: RetentionContext): Promise<void> {
  for (;;) {
    const found = await lock.run(() => readDoomedBlobs(values, BLOBS_AT_ONCE))
    const doomed = found.filter(({ id }) => !reserved.has(id))
    if (doomed.length === 0) return
    for (const { id, jobId } of doomed) await blobs.delete(blobKey(jobId, id))
    await lock.run(() => values.commit([deleteBlobRows(doomed.map(({ id }) => id))]))
  }
}
