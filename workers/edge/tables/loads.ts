import type { DurableObjectStorage, SqlStorage } from '@cloudflare/workers-types'

import { ImportFailure, importRefusal, notUnique } from '../../../src/data/imports/failure.ts'
import { readRows } from '../../../src/data/imports/file.ts'
import type { ImportProgress } from '../../../src/data/imports/file.ts'
import type { Column, Row } from '../../../src/domain/table.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import { stopwatch } from '../../../src/ports/clock.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import { FILE_MISSING, TABLE_REPLACED } from '../../../src/ports/tables.ts'
import type { Generation, LoadCounts, LoadOrder, TableIndex } from '../../../src/ports/tables.ts'
import { clock } from '../clock.ts'
import { refused } from '../reply.ts'
import type { Reply } from '../reply.ts'
import { STORED_TYPES, storedExpression, storedOf } from './cells.ts'
import { importFileOf } from './import-file.ts'
import { hiddenName, quotedName } from './query.ts'

/** The longest load of one alarm, because the platform limits the CPU time of each alarm. */
const SLICE_MS = 2_000
/** Rows of one statement, in JSON: SQLite takes 2 MB in one value. */
const BATCH_CHARS = 256 * 1024
const ROW_MAX_CHARS = 1024 * 1024
/** The attempts at a file that ends the object before a row is stored. */
const ATTEMPTS_MAX = 5

/** A generation that is loaded: the name of its table, and its order. `reply` is null until the load has ended. */
type Loading = {
  readonly table: string
  readonly order: LoadOrder
  readonly attempts: number
  readonly reply: Reply<LoadCounts> | null
}

/** A generation that an edit has made. */
type Edited = Pick<Loading, 'table'> & {
  readonly order: Pick<LoadOrder, 'to'>
  readonly reply: Extract<Reply<LoadCounts>, { ok: true }>
}

type Entry = Loading | Edited

/** A file that is being read. */
type Reading = {
  readonly key: string
  readonly rows: AsyncGenerator<readonly Row[]>
  readonly progress: ImportProgress
  readonly sizeBytes: number
  bytes: number
  /** Rows that were stored before the object ended. */
  stored: number
}

export type LoadStep = { readonly share: number; readonly counts: LoadCounts | null }

/** The generations of an object. The names of their tables are in the key-value storage, which SQL does not reach. */
export class Loads {
  readonly #storage: DurableObjectStorage
  readonly #blobs: Blobs
  #reading: Reading | null = null

  constructor(storage: DurableObjectStorage, blobs: Blobs) {
    this.#storage = storage
    this.#blobs = blobs
  }

  /** The table of a generation. @throws {Refusal} unavailable without it */
  tableOf(generation: Generation): string {
    const entry = this.#entry(keyOf(generation))
    if (!entry?.reply?.ok) throw new Refusal('unavailable', TABLE_REPLACED)
    return entry.table
  }

  list(sourceId: number): readonly Generation[] {
    return [...this.#entries()].flatMap(([, { order, reply }]) =>
      reply?.ok ? [{ ...order.to, sourceId }] : [],
    )
  }

  get isEmpty(): boolean {
    return [...this.#entries()].length === 0
  }

  /** The progress of a load, which the first call begins. @throws {Refusal} import_failed and others, once */
  step(order: LoadOrder): LoadStep {
    const key = keyOf(order.to)
    let entry = this.#entry(key)
    if (!entry || JSON.stringify(entry.order) !== JSON.stringify(order)) entry = this.#begin(key, order)
    const { reply } = entry
    if (reply?.ok) return { share: 1, counts: reply.value }
    if (reply) {
      this.#remove(key)
      throw new Refusal(reply.code, reply.detail, reply.errors)
    }
    const reading = this.#reading?.key === key ? this.#reading : null
    return { share: reading ? Math.min(1, reading.bytes / reading.sizeBytes) : 0, counts: null }
  }

  /** Gives a table to a generation. */
  adopt(to: Generation, table: string, rows: number): void {
    const entry: Edited = {
      table,
      order: { to },
      reply: { ok: true, value: { rows, skipped: 0, faults: [] } },
    }
    this.#storage.kv.put(keyOf(to), entry)
  }

  drop(generation: Generation): void {
    this.#remove(keyOf(generation))
  }

  /** Loads for some seconds. @returns whether there is more to load */
  async work(): Promise<boolean> {
    const found = this.#next()
    if (!found) return false
    const [key, entry] = found
    try {
      const counts = await this.#load(key, entry)
      if (counts) {
        this.#index(entry)
        this.#end(key, entry, { ok: true, value: counts })
      }
    } catch (error) {
      this.#reading = null
      const refusal = error instanceof ImportFailure ? importRefusal(error.faults) : error
      if (!(refusal instanceof Refusal)) throw error
      this.#end(key, entry, refused(refusal))
    }
    return this.#next() !== undefined
  }

  #next(): readonly [key: string, entry: Loading] | undefined {
    return [...this.#entries()].find((found): found is [string, Loading] => found[1].reply === null)
  }

  /** @returns the counts at the end of the file, null before */
  async #load(key: string, entry: Loading): Promise<LoadCounts | null> {
    const reading = this.#reading?.key === key ? this.#reading : await this.#open(key, entry)
    if (!reading) return null
    this.#reading = reading
    const elapsedMs = stopwatch(clock)
    while (elapsedMs() < SLICE_MS) {
      const next = await reading.rows.next()
      // The generation was dropped, or its load was ordered again.
      if (this.#reading !== reading) return null
      if (next.done === true) {
        this.#reading = null
        return { ...reading.progress }
      }
      const stored = Math.min(reading.stored, next.value.length)
      reading.stored -= stored
      this.#store(key, next.value.slice(stored))
      // Meanwhile the object handles other events, and the clock advances.
      await scheduler.wait(0)
    }
    return null
  }

  /** @returns null when the generation was dropped or ordered anew meanwhile */
  async #open(key: string, entry: Loading): Promise<Reading | null> {
    if (entry.attempts >= ATTEMPTS_MAX)
      throw new Refusal('unavailable', 'The file brings the import down again and again.')
    this.#storage.kv.put(key, { ...entry, attempts: entry.attempts + 1 })
    const { blob, plan } = entry.order
    const file = await this.#blobs.get(blob)
    if (this.#entry(key)?.table !== entry.table) {
      await file?.body.cancel()
      return null
    }
    if (!file) throw new Refusal('not_found', FILE_MISSING)
    const progress: ImportProgress = { rows: 0, skipped: 0, faults: [] }
    const reading: Omit<Reading, 'rows'> = {
      key,
      progress,
      sizeBytes: file.sizeBytes,
      bytes: 0,
      stored: this.#storage.sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM "${entry.table}"`).one()
        .rows,
    }
    const source = importFileOf(this.#blobs, blob, file, (bytes) => void (reading.bytes = bytes))
    const rows = readRows(source, plan, progress)
    return Object.assign(reading, { rows })
  }

  #begin(key: string, order: LoadOrder): Loading {
    const entry: Loading = { table: hiddenName(), order, attempts: 0, reply: null }
    this.#storage.transactionSync(() => {
      this.#remove(key)
      createTable(this.#storage.sql, entry.table, order.plan.columns)
      this.#storage.kv.put(key, entry)
    })
    return entry
  }

  #store(key: string, rows: readonly Row[]): void {
    const entry = this.#entry(key)
    if (!entry || !isLoading(entry) || rows.length === 0) return
    const { columns } = entry.order.plan
    this.#storage.transactionSync(() => {
      insertRows(this.#storage.sql, entry.table, { columns, rows })
      if (entry.attempts > 0) this.#storage.kv.put(key, { ...entry, attempts: 0 })
    })
  }

  /** Keeps the outcome. A generation that was not loaded has no table. */
  #end(key: string, { table }: Loading, reply: Reply<LoadCounts>): void {
    const entry = this.#entry(key)
    if (entry?.table !== table) return
    this.#storage.transactionSync(() => {
      if (!reply.ok) this.#storage.sql.exec(`DROP TABLE "${entry.table}"`)
      this.#storage.kv.put(key, { ...entry, reply })
    })
  }

  /** Creates the indexes of a loaded table, all or none. @throws {Refusal} import_failed */
  #index({ table, order: { indexes = [] } }: Loading): void {
    this.#storage.transactionSync(() => createIndexes(this.#storage.sql, table, indexes))
  }

  #remove(key: string): void {
    const entry = this.#entry(key)
    if (!entry) return
    if (this.#reading?.key === key) {
      // The file is released when the current read of rows has ended.
      this.#reading.rows.return(undefined).catch(() => undefined)
      this.#reading = null
    }
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(`DROP TABLE IF EXISTS "${entry.table}"`)
      this.#storage.kv.delete(key)
    })
  }

  #entry(key: string): Entry | undefined {
    return this.#storage.kv.get<Entry>(key)
  }

  #entries(): Iterable<[string, Entry]> {
    return this.#storage.kv.list<Entry>({ prefix: PREFIX })
  }
}

const PREFIX = 'generation '
const KEY = /^[a-z0-9]{1,64}$/

const isLoading = (entry: Entry): entry is Loading => 'plan' in entry.order

function keyOf({ tableId, key }: Generation): string {
  if (!KEY.test(key)) throw new RangeError('Not a generation')
  return `${PREFIX}${tableId}-${key}`
}

/** Creates a table with stored types. */
export function createTable(sql: SqlStorage, table: string, columns: readonly Column[]): void {
  const types = columns.map(({ name, type }) => `${quotedName(name)} ${STORED_TYPES[type]}`)
  sql.exec(`CREATE TABLE "${table}" (${types.join(', ')})`)
}

/** @throws {Refusal} import_failed */
export function createIndexes(sql: SqlStorage, table: string, indexes: readonly TableIndex[]): void {
  for (const { columns, isUnique } of indexes) {
    try {
      sql.exec(
        `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX "${hiddenName()}" ON "${table}" (${columns.map(quotedName).join(', ')})`,
      )
    } catch (error) {
      if (!isUnique || !/UNIQUE constraint/.test((error as Error).message)) throw error
      throw notUnique(columns)
    }
  }
}

/** Inserts rows whose cells are in the order of the columns of the table. */
export function insertRows(
  sql: SqlStorage,
  table: string,
  { columns, rows }: { readonly columns: readonly Column[]; readonly rows: readonly Row[] },
): void {
  for (const batch of batchesOf(rows, columns)) sql.exec(`INSERT INTO "${table}" ${selected(columns)}`, batch)
}

/** The rows as arrays in JSON, each of a size that SQLite takes. */
function* batchesOf(rows: readonly Row[], columns: readonly Column[]): Generator<string> {
  let texts: string[] = []
  let chars = 0
  for (const row of rows) {
    const text = JSON.stringify(row.map((cell, index) => storedOf(columns[index]?.type ?? 'string', cell)))
    if (text.length > ROW_MAX_CHARS)
      throw new Refusal('import_failed', `A row has at most ${ROW_MAX_CHARS} characters on this host.`)
    texts.push(text)
    chars += text.length
    if (chars < BATCH_CHARS) continue
    yield `[${texts.join(',')}]`
    texts = []
    chars = 0
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`
}

function selected(columns: readonly Column[]): string {
  const values = columns.map(({ type }, index) => storedExpression(type, `value ->> ${index}`))
  return `SELECT ${values.join(', ')} FROM json_each(?)`
}
