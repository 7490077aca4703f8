import type { Cell, Statement } from '../../../ports/values-database.ts'

/** The maximum size of a statement in a Durable Object. */
const PARAMETERS_MAX = 100

/** Statements that write whole rows of a table, in place of those that have their keys. All rows are equally long. */
export function writeRows(table: string, rows: readonly (readonly Cell[])[]): readonly Statement[] {
  const statements: Statement[] = []
  const width = rows[0]?.length ?? 1
  const atOnce = Math.floor(PARAMETERS_MAX / width)
  const places = `(${Array.from({ length: width }, () => '?').join(', ')})`
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce)
    statements.push({
      sql: `insert or replace into ${table} values ${some.map(() => places).join(', ')}`,
      cells: some.flat(),
    })
  }
  return statements
}

export function integer(cell: Cell | undefined): number {
  return Number(cell ?? 0)
}

/** @throws {TypeError} when the cell holds no bytes */
export function bytes(cell: Cell | undefined): Uint8Array {
  if (cell instanceof Uint8Array) return cell
  throw new TypeError('A row has no bytes where there must be some.')
}
