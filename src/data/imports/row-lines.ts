import type { Cell, ColumnType, Row } from '../../domain/table.ts'
import type { ImportFault, PlannedColumn } from '../../domain/import-plan.ts'
import type { CellReader } from './cells.ts'
import { nulFault, typeFault } from './failure.ts'
import { readLines } from './lines.ts'

/** A row of a file, whose cells are at most 4 MiB, with the escapes of JSON. */
const LINE_MAX_CHARS = 16 * 1024 * 1024
/** JSON has it in this form alone. */
const NUL = '\\u0000'

/** Reads the rows that the service has written, each of which is a line of cells in JSON, or finds their first faults.
 * @throws {ImportFailure} at a line that is too long */
export async function* readRowLines(
  bytes: AsyncIterable<Uint8Array>,
  columns: readonly PlannedColumn[],
  readers: Readonly<Record<ColumnType, CellReader>>,
): AsyncGenerator<readonly (Row | ImportFault)[]> {
  const plan = columns.map((column) => ({ ...column, read: readers[column.type] }))
  const rowOf = (text: string, line: number): Row | ImportFault => {
    const cells = JSON.parse(`[${text}]`) as Row
    if (text.includes(NUL) && cells.some((cell) => typeof cell === 'string' && cell.includes('\0')))
      return nulFault(line)
    const row: Cell[] = []
    for (const { source, type, name, read } of plan) {
      const cell = cells[source] ?? null
      const value = cell === null || isOfType(cell, type) ? cell : read(String(cell))
      if (value === undefined) return typeFault({ name, type }, line)
      row.push(value)
    }
    return row
  }
  for await (const batch of readLines(bytes, LINE_MAX_CHARS, rowOf)) yield batch.map(({ value }) => value)
}

/** Whether a value is one of the type as it is. Others may be, such as texts of dates and of integers that no double has. */
function isOfType(cell: NonNullable<Cell>, type: ColumnType): boolean {
  switch (type) {
    case 'string':
      return typeof cell === 'string'
    case 'integer':
      return Number.isSafeInteger(cell)
    case 'number':
      return Number.isFinite(cell)
    case 'boolean':
      return typeof cell === 'boolean'
    default:
      return false
  }
}
