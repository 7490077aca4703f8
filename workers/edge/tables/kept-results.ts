import type { DurableObjectStorage, SqlStorage } from '@cloudflare/workers-types'

import type { Row } from '../../../src/domain/table.ts'
import { refusalIn } from '../../../src/lib/errors.ts'
import type { Bound, QueryLimits } from '../../../src/ports/databases.ts'
import { sizeOf } from './cells.ts'
import { columnsOf, failed, gated, openViews, rowsToRead, selectionOf, tooLarge } from './query.ts'
import type { ReadColumn, StoredView } from './query.ts'
import { lineOf } from './row-lines.ts'
import type { Head } from './row-lines.ts'

/** A line ends with the row that reaches one of them. */
const [LINE_ROWS, LINE_BYTES] = [500, 1024 * 1024]

type Kept = {
  readonly name: string
  readonly columns: readonly ReadColumn[]
  readonly head: Head
  /** The number of the last row of each line. */
  readonly ends: readonly number[]
}

type Asked = { readonly views: readonly StoredView[]; readonly statement: Bound }

/** Keeps the result of a statement in a table of its own, which goes with the last line, with the reader, or when no line was
 * read for some time. So a result may have more bytes than the memory of the object. The statement sees nothing but the views.
 * @throws {Refusal} query_failed, query_too_large */
export function keptLines(
  storage: DurableObjectStorage,
  asked: Asked,
  { leftAfterMs, ...limits }: QueryLimits & { readonly leftAfterMs: number },
): Iterator<Uint8Array, undefined> {
  return new KeptLines(storage.sql, keep(storage, asked, limits), leftAfterMs)
}

/** Deletes all results that are kept. */
export function dropKept(sql: SqlStorage): void {
  const found = sql.exec<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'r*' AND length(name) = 33`,
  )
  const names = found.toArray().map(({ name }) => name)
  for (const name of names) sql.exec(`DROP TABLE "${name}"`)
}

function keep(storage: DurableObjectStorage, { views, statement }: Asked, limits: QueryLimits): Kept {
  const { sql } = storage
  const name = `r${crypto.randomUUID().replaceAll('-', '')}`
  try {
    const bound = { text: gated(statement), binds: statement.binds }
    return storage.transactionSync(() => {
      const opened = openViews(sql, views)
      const columns = columnsOf(sql, bound)
      const names = columns.map((_, index) => `c${index}`)
      // A column without a type stores each value unchanged.
      sql.exec(`CREATE TABLE "${name}" (${names.join(', ')})`)
      const { text, values } = selectionOf(bound, names)
      sql.exec(`INSERT INTO "${name}" ${text} LIMIT ${rowsToRead(limits, columns.length)}`, ...values)
      opened.close()
      return { name, columns, ...scanned(sql, { name, columns }, limits) }
    })
  } catch (error) {
    throw refusalIn(error) ?? failed(error as Error)
  }
}

/** Reads all rows once: the values decide the types of columns. @throws {Refusal} query_too_large */
function scanned(
  sql: SqlStorage,
  kept: Pick<Kept, 'name' | 'columns'>,
  { rowsMax, bytesMax }: QueryLimits,
): Pick<Kept, 'head' | 'ends'> {
  const ends = [0]
  let [rows, bytes, lineBytes] = [0, 0, 0]
  // To the last row, although it may be too large: no table can be dropped while rows of a result are left.
  for (const row of rowsBetween(sql, kept, [0, rowsMax + 1])) {
    const size = sizeOf(row)
    rows += 1
    bytes += size
    lineBytes += size
    if (rows - (ends.at(-1) ?? 0) < LINE_ROWS && lineBytes < LINE_BYTES) continue
    ends.push(rows)
    lineBytes = 0
  }
  if (rows > rowsMax) throw tooLarge(`${rowsMax} rows`)
  if (bytes > bytesMax) throw tooLarge(`${bytesMax} bytes`)
  const mixed = kept.columns.flatMap(({ reader }, index) => (reader.isMixed() ? [index] : []))
  return {
    head: { columns: kept.columns.map(({ name, reader }) => reader.column(name)), mixed },
    ends: [...ends, rows],
  }
}

function* rowsBetween(
  sql: SqlStorage,
  { name, columns }: Pick<Kept, 'name' | 'columns'>,
  [after, end]: readonly [after: number, end: number],
): Generator<Row> {
  const selected = columns.map(({ reader }, index) => reader.select(`c${index}`)).join(', ')
  // Its rows were stored in their order, and none was deleted: the numbers of rows have no gaps.
  const where = `rowid > ${after} AND rowid <= ${end}`
  const cursor = sql.exec(`SELECT ${selected} FROM "${name}" WHERE ${where} ORDER BY rowid`)
  for (const raw of cursor.raw()) yield columns.map(({ reader }, index) => reader.read(raw[index] ?? null))
}

class KeptLines implements Iterator<Uint8Array, undefined> {
  readonly #sql: SqlStorage
  readonly #kept: Kept
  readonly #leftAfterMs: number
  #line = 0
  #state: 'head' | 'rows' | 'gone' = 'head'
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(sql: SqlStorage, kept: Kept, leftAfterMs: number) {
    this.#sql = sql
    this.#kept = kept
    this.#leftAfterMs = leftAfterMs
  }

  next(): IteratorResult<Uint8Array, undefined> {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#state === 'gone') return { done: true, value: undefined }
    // The platform does not always tell the object that a reader has left.
    this.#timer = setTimeout(() => this.return(), this.#leftAfterMs)
    if (this.#state === 'head') {
      this.#state = 'rows'
      return { value: lineOf(this.#kept.head) }
    }
    this.#line += 1
    const [after, end] = [this.#kept.ends[this.#line - 1], this.#kept.ends[this.#line]]
    if (after !== undefined && end !== undefined)
      return { value: lineOf([...rowsBetween(this.#sql, this.#kept, [after, end])]) }
    this.return()
    return { value: lineOf({ refusal: null }) }
  }

  return(): IteratorResult<Uint8Array, undefined> {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#state !== 'gone') this.#sql.exec(`DROP TABLE IF EXISTS "${this.#kept.name}"`)
    this.#state = 'gone'
    return { done: true, value: undefined }
  }
}
