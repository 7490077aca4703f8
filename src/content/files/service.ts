import { audited } from '../../access/audit/service.ts'
import { isForced, refuseWhileShown } from '../../access/dashboard-use/service.ts'
import type { Context } from '../../context.ts'
import { peek } from '../../lib/chunks.ts'
import type { Chunks } from '../../lib/chunks.ts'
import { holdToTag } from '../../http/preconditions.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import { decodeCursor, pageOf, unknownCursor } from '../../lib/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { retryOnConflict } from '../../lib/retry.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import { timeFormat } from '../../lib/time.ts'
import type { ByteSpan } from '../../ports/blobs.ts'
import { commit, fullDetail, refuseFull } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { inTime, openBlob, putBlob, asExpiredUpload, claimBlobs, UPLOAD_MAX_MS } from '../blobs/service.ts'
import { HEAD_BYTES } from './media-types.ts'
import { FILE_TYPES } from './mime-types.ts'
import type { FileView } from './schema.ts'
import * as store from './store.ts'
import type { FileRow } from './store.ts'

/** The largest file. */
export const FILE_MAX_BYTES = 10 * 1024 * 1024
const FILES_MAX = 10_000
const FULL = fullDetail(FILES_MAX, 'files')
/** 8 uploads of a process or isolate run at once, and 32 wait; a waiting upload is not read. */
const slots = new Semaphore(8, 32, UPLOAD_MAX_MS)

/** An uploaded file: `type` is its declared type. */
export type Upload = {
  readonly name: string
  readonly type: string | null
  readonly chunks: Chunks
}

/** Files by name. @throws {Refusal} invalid for a cursor of another list */
export async function listFiles(
  { ports }: Context,
  { limit, cursor }: Page,
): Promise<{ items: FileView[]; next: string | null }> {
  const after = cursor === undefined ? '' : decodeCursor(cursor)
  if (typeof after !== 'string') throw unknownCursor()
  const rows = await store.listFiles(ports.database, after, limit + 1)
  const { shown, next } = pageOf(rows, limit, ({ name }) => name)
  return {
    items: shown.map((row) => viewOf(ports, row)),
    next,
  }
}

/** Stores a file under its name, in place of a present one. A file that does not arrive whole is not stored.
 * @throws {Refusal} unsupported_media_type, too_large for more than 10 MiB, conflict when there are 10,000 files,
 * unavailable while blobs cannot be put or when it takes 10 minutes, overloaded while 40 others arrive */
export function saveFile(
  context: Context,
  upload: Upload,
  signal = AbortSignal.timeout(UPLOAD_MAX_MS),
): Promise<{ file: FileView; isNew: boolean }> {
  return slots.run(context.ports.clock, () => save(context, upload, signal))
}

async function save(
  context: Context,
  { name, type, chunks }: Upload,
  signal: AbortSignal,
): Promise<{ file: FileView; isNew: boolean }> {
  const { ports } = context
  const { database, clock } = ports
  const before = await store.findFile(database, name)
  const { head, whole } = await inTime(peek(chunks, HEAD_BYTES), signal)
  const mimeType = await FILE_TYPES.typeOf(type, name, head)
  if (mimeType === null) throw notTaken()
  const sent = { prefix: 'files', chunks: whole, sizeMaxBytes: FILE_MAX_BYTES }
  const { key: blob, sizeBytes } = await putBlob(ports, sent, signal)
  const row = { name, mimeType, sizeBytes, blob, updatedAt: clock.now() }
  const entry = audited(context, {
    action: before ? 'update' : 'create',
    objectType: 'file',
    objectId: name,
    before: before && auditFieldsOf(before),
    after: auditFieldsOf(row),
  })
  const writes = [...store.saveFile(database, row, FILES_MAX), ...claimBlobs(ports, [blob]), entry]
  await refuseFull('files', FULL, () => commit(database, writes), 'updated_at').catch((error: unknown) => {
    throw asExpiredUpload(error)
  })
  ports.log.info('files: file saved', { sizeBytes, mimeType })
  return { file: viewOf(ports, row), isNew: before === null }
}

/** A file and how to read it. @throws {Refusal} not_found, and on reading unavailable while blobs cannot be read */
export async function readFile({ ports }: Context, name: string) {
  const row = await findFile(ports, name)
  const open = (span?: ByteSpan) => openBlob(ports, row.blob, span)
  return { file: viewOf(ports, row), open }
}

/** @throws {Refusal} not_found, has_dependents while dashboards show it, unless it is forced, precondition_failed */
export function deleteFile(context: Context, name: string): Promise<void> {
  const { ports } = context
  return retryOnConflict(store.isOvertaken, async () => {
    const row = await findFile(ports, name)
    if (!isForced(context)) await refuseWhileShown(context, { kind: 'file', name })
    holdToTag(context, etagOf(row))
    const entry = audited(context, {
      action: 'delete',
      objectType: 'file',
      objectId: name,
      before: auditFieldsOf(row),
    })
    await commit(ports.database, [...store.deleteFile(ports.database, row, ports.clock.now()), entry])
  })
}

async function findFile({ database }: Ports, name: string): Promise<FileRow> {
  const row = await store.findFile(database, name)
  if (!row) throw noSuch('file')
  return row
}

function viewOf({ settings }: Ports, { name, mimeType, sizeBytes, blob, updatedAt }: FileRow): FileView {
  return {
    name,
    size: sizeBytes,
    mimeType,
    etag: etagOf({ blob }),
    updatedAt: timeFormat(settings.timeZone)(updatedAt),
    url: `${settings.basePath}/files/${encodeURIComponent(name)}`,
  }
}

function etagOf({ blob }: Pick<FileRow, 'blob'>): string {
  return `"${blob.slice(blob.lastIndexOf('/') + 1)}"`
}

function auditFieldsOf({ name, mimeType, sizeBytes, blob }: FileRow) {
  return { name, mimeType, sizeBytes, blob }
}

function notTaken(): Refusal {
  const detail = `The type of the file is not allowed, or its content does not match its Content-Type. Allowed types: ${FILE_TYPES.accepted.join(', ')}.`
  return new Refusal('unsupported_media_type', detail)
}
