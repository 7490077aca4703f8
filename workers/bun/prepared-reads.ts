import Database from 'libsql'
import type { InArgs, InStatement, InValue, ResultSet, Row, Value } from '@libsql/client'

/** As short as that of the connection that writes: the wait blocks the whole process. */
const BUSY_TIMEOUT_MS = 5
const STATEMENTS_MAX = 200

/** What only reads, and whose arguments the engine takes as they are. */
const READ = /^\s*select\b/i

type Prepared = { readonly statement: Database.Statement<InValue[]>; columns: readonly string[] | null }

/**
 * Reads of a file through a connection of their own that prepares each statement once. The client prepares a statement
 * anew at each call and asks for its columns, which costs more than most reads (`npm run bench:history`). It sees what
 * was committed last.
 */
export class PreparedReads {
  readonly #database: Database.Database
  readonly #statements = new Map<string, Prepared>()

  /** @throws {Error} when the file cannot be opened */
  constructor(path: string) {
    this.#database = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  }

  /** @throws {Error} as the engine says; its `code` is SQLite's */
  read(sql: string, args: InArgs): readonly Readonly<Record<string, unknown>>[] {
    const { statement } = this.#prepared(`rows ${sql}`, sql)
    return statement.all(...(args as InValue[])) as Readonly<Record<string, unknown>>[]
  }

  /** What the client would answer; null where this is not for here, or the client should try and say why it fails. */
  answer(asked: InStatement | string, args: InArgs = []): ResultSet | null {
    const { sql, args: given = [] } = typeof asked === 'string' ? { sql: asked, args } : asked
    if (!READ.test(sql) || !Array.isArray(given) || !given.every(isPlain)) return null
    try {
      const prepared = this.#prepared(`cells ${sql}`, sql)
      prepared.columns ??= columnsOf(prepared.statement)
      const rows = prepared.statement.all(...given) as unknown as readonly (readonly Value[])[]
      return resultOf(prepared.columns, rows)
    } catch {
      return null
    }
  }

  /** Forgets all statements: tables have changed, and with them the columns of what is read. */
  clear(): void {
    this.#statements.clear()
  }

  close(): void {
    this.clear()
    this.#database.close()
  }

  #prepared(name: string, sql: string): Prepared {
    let prepared = this.#statements.get(name)
    if (!prepared) {
      // Texts that are made anew each time must not pile up.
      if (this.#statements.size >= STATEMENTS_MAX) this.clear()
      this.#statements.set(name, (prepared = { statement: this.#database.prepare(sql), columns: null }))
    }
    return prepared
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || value === null || Number.isFinite(value)
}

/** From here on the statement answers arrays: two columns may have one name. */
function columnsOf(statement: Prepared['statement']): readonly string[] {
  statement.raw(true)
  return statement.columns().map(({ name }) => name)
}

function resultOf(columns: readonly string[], rows: readonly (readonly Value[])[]): ResultSet {
  return {
    columns: [...columns],
    columnTypes: columns.map(() => ''),
    rows: rows.map((cells) => rowOf(columns, cells)),
    rowsAffected: 0,
    lastInsertRowid: undefined,
    toJSON: () => ({ columns, rows }),
  }
}

/** Like the client's: the cells by column are its own enumerable properties, those by place are hidden beside them. */
function rowOf(columns: readonly string[], cells: readonly Value[]): Row {
  const row: Record<string, unknown> = {}
  for (const [place, name] of columns.entries()) {
    const value: unknown = cells[place]
    const plain = value instanceof Uint8Array ? value.slice().buffer : value
    if (!Object.hasOwn(row, name)) row[name] = plain
    Object.defineProperty(row, place, { value: plain })
  }
  return Object.defineProperty(row, 'length', { value: columns.length }) as unknown as Row
}
