import type { ByteSource } from '../../lib/zip/source.ts'

/** A file to import. One of the two is used, once. */
export type ImportFile = {
  /** Its bytes from the beginning. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Its bytes from any place on, for kinds of files that have a directory. */
  readonly source: () => Promise<ByteSource>
}
