import type { Statement } from '../../../ports/values-database.ts'
import type { Blocks } from '../blocks/blocks.ts'
import { blobKey } from '../blocks/segment-body.ts'
import type { Head } from '../head/head.ts'
import type { Job } from '../head/job.ts'
import { deleteBlobRows, readOrphanedBlobs } from '../store/blobs.ts'

const BLOBS_AT_ONCE = 100

export type RetentionContext = { readonly head: Head; readonly blocks: Blocks }

/** The instants before which segments of a job are cold, and before which samples and cells have expired, epoch ms. */
export type RetentionLimits = {
  readonly coldAt: number
  readonly rawAt: number
  readonly minutesAt: number
  readonly hoursAt: number
}

/** Commits unless the job was forgotten; false when it was. */
export function commitUnlessForgotten(
  { head, blocks: { values, lock } }: RetentionContext,
  job: Job,
  statements: () => Promise<readonly Statement[]>,
): Promise<boolean> {
  return lock.run(async () => {
    if (!head.has(job)) return false
    await values.commit(await statements())
    return true
  })
}

/** Deletes blobs that no row refers to: of expired samples, of forgotten jobs, and of interrupted writes.
 * @throws {Error} while the blobs are unavailable */
export async function sweepBlobs({ values, blobs, lock, reserved }: Blocks): Promise<void> {
  for (;;) {
    const found = await lock.run(() => readOrphanedBlobs(values, BLOBS_AT_ONCE))
    const orphaned = found.filter(({ id }) => !reserved.has(id))
    if (orphaned.length === 0) return
    for (const { id, jobId } of orphaned) await blobs.delete(blobKey(jobId, id))
    await lock.run(() => values.commit([deleteBlobRows(orphaned.map(({ id }) => id))]))
  }
}
