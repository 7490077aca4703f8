import type { Context } from '../../../context.ts'
import { Refusal, refusalIn } from '../../../lib/errors.ts'
import { onceFor } from '../../../lib/once-for.ts'
import { TtlCache } from '../../../lib/ttl-cache.ts'
import type {
  Bound,
  DatabaseTarget,
  Plan,
  Probe,
  QueryLimits,
  RelationColumn,
  RowStream,
} from '../../../ports/databases.ts'
import { stopwatch } from '../../../ports/clock.ts'
import type { Ports } from '../../../ports/index.ts'
import { relationColumns } from '../../tables/service.ts'
import { isFileSource, TIMEOUT_MAX_MS } from '../schema.ts'
import type { DatabaseBody, DataSourceView, SourceTestView } from '../schema.ts'
import { databaseOf, requireSource } from '../service.ts'
import type { OpenedSource } from '../service.ts'
import type { DataSourceRow } from '../store.ts'

/** How long an answer of a database counts without asking again. */
const UNCACHED_TTL_MS = 1_000
const ASK_MAX_MS = 45_000
/** Failures of a test that are its result. */
const RESULTS: ReadonlySet<string> = new Set([
  'forbidden',
  'source_unavailable',
  'tls_unsupported_here',
  'query_timeout',
])

/** Connects to a data source as it would be created, and stores nothing. */
export async function testDataSource({ ports }: Context, body: DatabaseBody): Promise<SourceTestView> {
  const { type, connection } = body
  const { password = null, passwordSet: _, ...reached } = connection
  const target = targetOf('test', { ...reached, type, password })
  const elapsedMs = stopwatch(ports.clock)
  try {
    const probe = await ports.databases.probe(target, AbortSignal.timeout(ASK_MAX_MS))
    const latencyMs = elapsedMs()
    return {
      ok: true,
      latencyMs,
      serverVersion: probe.serverVersion,
      writable: probe.isWritable,
      problem: null,
      warnings: warningsOf(body, probe),
    }
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal || !RESULTS.has(refusal.code)) throw error
    const problem = { code: refusal.code, detail: refusal.detail }
    const latencyMs = elapsedMs()
    return { ok: false, latencyMs, serverVersion: null, writable: null, problem, warnings: [] }
  }
}

function warningsOf(
  { connection, readOnly, scopeMode }: DatabaseBody,
  { isWritable, isAboveRowSecurity }: Probe,
): SourceTestView['warnings'] {
  return [
    ...(readOnly && isWritable ? (['writable_user'] as const) : []),
    ...(!readOnly && !isWritable ? (['read_only_user'] as const) : []),
    ...(connection.tls === 'disable' ? (['unencrypted'] as const) : []),
    ...(connection.tls === 'require' ? (['unverified_certificate'] as const) : []),
    ...(scopeMode === 'native' && isAboveRowSecurity ? (['above_row_security'] as const) : []),
  ]
}

const schemasOf = onceFor((_ports: Ports) => new TtlCache<readonly RelationColumn[], number>(UNCACHED_TTL_MS))

/** The columns of the tables and views in the schema of a data source, by table and position.
 * @throws {Refusal} not_found, and the refusals of the port `databases` */
export async function readSchema(ports: Ports, id: number): Promise<readonly RelationColumn[]> {
  const { databases, clock } = ports
  const row = await requireSource(ports, id)
  if (isFileSource(row.type)) return relationColumns(ports, id)
  const columns = await schemasOf(ports).find(id, clock.now(), async () =>
    databases.schema(await targetOfSource(ports, row), AbortSignal.timeout(ASK_MAX_MS)),
  )
  return columns ?? []
}

/** Lets the next reader of a schema ask the database. */
export function forgetSchemas(ports: Ports): void {
  schemasOf(ports).clear()
}

const PLAN_ROWS_MAX = 10_000
const PLAN_MAX_BYTES = 4 * 1024 * 1024

/** A database that is read. */
export type SourceReader = {
  /** Other readers with this key answer equal statements alike. */
  readonly key: string
  readonly dialect: DatabaseTarget['type']
  /** Null for the default of the database user. */
  readonly schema: string | null
  /** Runs one statement that only reads, within the time limit of the data source. @throws {Refusal} as the port `databases` */
  query(
    statement: Bound,
    options: Omit<QueryLimits, 'timeoutMs'> & {
      /** Absent: the time limit of the data source. */
      readonly timeoutMs?: number
      readonly onBackend?: (pid: number) => void
    },
    signal: AbortSignal,
  ): Promise<RowStream>
  /** The plan of a statement, which runs if it `isAnalyzed`. @throws {Refusal} as the port `databases` */
  explain(
    statement: Bound,
    options: { readonly isAnalyzed: boolean; readonly timeoutMs?: number },
    signal: AbortSignal,
  ): Promise<Plan>
}

/** How long a statement may take: as the data source says, and an hour at most. */
export function timeLimitOf({ timeoutMs }: { readonly timeoutMs: number }): number {
  return timeoutMs === 0 ? TIMEOUT_MAX_MS : timeoutMs
}

/** @throws {Refusal} not_found */
export async function openReader({ ports, caller }: Context, id: number): Promise<SourceReader> {
  const row = await requireSource(ports, id)
  const opened = await databaseOf(ports, row)
  const session = sessionOf(row, caller)
  const timeLimitMs = timeLimitOf(opened)
  return {
    key: JSON.stringify([row.id, row.version, row.createdAt, session]),
    dialect: opened.type,
    schema: opened.schema,
    query(statement, { rowsMax, bytesMax, timeoutMs = timeLimitMs, onBackend }, signal) {
      const query = { statement, access: 'read' as const, session, ...(onBackend && { onBackend }) }
      const limits = { timeoutMs, rowsMax, bytesMax }
      return ports.databases.query(targetOf(`source ${id}`, opened), query, limits, signal)
    },
    explain(statement, { isAnalyzed, timeoutMs = timeLimitMs }, signal) {
      const limits = { timeoutMs, rowsMax: PLAN_ROWS_MAX, bytesMax: PLAN_MAX_BYTES }
      const target = targetOf(`source ${id}`, opened)
      return ports.databases.explain(target, { statement, session, isAnalyzed }, limits, signal)
    },
  }
}

/** The settings of a transaction, by which row security of the database recognises the caller.
 * @throws {Refusal} forbidden for a session that the rights of several users restrict */
function sessionOf(
  { scopeMode }: Pick<DataSourceView, 'scopeMode'>,
  caller: Context['caller'],
): Readonly<Record<string, string>> {
  if (scopeMode !== 'native') return {}
  // Row security knows one user, and the rights of others would not limit that user.
  if (caller.kind !== 'user' || (caller.bounds ?? []).length > 0)
    throw new Refusal('forbidden', 'Row security of this data source needs the session of one user.')
  return { 'tidemark.user_id': String(caller.userId) }
}

/** How the service itself reaches a data source. @throws {Refusal} as `databaseOf` */
export async function targetOfSource(ports: Ports, row: DataSourceRow): Promise<DatabaseTarget> {
  return targetOf(`source ${row.id}`, await databaseOf(ports, row))
}

function targetOf(name: string, source: Omit<OpenedSource, 'timeoutMs'>): DatabaseTarget {
  const { type, host, port, database, schema, user, password, tls, ca, maxConnections } = source
  return {
    type,
    host,
    port,
    database,
    schema,
    user,
    password,
    tls,
    ca,
    name,
    connectionsMax: maxConnections,
  }
}
