import type { DurableObjectStorage, SqlStorage } from '@cloudflare/workers-types'

import { checkStatement } from '../../../src/data/sql/gate.ts'
import { tokensOf } from '../../../src/data/sql/lexer.ts'
import { replaceParameters } from '../../../src/data/sql/parameters.ts'
import { TextFault } from '../../../src/data/sql/text-fault.ts'
import type { Cell, Row } from '../../../src/domain/table.ts'
import { Refusal, refusalIn } from '../../../src/lib/errors.ts'
import type { Bound, QueryLimits } from '../../../src/ports/databases.ts'
import type { TableView } from '../../../src/ports/tables.ts'
import { boundOf, readerOf, CELL_MIN_BYTES, sizeOf } from './cells.ts'
import type { Reader } from './cells.ts'
import { linesOf } from './row-lines.ts'

/** The plan of the statement in place of its rows. */
export type Explain = { readonly isAnalyzed: boolean }

/** A view, and the name of the table that has its generation. */
export type StoredView = Omit<TableView, 'of'> & { readonly table: string }

const TABLE = /^[hr][0-9a-f]{32}$/i
const HIDDEN = /\bh[0-9a-f]{32}\b/gi
const TABLES = /["`]?\b[hr][0-9a-f]{32}\b["`]?\.?/gi
const BATCH_ROWS = 500
/** A result is in the memory of the object, of which there are 128 MB. */
const RESULT_MAX_BYTES = 32 * 1024 * 1024

/** A random name of 128 bits. */
export const hiddenName = (): string => `h${crypto.randomUUID().replaceAll('-', '')}`
export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Runs a statement that sees nothing but the views, in a transaction that is rolled back: in it the tables of the views
 * have new names, which the statement cannot know.
 * @returns the result in lines, of which the last one may be a refusal; null for a result that is within the limits and
 * has more bytes than the memory of the object has room for
 * @throws {Refusal} query_failed
 */
export function runQuery(
  storage: DurableObjectStorage,
  {
    views,
    statement,
    explain,
  }: { readonly views: readonly StoredView[]; readonly statement: Bound; readonly explain?: Explain },
  limits: QueryLimits,
): Uint8Array[] | null {
  try {
    const text = gated(statement)
    return rolledBack(storage, () => {
      const { names } = openViews(storage.sql, views)
      const bound = { text, binds: statement.binds }
      return explain ? plan(storage.sql, bound, { names, ...explain }) : read(storage.sql, bound, limits)
    })
  } catch (error) {
    throw refusalIn(error) ?? failed(error as Error)
  }
}

/** The statement, when it only reads and names neither the catalogue nor a hidden table. Names in double quotes get other
 * ones: SQLite takes a name in double quotes that it does not find for a string.
 * @throws {TextFault} */
export function gated({ text, binds }: Bound): string {
  const checked = checkStatement(text, 'sqlite', null)
  let result = ''
  let end = 0
  let numbers = 0
  for (const { kind, value, start, end: next } of tokensOf(checked, 'sqlite')) {
    if (TABLE.test(value)) throw new TextFault(start, 'is not a table')
    if (kind === 'parameter') numbers = Math.max(numbers, Number(value.slice(1)))
    if (kind !== 'name') continue
    result += `${checked.slice(end, start)}\`${value.replaceAll('`', '``')}\``
    end = next
  }
  if (numbers !== binds.length)
    throw new TextFault(0, `the statement has ${numbers} placeholders and ${binds.length} values`)
  return result + checked.slice(end)
}

function rolledBack<Value>(storage: DurableObjectStorage, work: () => Value): Value {
  const end = new Error('The transaction is not to be committed')
  let done: { readonly value: Value } | null = null
  try {
    storage.transactionSync(() => {
      done = { value: work() }
      throw end
    })
  } catch (error) {
    if (!done) throw error
  }
  return (done as unknown as { readonly value: Value }).value
}

/** The values of conditions, in a table: a view has no placeholders. */
class Conditions {
  readonly #sql: SqlStorage
  readonly #table = hiddenName()
  #size = 0

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  drop(): void {
    if (this.#size > 0) this.#sql.exec(`DROP TABLE "${this.#table}"`)
  }

  textOf(where: Bound): string {
    if (this.#size === 0)
      this.#sql.exec(`CREATE TABLE "${this.#table}" (number INTEGER PRIMARY KEY, value BLOB)`)
    const before = this.#size
    this.#size += where.binds.length + 1
    for (const [index, bind] of where.binds.entries()) {
      const { value, cast } = boundOf(bind)
      this.#sql.exec(`INSERT INTO "${this.#table}" VALUES (${before + index + 1}, ${cast('?')})`, value)
    }
    return replaceParameters(
      where,
      'sqlite',
      (number) => `(SELECT value FROM "${this.#table}" WHERE number = ${before + number})`,
    )
  }
}

type OpenViews = {
  /** The name of a view by the one of its table. */
  readonly names: ReadonlyMap<string, string>
  /** Drops the views, so that the transaction can be committed. */
  close(): void
}

/** Creates the views. A table has one new name for all views of it. */
export function openViews(sql: SqlStorage, views: readonly StoredView[]): OpenViews {
  const conditions = new Conditions(sql)
  const hidden = new Map(views.map(({ table }) => [table, hiddenName()]))
  for (const [table, name] of hidden) sql.exec(`ALTER TABLE "${table}" RENAME TO "${name}"`)
  for (const { name, table, columns, where } of views) {
    const names = columns.map(quotedName).join(', ')
    const condition = where === null ? '' : ` WHERE ${conditions.textOf(where)}`
    sql.exec(
      `CREATE VIEW ${quotedName(name)} (${names}) AS SELECT ${names} FROM "${hidden.get(table)}"${condition}`,
    )
  }
  return {
    names: new Map(views.map(({ name, table }) => [hidden.get(table) ?? '', name])),
    close() {
      for (const { name } of views) sql.exec(`DROP VIEW ${quotedName(name)}`)
      conditions.drop()
      for (const [table, name] of hidden) sql.exec(`ALTER TABLE "${name}" RENAME TO "${table}"`)
    },
  }
}

/** The statement with its values for the platform. */
function executable(statement: Bound) {
  const values = statement.binds.map(boundOf)
  const text = replaceParameters(
    statement,
    'sqlite',
    (number) => values[number - 1]?.cast(`?${number}`) ?? '',
  )
  return { text, values: values.map(({ value }) => value) }
}

/** The plan as a result of one text. To be analyzed, a statement is run. */
function plan(
  sql: SqlStorage,
  statement: Bound,
  { names, isAnalyzed }: Explain & { readonly names: ReadonlyMap<string, string> },
): Uint8Array[] {
  const { text, values } = executable(statement)
  const found = [
    ...sql
      .exec(`EXPLAIN QUERY PLAN ${text}`, ...values)
      .raw<[id: number, parent: number, unused: number, detail: string]>(),
  ]
  const steps = found.map(([id, parent, , detail]) => ({
    id,
    parent,
    detail: detail.replaceAll(HIDDEN, (name) => names.get(name) ?? name),
  }))
  const counted = isAnalyzed
    ? [...sql.exec(`SELECT count(*) FROM (${text}\n)`, ...values).raw<[number]>()]
    : []
  const rows = counted[0]?.[0] ?? null
  const lines = linesOf()
  lines.addRows([[JSON.stringify({ steps, rows })]])
  return lines.end({ columns: [{ name: 'plan', type: 'json', isExact: false }], mixed: [] }, null)
}

/** A statement that selects expressions of the columns `c0`, `c1` … of another one. */
export function selectionOf(statement: Bound, expressions: readonly string[]) {
  const { text, values } = executable(statement)
  const result = `"${hiddenName()}"`
  const names = expressions.map((_, index) => `c${index}`).join(', ')
  return {
    text: `WITH ${result} (${names}) AS (${text}\n) SELECT ${expressions.join(', ')} FROM ${result}`,
    values,
  }
}

/** Reads the rows of a statement within the limits. */
function read(sql: SqlStorage, statement: Bound, limits: QueryLimits): Uint8Array[] | null {
  const { rowsMax } = limits
  const bytesMax = Math.min(limits.bytesMax, RESULT_MAX_BYTES)
  const columns = columnsOf(sql, statement)
  const { text, values } = selectionOf(
    statement,
    columns.map(({ reader }, index) => reader.select(`c${index}`)),
  )
  const found = sql
    .exec(`${text} LIMIT ${rowsToRead({ rowsMax, bytesMax }, columns.length)}`, ...values)
    .raw()
  const lines = linesOf()
  let batch: Row[] = []
  let [rows, bytes] = [0, 0]
  let refusal: Refusal | null = null
  for (const raw of found) {
    const row: Cell[] = columns.map(({ reader }, index) => reader.read(raw[index] ?? null))
    rows += 1
    bytes += sizeOf(row)
    if (rows > rowsMax) refusal = tooLarge(`${rowsMax} rows`)
    else if (bytes > bytesMax) refusal = tooLarge(`${bytesMax} bytes`)
    if (refusal) {
      readToItsEnd(found)
      break
    }
    batch.push(row)
    if (batch.length < BATCH_ROWS) continue
    lines.addRows(batch)
    batch = []
  }
  if (bytes > bytesMax && bytesMax < limits.bytesMax) return null
  if (batch.length > 0) lines.addRows(batch)
  const mixed = columns.flatMap(({ reader }, index) => (reader.isMixed() ? [index] : []))
  return lines.end({ columns: columns.map(({ name, reader }) => reader.column(name)), mixed }, refusal)
}

/** One row more than a result within the limits has. Without the limit of bytes, a large join would be read for hours. */
export function rowsToRead(
  { rowsMax, bytesMax }: Pick<QueryLimits, 'rowsMax' | 'bytesMax'>,
  columns: number,
) {
  return 1 + Math.min(rowsMax, Math.floor(bytesMax / (CELL_MIN_BYTES * columns)))
}

/** Reads the rest of a result: no table of the object can be dropped while a result has unread rows. */
function readToItsEnd(rows: Iterator<unknown>): void {
  while (rows.next().done !== true);
}

export type ReadColumn = { readonly name: string; readonly reader: Reader }

/** The columns of the result, as SQLite knows them of a view with the statement. */
export function columnsOf(sql: SqlStorage, statement: Bound): readonly ReadColumn[] {
  const view = hiddenName()
  sql.exec(`CREATE VIEW "${view}" AS ${replaceParameters(statement, 'sqlite', () => 'NULL')}`)
  const found = [
    ...sql
      .exec(`SELECT name, type FROM pragma_table_info(?) ORDER BY cid`, view)
      .raw<[unique: string, type: string]>(),
  ]
  sql.exec(`DROP VIEW "${view}"`)
  const names = new Set<string>()
  return found.map(([unique, type]) => {
    // A view gives columns with the same name different names.
    const plain = unique.replace(/:\d+$/, '')
    const name = names.has(plain) ? plain : unique
    names.add(name)
    return { name, reader: readerOf(type) }
  })
}

export function failed(error: Error): Refusal {
  const message = error.message.replaceAll(TABLES, '').replace(/(?: at offset \d+)?: SQLITE_[A-Z_]+$/, '')
  return new Refusal('query_failed', message)
}

export function tooLarge(limit: string): Refusal {
  return new Refusal('query_too_large', `The result has more than ${limit}.`)
}
