import { gunzipSync } from 'fflate'
import { decompress } from 'fzstd'
import { parquetMetadata } from 'hyparquet/src/metadata.js'
import { parquetRead } from 'hyparquet/src/read.js'
import type { AsyncBuffer, Compressors, FileMetaData } from 'hyparquet'
import { Refusal } from '../../../lib/errors.ts'
import type { ByteSource } from '../../../lib/zip/source.ts'
import type { FileCell } from '../cells.ts'
import { unreadable } from '../failure.ts'
import { checkGroup, checkPages } from './bounds.ts'
import { valueReader } from './values.ts'
import type { ValueReader } from './values.ts'

/** A row by its number, from 1. */
type ParquetRow = { readonly row: number; readonly cells: readonly FileCell[] }

export type ParquetFile = {
  readonly names: readonly string[]
  readonly rows: () => AsyncGenerator<readonly ParquetRow[]>
}

const FOOTER_MAX_BYTES = 16 * 1024 * 1024
/** Values that are decoded at once: a group of rows is read anew for each window. */
const WINDOW_CELLS = 128 * 1024
/** Rows that are handed on at once. */
const BATCH_ROWS = 2_048

const COMPRESSORS: Compressors = {
  GZIP: (input, sizeBytes) => gunzipSync(input, { out: new Uint8Array(sizeBytes) }),
  ZSTD: (input, sizeBytes) => decompress(input, new Uint8Array(sizeBytes)),
}
/** Nanoseconds stay, which instants of the library do not have. */
const PARSERS = { timestampFromNanoseconds: (nanos: bigint) => nanos }

/** Opens a Parquet file by its footer. @throws {Refusal} import_failed */
export async function openParquet(source: ByteSource): Promise<ParquetFile> {
  const reading = new Reading(source)
  const metadata = await reading.safely(async () =>
    parquetMetadata(await reading.footer(), { geoparquet: false }),
  )
  const readers = readersOf(metadata)
  const names = readers.map(({ element }) => element.name)
  for (const group of metadata.row_groups) checkGroup(group, names)
  const schema = metadata.schema.map((element, at) => readers[at - 1]?.element ?? element)
  const file = { ...metadata, schema }
  return {
    names,
    rows: () => readRows(reading, file, readers),
  }
}

/** @throws {Refusal} import_failed with the name of a column whose type tables do not have */
function readersOf({ schema: [, ...elements] }: FileMetaData): readonly ValueReader[] {
  const names = new Set<string>()
  return elements.map((element) => {
    if (names.has(element.name) || typeof element.name !== 'string')
      throw unreadable(`The Parquet file has a column without a name, or two called ${element.name}.`)
    names.add(element.name)
    const { name, num_children: children, repetition_type: repetition } = element
    if (children !== undefined || repetition === 'REPEATED')
      throw unreadable(
        `The column ${name} is nested (a list, a map or a struct), and tables have no such columns.`,
      )
    const reader = valueReader(element)
    if (!reader)
      throw unreadable(`The column ${name} has the type ${typeName(element)}, which tables do not have.`)
    return reader
  })
}

function typeName({
  type,
  converted_type: converted,
  logical_type: logical,
}: FileMetaData['schema'][number]): string {
  return logical?.type ?? converted ?? type ?? 'UNKNOWN'
}

async function* readRows(
  reading: Reading,
  metadata: FileMetaData,
  readers: readonly ValueReader[],
): AsyncGenerator<readonly ParquetRow[]> {
  const windowRows = Math.max(1_024, Math.floor(WINDOW_CELLS / Math.max(1, readers.length)))
  let end = 0
  for (const group of metadata.row_groups) {
    let row = end
    end += Number(group.num_rows)
    for (; row < end; row += windowRows) {
      const rowEnd = Math.min(end, row + windowRows)
      const columns: (readonly unknown[])[] = []
      for (const reader of readers)
        columns.push(await reading.column(metadata, reader, { rowStart: row, rowEnd }))
      for (let begin = row; begin < rowEnd; begin += BATCH_ROWS) {
        const count = Math.min(BATCH_ROWS, rowEnd - begin)
        yield Array.from({ length: count }, (_, at) => ({
          row: begin + at + 1,
          cells: readers.map(({ cell }, column) => {
            const value = columns[column]?.[begin - row + at] ?? null
            return value === null ? null : cellOf(cell, value)
          }),
        }))
      }
    }
  }
}

function cellOf(read: ValueReader['cell'], value: unknown): FileCell {
  try {
    return read(value)
  } catch (error) {
    throw damaged(error)
  }
}

function damaged(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return unreadable(`The Parquet file is damaged: ${error instanceof Error ? error.message : 'unknown'}.`)
}

/** Reads parts of a file. */
class Reading {
  readonly #source: ByteSource
  #failure: unknown = null

  constructor(source: ByteSource) {
    this.#source = source
  }

  async footer(): Promise<Uint8Array> {
    const { sizeBytes } = this.#source
    const tail = sizeBytes < 12 ? new Uint8Array(12) : await this.#read(sizeBytes - 8, 8)
    const view = new DataView(tail.buffer, tail.byteOffset, 8)
    const length = view.getUint32(0, true)
    if (view.getUint32(4, true) !== 0x31524150 || length > Math.min(FOOTER_MAX_BYTES, sizeBytes - 12))
      throw unreadable('The file is not a Parquet file, or is truncated.')
    return this.#read(sizeBytes - length - 8, length + 8)
  }

  /** The values of rows of a column. */
  column(
    metadata: FileMetaData,
    { element }: ValueReader,
    rows: { readonly rowStart: number; readonly rowEnd: number },
  ): Promise<readonly unknown[]> {
    const file: AsyncBuffer = {
      byteLength: this.#source.sizeBytes,
      slice: async (start, end = this.#source.sizeBytes) => {
        const bytes = await this.#read(start, end - start)
        checkPages(bytes, element.type === 'BYTE_ARRAY')
        return bytes.buffer
      },
    }
    return this.safely(async () => {
      let column: readonly unknown[] = []
      await parquetRead({
        ...rows,
        file,
        metadata,
        columns: [element.name],
        compressors: COMPRESSORS,
        parsers: PARSERS,
        utf8: false,
        onComplete: (values: unknown[][]) => {
          column = values.map(([value]) => value)
        },
      })
      return column
    })
  }

  /** An error of the library is a file that is damaged; one of the source stays. */
  async safely<Result>(read: () => Promise<Result>): Promise<Result> {
    try {
      return await read()
    } catch (error) {
      if (this.#failure !== null) throw this.#failure as Error
      throw damaged(error)
    }
  }

  async #read(offsetBytes: number, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    if (offsetBytes < 0 || sizeBytes <= 0 || offsetBytes + sizeBytes > this.#source.sizeBytes)
      throw unreadable('The file is not a Parquet file, or is truncated.')
    try {
      const bytes = await this.#source.read(offsetBytes, sizeBytes)
      // The library reads a buffer from its beginning to its end.
      const isWhole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
      return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }
}
