import type { RowGroup } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { unreadable } from '../failure.ts'

/** The packed values of a column in a group of rows, which are in memory at once. */
export const CHUNK_MAX_BYTES = 32 * 1024 * 1024
export const PAGE_MAX_BYTES = 32 * 1024 * 1024
export const PAGE_VALUES_MAX = 4 * 1024 * 1024
const CODECS = new Set(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD'])

/** @throws {Refusal} import_failed for a group of rows whose columns cannot be read */
export function checkGroup({ columns }: RowGroup, names: readonly string[]): void {
  for (const [at, { meta_data: chunk, crypto_metadata: secret }] of columns.entries()) {
    const name = names[at] ?? ''
    if (!chunk || secret !== undefined) throw unreadable(`The column ${name} is encrypted.`)
    if (!CODECS.has(chunk.codec))
      throw unreadable(
        `The column ${name} is packed with ${chunk.codec}. Write the file with SNAPPY, ZSTD or GZIP.`,
      )
    if (chunk.total_compressed_size > CHUNK_MAX_BYTES)
      throw unreadable(
        `A group of rows has more than ${CHUNK_MAX_BYTES} bytes in the column ${name}. Write the file with smaller groups.`,
      )
  }
}

/** Looks at the headers of pages before memory is taken for their values. */
export function checkPages(bytes: Uint8Array): void {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  while (reader.offset < bytes.length - 1) {
    const page = parquetHeader(reader)
    const values =
      (page.data_page_header ?? page.data_page_header_v2 ?? page.dictionary_page_header)?.num_values ?? 0
    const isPage =
      page.compressed_page_size >= 0 &&
      reader.offset + page.compressed_page_size <= bytes.length &&
      values >= 0
    if (!isPage) throw unreadable('The Parquet file is damaged: a page is not where its header says.')
    if (page.uncompressed_page_size > PAGE_MAX_BYTES || values > PAGE_VALUES_MAX)
      throw unreadable(
        `A page of the Parquet file has more than ${PAGE_MAX_BYTES} bytes or ${PAGE_VALUES_MAX} values. Write the file with smaller pages.`,
      )
    reader.offset += page.compressed_page_size
  }
}
