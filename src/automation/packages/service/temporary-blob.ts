import { inTime, openBlob, putBlob } from '../../../content/blobs/service.ts'
import { collect } from '../../../http/bytes.ts'
import { peek } from '../../../lib/chunks.ts'
import type { Chunks } from '../../../lib/chunks.ts'
import { heldSource } from '../../../lib/zip/source.ts'
import type { ByteSource } from '../../../lib/zip/source.ts'
import type { Ports } from '../../../ports/index.ts'

/** How much of an archive is held in memory; a larger one is a blob for as long as it is needed. */
const HELD_MAX_BYTES = 8 * 1024 * 1024

export type Keepable = {
  readonly chunks: Chunks
  readonly sizeMaxBytes: number
  readonly signal: AbortSignal
}

/** Bytes that can be read from any place on until they are released. */
export type TemporaryBlob = { readonly source: ByteSource; readonly release: () => Promise<void> }

/** Keeps bytes. @throws {Refusal} too_large, unavailable while blobs cannot be put or when `signal` gives up */
export async function keep(ports: Ports, { chunks, sizeMaxBytes, signal }: Keepable): Promise<TemporaryBlob> {
  const { head, whole } = await inTime(peek(chunks, HELD_MAX_BYTES + 1), signal)
  if (head.byteLength <= HELD_MAX_BYTES) return { source: heldSource(head), release: () => Promise.resolve() }
  const { key, sizeBytes } = await putBlob(ports, { prefix: 'packages', chunks: whole, sizeMaxBytes }, signal)
  const release = () =>
    // The blob is marked as orphaned from the beginning, so the sweep removes a blob whose deletion failed.
    ports.blobs.delete(key).catch((error: unknown) => {
      ports.log.error('packages: deleting a temporary archive failed; retrying later', error)
    })
  return { source: blobSource(ports, key, sizeBytes), release }
}

function blobSource(ports: Ports, key: string, sizeBytes: number): ByteSource {
  return {
    sizeBytes,
    async read(offsetBytes, spanBytes) {
      const { body } = await openBlob(ports, key, { offsetBytes, sizeBytes: spanBytes })
      return collect(body, spanBytes)
    },
  }
}
