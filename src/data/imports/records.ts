import { COLUMN_NAME_MAX, COLUMNS_MAX } from '../../domain/import-plan.ts'
import type { CsvFormat, FileFormat, ImportFault, WorkbookFormat } from '../../domain/import-plan.ts'
import { cutText, startOf } from '../../lib/text.ts'
import { textOf } from './cells.ts'
import type { FileCell } from './cells.ts'
import { readCsv } from './csv.ts'
import type { CsvShape } from './csv.ts'
import type { CsvRecord } from './csv-scanner.ts'
import { ImportFailure, nulFault, unreadable } from './failure.ts'
import type { ImportFile } from './import-file.ts'
import { readNdjson } from './ndjson.ts'
import { openParquet } from './parquet/file.ts'
import type { ParquetFile } from './parquet/file.ts'
import { openXls } from './xls/workbook.ts'
import type { SheetRow } from './xlsx/sheet.ts'
import { openWorkbook } from './xlsx/workbook.ts'

/** A record with the line on which it begins, or the fault that it has. Cells at its end may be missing. */
export type FileRecord = {
  readonly line: number
  readonly cells: readonly FileCell[]
  readonly fault: ImportFault | null
}

/** Records, with the names of the columns so far. The names of the next batch begin with the same ones. */
export type Records = { readonly names: readonly string[]; readonly batch: readonly FileRecord[] }

/** The sheets of a workbook and the one that is read; none for other files. */
export type Sheets = { readonly sheets: readonly string[]; readonly sheet: string | null }
export type OpenFile = Sheets & {
  readonly records: AsyncGenerator<Records>
  /** Of a CSV file, once all records were read. */
  readonly shape: CsvShape
}

/** Opens a file; its records are those below its header, in batches.
 * @throws {ImportFailure} also while they are read, for a file that cannot be read as records
 * @throws {Refusal} import_failed, likewise, for a file that is not of its kind */
export async function openRecords(file: ImportFile, format: FileFormat): Promise<OpenFile> {
  const shape: CsvShape = { lineEnd: null }
  const none = { sheets: [], sheet: null, shape }
  if (format.kind === 'csv') return { ...none, records: csvRecords(file.chunks, format, shape) }
  if (format.kind === 'ndjson') return { ...none, records: ndjsonRecords(file.chunks) }
  if (format.kind === 'parquet')
    return { ...none, records: parquetRecords(await openParquet(await file.source())) }
  if (format.kind === 'rows') throw new Error('Rows that the service has written are no records')
  const open = format.kind === 'xls' ? openXls : openWorkbook
  const { sheets, rows } = await open(await file.source())
  const sheet = format.sheet ?? sheets[0] ?? ''
  if (!sheets.includes(sheet))
    throw unreadable(`The workbook has no sheet ${sheet}; it has ${sheets.join(', ')}.`, '/file/sheet')
  return { sheets, sheet, shape, records: sheetRecords(rows(sheet), format) }
}

async function* csvRecords(
  bytes: AsyncIterable<Uint8Array>,
  file: CsvFormat,
  shape: CsvShape,
): AsyncGenerator<Records> {
  const columns = new ColumnNames()
  let left = file.skipRecords
  for await (let batch of readCsv(bytes, file, shape)) {
    const skipped = Math.min(left, batch.length)
    left -= skipped
    if (skipped > 0) batch = batch.slice(skipped)
    const [first] = batch
    if (columns.names.length === 0 && first) {
      const fault = faultOfCells(first.cells, first.line)
      if (fault) throw new ImportFailure([fault])
      columns.add(file.hasHeader ? first.cells : first.cells.map(() => ''), first.line)
      if (file.hasHeader) batch = batch.slice(1)
    }
    const { names } = columns
    if (names.length > 0) yield { names, batch: batch.map((record) => csvRecord(record, names.length)) }
  }
}

function csvRecord({ line, cells, isClean }: CsvRecord, width: number): FileRecord {
  if (cells.length === width) return { line, cells, fault: isClean ? null : faultOfCells(cells, line) }
  const code = cells.length < width ? 'too_few_cells' : 'too_many_cells'
  const message = `The record has ${cells.length} of ${width} cells.`
  return { line, cells, fault: { code, line, column: null, message } }
}

async function* sheetRecords(
  batches: AsyncIterable<readonly SheetRow[]>,
  { hasHeader, skipRecords }: WorkbookFormat,
): AsyncGenerator<Records> {
  const columns = new ColumnNames()
  let left = skipRecords
  for await (const rows of batches) {
    const batch: FileRecord[] = []
    for (const { row: line, cells } of rows) {
      if (left > 0) {
        left -= 1
        continue
      }
      const fault = faultOfCells(cells, line)
      const isHeader = hasHeader && columns.names.length === 0
      if (isHeader && fault) throw new ImportFailure([fault])
      // Without a header each row may have more columns than the rows before.
      if (isHeader || !hasHeader)
        columns.add(
          cells.slice(columns.names.length).map((cell) => (isHeader ? textOf(cell) : '')),
          line,
        )
      if (!isHeader)
        batch.push({ line, cells, fault: fault ?? faultOfWidth(cells, line, columns.names.length) })
    }
    if (columns.names.length > 0) yield { names: [...columns.names], batch }
  }
}

/** A row of a sheet may have fewer cells than the header, and no more. */
function faultOfWidth(cells: readonly FileCell[], line: number, width: number): ImportFault | null {
  if (cells.length <= width) return null
  const message = `The row has a value in column ${cells.length}; the header has ${width} columns.`
  return { code: 'too_many_cells', line, column: null, message }
}

async function* parquetRecords({ names, rows }: ParquetFile): AsyncGenerator<Records> {
  const columns = new ColumnNames()
  columns.add(names, 1)
  yield { names: columns.names, batch: [] }
  for await (const batch of rows())
    yield {
      names: columns.names,
      batch: batch.map(({ row: line, cells }) => ({ line, cells, fault: faultOfCells(cells, line) })),
    }
}

async function* ndjsonRecords(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Records> {
  const columns = new ColumnNames()
  const indexes = new Map<string, number>()
  for await (const lines of readNdjson(bytes)) {
    const batch: FileRecord[] = []
    for (const { line, entries } of lines) {
      if (entries === null) {
        const message = 'The line is not a JSON object.'
        batch.push({ line, cells: [], fault: { code: 'not_an_object', line, column: null, message } })
        continue
      }
      const keys = entries.map(([key]) => key).filter((key) => !indexes.has(key))
      const fault = faultOfCells([...keys, ...entries.map(([, cell]) => cell)], line)
      if (fault) {
        batch.push({ line, cells: [], fault })
        continue
      }
      for (const key of keys) indexes.set(key, indexes.size)
      columns.add(keys, line)
      const cells: FileCell[] = Array.from({ length: indexes.size }, () => null)
      for (const [key, cell] of entries) cells[indexes.get(key) ?? 0] = cell
      batch.push({ line, cells, fault: null })
    }
    yield { names: [...columns.names], batch }
  }
}

function faultOfCells(cells: readonly FileCell[], line: number): ImportFault | null {
  for (const cell of cells) {
    const text = textOf(cell)
    if (text.includes('\0')) return nulFault(line)
    if (text.includes('\uFFFD') || !text.isWellFormed())
      return {
        code: 'encoding',
        line,
        column: null,
        message: 'A cell has bytes that are not of the encoding.',
      }
  }
  return null
}

/** Unique names of columns that requests can have: of the file, or `column1`, `column2` and so on. */
class ColumnNames {
  readonly names: string[] = []
  readonly #taken = new Set<string>()

  /** @throws {ImportFailure} for more columns than a table may have */
  add(texts: readonly string[], line: number): void {
    const count = this.names.length + texts.length
    if (count > COLUMNS_MAX) {
      const message = `The file has ${count} columns; a table has at most ${COLUMNS_MAX}.`
      throw new ImportFailure([{ code: 'too_many_cells', line, column: null, message }])
    }
    for (const text of texts) this.names.push(this.#unique(text.trim() || `column${this.names.length + 1}`))
  }

  #unique(plain: string): string {
    let name = cutText(plain, COLUMN_NAME_MAX)
    for (let count = 2; this.#taken.has(name.toLowerCase()); count += 1) {
      const suffix = `_${count}`
      name = startOf(plain, COLUMN_NAME_MAX - suffix.length) + suffix
    }
    this.#taken.add(name.toLowerCase())
    return name
  }
}
