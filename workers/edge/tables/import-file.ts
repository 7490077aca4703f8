import type { ImportFile } from '../../../src/data/imports/import-file.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import type { Blobs, StoredBlob } from '../../../src/ports/blobs.ts'
import { FILE_MISSING } from '../../../src/ports/tables.ts'

/** An upload as a file to import. @param read gets the number of bytes that were read so far; an error that it throws ends the reading */
export function importFileOf(
  blobs: Blobs,
  key: string,
  { body, sizeBytes }: StoredBlob,
  read: (bytes: number) => void,
): ImportFile {
  let bytes = 0
  const count = (more: number) => read((bytes += more))
  return {
    chunks: counted(body, count),
    async source() {
      await body.cancel()
      return {
        sizeBytes,
        async read(offsetBytes, spanBytes) {
          const span = await blobs.get(key, { offsetBytes, sizeBytes: spanBytes })
          if (!span) throw new Refusal('not_found', FILE_MISSING)
          const held = await bytesOf(span.body, spanBytes)
          count(spanBytes)
          return held
        },
      }
    },
  }
}

/** The bytes of a span. `Response` would hold them twice, its chunks and the whole, of the 128 MB that an isolate has. */
async function bytesOf(body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<Uint8Array> {
  const held = new Uint8Array(sizeBytes)
  let filled = 0
  for await (const chunk of body) {
    held.set(chunk, filled)
    filled += chunk.length
  }
  return held.subarray(0, filled)
}

async function* counted(
  body: ReadableStream<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    count(chunk.length)
    yield chunk
  }
}
