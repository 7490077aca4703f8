import {
  openBlob,
  putBlob,
  asExpiredUpload,
  claimBlobs,
  UPLOAD_MAX_MS,
} from '../../../content/blobs/service.ts'
import { requireFilename } from '../../../content/files/filename.ts'
import { HEAD_BYTES } from '../../../content/files/media-types.ts'
import type { FormPart } from '../../../content/files/multipart.ts'
import type { Context } from '../../../context.ts'
import { collect } from '../../../http/bytes.ts'
import { chunkOf } from '../../../lib/chunks.ts'
import type { Chunks } from '../../../lib/chunks.ts'
import { digestHex } from '../../../lib/digest.ts'
import { TypeRefusal, noSuch } from '../../../lib/errors.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import type { ByteSpan } from '../../../ports/blobs.ts'
import { commit, isNotNullViolation, refuseFull } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { mediaOf } from '../../scripts/media.ts'
import { OUTPUT_MAX_BYTES, OUTPUTS_MAX } from '../protocol.ts'
import { requireHeld } from '../store.ts'
import { findFile, insertFiles, listFiles, requireRoom } from '../store/files.ts'
import type { FileKind, RunFile } from '../store/files.ts'
import { UPLOAD_TYPES } from '../upload-types.ts'
import { fenced, keepHold } from './lease.ts'
import type { Holder } from './lease.ts'
import type { Upload } from './commit-order.ts'

/** How large a file that comes with an order may be. */
const UPLOAD_MAX_BYTES = 10 * 1024 * 1024
const FULL = `A run can produce at most ${OUTPUTS_MAX} files.`
/** The uploads of a process or isolate at once, and their queue; a queued upload is not read. */
const slots = new Semaphore(4, 32, UPLOAD_MAX_MS)

/** Takes a file of a form that is to come with an order. It must be declared as a type that the script takes, or else be
 * called like one, and begin like it.
 * @throws {Refusal} invalid for an invalid name, unsupported_media_type, too_large, unavailable, overloaded */
export async function takeUpload(
  { ports }: Pick<Context, 'ports'>,
  { filename, type, chunks }: FormPart,
  acceptedFiles: readonly string[],
): Promise<Upload> {
  const name = requireFilename(filename ?? '')
  return slots.run(ports.clock, async () => {
    const bytes = await collect(chunks, UPLOAD_MAX_BYTES)
    const mimeType = await UPLOAD_TYPES.typeOf(type, name, bytes.subarray(0, HEAD_BYTES))
    if (mimeType === null || !acceptedFiles.includes(mimeType))
      throw new TypeRefusal(
        'The script does not accept this type of file, or the content does not match the Content-Type.',
        acceptedFiles,
      )
    return { name, mimeType, ...(await keepBytes(ports, bytes)) }
  })
}

/** The files that came with a run, once more. @throws {Refusal} unavailable */
export async function copyUploads(ports: Ports, runId: string): Promise<Upload[]> {
  const copies: Upload[] = []
  for (const { name, blob, mimeType, sizeBytes } of await listFiles(ports.database, {
    runId,
    kind: 'upload',
  })) {
    const { body } = await openBlob(ports, blob)
    const bytes = await collect(body, sizeBytes)
    copies.push({ name, mimeType, ...(await keepBytes(ports, bytes)) })
  }
  return copies
}

/** Stores an output of a run, in place of the output with this name.
 * @throws {Refusal} fenced, invalid for an invalid name, conflict when there are 20 others, too_large */
export async function takeOutput(
  ports: Ports,
  holder: Holder,
  { named, chunks }: { readonly named: string; readonly chunks: Chunks },
): Promise<void> {
  const { database, clock } = ports
  const name = requireFilename(named)
  await keepHold(ports, holder)
  await slots.run(ports.clock, async () => {
    const bytes = await collect(chunks, OUTPUT_MAX_BYTES)
    const kept = await keepBytes(ports, bytes)
    const file = { name, mimeType: mediaOf(name, bytes).mimeType, ...kept }
    const place = { runId: holder.id, kind: 'output', at: clock.now() } as const
    const writes = [
      requireHeld(database, holder),
      requireRoom(database, { runId: holder.id, name, max: OUTPUTS_MAX }),
      ...insertFiles(database, place, [file]),
      ...claimBlobs(ports, [kept.blob]),
    ]
    await refuseFull('runs', FULL, () => commit(database, writes), 'queued_at').catch((error: unknown) => {
      throw isNotNullViolation(error, 'runs.log_lines') ? fenced() : asExpiredUpload(error)
    })
  })
}

/** A file that belongs to a run, and how to read it. @throws {Refusal} not_found */
export async function openFile(
  ports: Ports,
  file: Pick<RunFile, 'runId' | 'name'> & { readonly kind: FileKind },
) {
  const found = await findFile(ports.database, file)
  if (!found) throw noSuch('file')
  return { file: found, open: (span?: ByteSpan) => openBlob(ports, found.blob, span) }
}

/** Files are small enough to be held whole, which their digest takes. */
async function keepBytes(ports: Ports, bytes: Uint8Array<ArrayBuffer>) {
  const sha256 = await digestHex(bytes)
  const stored = { prefix: 'runs', chunks: chunkOf(bytes), sizeMaxBytes: bytes.byteLength }
  const { key, sizeBytes } = await putBlob(ports, stored, AbortSignal.timeout(UPLOAD_MAX_MS))
  return { blob: key, sizeBytes, sha256 }
}
