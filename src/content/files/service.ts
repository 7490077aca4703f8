import { audited } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { tooLarge } from '../../http/bytes.ts'
import { untilAborted } from '../../lib/abort.ts'
import { peek, streamOf } from '../../lib/chunks.ts'
import type { Chunks } from '../../lib/chunks.ts'
import { Refusal, refusalIn } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, unknownCursor } from '../../lib/paging.ts'
import { Slots } from '../../lib/slots.ts'
import { timeFormat } from '../../lib/time.ts'
import type { ByteSpan, StoredBlob } from '../../ports/blobs.ts'
import { commit, isNotNullViolation } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { ACCEPTED_TYPES, HEAD_BYTES, typeOf } from './mime-types.ts'
import type { FileView, ListQuery } from './schema.ts'
import * as store from './store.ts'
import type { FileRow } from './store.ts'

/** How large a file may be. */
export const FILE_MAX_BYTES = 10 * 1024 * 1024
const FILES_MAX = 10_000
/** So that nobody takes a place for ever; long before a doomed blob is swept nobody refers to it any more. */
const UPLOAD_MAX_MS = 10 * 60_000
const DOOMED_MS = 60 * 60_000
const SWEPT_AT_ONCE = 100
/** What a process or isolate takes in at once, and what waits; a sender that waits is not read. */
const slots = new Slots(8, 32, UPLOAD_MAX_MS)

/** What somebody sends to be kept: `type` is what it is declared as. */
export type Upload = {
  readonly name: string
  readonly type: string | null
  readonly chunks: Chunks
}

/** Files by name. @throws {Refusal} invalid for a cursor of another list */
export async function listFiles(
  { ports }: Context,
  { limit, cursor }: ListQuery,
): Promise<{ items: FileView[]; next: string | null }> {
  const after = cursor === undefined ? '' : decodeCursor(cursor)
  if (typeof after !== 'string') throw unknownCursor()
  const rows = await store.listFiles(ports.database, after, limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => viewOf(ports, row)),
    next: rows.length > limit && last ? encodeCursor(last.name) : null,
  }
}

/** Keeps what is sent under its name, in place of what was there. Nothing of it is kept unless it arrives whole.
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
  if (!before && (await store.countFiles(database)) >= FILES_MAX)
    throw new Refusal('conflict', `There are ${FILES_MAX} files at most.`)
  const { head, whole } = await inTime(peek(chunks, HEAD_BYTES), signal)
  const mimeType = await typeOf(type, name, head)
  if (mimeType === null) throw notTaken()
  const blob = `files/${crypto.randomUUID()}`
  await commit(database, [store.doomBlob(database, blob, clock.now())])
  const sizeBytes = await inTime(put(ports, blob, whole), signal)
  const now = clock.now()
  const row = { name, mimeType, sizeBytes, blob, updatedAt: now }
  const entry = audited(context, {
    action: before ? 'update' : 'create',
    objectType: 'file',
    objectId: name,
    before: before && toldOf(before),
    after: toldOf(row),
  })
  try {
    await commit(database, [...store.saveFile(database, row, now - UPLOAD_MAX_MS), entry])
  } catch (error) {
    throw isNotNullViolation(error, 'files.blob') ? tookTooLong() : error
  }
  ports.log.info('file saved', { sizeBytes, mimeType })
  return { file: viewOf(ports, row), isNew: before === null }
}

/** A file and how to read it. @throws {Refusal} not_found, and on reading unavailable while blobs cannot be read */
export async function readFile({ ports }: Context, name: string) {
  const row = await findFile(ports, name)
  const open = async (span?: ByteSpan): Promise<StoredBlob> => {
    const found = await reachable(ports, () => ports.blobs.get(row.blob, span))
    if (!found) throw new Error('The bytes of a file are missing.')
    return found
  }
  return { file: viewOf(ports, row), open }
}

/** @throws {Refusal} not_found */
export async function deleteFile(context: Context, name: string): Promise<void> {
  const { ports } = context
  const row = await findFile(ports, name)
  const entry = audited(context, {
    action: 'delete',
    objectType: 'file',
    objectId: name,
    before: toldOf(row),
  })
  await commit(ports.database, [...store.deleteFile(ports.database, name, ports.clock.now()), entry])
}

/** Removes blobs that nothing has referred to for an hour: those of uploads that did not end well, and of files that were
 * replaced or deleted. What cannot be removed is left to the next sweep: nothing else has to wait for it. */
export async function sweepFiles({ database, blobs, clock, log }: Ports): Promise<void> {
  const doomedAt = clock.now() - DOOMED_MS
  try {
    for (;;) {
      const keys = await store.listDoomed(database, doomedAt, SWEPT_AT_ONCE)
      if (keys.length === 0) return
      for (const key of keys) await blobs.delete(key)
      await commit(database, [store.forgetDoomed(database, keys, doomedAt)])
    }
  } catch (error) {
    log.error('files that nothing refers to could not be removed', error)
  }
}

/** @returns how many bytes there were */
async function put(ports: Ports, key: string, chunks: Chunks): Promise<number> {
  let sizeBytes = 0
  const bounded = async function* () {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > FILE_MAX_BYTES) throw tooLarge(FILE_MAX_BYTES)
      yield chunk
    }
  }
  await reachable(ports, () => ports.blobs.put(key, streamOf(bounded())))
  return sizeBytes
}

/** What is late is given up before anything refers to it; what was put of it is swept. */
async function inTime<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await untilAborted(promise, signal)
  } catch (error) {
    throw signal.aborted && error === signal.reason ? tookTooLong() : error
  }
}

function tookTooLong(): Refusal {
  return new Refusal('unavailable', 'The file took too long to arrive and to be stored. Send it again.')
}

async function reachable<Result>({ log }: Ports, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal) throw refusal
    log.error('the store of files failed', error)
    throw new Refusal('unavailable', 'Files cannot be stored or read just now.')
  }
}

async function findFile({ database }: Ports, name: string): Promise<FileRow> {
  const row = await store.findFile(database, name)
  if (!row) throw new Refusal('not_found', 'There is no such file.')
  return row
}

function viewOf({ settings }: Ports, { name, mimeType, sizeBytes, blob, updatedAt }: FileRow): FileView {
  return {
    name,
    size: sizeBytes,
    mimeType,
    etag: `"${blob.slice(blob.lastIndexOf('/') + 1)}"`,
    updatedAt: timeFormat(settings.timeZone)(updatedAt),
    url: `${settings.basePath}/files/${encodeURIComponent(name)}`,
  }
}

function toldOf({ name, mimeType, sizeBytes, blob }: FileRow) {
  return { name, mimeType, sizeBytes, blob }
}

function notTaken(): Refusal {
  const detail = `The file is of no type that is taken, or not of the one it is declared as. Taken are: ${ACCEPTED_TYPES.join(', ')}.`
  return new Refusal('unsupported_media_type', detail)
}
