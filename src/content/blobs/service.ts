import { tooLarge } from '../../http/bytes.ts'
import { untilAborted } from '../../lib/abort.ts'
import { streamOf } from '../../lib/chunks.ts'
import type { Chunks } from '../../lib/chunks.ts'
import { Refusal, refusalIn } from '../../lib/errors.ts'
import type { ByteSpan, StoredBlob } from '../../ports/blobs.ts'
import { commit, isNotNullViolation } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import * as store from './store.ts'

/** Ends an upload long before the sweep removes its blob. */
export const UPLOAD_MAX_MS = 10 * 60_000
/** The time limit of an upload of a large file. */
export const LONG_UPLOAD_MAX_MS = 55 * 60_000
const ORPHANED_MS = 60 * 60_000
const SWEPT_AT_ONCE = 100

/** A write that marks blobs as orphaned. It belongs to the commit that removes the last reference. */
export const markOrphaned = store.markOrphaned

/** The content of a new blob, and its prefix: `files` for `files/<uuid>`. */
export type NewBlob = {
  readonly prefix: string
  readonly chunks: Chunks
  readonly sizeMaxBytes: number
}

/** Stores bytes under a new key. The blob is marked as orphaned until a commit with `claimBlobs` refers to it.
 * @throws {Refusal} too_large, unavailable while blobs cannot be put or when `signal` gives up */
export async function putBlob(
  ports: Ports,
  { prefix, ...bytes }: NewBlob,
  signal: AbortSignal,
): Promise<{ readonly key: string; readonly sizeBytes: number }> {
  const key = `${prefix}/${crypto.randomUUID()}`
  return { key, sizeBytes: await putBlobAt(ports, key, bytes, signal) }
}

/** Stores a blob under a new key. @returns the number of stored bytes */
export async function putBlobAt(
  ports: Ports,
  key: string,
  bytes: Omit<NewBlob, 'prefix'>,
  signal: AbortSignal,
): Promise<number> {
  await commit(ports.database, [store.markOrphaned(ports.database, [key], ports.clock.now())])
  return inTime(put(ports, key, bytes), signal)
}

/** The writes that remove the marks of stored blobs. They belong to the commit that refers to the blobs, which fails, as
 * `asExpiredUpload` recognises, if an upload began more than `maxMs` ago. */
export function claimBlobs({ database, clock }: Ports, keys: readonly string[], maxMs = UPLOAD_MAX_MS) {
  return keys.length === 0 ? [] : store.claimBlobs(database, keys, clock.now() - maxMs)
}

/** The error to throw for a failed commit with `claimBlobs`. */
export function asExpiredUpload(error: unknown): unknown {
  return isNotNullViolation(error, 'orphaned_blobs.at') ? tookTooLong() : error
}

/** Removes a blob that nothing refers to, without waiting for the sweep, which removes it after a failure. */
export async function dropBlob({ blobs, log }: Ports, key: string): Promise<void> {
  try {
    await blobs.delete(key)
  } catch (error) {
    log.warn('files: deleting a blob failed; the sweep deletes it', { key, reason: String(error) })
  }
}

/** The bytes of a blob that a row refers to, or a span of them. @throws {Refusal} unavailable while blobs cannot be read */
export async function openBlob(ports: Ports, key: string, span?: ByteSpan): Promise<StoredBlob> {
  const found = await reachable(ports, () => ports.blobs.get(key, span))
  if (!found) throw new Error('The bytes of a file are missing.')
  return found
}

/** A late upload is given up before anything refers to it; its blob is swept.
 * @throws {Refusal} unavailable when `signal` gives up */
export async function inTime<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await untilAborted(promise, signal)
  } catch (error) {
    throw signal.aborted && error === signal.reason ? tookTooLong() : error
  }
}

/** Removes blobs without a reference for an hour: of failed uploads, and of files that were replaced
 * or deleted. A blob that cannot be removed is left to the next sweep, and the rest continues. */
export async function sweepBlobs({ database, blobs, clock, log }: Ports): Promise<void> {
  const orphanedBeforeAt = clock.now() - ORPHANED_MS
  try {
    for (;;) {
      const keys = await store.listOrphaned(database, orphanedBeforeAt, SWEPT_AT_ONCE)
      if (keys.length === 0) return
      for (const key of keys) await blobs.delete(key)
      await commit(database, [store.removeMarks(database, keys, orphanedBeforeAt)])
    }
  } catch (error) {
    log.error('files: deleting unreferenced blobs failed; retrying later', error)
  }
}

/** @returns how many bytes there were */
async function put(
  ports: Ports,
  key: string,
  { chunks, sizeMaxBytes }: Omit<NewBlob, 'prefix'>,
): Promise<number> {
  let sizeBytes = 0
  const bounded = async function* () {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > sizeMaxBytes) throw tooLarge(sizeMaxBytes)
      yield chunk
    }
  }
  await reachable(ports, () => ports.blobs.put(key, streamOf(bounded())))
  return sizeBytes
}

function tookTooLong(): Refusal {
  return new Refusal('unavailable', 'The upload took too long. Send the file again.')
}

async function reachable<Result>({ log }: Ports, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal) throw refusal
    log.error('files: the file store failed', error)
    throw new Refusal('unavailable', 'The file store is unavailable. Try again later.')
  }
}
