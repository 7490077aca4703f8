import Database from 'libsql'
import type { InArgs, InValue } from '@libsql/client'

/** As short as that of the connection that writes: the wait blocks the whole process. */
const BUSY_TIMEOUT_MS = 5
const STATEMENTS_MAX = 200

type Prepared = Database.Statement<InValue[]>

/**
 * Reads of a file through a connection of their own that prepares each statement once. The client prepares a statement
 * anew at each call, which costs more than most reads (`npm run bench:history`). It sees what was committed last.
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
    return this.#prepared(sql).all(...(args as InValue[])) as Readonly<Record<string, unknown>>[]
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepared(sql: string): Prepared {
    let statement = this.#statements.get(sql)
    if (!statement) {
      // Texts that are made anew each time must not pile up.
      if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear()
      this.#statements.set(sql, (statement = this.#database.prepare(sql)))
    }
    return statement
  }
}
