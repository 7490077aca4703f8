import { linkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { DuckDBInstance, StatementType } from '@duckdb/node-api'
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'

import { replaceParameters } from '../../../src/data/sql/parameters.ts'
import type { Row } from '../../../src/domain/table.ts'
import type { FileView, FromChild, QueryTask, TaskFailure } from './messages.ts'
import { literal, quoted } from './sql.ts'
import { bindTo, literalOf, resultColumn, rowsOf } from './values.ts'
import { TABLE_REPLACED } from '../../../src/ports/tables.ts'

/** Limits of an instance. `LOCK` follows once the files are attached. */
const OPTIONS = {
  memory_limit: '256MB',
  max_temp_directory_size: '0B',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
} as const
const LOCK = 'SET integer_division = true; SET enable_external_access = false; SET lock_configuration = true'
const ALIAS = /"?[0-9a-f]{32}"?\.(?:main\.t\b)?/g

/** An instance for the next statement, which then does not wait the 10 ms for its creation. */
let prepared: { readonly threads: number; readonly instance: Promise<DuckDBInstance> } | null = null

/** Makes the instance of the next statement. */
export function prepareInstance(threads: number): void {
  if (prepared !== null) return
  const instance = newInstance(threads)
  // The statement that uses the instance reports the failure.
  instance.catch(() => undefined)
  prepared = { threads, instance }
}

function takeInstance(threads: number): Promise<DuckDBInstance> {
  const found = prepared?.threads === threads ? prepared.instance : newInstance(threads)
  prepared = null
  return found
}

function newInstance(threads: number): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', { ...OPTIONS, threads: String(threads) })
}

export class QueryFailure extends Error {
  constructor(readonly failure: TaskFailure) {
    super(failure.message)
  }
}

/** A connection that sees nothing but the views of a task. */
type Opened = {
  readonly instance: DuckDBInstance
  readonly connection: DuckDBConnection
  /** The name of each view, by the random name of its file. */
  readonly names: Map<string, string>
}

/** The connection of the last statement that the service wrote. The next one over the same views neither attaches their files nor
 * reads their blocks again. A statement of a user never gets it. */
let kept: { readonly key: string; readonly opened: Opened } | null = null

/** The key of the views of a task; null for a statement of a user. */
function keyOf({ isGenerated, views, timeZone, threads }: QueryTask): string | null {
  return isGenerated === true ? JSON.stringify([views, timeZone, threads]) : null
}

function takeKept(key: string | null): Opened | null {
  const found = kept
  kept = null
  if (found === null || found.key === key) return found?.opened ?? null
  close(found.opened)
  return null
}

async function connected(threads: number): Promise<Opened> {
  const instance = await takeInstance(threads)
  return { instance, connection: await instance.connect(), names: new Map() }
}

function close({ connection, instance }: Opened): void {
  connection.closeSync()
  instance.closeSync()
}

/** A statement that sees nothing but the views. One of a user runs in an instance of its own. */
export class Query {
  readonly #task: QueryTask
  #opened: Opened | null = null
  #isSound = false

  constructor(task: QueryTask) {
    this.#task = task
  }

  interrupt(): void {
    this.#opened?.connection.interrupt()
  }

  /** Sends columns and rows; each batch of rows waits for `more`. `close` follows.
   * @throws {QueryFailure} */
  async run(send: (message: FromChild) => void, more: () => Promise<void>): Promise<void> {
    const found = takeKept(keyOf(this.#task))
    this.#opened = found ?? (await connected(this.#task.threads))
    try {
      if (found === null) await this.#show(this.#opened)
      await this.#stream(await this.#prepare(this.#opened.connection), send, more)
      this.#isSound = true
    } catch (error) {
      throw error instanceof QueryFailure ? error : failed((error as Error).message)
    }
  }

  /** Keeps the connection for the next statement, or closes it. */
  close(): void {
    const key = keyOf(this.#task)
    if (this.#opened === null) return
    if (this.#isSound && key !== null) kept = { key, opened: this.#opened }
    else close(this.#opened)
    this.#opened = null
  }

  async #show(opened: Opened): Promise<void> {
    for (const view of this.#task.views) await this.#attach(opened, view)
    await opened.connection.run(`SET TimeZone = ${literal(this.#task.timeZone)}; ${LOCK}`)
  }

  /** Attaches the file under a random name and unlinks that name at once: the file can be reached by the view alone. */
  async #attach({ connection, names }: Opened, { name, path, columns, where }: FileView): Promise<void> {
    const alias = crypto.randomUUID().replaceAll('-', '')
    const link = join(dirname(path), `${alias}.link`)
    names.set(alias, name)
    try {
      linkSync(path, link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      throw new QueryFailure({ code: 'unavailable', message: TABLE_REPLACED })
    }
    try {
      await connection.run(`ATTACH ${literal(link)} AS ${quoted(alias)} (READ_ONLY)`)
    } finally {
      unlinkSync(link)
    }
    const condition =
      where === null ? '' : ` WHERE ${replaceParameters(where, 'duckdb', (_, bind) => literalOf(bind))}`
    await connection.run(
      `CREATE TEMP VIEW ${quoted(name)} AS SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(alias)}.main.t${condition}`,
    )
  }

  async #prepare(connection: DuckDBConnection): Promise<DuckDBPreparedStatement> {
    const { explain, statement: bound } = this.#task
    const { text, binds } = bound
    const statements = await connection.extractStatements(text)
    if (statements.count !== 1) throw failed(`The text has ${statements.count} statements; it must be one.`)
    let statement = await statements.prepare(0)
    if (statement.statementType !== StatementType.SELECT) throw failed('The statement must be a SELECT.')
    if (explain)
      statement = await connection.prepare(
        `EXPLAIN (${explain.isAnalyzed ? 'ANALYZE, ' : ''}FORMAT JSON) ${text}`,
      )
    if (statement.parameterCount !== binds.length)
      throw failed(`The statement has ${statement.parameterCount} placeholders and ${binds.length} values.`)
    for (const [index, bind] of binds.entries()) bindTo(statement, index + 1, bind)
    return statement
  }

  /** A plan in JSON with the names of the views in place of the random ones. */
  #named(rows: readonly Row[]): readonly Row[] {
    const named = (text: string) =>
      [...(this.#opened?.names ?? [])].reduce(
        (sum, [alias, name]) =>
          sum.replaceAll(new RegExp(`(?:\\\\")?${alias}(?:\\\\")?\\.main\\.t\\b`, 'g'), () =>
            JSON.stringify(name).slice(1, -1),
          ),
        text,
      )
    return rows.map((row) => row.map((cell) => (typeof cell === 'string' ? named(cell) : cell)))
  }

  async #stream(
    statement: DuckDBPreparedStatement,
    send: (message: FromChild) => void,
    more: () => Promise<void>,
  ): Promise<void> {
    const { rowsMax, bytesMax } = this.#task.limits
    const result = await statement.stream()
    const columns = result.columnNames().map((name, index) => resultColumn(name, result.columnType(index)))
    send({ kind: 'columns', columns })
    let rowCount = 0
    let bytes = 0
    for (;;) {
      const chunk = await result.fetchChunk()
      if (chunk === null || chunk.rowCount === 0) return
      rowCount += chunk.rowCount
      if (rowCount > rowsMax) throw tooLarge(`The result has more than ${rowsMax} rows.`)
      const read = rowsOf(chunk)
      const text = JSON.stringify(this.#task.explain ? this.#named(read) : read)
      bytes += text.length
      if (bytes > bytesMax) throw tooLarge(`The result has more than ${bytesMax} bytes.`)
      await more()
      send({ kind: 'rows', text })
    }
  }
}

function failed(message: string): QueryFailure {
  return new QueryFailure({ code: 'query_failed', message: message.replaceAll(ALIAS, '') })
}

function tooLarge(message: string): QueryFailure {
  return new QueryFailure({ code: 'query_too_large', message })
}
