import type {
  FileColumn,
  FileContents,
  FileFormat,
  ImportFault,
  ImportPlan,
  PlainCsv,
  ValueFormat,
} from '../../domain/import-plan.ts'
import type { Row } from '../../domain/table.ts'
import type { CsvShape } from './csv.ts'
import { cellReaders, textFor, textOf } from './cells.ts'
import type { FileCell } from './cells.ts'
import { ImportFailure, typeFault } from './failure.ts'
import type { ImportFile } from './import-file.ts'
import { ColumnInference } from './inference.ts'
import { openRecords } from './records.ts'
import type { FileRecord } from './records.ts'
import { readRowLines } from './row-lines.ts'

const SAMPLE_RECORDS = 20
/** Faults that an answer lists. */
const FAULTS_MAX = 100

/** Reads all records of a file and finds the types of its columns.
 * @throws {ImportFailure} for a file that cannot be read as records
 * @throws {Refusal} import_failed for one that is not of its kind */
export async function inspectFile(
  file: ImportFile,
  format: FileFormat,
  values: ValueFormat,
): Promise<FileContents> {
  const readers = cellReaders(untypedFormat(format, values))
  const nulls = new Set(values.nulls)
  const isNull = nullTest(values.nulls)
  const columns: Inferred[] = []
  const sample: (readonly string[])[] = []
  const faults: ImportFault[] = []
  let records = 0
  const { sheets, sheet, records: batches, shape } = await openRecords(file, format)
  for await (const { names, batch } of batches) {
    for (const name of names.slice(columns.length)) {
      const inference = new ColumnInference(readers, isNull)
      if (records > 0) inference.add(null, 1)
      columns.push({ name, inference })
    }
    for (const { line, cells, fault: own } of batch) {
      const fault = own ?? faultOfErrors(cells, line, { names, nulls })
      if (fault) {
        if (faults.length < FAULTS_MAX) faults.push(placed(fault, sheet))
        continue
      }
      records += 1
      if (sample.length < SAMPLE_RECORDS) sample.push(cells.map(textOf))
      let index = 0
      for (const { inference } of columns) inference.add(cells[index++] ?? null, line)
    }
  }
  return {
    columns: columns.map(({ name, inference }, source): FileColumn => ({
      name,
      source,
      ...inference.result,
    })),
    plain: plainOf(columns, { shape, records, values, hasFaults: faults.length > 0 }),
    sheets,
    sheet,
    records,
    sample: sample.map((texts) => columns.map((_, index) => texts[index] ?? '')),
    faults,
  }
}

type Inferred = { readonly name: string; readonly inference: ColumnInference }

/** The format of values whose type the file does not have: in CSV all are texts, in other files numbers with a point are among
 * them. */
function untypedFormat({ kind }: FileFormat, values: ValueFormat): ValueFormat {
  return kind === 'csv' ? values : { ...values, decimal: '.' }
}

/** Whether a text stands for null. */
function nullTest(nulls: readonly string[]): (text: string) => boolean {
  const texts = new Set(nulls)
  const charsMax = Math.max(-1, ...nulls.map((text) => text.length))
  return (text) => text.length <= charsMax && texts.has(text)
}

/** The file as other programs read it in the same way; null where they may read something else. */
function plainOf(
  columns: readonly Inferred[],
  {
    shape: { lineEnd },
    records,
    values: { nulls, decimal, dateFormats },
    hasFaults,
  }: {
    readonly shape: CsvShape
    readonly records: number
    readonly values: ValueFormat
    readonly hasFaults: boolean
  },
): PlainCsv | null {
  const isUsual = nulls.includes('') && decimal === '.' && dateFormats.length === 0
  if (lineEnd === null || hasFaults || !isUsual || columns.length < 2) return null
  return { lineEnd, records, types: columns.map(({ inference }) => inference.plainType) }
}

/** Counts of the records of an import so far. */
export type ImportProgress = { rows: number; skipped: number; readonly faults: ImportFault[] }

/** Reads the rows of a file, in batches, and counts them in `progress`.
 * @throws {ImportFailure} for the first fault, or the first that is one too many to skip
 * @throws {Refusal} import_failed for a file that is not of its kind */
export async function* readRows(
  file: ImportFile,
  plan: ImportPlan,
  progress: ImportProgress,
): AsyncGenerator<readonly Row[]> {
  const { sheet, batches } = await openBatches(file, plan)
  for await (const batch of batches) {
    const rows: Row[] = []
    for (const row of batch) {
      if (!('code' in row)) {
        rows.push(row)
        continue
      }
      progress.faults.push(placed(row, sheet))
      progress.skipped += 1
      if (plan.onError === 'abort' || progress.skipped > plan.faultsMax)
        throw new ImportFailure(progress.faults.slice(-FAULTS_MAX) as [ImportFault])
      if (progress.faults.length > FAULTS_MAX) progress.faults.pop()
    }
    progress.rows += rows.length
    if (rows.length > 0) yield rows
  }
}

type Batches = {
  readonly sheet: string | null
  readonly batches: AsyncIterable<readonly (Row | ImportFault)[]>
}

/** The rows of a file, with the faults of its other records. */
async function openBatches(file: ImportFile, plan: ImportPlan): Promise<Batches> {
  const { file: format, columns, values } = plan
  if (format.kind === 'rows')
    return { sheet: null, batches: readRowLines(file.chunks, columns, cellReaders(values)) }
  const read = rowReader(plan)
  const { sheet, records } = await openRecords(file, format)
  async function* batches(): AsyncGenerator<readonly (Row | ImportFault)[]> {
    for await (const { batch } of records) yield batch.map(read)
  }
  return { sheet, batches: batches() }
}

/** Reads one record into a row, or finds its first fault. */
function rowReader({ file, columns, values }: ImportPlan): (record: FileRecord) => Row | ImportFault {
  const nulls = new Set(values.nulls)
  const [typed, untyped] = [cellReaders(values), cellReaders(untypedFormat(file, values))]
  const plan = columns.map((column) => ({
    ...column,
    readTyped: typed[column.type],
    readUntyped: untyped[column.type],
  }))
  return ({ line, cells, fault }) => {
    if (fault) return fault
    const row = []
    for (const column of plan) {
      const cell = cells[column.source] ?? null
      const isNull = cell === null || nulls.has(textOf(cell))
      if (!isNull && isError(cell)) return faultOfError(cell.text, line, column.name)
      const read = typeof cell === 'string' ? column.readUntyped : column.readTyped
      const value = isNull ? null : read(textFor(cell, column.type))
      if (value === undefined) return typeFault(column, line)
      row.push(value)
    }
    return row
  }
}

type ErrorCell = { readonly text: string; readonly type: 'error' }

function isError(cell: FileCell): cell is ErrorCell {
  return typeof cell === 'object' && cell?.type === 'error'
}

function faultOfErrors(
  cells: readonly FileCell[],
  line: number,
  { names, nulls }: { readonly names: readonly string[]; readonly nulls: ReadonlySet<string> },
): ImportFault | null {
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? null
    if (isError(cell) && !nulls.has(cell.text)) return faultOfError(cell.text, line, names[at] ?? null)
  }
  return null
}

function faultOfError(text: string, line: number, column: string | null): ImportFault {
  const message = `The cell has the error ${text}. List it among the nulls to read it as null.`
  return { code: 'cell_error', line, column, message }
}

function placed(fault: ImportFault, sheet: string | null): ImportFault {
  return sheet === null ? fault : { ...fault, sheet }
}
