import Database from 'libsql'
import { LibsqlError } from '@libsql/client'
import type { Client, InArgs, InStatement, InValue, ResultSet, Row, Value } from '@libsql/client'

// Short, because the wait inside the engine blocks the whole process.
const BUSY_TIMEOUT_MS = 5
const STATEMENTS_MAX = 500

/** Cached prepared statements. Other statements, such as changes of tables, are prepared each time. */
const KEPT = /^\s*(?:select|with|insert|update|delete|begin|commit)\b/i
const CHANGES_TABLES = /^\s*(?:create|alter|drop)\b/i

/** Given all values as one list: of a single one that is bytes or null the engine would make the list itself. */
type Prepared = {
  readonly statement: Database.Statement<[InValue[]]>
  readonly columns: Columns | null
}

/**
 * A file through one connection that prepares each statement once. The library's own client prepares it anew each time and
 * asks for its columns, which costs more than most statements themselves (`npm run bench:history`).
 *
 * The engine is synchronous: a batch runs in one go, and so nothing comes between its statements.
 */
export class FileClient implements Pick<Client, 'execute' | 'batch' | 'migrate' | 'reconnect' | 'close'> {
  readonly protocol = 'file'
  readonly #path: string
  #database: Database.Database | null
  #isClosed = false
  /** By their texts: those that answer rows as objects by column names, and those that answer arrays, because two columns
   * may have one name. */
  readonly #kept = { objects: new Map<string, Prepared>(), arrays: new Map<string, Prepared>() }

  /** @throws {Error} when the file cannot be opened */
  constructor(path: string) {
    this.#path = path
    this.#database = open(path)
  }

  get closed(): boolean {
    return this.#isClosed
  }

  /** Rows of a statement that only reads, by column names. @throws {LibsqlError} whose `code` is SQLite's */
  read(sql: string, args: InArgs): readonly Readonly<Record<string, unknown>>[] {
    try {
      const { statement } = this.#prepared(sql, 'objects')
      return statement.all(boundOf(args)) as Readonly<Record<string, unknown>>[]
    } catch (error) {
      throw failureOf(error, this.#path)
    }
  }

  execute(statement: InStatement): Promise<ResultSet>
  execute(sql: string, args?: InArgs): Promise<ResultSet>
  async execute(statement: InStatement | string, args: InArgs = []): Promise<ResultSet> {
    return typeof statement === 'string' ? this.#run(statement, args) : this.#runOne(statement)
  }

  async batch(statements: readonly (InStatement | [string, InArgs?])[]): Promise<ResultSet[]> {
    this.#rollBack()
    // At once: one that reads first would be refused when another process has written since.
    this.#run('begin immediate')
    try {
      const results = statements.map((one) => this.#runOne(one))
      this.#run('commit')
      return results
    } catch (error) {
      try {
        this.#rollBack()
      } catch {
        // The next batch rolls back before it begins, and fails where it cannot.
      }
      throw error
    }
  }

  #rollBack(): void {
    // The engine itself has given up what failed for want of room.
    if (this.#connection.inTransaction) this.#run('rollback')
  }

  /** As `batch`, while rows may refer to what is not there yet. */
  async migrate(statements: readonly InStatement[]): Promise<ResultSet[]> {
    this.#run('pragma foreign_keys = off')
    try {
      return await this.batch(statements)
    } finally {
      this.#run('pragma foreign_keys = on')
    }
  }

  /** Lets go of the connection; the next statement opens another one. */
  reconnect(): void {
    this.#forget()
    this.#database?.close()
    this.#database = null
  }

  close(): void {
    this.#isClosed = true
    this.reconnect()
  }

  get #connection(): Database.Database {
    if (this.#isClosed) throw new TypeError('The database file has been closed.')
    return (this.#database ??= open(this.#path))
  }

  #runOne(one: InStatement | [string, InArgs?]): ResultSet {
    if (typeof one === 'string') return this.#run(one)
    return Array.isArray(one) ? this.#run(...one) : this.#run(one.sql, one.args)
  }

  #run(sql: string, args: InArgs = []): ResultSet {
    try {
      const { statement, columns } = this.#prepared(sql, 'arrays')
      const given = boundOf(args)
      if (columns === null) return resultOf(NO_COLUMNS, [], statement.run(given))
      return resultOf(columns, statement.all(given) as unknown as readonly (readonly Value[])[])
    } catch (error) {
      throw failureOf(error, this.#path)
    }
  }

  #prepared(sql: string, shape: 'objects' | 'arrays'): Prepared {
    const kept = this.#kept[shape]
    const known = kept.get(sql)
    if (known) return known
    const statement = this.#connection.prepare<[InValue[]]>(sql)
    const prepared = {
      statement,
      columns: shape === 'arrays' && statement.reader ? columnsOf(statement) : null,
    }
    // Texts that are made anew each time must not pile up, and tables that change have other columns.
    if (kept.size >= STATEMENTS_MAX || CHANGES_TABLES.test(sql)) this.#forget()
    if (KEPT.test(sql)) kept.set(sql, prepared)
    return prepared
  }

  #forget(): void {
    this.#kept.objects.clear()
    this.#kept.arrays.clear()
  }
}

/** Errors of the engine have no message in the log, and do not name their file. */
function failureOf(error: unknown, path: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  return Object.assign(new LibsqlError(error.message, error.code, undefined, undefined, error), { path })
}

function open(path: string): Database.Database {
  try {
    return new Database(path, { timeout: BUSY_TIMEOUT_MS })
  } catch (error) {
    throw failureOf(error, path)
  }
}

/** The columns of a statement, which returns arrays from now on. */
function columnsOf(statement: Prepared['statement']): Columns {
  statement.raw(true)
  return columnsNamed(statement.columns().map(({ name }) => name))
}

/** @throws {TypeError} when a value has no place of its own, or none in a database */
function boundOf(args: InArgs): InValue[] {
  if (!Array.isArray(args)) throw new TypeError('Only positional values can be bound.')
  return args.map(bound)
}

/** SQLite would store NaN as null, and has no booleans. */
function bound(value: InValue | undefined): InValue {
  if (typeof value === 'boolean') return Number(value)
  const isNothing = value === undefined || (typeof value === 'number' && !Number.isFinite(value))
  if (isNothing) throw new TypeError(`${value} cannot be bound.`)
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value
}

type Changes = { readonly changes: number; readonly lastInsertRowid: number | bigint }

function resultOf(
  { names, row: StatementRow }: Columns,
  rows: readonly (readonly Value[])[],
  done: Changes | null = null,
): ResultSet {
  return {
    columns: [...names],
    columnTypes: names.map(() => ''),
    rows: rows.map((cells) => new StatementRow(cells)),
    rowsAffected: done?.changes ?? 0,
    lastInsertRowid: done === null ? undefined : BigInt(done.lastInsertRowid),
    toJSON: () => ({ columns: names, rows }),
  }
}

type Columns = { readonly names: readonly string[]; readonly row: new (cells: readonly Value[]) => Row }

/** The names of columns with a class of rows. As in the library, cells by name are enumerable, cells by place and `length` are not. Places are
 * on the prototype: properties that are defined for each row take three times as long. */
function columnsNamed(names: readonly string[]): Columns {
  class StatementRow {
    readonly #cells: readonly unknown[]

    static {
      for (const place of names.keys()) {
        Object.defineProperty(this.prototype, place, {
          get(this: StatementRow) {
            return this.#cells[place]
          },
        })
      }
      Object.defineProperty(this.prototype, 'length', { value: names.length })
    }

    constructor(cells: readonly Value[]) {
      this.#cells = cells.map(plain)
      for (const [place, name] of named) (this as Record<string, unknown>)[name] = this.#cells[place]
    }
  }
  // Of columns with one name the first counts. A column called "1" is read by its place alone.
  const named = [...names.entries()].filter(
    ([place, name]) => names.indexOf(name) === place && !(name in StatementRow.prototype),
  )
  return { names, row: StatementRow as unknown as Columns['row'] }
}

function plain(value: Value): unknown {
  return value instanceof Uint8Array ? new Uint8Array(value).buffer : value
}

const NO_COLUMNS = columnsNamed([])
