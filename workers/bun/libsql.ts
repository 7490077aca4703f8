import { setImmediate } from 'node:timers/promises'

import {
  createClient,
  LibsqlError,
  type Client,
  type InArgs,
  type InStatement,
  type ResultSet,
  type TransactionMode,
} from '@libsql/client'
import { is } from 'drizzle-orm'
import { drizzle, LibSQLDatabase } from 'drizzle-orm/libsql'
import { migrate as applyMigrations } from 'drizzle-orm/libsql/migrator'

import type { Database } from '../../src/ports/database.ts'

export interface Libsql {
  database: Database
  /** For what Drizzle does not say, such as `vacuum into`; under the same rules as `database`. */
  client: Pick<Client, 'execute' | 'batch'>
  /** Waits for the batches under way, then closes. */
  close: () => Promise<void>
}

export interface LibsqlOptions {
  authToken?: string | undefined
  /** How often a statement that finds the database locked is tried again; 32 attempts take about four seconds. */
  busyRetries?: number
}

/**
 * Opens the system database of a host that runs as a process.
 *
 * `url` is `file:<path>` (created when missing, its folder is not), `http:`, `https:` or `libsql:`.
 * Throws when the database cannot be reached or does not keep its promises (foreign keys; in a file also
 * write-ahead log and a flush at each commit).
 */
export async function openLibsql(url: string, options: LibsqlOptions = {}): Promise<Libsql> {
  if (!/^(?:file|https?|libsql):/.test(url) || url.includes(':memory:')) {
    throw new RangeError('A database URL begins with file:, http:, https: or libsql:')
  }
  const client = new PatientClient(url, options)
  try {
    await checkPromises(client)
  } catch (error) {
    client.close()
    throw error
  }
  return { database: drizzle(client), client, close: () => client.drainAndClose() }
}

/** Applies the migrations of `folder` that this database has not seen, all in one transaction. */
export async function migrate(database: Database, folder: string): Promise<void> {
  if (!is(database, LibSQLDatabase)) throw new TypeError('Only a libSQL database is migrated here')
  await applyMigrations(database, { migrationsFolder: folder })
}

/**
 * The client with the rules libSQL needs to be dependable:
 * - A statement that finds the database locked is tried again after a pause, on a new connection: the old one keeps
 *   failing with SQLITE_BUSY after the lock is gone (tursodatabase/libsql-client-ts#352).
 * - Batches on a file run one after the other, so that only one of them at a time waits for somebody else's lock.
 * - A file has one connection: it is synchronous anyway, and a second would not share what was set on the first.
 * - Interactive transactions are refused: D1 has none, and in a file they lead to the locks above.
 */
class PatientClient implements Client {
  readonly #client: Client
  readonly #isFile: boolean
  readonly #busyRetries: number
  #batches: Promise<unknown> = Promise.resolve()
  #statementsInTurn = 0

  constructor(url: string, { authToken, busyRetries = 32 }: LibsqlOptions) {
    this.#isFile = url.startsWith('file:')
    this.#busyRetries = busyRetries
    this.#client = createClient({
      url,
      ...(authToken === undefined ? {} : { authToken }),
      ...(this.#isFile ? { concurrency: 1, timeout: BUSY_TIMEOUT_MS } : {}),
    })
  }

  get protocol(): string {
    return this.#client.protocol
  }

  get closed(): boolean {
    return this.#client.closed
  }

  execute(statement: InStatement): Promise<ResultSet>
  execute(sql: string, args?: InArgs): Promise<ResultSet>
  execute(statement: InStatement | string, args?: InArgs): Promise<ResultSet> {
    return this.#patiently(() =>
      typeof statement === 'string' ? this.#client.execute(statement, args) : this.#client.execute(statement),
    )
  }

  batch(statements: Array<InStatement | [string, InArgs?]>, mode?: TransactionMode): Promise<ResultSet[]> {
    return this.#inOrder(() => this.#patiently(() => this.#client.batch(statements, mode)))
  }

  migrate(statements: InStatement[]): Promise<ResultSet[]> {
    return this.#inOrder(() => this.#patiently(() => this.#client.migrate(statements)))
  }

  transaction(): Promise<never> {
    return Promise.reject(new TypeError('Interactive transactions are refused: commit one batch'))
  }

  executeMultiple(): Promise<never> {
    return Promise.reject(new TypeError('Several statements in one text are refused: commit one batch'))
  }

  sync(): Promise<never> {
    return Promise.reject(new TypeError('There is no replica to synchronise'))
  }

  reconnect(): void {
    this.#client.reconnect()
  }

  close(): void {
    this.#client.close()
  }

  async drainAndClose(): Promise<void> {
    await this.#batches
    this.close()
  }

  #inOrder<Result>(run: () => Promise<Result>): Promise<Result> {
    if (!this.#isFile) return run()
    const result = this.#batches.then(run)
    this.#batches = result.catch(() => undefined)
    return result
  }

  async #patiently<Result>(run: () => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      await this.#letOthersRun()
      try {
        return await run()
      } catch (error) {
        if (!(error instanceof LibsqlError)) throw error
        const isBusy = error.code === 'SQLITE_BUSY'
        // Not for a server: that would tear the requests of others that are under way.
        if (isBusy && this.#isFile) this.#client.reconnect()
        if (!isBusy && !this.#hasLostConnection(error)) throw error
        if (attempt >= this.#busyRetries) throw error
        await Bun.sleep(pauseMs(attempt))
      }
    }
  }

  // Another one's reconnect took the connection away, which the client notices before it begins the statement.
  #hasLostConnection(error: LibsqlError): boolean {
    return this.#isFile && error.code === 'CLIENT_CLOSED' && !this.closed
  }

  // Awaiting a synchronous engine never turns the event loop: a long loop of statements would starve timers and
  // requests, and pile up memory that is only given back between turns.
  async #letOthersRun(): Promise<void> {
    if (!this.#isFile) return
    this.#statementsInTurn += 1
    if (this.#statementsInTurn < STATEMENTS_PER_TURN) return
    this.#statementsInTurn = 0
    await setImmediate()
  }
}

const STATEMENTS_PER_TURN = 50

// Short, because the wait inside the engine blocks the whole process.
const BUSY_TIMEOUT_MS = 5

function pauseMs(attempt: number): number {
  return Math.min(200, 5 * 2 ** attempt) * (0.5 + Math.random() / 2)
}

// Except for the journal mode, which the file keeps, these are defaults of each new connection. They are checked and
// not set, because what is set on one connection is lost with it.
async function checkPromises(client: Client): Promise<void> {
  const promises: Array<[pragma: string, value: string | number]> = [['foreign_keys', 1]]
  if (client.protocol === 'file') {
    await client.execute('pragma journal_mode = wal')
    promises.push(['journal_mode', 'wal'], ['synchronous', 2])
  }
  for (const [pragma, value] of promises) {
    const { rows } = await client.execute(`pragma ${pragma}`)
    if (rows[0]?.[0] !== value) throw new Error(`The database does not keep ${pragma} = ${value}`)
  }
}
