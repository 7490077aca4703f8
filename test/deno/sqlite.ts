import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'

/** `bun:sqlite` for tests that run in a process of Deno: as much of it as they use. */
export class Database {
  readonly #file: DatabaseSync

  constructor(path: string) {
    this.#file = new DatabaseSync(path)
  }

  get inTransaction(): boolean {
    return this.#file.isTransaction
  }

  run(sql: string): void {
    converted(() => this.#file.exec(sql))
  }

  prepare(sql: string): Statement {
    return new Statement(converted(() => this.#file.prepare(sql)))
  }

  close(): void {
    this.#file.close()
  }
}

export class SQLiteError extends Error {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

class Statement {
  readonly #statement: StatementSync
  readonly columnNames: readonly string[]
  readonly declaredTypes: readonly (string | null)[]
  readonly paramsCount = 0

  constructor(statement: StatementSync) {
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    this.#statement = statement
    const columns = statement.columns()
    this.columnNames = columns.map(({ name }) => name)
    this.declaredTypes = columns.map(({ type }) => type)
  }

  values(...given: SQLInputValue[]): unknown {
    return converted(() => this.#statement.all(...given))
  }

  /** Statements end with their database. */
  finalize(): void {}
}

/** Names of the base codes of SQLite (https://sqlite.org/rescode.html) that tests meet. */
const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  19: 'SQLITE_CONSTRAINT',
}

function converted<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { readonly errcode?: number }
    throw new SQLiteError(message, CODES[errcode & 0xff] ?? 'SQLITE_ERROR')
  }
}
