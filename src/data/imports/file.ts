import type {
  CsvFormat,
  FileColumn,
  FileContents,
  FileFormat,
  ImportFault,
  ImportPlan,
  PlannedColumn,
  ValueFormat,
} from '../../domain/import-plan.ts'
import type { Row } from '../../domain/table.ts'
import { cellReaders } from './cells.ts'
import type { CellReader } from './cells.ts'
import { readCsv } from './csv.ts'
import type { CsvRecord } from './csv.ts'
import { ImportFailure } from './failure.ts'
import { ColumnInference } from './inference.ts'

const SAMPLE_RECORDS = 20
/** Faults that an answer lists. */
const FAULTS_MAX = 100
/** As many as a table can have at the edge. */
const COLUMNS_MAX = 100

type Bytes = AsyncIterable<Uint8Array>

/** Reads all records of a file and finds the types of its columns.
 * @throws {ImportFailure} for a file that cannot be read as records */
export async function inspectFile(
  bytes: Bytes,
  file: FileFormat,
  values: ValueFormat,
): Promise<FileContents> {
  const readers = cellReaders(values)
  const nulls = new Set(values.nulls)
  const columns: { name: string; inference: ColumnInference }[] = []
  const sample: (readonly string[])[] = []
  const faults: ImportFault[] = []
  let records = 0
  for await (const { names, batch } of recordsOf(bytes, file)) {
    if (columns.length === 0)
      columns.push(...names.map((name) => ({ name, inference: new ColumnInference(readers) })))
    for (const { line, cells } of batch) {
      const fault = faultOfRecord(cells, names.length, line)
      if (fault) {
        if (faults.length < FAULTS_MAX) faults.push(fault)
        continue
      }
      records += 1
      if (sample.length < SAMPLE_RECORDS) sample.push(cells)
      for (const [index, { inference }] of columns.entries()) {
        const text = cells[index] ?? ''
        inference.add(nulls.has(text) ? null : text, line)
      }
    }
  }
  return {
    columns: columns.map(({ name, inference }, source): FileColumn => ({
      name,
      source,
      ...inference.result,
    })),
    records,
    sample,
    faults,
  }
}

/** Counts of the records of an import so far. */
export type ImportProgress = { rows: number; skipped: number; readonly faults: ImportFault[] }

/** Reads the rows of a file, in batches, and counts them in `progress`.
 * @throws {ImportFailure} for the first fault, or the first that is one too many to skip */
export async function* readRows(
  bytes: Bytes,
  plan: ImportPlan,
  progress: ImportProgress,
): AsyncGenerator<readonly Row[]> {
  const read = rowReader(plan)
  for await (const { names, batch } of recordsOf(bytes, plan.file)) {
    const rows: Row[] = []
    for (const record of batch) {
      const row = read(record, names.length)
      if (!('code' in row)) {
        rows.push(row)
        continue
      }
      progress.faults.push(row)
      progress.skipped += 1
      if (plan.onError === 'abort' || progress.skipped > plan.faultsMax)
        throw new ImportFailure(progress.faults.slice(-FAULTS_MAX) as [ImportFault])
      if (progress.faults.length > FAULTS_MAX) progress.faults.pop()
    }
    progress.rows += rows.length
    if (rows.length > 0) yield rows
  }
}

/** Reads one record into a row, or finds its first fault. */
function rowReader({ columns, values }: ImportPlan): (record: CsvRecord, width: number) => Row | ImportFault {
  const nulls = new Set(values.nulls)
  const readers = cellReaders(values)
  const plan = columns.map((column) => ({ ...column, read: readers[column.type] }))
  return ({ line, cells }, width) => {
    const fault = faultOfRecord(cells, width, line)
    if (fault) return fault
    const row = []
    for (const column of plan) {
      const text = cells[column.source] ?? ''
      const value = nulls.has(text) ? null : column.read(text)
      if (value === undefined) return faultOfCell(column, line)
      row.push(value)
    }
    return row
  }
}

function faultOfCell({ name, type }: PlannedColumn & { read: CellReader }, line: number): ImportFault {
  return { code: 'not_of_the_type', line, column: name, message: `The value is not of the type ${type}.` }
}

function faultOfRecord(cells: readonly string[], width: number, line: number): ImportFault | null {
  if (cells.length !== width) {
    const code = cells.length < width ? 'too_few_cells' : 'too_many_cells'
    return { code, line, column: null, message: `The record has ${cells.length} of ${width} cells.` }
  }
  const text = cells.find((cell) => cell.includes('\0') || cell.includes('\uFFFD'))
  if (text === undefined) return null
  return text.includes('\0')
    ? { code: 'nul', line, column: null, message: 'A cell has the character NUL.' }
    : { code: 'encoding', line, column: null, message: 'A cell has bytes that are not of the encoding.' }
}

type Records = { readonly names: readonly string[]; readonly batch: readonly CsvRecord[] }

/** The records below the header, with the names of the columns. */
async function* recordsOf(bytes: Bytes, file: CsvFormat): AsyncGenerator<Records> {
  let left = file.skipRecords
  let names: readonly string[] | null = null
  for await (let batch of readCsv(bytes, file)) {
    const skipped = Math.min(left, batch.length)
    left -= skipped
    batch = batch.slice(skipped)
    const [first] = batch
    if (!names && first) {
      names = namesOf(first, file.hasHeader)
      if (file.hasHeader) batch = batch.slice(1)
    }
    if (names) yield { names, batch }
  }
}

/** Unique names of columns: of the header, or `column1`, `column2` and so on. */
function namesOf({ line, cells }: CsvRecord, isHeader: boolean): readonly string[] {
  if (cells.length > COLUMNS_MAX) {
    const message = `The file has ${cells.length} columns; a table has at most ${COLUMNS_MAX}.`
    throw new ImportFailure([{ code: 'too_many_cells', line, column: null, message }])
  }
  const fault = faultOfRecord(cells, cells.length, line)
  if (fault) throw new ImportFailure([fault])
  const taken = new Set<string>()
  return cells.map((cell, index) => {
    const plain = (isHeader && cell.trim()) || `column${index + 1}`
    let name = plain
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${plain}_${count}`
    taken.add(name.toLowerCase())
    return name
  })
}
