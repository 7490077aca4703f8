import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import type { SQL } from 'drizzle-orm'
import { Refusal } from '../lib/errors.ts'

/**
 * The system database: Drizzle over SQLite, whichever engine the host brings (D1, libSQL in a file, libSQL by URL).
 *
 * Every host guarantees:
 * - A single statement and a `batch` are atomic, and durable once they resolve. A batch that fails leaves nothing.
 *   There is no interactive transaction: D1 has none.
 * - Foreign keys are enforced.
 * - A statement waits for a short lock of another connection and does not fail.
 *
 * Every statement keeps to these limits, since D1 is the narrowest engine:
 * - at most 100 bound parameters (lists go through `json_each(?)`, many rows in one parameter of under 1 MB),
 *   100 KB of SQL, 100 columns, 5 terms of `union all`, 50 bytes of LIKE pattern, rows under 1 MB
 * - no PRAGMA beyond `table_info`, no ATTACH, no temporary table, no statistics aggregate
 * - numbers are bound as REAL; an INTEGER column turns whole numbers back, an expression without a column needs
 *   `cast(? as integer)`. Whole numbers are exact up to ±(2^53 - 1), and none beyond may be stored
 * - changed rows are read with `.returning()`: the result of a bare write differs from host to host
 * - `get` of raw SQL is for a query that always has a row (libSQL fails without one); the builders' `get` is not
 * - inside a batch no two result columns share a name (D1 loses one of them)
 */
export type Database = Omit<BaseSQLiteDatabase<'async', unknown>, 'transaction'> & {
  batch<Item extends Write, Items extends Readonly<[Item, ...Item[]]>>(
    items: Items,
  ): Promise<BatchResponse<Items>>
}

/** A statement that was built and not yet run; it runs when awaited or when its batch is committed. */
export type Write = BatchItem<'sqlite'>

/** A statement that is built once for each database, because building one takes longer than running it. Its values are
 * placeholders. */
export function builtOnce<Statement>(
  build: (database: Database) => Statement,
): (database: Database) => Statement {
  const built = new WeakMap<Database, Statement>()
  return (database) => {
    const statement = built.get(database) ?? build(database)
    built.set(database, statement)
    return statement
  }
}

/** An id, or the expression that finds it within a commit. */
export type IdExpression = number | SQL

/** Runs all writes as one atomic batch, in their order; an empty list makes no round trip. */
export async function commit(database: Database, writes: readonly Write[]): Promise<void> {
  const [first, ...rest] = writes
  if (first !== undefined) await database.batch([first, ...rest])
}

/** Runs all writes as one atomic batch, and statements after them that read what they wrote before another batch can
 * change it. @returns what the statements found */
export async function commitAndRead<const Reads extends readonly Write[]>(
  database: Database,
  writes: readonly Write[],
  reads: Reads,
): Promise<BatchResponse<Reads>> {
  const [first, ...rest] = [...writes, ...reads]
  const results: readonly unknown[] = first === undefined ? [] : await database.batch([first, ...rest])
  return results.slice(writes.length) as BatchResponse<Reads>
}

/** The row of a commit that read one. */
export function onlyOf<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('A commit did not find the row that it wrote.')
  return row
}

/** A row with a version: the name of its table, its id, and the version that was read. */
export type VersionedRow = { readonly table: string; readonly id: number; readonly version: number }

/** A write that fails the batch, as `isOffVersion` tells, unless the row is at this version.
 * @param row of a table whose columns `version` and `created_at` are not null */
export function guardVersion(database: Database, { table, id, version }: VersionedRow): Write {
  // The name is one of our own, and the rest is numbers.
  return database.run(
    `update ${table} set created_at = case when version = ${version} then created_at end where id = ${id}`,
  )
}

/** Tells whether a statement failed because a row of this table was not at the version that `guardVersion` demands. */
export function isOffVersion(error: unknown, table: string): boolean {
  // No other write leaves the time of creation empty; versions are emptied by other guards as well.
  return isNotNullViolation(error, `${table}.created_at`)
}

/** A write that fails the batch, as `isCircle` tells, when a row is below itself.
 * @param table whose columns `parent_id` lead to rows of the same table, and `name` is not null */
export function guardCircle(database: Database, table: string, id: number): Write {
  return database.run(`
    update ${table} set name = case when id not in (
      with recursive above (id) as (
        select parent_id from ${table} where id = ${id}
        union select t.parent_id from ${table} t join above on t.id = above.id)
      select id from above where id is not null) then name end
    where id = ${id}`)
}

/** Tells whether a statement failed because a row of this table was below itself, as `guardCircle` refuses. */
export function isCircle(error: unknown, table: string): boolean {
  // Not the time of creation: a group that `refuseFull` refuses has none.
  return isNotNullViolation(error, `${table}.name`)
}

/**
 * Tells whether a statement failed because a unique or primary key that contains this column already has the value.
 * A constraint over several columns answers to each of them.
 */
export function isUniqueViolation(error: unknown, column: `${string}.${string}`): boolean {
  const columns = UNIQUE_VIOLATION.exec(rootMessage(error))?.[1]
  return columns !== undefined && columns.split(', ').includes(column)
}

/** Tells whether a statement failed because it would have left this column empty. */
export function isNotNullViolation(error: unknown, column: `${string}.${string}`): boolean {
  return NOT_NULL_VIOLATION.exec(rootMessage(error))?.[1] === column
}

/** Runs an insert that leaves a column empty once a bound is reached, so that the bound holds for rows that are added at the
 * same time. @throws {Refusal} conflict with this detail */
export async function refuseFull<Result>(
  table: string,
  detail: string,
  insert: () => Promise<Result>,
  column = 'created_at',
): Promise<Result> {
  try {
    return await insert()
  } catch (error) {
    if (isNotNullViolation(error, `${table}.${column}`)) throw new Refusal('conflict', detail)
    throw error
  }
}

/** The detail of the refusal of one more of the `nouns` than there may be. */
export function fullDetail(max: number, nouns: string): string {
  return `There must be at most ${max} ${nouns}. Delete one first.`
}

/** Tells whether a statement failed because a row would have referred to one that is not there. */
export function isForeignKeyViolation(error: unknown): boolean {
  return FOREIGN_KEY_VIOLATION.test(rootMessage(error))
}

// Anchored at both ends, so that no value quoted in some other message can pass for a violation.
const PREFIX = String.raw`^(?:D1_ERROR: |SQLITE_CONSTRAINT\w*: |SQLite error: )*`
const SUFFIX = String.raw`(?:: SQLITE_CONSTRAINT.*)?$`
const UNIQUE_VIOLATION = new RegExp(String.raw`${PREFIX}UNIQUE constraint failed: ([\w., ]+?)${SUFFIX}`)
const NOT_NULL_VIOLATION = new RegExp(String.raw`${PREFIX}NOT NULL constraint failed: ([\w.]+?)${SUFFIX}`)
const FOREIGN_KEY_VIOLATION = new RegExp(`${PREFIX}FOREIGN KEY constraint failed${SUFFIX}`)

// The outermost message is Drizzle's and holds the statement's parameters; only the engine's own words count.
function rootMessage(error: unknown): string {
  let root = error
  while (root instanceof Error && root.cause instanceof Error) root = root.cause
  return root instanceof Error ? root.message : ''
}
