import type { SqlStorage } from '@cloudflare/workers-types'

import type { Column, Row } from '../../../src/domain/table.ts'
import { readerOf, sizeOf, STORED_TYPES } from './cells.ts'
import { quotedName } from './query.ts'

const PAGE_ROWS = 2_000
/** The size of a page, which ends with the row that exceeds it. */
const PAGE_BYTES = 1024 * 1024
/** SQLite's names of the number of a row. A column of the same name hides one of them. */
const ROW_NUMBERS = ['rowid', '_rowid_', 'oid']

/** Rows of a table, and the number of the last one; null at the end. */
export type RowPage = { readonly rows: readonly Row[]; readonly next: number | null }

/** The rows of a table after the row of a number, in the order of their numbers. */
export function readPage(
  sql: SqlStorage,
  table: string,
  { columns, after }: { readonly columns: readonly Column[]; readonly after: number },
): RowPage {
  const readers = columns.map(({ type }) => readerOf(STORED_TYPES[type]))
  const cells = columns.map(({ name }, index) => readers[index]?.select(quotedName(name)) ?? '')
  const own = ownNames(sql, table)
  const number = ROW_NUMBERS.find((name) => !own.has(name))
  // A generation never changes, so its rows keep their numbers.
  const order = number
    ? `WHERE ${number} > ? ORDER BY ${number} LIMIT ${PAGE_ROWS}`
    : `LIMIT ${PAGE_ROWS} OFFSET ?`
  const selected = (what: string) => sql.exec(`SELECT ${what} FROM "${table}" ${order}`, after).raw()
  // A result has 100 columns at most, as many as the largest table: the numbers are a result of their own.
  const numbers = number ? selected(number) : null
  const rows: Row[] = []
  let [last, bytes] = [after, 0]
  for (const raw of selected(cells.join(', '))) {
    const row = readers.map(({ read }, index) => read(raw[index] ?? null))
    rows.push(row)
    bytes += sizeOf(row)
    const [found] = (numbers?.next().value ?? []) as readonly unknown[]
    last = numbers ? Number(found) : last + 1
    if (bytes > PAGE_BYTES) return { rows, next: last }
  }
  return { rows, next: rows.length === PAGE_ROWS ? last : null }
}

function ownNames(sql: SqlStorage, table: string): ReadonlySet<string> {
  const found = sql.exec<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
  return new Set([...found].map(({ name }) => name.toLowerCase()))
}
