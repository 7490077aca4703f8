import { recorder } from '../../../../access/audit/service.ts'
import type { Context, UserCaller } from '../../../../context.ts'
import type { Column } from '../../../../domain/table.ts'
import { Refusal, noSuch } from '../../../../lib/errors.ts'
import { LiveWork } from '../../../../operations/work/live-work.ts'
import type { Work } from '../../../../operations/work/live-work.ts'
import { commit } from '../../../../ports/database.ts'
import type { RowStream } from '../../../../ports/databases.ts'
import type { Ports } from '../../../../ports/index.ts'
import { generationOf } from '../../../../ports/tables.ts'
import type { Generation, TableIndex } from '../../../../ports/tables.ts'
import { busy, inRefresh, refreshAllDue, takeLease } from '../../../refreshes/service/leased.ts'
import type { Course } from '../../../refreshes/service/leased.ts'
import { READ_SHARE } from '../../../refreshes/service/filling.ts'
import { counted } from '../../../refreshes/service/from-database.ts'
import { fillGeneration, inGeneration, readableUntil } from '../../../tables/service.ts'
import { findQuery, findVersion } from '../../store.ts'
import type { VersionRow } from '../../store.ts'
import { LIMITS } from '../interval.ts'
import type { Materialization, RefreshedResultView } from '../schema.ts'
import { storingComplaint } from '../storable.ts'
import * as store from '../store.ts'
import type { ResultRow } from '../store.ts'
import { addRows, arrivalOf, newerStatement, requireAssertions, requireKeys } from './incremental.ts'
import type { Former } from './incremental.ts'
import { openResult } from './opened-result.ts'
import type { OpenedResult } from './opened-result.ts'

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
  if (!query) throw noSuch('data query')
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
  const opened = await openResult(
    { ...context, caller: SERVICE },
    { ...version, name },
    { limits, inTime, materialization },
  )
  const reading = {
    ...opened,
    materialization,
    former: formerOf(row, opened.basis),
    rowsMax,
    inTime,
    progress,
  }
  const ended = (of: { readonly rows: number; readonly added: number | null }) => [
    finished(at),
    ...(withDependents ? [store.orderDependents(database, queryId, clock.now())] : []),
    ...(context.request
      ? [recorded(context, 'refresh', { objectId: queryId, after: { rows: of.rows } })]
      : []),
  ]
  const source = await rowsOf(ports, reading)
  if (source.kind === 'none') {
    const result = { rows: row.rows, added: 0 }
    await commit(database, [store.keepRows(database, { queryId, number }, lease.token), ...ended(result)])
    return result
  }
  return inGeneration(ports, dataSourceId, async (to) => {
    const { columns, ...result } = await source.fill(to)
    await requireAssertions(ports, { of: to, columns }, version.assertions, inTime)
    inTime.throwIfAborted()
    const basis = opened.basis
    const stored = {
      queryId,
      number,
      dataSourceId,
      columns,
      rows: result.rows,
      basis,
      generationId: to.tableId,
    }
    await commit(database, [
      ...store.replaceRows(database, stored, { token: lease.token, dropAt: readableUntil(ports) }),
      ...ended(result),
    ])
    return result
  })
}

/** The stored rows to which a refresh may add; null where they are of another statement or source. */
function formerOf(
  { generationId, columns, rows, dataSourceId, basis }: ResultRow,
  now: string,
): Former | null {
  if (generationId === null || basis !== now) return null
  return { of: generationOf(dataSourceId, generationId), columns, rows }
}

type Filled = { readonly columns: readonly Column[]; readonly rows: number; readonly added: number | null }
type Source =
  | { readonly kind: 'none' }
  | { readonly kind: 'rows'; readonly fill: (to: Generation) => Promise<Filled> }

type Reading = OpenedResult & {
  readonly materialization: Materialization
  readonly former: Former | null
  readonly rowsMax: number
  readonly inTime: AbortSignal
  readonly progress: (share: number) => void
}

/** The rows that are added to the stored ones, or else all rows. */
async function rowsOf(ports: Ports, reading: Reading): Promise<Source> {
  const { statement, dialect, former, materialization, rowsMax, inTime } = reading
  const { incremental = null } = materialization
  const newer =
    incremental && former
      ? await newerStatement(ports, { statement, dialect }, { former, incremental }, inTime)
      : null
  if (!incremental || !former || !newer) return allRows(ports, reading)
  const arrival = await arrivalOf(await reading.query(newer), former)
  if (arrival.kind === 'none') return arrival
  if (arrival.kind === 'other columns') return allRows(ports, reading)
  const { key } = incremental
  const addition = { former, rows: arrival.rows, key, indexes: indexesOf(materialization), rowsMax }
  return {
    kind: 'rows',
    fill: async (to) => ({ columns: former.columns, ...(await addRows(ports, to, addition, inTime)) }),
  }
}

async function allRows(ports: Ports, reading: Reading): Promise<Source> {
  const { statement, former, materialization, inTime, progress } = reading
  const stream = await reading.query(statement)
  const columns = await columnsOf(stream, materialization)
  const expected = (former?.rows ?? 0) + 1
  const rows = counted(stream.rows, (count) => progress(READ_SHARE * (1 - 1 / (1 + count / expected))))
  return {
    kind: 'rows',
    async fill(to) {
      const indexes = indexesOf(materialization)
      const filled = await fillGeneration(ports, { to, columns, rows, indexes }, inTime, (share) =>
        progress(READ_SHARE + share * (1 - READ_SHARE)),
      )
      await requireKeys(ports, to, materialization.incremental?.key ?? [], inTime)
      return { columns, rows: filled, added: null }
    },
  }
}

function indexesOf({ indexes }: Materialization): readonly TableIndex[] {
  return indexes.map(({ unique, ...index }) => ({ ...index, isUnique: unique }))
}

/** The columns of a result as a table has them. @throws {Refusal} invalid */
async function columnsOf(stream: RowStream, materialization: Materialization): Promise<readonly Column[]> {
  const columns = stream.columns.map(({ name, type }) => ({ name, type }))
  const complaint = storingComplaint(columns, materialization)
  if (complaint === null) return columns
  await stream.rows.cancel()
  throw new Refusal('invalid', `The result cannot be stored: ${complaint}`)
}
