import type { R2Bucket, R2MultipartUpload, R2ObjectBody, R2UploadedPart } from '@cloudflare/workers-types'

import {
  checkBlobKey,
  checkBlobPrefix,
  checkByteSpan,
  type Blobs,
  type ByteSpan,
} from '../../src/ports/blobs.ts'
import { cleanUp } from '../../src/ports/log.ts'
import type { Log } from '../../src/ports/log.ts'

/** Blobs in an R2 bucket, which belongs to this store alone. */
export function openBlobsR2(bucket: R2Bucket, log: Pick<Log, 'error'>): Blobs {
  return {
    async put(key, body) {
      checkBlobKey(key)
      if (body instanceof Uint8Array) await bucket.put(key, body)
      else await putStream({ bucket, log }, key, body)
    },

    async get(key, span) {
      checkBlobKey(key)
      const found = await getSpan(bucket, key, span)
      if (found === null) return null
      // The same stream, by the type of another package.
      const body = found.body as unknown as ReadableStream<Uint8Array>
      return { body, sizeBytes: span?.sizeBytes ?? found.size }
    },

    async delete(key) {
      checkBlobKey(key)
      await bucket.delete(key)
    },

    async list(prefix) {
      checkBlobPrefix(prefix)
      const keys: string[] = []
      let page = await bucket.list({ prefix })
      for (;;) {
        for (const { key } of page.objects) keys.push(key)
        if (!page.truncated) return keys
        page = await bucket.list({ prefix, cursor: page.cursor })
      }
    },
  }
}

async function getSpan(
  bucket: R2Bucket,
  key: string,
  span: ByteSpan | undefined,
): Promise<R2ObjectBody | null> {
  if (!span) return bucket.get(key)
  // R2 shortens a span that ends beyond the blob, and has an error of its own for a span that begins there.
  const whole = await bucket.head(key)
  if (whole === null) return null
  checkByteSpan(span, whole.size)
  const found = await bucket.get(key, {
    range: { offset: span.offsetBytes, length: span.sizeBytes },
    onlyIf: { etagMatches: whole.etag },
  })
  // The blob was replaced since its size was read.
  return found === null || 'body' in found ? found : getSpan(bucket, key, span)
}

// R2 takes a stream of unknown length in parts alone. All parts but the last have the same size, of at least 5 MiB.
const PART_BYTES = 8 * 1024 * 1024

type Store = { readonly bucket: R2Bucket; readonly log: Pick<Log, 'error'> }

async function putStream(
  { bucket, log }: Store,
  key: string,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  let upload: R2MultipartUpload | undefined
  const uploaded: R2UploadedPart[] = []
  try {
    for await (const { bytes, isOnly } of partsOf(body)) {
      if (isOnly) {
        await bucket.put(key, bytes)
        return
      }
      upload ??= await bucket.createMultipartUpload(key)
      uploaded.push(await upload.uploadPart(uploaded.length + 1, bytes))
    }
    await upload?.complete(uploaded)
  } catch (error) {
    await cleanUp(log, 'blobs: aborting an upload failed; R2 aborts it after a week', async () =>
      upload?.abort(),
    )
    throw error
  }
}

/** Splits the stream into parts, at least one. The bytes of a part are valid until the next part is requested. */
async function* partsOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ bytes: Uint8Array; isOnly: boolean }> {
  const part = new Uint8Array(PART_BYTES)
  let filled = 0
  let isFirst = true
  for await (const chunk of body) {
    for (let taken = 0; taken < chunk.length;) {
      if (filled === PART_BYTES) {
        yield { bytes: part, isOnly: false }
        isFirst = false
        filled = 0
      }
      const piece = chunk.subarray(taken, taken + PART_BYTES - filled)
      part.set(piece, filled)
      filled += piece.length
      taken += piece.length
    }
  }
  yield { bytes: part.subarray(0, filled), isOnly: isFirst }
}
