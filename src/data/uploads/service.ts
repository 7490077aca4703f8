import { recorder } from '../../access/audit/service.ts'
import {
  asExpiredUpload,
  claimBlobs,
  LONG_UPLOAD_MAX_MS,
  markOrphaned,
  putBlob,
} from '../../content/blobs/service.ts'
import type { Context } from '../../context.ts'
import type { Chunks } from '../../lib/chunks.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import { DAY_MS } from '../../lib/time.ts'
import { ulid } from '../../lib/ulid.ts'
import { commit, isForeignKeyViolation, refuseFull } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import * as store from './store.ts'
import type { UploadRow } from './store.ts'

export type { UploadRow } from './store.ts'

const recorded = recorder('dataSource')

/** The largest file that can be imported. Platforms may have a lower limit for bodies. */
export const UPLOAD_MAX_BYTES = 1024 * 1024 * 1024
/** Uploads of a data source that have not expired. */
const UPLOADS_MAX = 20
const FULL = `A data source must have at most ${UPLOADS_MAX} uploads. An upload is deleted after a day, or once it is imported.`
const KEPT_MS = DAY_MS
const SWEPT_AT_ONCE = 100
/** The random part of an id. */
const CHANCE_BYTES = 10
const slots = new Semaphore(2, 8, LONG_UPLOAD_MAX_MS)

/** Stores a file for a day. Nothing of it is stored unless it arrives whole.
 * @throws {Refusal} too_large, conflict when the source has 20 uploads, not_found when it was deleted meanwhile, overloaded,
 * unavailable */
export function saveUpload(context: Context, dataSourceId: number, chunks: Chunks): Promise<UploadRow> {
  const { ports } = context
  return slots.run(ports.clock, async () => {
    const { database, clock } = ports
    const sent = { prefix: 'uploads', chunks, sizeMaxBytes: UPLOAD_MAX_BYTES }
    const { key: blob, sizeBytes } = await putBlob(ports, sent, AbortSignal.timeout(LONG_UPLOAD_MAX_MS))
    const id = ulid(clock.now(), crypto.getRandomValues(new Uint8Array(CHANCE_BYTES)))
    const row = { id, dataSourceId, blob, sizeBytes, expiresAt: clock.now() + KEPT_MS }
    const writes = [
      store.insertUpload(database, row, UPLOADS_MAX),
      ...claimBlobs(ports, [blob], LONG_UPLOAD_MAX_MS),
      recorded(context, 'upload', { objectId: dataSourceId, after: { upload: id, sizeBytes } }),
    ]
    const save = () => refuseFull('data_uploads', FULL, () => commit(database, writes), 'size_bytes')
    await save().catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? noSuch('data source') : asExpiredUpload(error)
    })
    return row
  })
}

/** @throws {Refusal} not_found, also once the upload has expired */
export async function requireUpload(ports: Ports, dataSourceId: number, id: string): Promise<UploadRow> {
  const row = await store.findUpload(ports.database, { dataSourceId, id, now: ports.clock.now() })
  if (!row)
    throw new Refusal('not_found', 'There is no such upload, or it has expired. Upload the file again.')
  return row
}

/** The writes that delete uploads and let the next sweep delete their bytes. */
export function dropUploads({ database, clock }: Ports, rows: readonly UploadRow[]): Write[] {
  if (rows.length === 0) return []
  const blobs = rows.map(({ blob }) => blob)
  return [
    ...rows.map(({ id }) => store.deleteUpload(database, id)),
    markOrphaned(database, blobs, clock.now()),
  ]
}

/** The writes that belong to the deletion of a data source. */
export async function dropUploadsOf(ports: Ports, dataSourceId: number): Promise<Write[]> {
  return dropUploads(ports, await store.listUploadsOf(ports.database, dataSourceId))
}

/** Deletes uploads that have expired. Failures are logged, and the next sweep tries again. */
export async function sweepUploads(ports: Ports): Promise<void> {
  try {
    for (;;) {
      const rows = await store.listExpired(ports.database, ports.clock.now(), SWEPT_AT_ONCE)
      await commit(ports.database, dropUploads(ports, rows))
      if (rows.length < SWEPT_AT_ONCE) return
    }
  } catch (error) {
    ports.log.error('uploads: deleting expired uploads failed; retrying later', error)
  }
}
