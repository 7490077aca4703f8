import type { ImportFile } from '../../src/data/imports/import-file.ts'
import { heldSource } from '../../src/lib/zip/source.ts'

/** A file in memory. */
export function streamedFile(bytes: Uint8Array, chunkBytes = 64): ImportFile {
  return {
    chunks: chunksOf(bytes, chunkBytes),
    source: () => Promise.resolve(heldSource(bytes)),
  }
}

async function* chunksOf(bytes: Uint8Array, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.slice(at, at + sizeBytes)
}
