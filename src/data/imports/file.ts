import type {
  FileColumn,
  FileContents,
  FileFormat,
  ImportFault,
  ImportPlan,
  PlannedColumn,
  ValueFormat,
} from '../../domain/import-plan.ts'
import type { Row } from '../../domain/table.ts'
import { cellReaders, textOf } from './cells.ts'
import type { CellReader } from './cells.ts'
import { ImportFailure } from './failure.ts'
import { ColumnInference } from './inference.ts'
import { recordsOf } from './records.ts'
import type { FileRecord } from './records.ts'

const SAMPLE_RECORDS = 20
/** Faults that an answer lists. */
const FAULTS_MAX = 100

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
    for (const name of names.slice(columns.length)) {
      const inference = new ColumnInference(readers)
      if (records > 0) inference.add(null, 1)
      columns.push({ name, inference })
    }
    for (const { line, cells, fault } of batch) {
      if (fault) {
        if (faults.length < FAULTS_MAX) faults.push(fault)
        continue
      }
      records += 1
      if (sample.length < SAMPLE_RECORDS) sample.push(cells.map(textOf))
      for (const [index, { inference }] of columns.entries()) {
        const cell = cells[index] ?? null
        inference.add(nulls.has(textOf(cell)) ? null : cell, line)
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
    sample: sample.map((texts) => columns.map((_, index) => texts[index] ?? '')),
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
  for await (const { batch } of recordsOf(bytes, plan.file)) {
    const rows: Row[] = []
    for (const record of batch) {
      const row = read(record)
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
function rowReader({ columns, values }: ImportPlan): (record: FileRecord) => Row | ImportFault {
  const nulls = new Set(values.nulls)
  const readers = cellReaders(values)
  const plan = columns.map((column) => ({ ...column, read: readers[column.type] }))
  return ({ line, cells, fault }) => {
    if (fault) return fault
    const row = []
    for (const column of plan) {
      const cell = cells[column.source] ?? null
      const text = textOf(cell)
      const value = cell === null || nulls.has(text) ? null : column.read(text)
      if (value === undefined) return faultOfCell(column, line)
      row.push(value)
    }
    return row
  }
}

function faultOfCell({ name, type }: PlannedColumn & { read: CellReader }, line: number): ImportFault {
  return { code: 'not_of_the_type', line, column: name, message: `The value is not of the type ${type}.` }
}
