import type { ByteSource } from '../../lib/zip/source.ts'

/** A file to import. One of the two is used, once. */
export type ImportFile = {
  /** The bytes of the file from the beginning. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** The bytes of the file from any place on, for kinds of files with a directory. */
  readonly source: () => Promise<ByteSource>
}
