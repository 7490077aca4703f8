import type { PageHeader, RowGroup } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { unreadable } from '../failure.ts'

/** An isolate of Workers has 128 MB. V8 takes some 330 bytes for each text and 60 for each number while a page is decoded, and a
 * column of a group of rows is in memory two to three times. */
export const CHUNK_MAX_BYTES = 16 * 1024 * 1024
export const PAGE_MAX_BYTES = 16 * 1024 * 1024
export const PAGE_TEXTS_MAX = 128 * 1024
export const PAGE_NUMBERS_MAX = 512 * 1024
/** Numbers of entries of a dictionary. */
export const PAGE_INDEXES_MAX = 4 * 1024 * 1024
/** Pages whose values are numbers of entries of a dictionary. */
const BY_DICTIONARY = new Set(['PLAIN_DICTIONARY', 'RLE_DICTIONARY'])
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

/** Looks at the headers of pages before memory is taken for their values, which are texts or not.
 * @throws {Refusal} import_failed for a page that is damaged or too large */
export function checkPages(bytes: Uint8Array, isText: boolean): void {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  while (reader.offset < bytes.length - 1) {
    const page = parquetHeader(reader)
    const { values, valuesMax } = valuesOf(page, isText)
    const isPage =
      page.compressed_page_size >= 0 &&
      reader.offset + page.compressed_page_size <= bytes.length &&
      values >= 0
    if (!isPage) throw unreadable('The Parquet file is damaged: a page is not where its header says.')
    if (page.uncompressed_page_size > PAGE_MAX_BYTES || values > valuesMax)
      throw unreadable(
        `A page of the Parquet file has more than ${PAGE_MAX_BYTES} bytes or ${valuesMax} values. Write the file with smaller pages or groups.`,
      )
    reader.offset += page.compressed_page_size
  }
}

function valuesOf(page: PageHeader, isText: boolean) {
  const data = page.data_page_header ?? page.data_page_header_v2
  const values = (data ?? page.dictionary_page_header)?.num_values ?? 0
  if (data && BY_DICTIONARY.has(data.encoding)) return { values, valuesMax: PAGE_INDEXES_MAX }
  return { values, valuesMax: isText ? PAGE_TEXTS_MAX : PAGE_NUMBERS_MAX }
}
