import type { Context } from '../../../context.ts'
import { refusalIn } from '../../../lib/errors.ts'
import { TtlCache } from '../../../lib/ttl-cache.ts'
import type { DatabaseTarget, RelationColumn } from '../../../ports/databases.ts'
import type { Ports } from '../../../ports/index.ts'
import type { ColumnView, DataSourceBody, SourceTestView } from '../schema.ts'
import { openDataSource } from '../service.ts'
import type { OpenedSource } from '../service.ts'

/** How long an answer of a database counts without asking again. */
const UNCACHED_TTL_MS = 1_000
const CONNECTIONS_MAX = 10
const ASK_MAX_MS = 45_000
/** Failures of a test that are its result. */
const RESULTS: ReadonlySet<string> = new Set([
  'forbidden',
  'source_unavailable',
  'tls_unsupported_here',
  'query_timeout',
])

/** Connects to a data source as it would be created, and stores nothing. */
export async function testDataSource({ ports }: Context, body: DataSourceBody): Promise<SourceTestView> {
  const { type, connection, readOnly } = body
  const { password = null, passwordSet: _, ...reached } = connection
  const target = targetOf('test', { ...reached, type, password })
  const beganAt = ports.clock.now()
  try {
    const { serverVersion, isWritable } = await ports.databases.probe(target, AbortSignal.timeout(ASK_MAX_MS))
    const latencyMs = ports.clock.now() - beganAt
    return {
      ok: true,
      latencyMs,
      serverVersion,
      writable: isWritable,
      problem: null,
      warnings: warningsOf(body, { isWritable, readOnly }),
    }
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal || !RESULTS.has(refusal.code)) throw error
    const problem = { code: refusal.code, detail: refusal.detail }
    const latencyMs = ports.clock.now() - beganAt
    return { ok: false, latencyMs, serverVersion: null, writable: null, problem, warnings: [] }
  }
}

function warningsOf(
  { connection }: DataSourceBody,
  { isWritable, readOnly }: { readonly isWritable: boolean; readonly readOnly: boolean },
): SourceTestView['warnings'] {
  return [
    ...(readOnly && isWritable ? (['writable_user'] as const) : []),
    ...(!readOnly && !isWritable ? (['read_only_user'] as const) : []),
    ...(connection.tls === 'disable' ? (['unencrypted'] as const) : []),
    ...(connection.tls === 'require' ? (['unverified_certificate'] as const) : []),
  ]
}

const columnsOf = new WeakMap<Ports, TtlCache<readonly RelationColumn[], number>>()

/** The columns of the tables and views in the schema of a data source, as they are in the database.
 * @throws {Refusal} not_found, and the refusals of the port `databases` */
export async function listColumns({ ports }: Context, id: number): Promise<ColumnView[]> {
  const { databases, clock } = ports
  const opened = await openDataSource(ports, { dataSourceId: id, access: 'read' })
  const cache = columnsOf.get(ports) ?? new TtlCache(UNCACHED_TTL_MS)
  columnsOf.set(ports, cache)
  const columns = await cache.find(id, clock.now(), () =>
    databases.schema(targetOf(`source ${id}`, opened), AbortSignal.timeout(ASK_MAX_MS)),
  )
  return (columns ?? []).map(
    ({ table, kind, tableComment, name, type, nativeType, isNullable, position, comment }) => ({
      table,
      tableKind: kind,
      tableComment,
      name,
      type,
      nativeType,
      nullable: isNullable,
      position,
      comment,
    }),
  )
}

function targetOf(name: string, source: Omit<OpenedSource, 'timeoutMs'>): DatabaseTarget {
  const { type, host, port, database, schema, user, password, tls } = source
  return {
    type,
    host,
    port,
    database,
    schema,
    user,
    password,
    tls,
    ca: null,
    name,
    connectionsMax: CONNECTIONS_MAX,
  }
}
