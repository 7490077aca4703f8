import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

import {
  createClient,
  type Client,
  type InArgs,
  type InStatement,
  type ResultSet,
  type TransactionMode,
} from '@libsql/client'
import { is } from 'drizzle-orm'
import { drizzle, LibSQLDatabase } from 'drizzle-orm/libsql'
import { migrate as applyMigrations } from 'drizzle-orm/libsql/migrator'

import { Refusal } from '../../src/lib/errors.ts'
import type { Database } from '../../src/ports/database.ts'
import { FileClient } from './file-client.ts'

export interface Libsql {
  database: Database
  /** For what Drizzle does not say, such as `vacuum into`; under the same rules as `database`. */
  client: Pick<Client, 'execute' | 'batch'>
  /** Rows of a statement that only reads, by column names. */
  read: (sql: string, args: InArgs) => Promise<readonly Readonly<Record<string, unknown>>[]>
  /** The number of statements and batches that have ended and may have written; null for a server, to which other processes
   * write as well. */
  writeCount: (() => number) | null
  /** Waits for the batches under way, then closes; a file then holds everything by itself. */
  close: () => Promise<void>
}

export interface LibsqlOptions {
  authToken?: string | undefined
  /** The time that a statement waits for a lock of another process, or for a server, before it is rejected. */
  patienceMs?: number
}

/** Shorter than the two seconds within which callers get an answer. */
const PATIENCE_MS = 1_500
/** The same once it is known to be away: one request may ask several times. */
const AWAY_PATIENCE_MS = 200
/** Migrations run before the first request, and may rewrite large tables. */
const MIGRATION_PATIENCE_MS = 60_000
/** Requests to a server at once: each is given up in time, so none has to queue behind one that hangs. */
const REQUESTS_MAX = 1_000

/**
 * Opens the system database of a host that runs as a process.
 *
 * `url` is `file:<path>` (created when missing, its folder is not), `http:`, `https:` or `libsql:`.
 * Throws when the database cannot be reached or does not keep its promises (foreign keys; in a file also
 * write-ahead log and a flush at each commit). The opened database refuses with `unavailable` while its file is away.
 */
export async function openLibsql(url: string, options: LibsqlOptions = {}): Promise<Libsql> {
  if (!/^(?:file|https?|libsql):/.test(url) || url.includes(':memory:')) {
    throw new RangeError('A database URL must begin with file:, http:, https: or libsql:')
  }
  const client = new PatientClient(url, options)
  try {
    await checkPromises(client)
  } catch (error) {
    client.close()
    throw error
  }
  return {
    database: drizzle(client),
    client,
    read: (sql, args) => client.read(sql, args),
    writeCount: client.protocol === 'file' ? () => client.writeCount : null,
    close: () => client.drainAndClose(),
  }
}

/** Applies the migrations of `folder` that this database has not seen, all in one transaction. */
export async function migrate(database: Database, folder: string): Promise<void> {
  if (!is(database, LibSQLDatabase)) throw new TypeError('Only a libSQL database can be migrated')
  await applyMigrations(database, { migrationsFolder: folder })
}

/**
 * The client with the rules libSQL needs to be dependable:
 * - A statement that finds the database locked is tried again after a pause, on a new connection: the old one keeps
 *   failing with SQLITE_BUSY after the lock is gone (tursodatabase/libsql-client-ts#352).
 * - Once a statement has timed out, each further one is tried once and briefly, until one works: in a queue of waiting
 *   statements the last would wait for all others.
 * - Batches on a file run one after the other, so that only one of them at a time waits for a lock of another process.
 * - A file has one connection: it is synchronous anyway, and a second would not share what was set on it.
 * - Interactive transactions are refused: D1 has none, and in a file they lead to the locks above.
 */
class PatientClient implements Client {
  readonly #client: FileClient | Client
  readonly #isFile: boolean
  readonly #patienceMs: number
  #isAway = false
  #isMigrating = false
  #batches: Promise<unknown> = Promise.resolve()
  #statementsInTurn = 0
  writeCount = 0

  constructor(url: string, { authToken, patienceMs = PATIENCE_MS }: LibsqlOptions) {
    this.#isFile = url.startsWith('file:')
    this.#patienceMs = patienceMs
    this.#client = this.#isFile
      ? new FileClient(url.slice('file:'.length))
      : createClient({
          url,
          ...(authToken === undefined ? {} : { authToken }),
          concurrency: REQUESTS_MAX,
          fetch: (request: Request) => this.#fetchInTime(request),
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
    const text = typeof statement === 'string' ? statement : statement.sql
    const result = this.#patiently(
      () =>
        typeof statement === 'string'
          ? this.#client.execute(statement, args)
          : this.#client.execute(statement),
      READS.test(text),
    )
    return WRITES_NOTHING.test(text) ? result : this.#counted(result)
  }

  /** Rows by column names. */
  async read(sql: string, args: InArgs): Promise<readonly Readonly<Record<string, unknown>>[]> {
    try {
      if (this.#client instanceof FileClient) return this.#client.read(sql, args)
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_BUSY') throw error
    }
    // It knows how to wait.
    return (await this.execute({ sql, args })).rows
  }

  batch(statements: Array<InStatement | [string, InArgs?]>, mode?: TransactionMode): Promise<ResultSet[]> {
    return this.#counted(this.#inOrder(() => this.#patiently(() => this.#client.batch(statements, mode))))
  }

  async migrate(statements: InStatement[]): Promise<ResultSet[]> {
    this.#isMigrating = true
    try {
      return await this.#inOrder(() => this.#patiently(() => this.#client.migrate(statements)))
    } finally {
      this.#isMigrating = false
    }
  }

  transaction(): Promise<never> {
    return Promise.reject(new TypeError('Interactive transactions are not supported: commit one batch'))
  }

  executeMultiple(): Promise<never> {
    return Promise.reject(new TypeError('Several statements in one text are not supported: commit one batch'))
  }

  sync(): Promise<never> {
    return Promise.reject(new TypeError('Replicas are not supported'))
  }

  reconnect(): void {
    this.#client.reconnect()
  }

  close(): void {
    this.#client.close()
  }

  async drainAndClose(): Promise<void> {
    await this.#batches
    // So that a service that was stopped has all in one file. Where that cannot be, the log stays beside it and is read anew.
    if (this.#isFile) await this.execute('pragma wal_checkpoint(truncate)').catch(() => undefined)
    this.close()
  }

  /** Counts a write before its caller knows of its end. */
  #counted<Result>(write: Promise<Result>): Promise<Result> {
    return write.finally(() => this.writeCount++)
  }

  #inOrder<Result>(run: () => Promise<Result>): Promise<Result> {
    if (!this.#isFile) return run()
    const result = this.#batches.then(run)
    this.#batches = result.catch(() => undefined)
    return result
  }

  async #patiently<Result>(run: () => Promise<Result>, isRead = false): Promise<Result> {
    const untilAt = performance.now() + this.#waitMaxMs
    for (let attempt = 0; ; attempt += 1) {
      await this.#letOthersRun()
      try {
        const result = await run()
        // A read of a file needs no lock, so its success proves nothing about the lock.
        if (!isRead || !this.#isFile) this.#isAway = false
        return result
      } catch (error) {
        const isBusy = codeOf(error) === 'SQLITE_BUSY'
        // Not for a server: that would tear the requests of others that are under way.
        if (isBusy && this.#isFile) this.#client.reconnect()
        if (!isBusy) throw this.#refusalOf(error)
        const pause = pauseMs(attempt)
        if (this.#isAway || performance.now() + pause > untilAt) {
          this.#isAway = true
          // The engine has just blocked this turn while it waited.
          await setImmediate()
          throw refusalOf(error)
        }
        await sleep(pause)
      }
    }
  }

  get #waitMaxMs(): number {
    if (this.#isMigrating) return MIGRATION_PATIENCE_MS
    return this.#isAway ? Math.min(this.#patienceMs, AWAY_PATIENCE_MS) : this.#patienceMs
  }

  /** A server that hangs would block a caller for ever, and its write would take effect after the caller has given up. */
  #fetchInTime(request: Request): Promise<Response> {
    return fetch(request, { signal: AbortSignal.timeout(this.#waitMaxMs) })
  }

  #refusalOf(error: unknown): unknown {
    const refusal = refusalOf(error)
    if (refusal instanceof Refusal && !this.#isFile) this.#isAway = true
    return refusal
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

/** A `with` may be the head of an update. */
const WRITES_NOTHING = /^\s*select\b/i
const READS = /^\s*(?:select|with|pragma)\b/i

const STATEMENTS_PER_TURN = 50

const AWAY = 'The database is unavailable. Try again shortly.'
/** A lock of another process, a full disk, an unavailable server: these faults pass. */
const TRANSIENT = /^(?:SQLITE_BUSY|SQLITE_FULL|SERVER_ERROR|HRANA_CLOSED_ERROR|ECONN\w+)/

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code)
}

/** The error for callers while the database is unavailable. */
function refusalOf(error: unknown): unknown {
  const isPassing = TRANSIENT.test(codeOf(error)) || (error as Error).name === 'TimeoutError'
  if (!isPassing) return error
  const refusal = new Refusal('unavailable', AWAY)
  refusal.cause = error
  return refusal
}

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
    if (rows[0]?.[0] !== value) throw new Error(`The database does not accept ${pragma} = ${value}`)
  }
}
