import { recorder } from '../../../../access/audit/service.ts'
import type { Context, UserCaller } from '../../../../context.ts'
import type { Column } from '../../../../domain/table.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { LiveWork } from '../../../../operations/work/live-work.ts'
import type { Work } from '../../../../operations/work/live-work.ts'
import { commit } from '../../../../ports/database.ts'
import type { Bound, RowStream } from '../../../../ports/databases.ts'
import type { Ports } from '../../../../ports/index.ts'
import { COLUMNS_MAX } from '../../../imports/schema.ts'
import { busy, inRefresh, refreshAllDue, takeLease } from '../../../refreshes/service/leased.ts'
import type { Course } from '../../../refreshes/service/leased.ts'
import { READ_SHARE } from '../../../refreshes/service/filling.ts'
import { counted } from '../../../refreshes/service/from-database.ts'
import { requireSource } from '../../../sources/service.ts'
import { WRITERS } from '../../../sql/dialects/writers.ts'
import { boundOf } from '../../../sql/fragment.ts'
import { fillGeneration, inGeneration, readableUntil } from '../../../tables/service.ts'
import { UNCHECKED, valuesOf } from '../../parameters.ts'
import type { Definition } from '../../schema.ts'
import { examine, written } from '../../service/composition.ts'
import type { Composed } from '../../service/composition.ts'
import { openSource } from '../../service/readable-source.ts'
import type { ReadableSource } from '../../service/readable-source.ts'
import { refusalOf } from '../../statement.ts'
import { findQuery, findVersion } from '../../store.ts'
import type { VersionRow } from '../../store.ts'
import { LIMITS } from '../interval.ts'
import { materializationError, NO_USER } from '../materializable.ts'
import type { Materialization, RefreshedResultView } from '../schema.ts'
import { listReadable } from '../service.ts'
import type { StoredResult } from '../service.ts'
import * as store from '../store.ts'
import type { ResultRow } from '../store.ts'

const recorded = recorder('dataQuery')

const DUE_AT_ONCE = 20
const BYTES_MAX = 8 * 1024 ** 3

/** Reads all rows of a data source: scopes judge the readers of a result. */
const SERVICE: UserCaller = {
  kind: 'user',
  userId: 0,
  username: '',
  role: 'administrator',
  sessionHash: null,
}

/** A data query whose result is stored. */
type Material = {
  readonly name: string
  readonly version: VersionRow
  readonly materialization: Materialization
  readonly row: ResultRow
  /** Whether results that read this one become due after it. */
  readonly withDependents?: boolean
}

/** Computes the result of a data query anew and replaces the stored one, in one commit. After a failure the rows of before are
 * there.
 * @throws {Refusal} not_found, conflict for one whose result is not stored and while another refresh of it goes on, overloaded
 * while 8 go on, and as a run */
export async function refreshResult(
  context: Context,
  { id, withDependents }: { readonly id: number; readonly withDependents: boolean },
  work: Work,
): Promise<RefreshedResultView> {
  const { ports } = context
  const material = await requireMaterial(ports, id)
  const lease = await takeLease(ports, { kind: 'query', id }, { isDue: false })
  if (!lease) throw busy(ports, material.name, (await requireMaterial(ports, id)).row.leaseUntilAt)
  return inRefresh(ports, { ...material.row, lease }, work, (course) =>
    replaceResult(context, { ...material, withDependents }, course),
  )
}

/** Refreshes the results that are due. Failures are in their states. */
export async function refreshResultsWhenDue(ports: Ports): Promise<void> {
  const context: Context = { ports, caller: SERVICE, requestId: 'refresh' }
  const { database, clock, log } = ports
  await refreshAllDue(ports, {
    async list() {
      await commit(database, [store.orderMissing(database, clock.now())])
      return store.listDue(database, clock.now(), DUE_AT_ONCE)
    },
    about: ({ id }) => ({ dataQuery: id }),
    async refresh({ id }) {
      const material = await requireMaterial(ports, id)
      const lease = await takeLease(ports, { kind: 'query', id }, { isDue: true })
      if (!lease) return false
      const { rows } = await inRefresh(ports, { ...material.row, lease }, new LiveWork(), (course) =>
        replaceResult(context, material, course),
      )
      log.info('refreshes: the result of a data query was refreshed', { dataQuery: id, rows })
      return true
    },
  })
}

/** Ends a refresh that goes on; without one nothing changes. @throws {Refusal} not_found, conflict as `refreshResult` */
export async function cancelRefresh(context: Context, id: number): Promise<void> {
  const { database, clock } = context.ports
  const { name } = await requireMaterial(context.ports, id)
  if (!(await store.endLease(database, id, clock.now()))) return
  await commit(database, [recorded(context, 'cancel refresh', { objectId: id, after: { name } })])
}

async function requireMaterial({ database }: Ports, id: number): Promise<Material> {
  const query = await findQuery(database, id)
  if (!query) throw new Refusal('not_found', 'There is no such data query.')
  const version = await findVersion(database, id, query.published)
  const row = await store.findResult(database, id)
  if (!version?.materialization || !row)
    throw new Refusal(
      'conflict',
      'The result of the data query is not stored. Publish it with a materialization first.',
    )
  return { name: query.name, version, materialization: version.materialization, row }
}

async function replaceResult(
  context: Context,
  { name, version, materialization, row, withDependents = false }: Material,
  { lease, signal, progress, finished }: Course,
): Promise<RefreshedResultView> {
  const { ports } = context
  const { database, clock } = ports
  const { queryId, number, dataSourceId } = version
  const { timeoutMs, rowsMax } = LIMITS[materialization.refresh]
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const at = clock.now()
  const limits = { rowsMax, bytesMax: BYTES_MAX, timeoutMs }
  const stream = await resultOf({ ...context, caller: SERVICE }, { ...version, name }, { limits, inTime })
  const columns = await columnsOf(stream, materialization)
  return inGeneration(ports, dataSourceId, async (to) => {
    const rows = counted(stream.rows, (count) =>
      progress(READ_SHARE * (1 - 1 / (1 + count / (row.rows + 1)))),
    )
    const indexes = materialization.indexes.map(({ unique, ...index }) => ({ ...index, isUnique: unique }))
    const filled = await fillGeneration(ports, { to, columns, rows, indexes }, inTime, (share) =>
      progress(READ_SHARE + share * (1 - READ_SHARE)),
    )
    inTime.throwIfAborted()
    const stored = { queryId, number, dataSourceId, columns, rows: filled, generationId: to.tableId }
    const entry = recorded(context, 'refresh', { objectId: queryId, after: { rows: filled } })
    await commit(database, [
      ...store.replaceRows(database, stored, { token: lease.token, dropAt: readableUntil(ports) }),
      finished(at),
      ...(withDependents ? [store.orderDependents(database, queryId, clock.now())] : []),
      ...(context.request ? [entry] : []),
    ])
    return { rows: filled }
  })
}

type Reading = {
  readonly limits: { readonly rowsMax: number; readonly bytesMax: number; readonly timeoutMs: number }
  readonly inTime: AbortSignal
}

/** The rows of a data query with the defaults of its parameters. */
async function resultOf(context: Context, query: Composed, { limits, inTime }: Reading): Promise<RowStream> {
  const row = await requireSource(context.ports, query.dataSourceId)
  const unfit = materializationError(query, row)
  if (unfit) throw refusalOf([unfit])
  const source = await openSource(context, row)
  const { statement, results } = await statementOf(context, query, { source, row })
  const reader = source.withResults?.(results) ?? source
  return reader.query(statement, limits, inTime)
}

type Place = {
  readonly source: ReadableSource
  readonly row: Awaited<ReturnType<typeof requireSource>>
}

async function statementOf(
  context: Context,
  query: Composed,
  { source, row }: Place,
): Promise<{ readonly statement: Bound; readonly results: readonly StoredResult[] }> {
  const examined = await examine(context.ports, query)
  if ('errors' in examined) throw refusalOf(examined.errors)
  const results: ReadonlyMap<string, StoredResult> = source.withResults
    ? await listReadable(context, row, [...examined.reached.keys()])
    : new Map()
  const made = await written(context, examined, {
    dialect: source.dialect,
    values: defaultsOf(query),
    allowed: UNCHECKED,
    user: NO_USER,
    results,
  })
  if ('errors' in made) throw refusalOf(made.errors)
  return { statement: boundOf(made.statement, WRITERS[source.dialect]), results: [...results.values()] }
}

function defaultsOf({ parameters }: Definition) {
  return valuesOf(parameters, {}, { pointer: '/parameters', allowed: UNCHECKED })
}

/** The columns of a result as a table has them. @throws {Refusal} invalid */
async function columnsOf(
  { columns, rows }: RowStream,
  { indexes }: Materialization,
): Promise<readonly Column[]> {
  const names = columns.map(({ name }) => name)
  const complaint = complaintOf(names, [...new Set(indexes.flatMap((index) => index.columns))])
  if (complaint === null) return columns.map(({ name, type }) => ({ name, type }))
  await rows.cancel()
  throw new Refusal('invalid', `The result cannot be stored: ${complaint}`)
}

function complaintOf(names: readonly string[], indexed: readonly string[]): string | null {
  if (names.length > COLUMNS_MAX) return `it has more than ${COLUMNS_MAX} columns.`
  if (names.includes('')) return 'a column has no name. Name it with AS.'
  const keys = names.map((name) => name.toLowerCase())
  const double = names.find((_, at) => keys.indexOf(keys[at] ?? '') < at)
  if (double !== undefined) return `two columns have the name ${double}. Name them with AS.`
  const missing = indexed.find((name) => !names.includes(name))
  return missing === undefined ? null : `an index names the column ${missing}, which it does not have.`
}
