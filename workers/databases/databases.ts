import { untilAborted } from '../../src/lib/abort.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Row } from '../../src/domain/table.ts'
import type {
  Databases,
  DatabaseQuery,
  DatabaseTarget,
  QueryLimits,
  RowStream,
} from '../../src/ports/databases.ts'
import type { Permit, Permits } from '../../src/ports/permits.ts'
import { CONNECT_MAX_MS } from './connection.ts'
import type { Connect, Connection, Dialling, Fault, Rows, Session } from './connection.ts'

const POOL_WAIT_MS = 5_000
/** The time after the limit of a statement in which the server may report its end. */
const GRACE_MS = 2_000
const PROBE_MAX_MS = 15_000
const SCHEMA_MAX_MS = 30_000
const SCHEMA_COLUMNS_MAX = 20_000
const RETRY_AFTER_S = 5

type Driver = { readonly connect: Connect; readonly faultOf: (error: unknown) => Fault | null }

/** A driver is loaded at its first use: both take a twentieth of the CPU time of a start. */
const DRIVERS: Readonly<Record<DatabaseTarget['type'], () => Promise<Driver>>> = {
  async postgresql() {
    const { connectPostgres, postgresFault } = await import('./postgres.ts')
    return { connect: connectPostgres, faultOf: postgresFault }
  },
  async mysql() {
    const { connectMysql, mysqlFault } = await import('./mysql.ts')
    return { connect: connectMysql, faultOf: mysqlFault }
  },
}

/** The parts of a host. */
export type DatabaseHost = {
  readonly permits: Permits
  /** The bytes that a server may send for a batch of rows. */
  readonly batchMaxBytes: number
  /** The address that a connection goes to. @throws {Refusal} forbidden for a private one */
  readonly addressOf: (target: DatabaseTarget) => Promise<string>
  /** @throws {Refusal} tls_unsupported_here */
  readonly checkTls?: (target: DatabaseTarget) => void
  readonly mysqlSocket?: Dialling['mysqlSocket']
}

/** The databases of users, by `pg` and `mysql2`, on Bun and in workerd. */
export function openDatabases(host: DatabaseHost): Databases {
  return {
    query: (target, asked, limits, signal) => query(asked, limits, { host, target, signal }),
    write: (target, statements, { timeoutMs }, signal) =>
      within({ host, target, signal }, { ...WRITING, timeoutMs }, async (connection) => {
        const counts: number[] = []
        for (const statement of statements) counts.push(await connection.run(statement))
        await connection.commit()
        return counts
      }),
    explain: (target, { statement, session, isAnalyzed }, { timeoutMs }, signal) =>
      within({ host, target, signal }, { ...READING, session, timeoutMs }, (connection) =>
        connection.explain(statement, isAnalyzed),
      ),
    schema: (target, signal) =>
      within({ host, target, signal }, { ...READING, timeoutMs: SCHEMA_MAX_MS }, async (connection) => {
        const columns = await connection.schema(SCHEMA_COLUMNS_MAX + 1)
        if (columns.length <= SCHEMA_COLUMNS_MAX) return columns
        throw new Refusal('query_too_large', `The schema has more than ${SCHEMA_COLUMNS_MAX} columns.`)
      }),
    probe: (target, signal) =>
      within({ host, target, signal }, { ...READING, timeoutMs: PROBE_MAX_MS }, (connection) =>
        connection.probe(),
      ),
  }
}

const READING = { access: 'read', session: {} } as const
const WRITING = { access: 'write', session: {} } as const

type Caller = { readonly host: DatabaseHost; readonly target: DatabaseTarget; readonly signal: AbortSignal }

async function query(
  { statement, access, session, onBackend }: DatabaseQuery,
  limits: QueryLimits,
  caller: Caller,
): Promise<RowStream> {
  const opened = await open(caller, { access, session, timeoutMs: limits.timeoutMs })
  onBackend?.(opened.connection.pid)
  try {
    const rows = await opened.under(opened.connection.read(statement))
    return {
      columns: rows.columns,
      rows: streamOf(opened, rows, { limits, isWriting: access === 'write' }),
    }
  } catch (error) {
    await opened.close(error)
    throw opened.refusalOf(error)
  }
}

function streamOf(
  opened: Opened,
  rows: Rows,
  { limits, isWriting }: { readonly limits: QueryLimits; readonly isWriting: boolean },
): ReadableStream<readonly Row[]> {
  let [rowCount, bytes] = [0, 0]
  const next = async () => {
    const batch = await opened.under(rows.next())
    if (!batch) {
      if (isWriting) await opened.under(opened.connection.commit())
      return null
    }
    rowCount += batch.length
    for (const row of batch) for (const cell of row) bytes += typeof cell === 'string' ? cell.length : 8
    if (rowCount > limits.rowsMax) throw tooLarge(`${limits.rowsMax} rows`)
    if (bytes > limits.bytesMax) throw tooLarge(`${limits.bytesMax} bytes`)
    return batch
  }
  return new ReadableStream<readonly Row[]>(
    {
      async pull(controller) {
        try {
          const batch = await next()
          if (batch) return controller.enqueue(batch)
          await opened.close(null)
          controller.close()
        } catch (error) {
          await opened.close(error)
          controller.error(opened.refusalOf(error))
        }
      },
      cancel: (reason) => opened.close(reason ?? new Error('The rows are not read any more.')),
    },
    { highWaterMark: 0 },
  )
}

function tooLarge(limit: string): Refusal {
  return new Refusal('query_too_large', `The result has more than ${limit}. Restrict the statement.`)
}

/** Runs a task in a transaction of its own connection. */
async function within<Result>(
  caller: Caller,
  session: Session,
  task: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const opened = await open(caller, session)
  try {
    const result = await opened.under(task(opened.connection))
    await opened.close(null)
    return result
  } catch (error) {
    await opened.close(error)
    throw opened.refusalOf(error)
  }
}

type Opened = {
  readonly connection: Connection
  /** The result of a promise, unless the deadline or the signal of the caller comes first. */
  under<Result>(promise: Promise<Result>): Promise<Result>
  /** Closes the connection and gives the permit back, once. @param error a statement that failed may still run */
  close(error: unknown): Promise<void>
  /** @returns the refusal for an error of the driver; any other error as it is */
  refusalOf(error: unknown): unknown
}

async function open({ host, target, signal }: Caller, session: Session): Promise<Opened> {
  const { connect, faultOf } = await DRIVERS[target.type]()
  signal.throwIfAborted()
  host.checkTls?.(target)
  const address = await host.addressOf(target).catch((error: unknown) => {
    throw error instanceof Refusal ? error : unavailable('The host name cannot be resolved.')
  })
  const permit = await host.permits.take({
    kind: 'connection',
    group: target.name,
    groupMax: target.connectionsMax,
    waitMs: POOL_WAIT_MS,
    leaseMs: CONNECT_MAX_MS + session.timeoutMs + 10 * GRACE_MS,
  })
  const deadline = new AbortController()
  const limit = AbortSignal.any([signal, deadline.signal])
  const refusalOf = (error: unknown) =>
    signal.aborted ? (signal.reason as unknown) : refusalFor(error, faultOf)
  try {
    const connecting = setTimeout(
      () => deadline.abort(unavailable('The server does not answer.')),
      CONNECT_MAX_MS,
    )
    const { batchMaxBytes, mysqlSocket = null } = host
    const dialling = { signal: limit, batchMaxBytes, mysqlSocket }
    const connection = await untilAborted(connect({ ...target, address }, session, dialling), limit).finally(
      () => clearTimeout(connecting),
    )
    const timer = setTimeout(
      () => deadline.abort(timedOut(`The statement took longer than ${session.timeoutMs / 1_000} seconds.`)),
      session.timeoutMs + GRACE_MS,
    )
    return {
      connection,
      under: (promise) => untilAborted(promise, limit),
      close: once(async (error) => {
        clearTimeout(timer)
        await end(connection, permit, error !== null)
      }),
      refusalOf,
    }
  } catch (error) {
    await permit.leave()
    throw refusalOf(error)
  }
}

function once(close: (error: unknown) => Promise<void>): (error: unknown) => Promise<void> {
  let closed: Promise<void> | null = null
  return (error) => (closed ??= close(error))
}

/** Closes a connection and frees its permit, also if the server cannot be reached. */
async function end(connection: Connection, permit: Permit, mayRun: boolean): Promise<void> {
  try {
    if (mayRun) await untilAborted(connection.cancel(), AbortSignal.timeout(GRACE_MS))
  } catch {
    // The server ends a statement by itself within a second after its connection is gone.
  } finally {
    connection.destroy()
    await permit.leave()
  }
}

function refusalFor(error: unknown, faultOf: (error: unknown) => Fault | null): unknown {
  if (error instanceof Refusal) return error
  const fault = faultOf(error)
  if (!fault)
    return unavailable(
      `its answer cannot be read (${error instanceof Error ? error.message : String(error)}).`,
    )
  const { kind, detail } = fault
  if (kind === 'failed') return new Refusal('query_failed', `The database refused the statement: ${detail}`)
  if (kind === 'timeout') return timedOut(`The database ended the statement: ${detail}`)
  return kind === 'denied'
    ? new Refusal('source_unavailable', `The database refused the connection: ${detail}`, [], RETRY_AFTER_S)
    : unavailable(detail)
}

function timedOut(detail: string): Refusal {
  return new Refusal('query_timeout', detail)
}

function unavailable(detail: string): Refusal {
  return new Refusal('source_unavailable', `The database cannot be reached: ${detail}`, [], RETRY_AFTER_S)
}
