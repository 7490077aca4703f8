import type { Context } from '../../../context.ts'
import { Refusal, refusalIn } from '../../../lib/errors.ts'
import { LiveWork } from '../../../operations/work/live-work.ts'
import type { Work } from '../../../operations/work/live-work.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { inGeneration, publishTable } from '../../tables/service.ts'
import type { OpenTable } from '../../tables/service.ts'
import { limitsOf, nextAfter } from '../due.ts'
import type { RefreshedView } from '../schema.ts'
import { requireRefresh } from '../service.ts'
import type { Place } from '../service.ts'
import * as store from '../store.ts'
import type { Lease, RefreshError, RefreshRow } from '../store.ts'
import { openForeignRows } from './from-database.ts'
import { openScriptRows } from './from-script.ts'
import type { Course, Filling } from './filling.ts'

/** A process that ended is noticed after this time. */
const LEASE_MS = 60_000
const RENEW_MS = 10_000
/** Refreshes that go on at once in the whole installation. */
const AT_ONCE_MAX = 8
const DUE_AT_ONCE = 20
/** Of these this process does so many at once. */
const LANES = 2
const BYTES_MAX = 8 * 1024 ** 3
const CHANCE_MAX = 255

type Task = { readonly table: OpenTable; readonly row: RefreshRow; readonly lease: Lease }

/** Replaces the rows of a table by the rows of its origin, in one commit. After a failure the rows of before are there.
 * @throws {Refusal} not_found, conflict while another refresh of the table goes on, overloaded while 8 go on, and the
 * refusals of the ports `databases` and `tables` */
export async function refreshTable(context: Context, place: Place, work: Work): Promise<RefreshedView> {
  const { table, row } = await requireRefresh(context.ports, place)
  const lease = await take(context.ports, table, false)
  if (lease) return refresh(context, { table, row, lease }, work)
  const { leaseUntilAt } = (await requireRefresh(context.ports, place)).row
  if (leaseUntilAt !== null && leaseUntilAt > context.ports.clock.now())
    throw new Refusal('conflict', `Another refresh of ${table.name} goes on. Wait for its end.`)
  throw new Refusal('overloaded', `${AT_ONCE_MAX} refreshes go on. Try again later.`, [], 10)
}

async function refresh(context: Context, task: Task, work: Work): Promise<RefreshedView> {
  const { ports } = context
  const { lease } = task
  work.begin()
  try {
    return await inLease(ports, lease, (signal) =>
      replaceRows(context, task, {
        signal: AbortSignal.any([signal, work.signal]),
        progress: (share) => work.progress(share),
      }),
    )
  } catch (error) {
    // A refresh that was cancelled did not fail.
    if (work.signal.aborted) await commit(ports.database, [store.leaveLease(ports.database, lease)])
    else await fail(ports, task, error)
    throw error
  }
}

/** Refreshes the tables that are due. Failures are in the state of their tables. */
export async function refreshWhenDue(ports: Ports): Promise<void> {
  const context: Context = { ports, caller: { kind: 'nobody' }, requestId: 'refresh' }
  try {
    const due = [...(await store.listDue(ports.database, ports.clock.now(), DUE_AT_ONCE))].values()
    const lane = async () => {
      for (const { dataSourceId: id, name: table } of due) await refreshDue(context, { id, table })
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  } catch (error) {
    ports.log.error('refreshes: looking for tables that are due failed; retrying later', error)
  }
}

async function refreshDue(context: Context, place: Place): Promise<void> {
  const { log } = context.ports
  const about = { dataSource: place.id, table: place.table }
  try {
    const { table, row } = await requireRefresh(context.ports, place)
    const lease = await take(context.ports, table, true)
    if (!lease) return
    const { rows } = await refresh(context, { table, row, lease }, new LiveWork())
    log.info('refreshes: a table was refreshed', { ...about, rows })
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal) log.warn('refreshes: a refresh failed', { ...about, reason: refusal.detail })
    else log.error('refreshes: a refresh failed', error, about)
  }
}

/** @returns null while another refresh of the table goes on, and while as many as may */
async function take(ports: Ports, { id: tableId }: OpenTable, isDue: boolean): Promise<Lease | null> {
  const lease = { tableId, token: crypto.randomUUID() }
  const now = ports.clock.now()
  const order = { now, until: now + LEASE_MS, max: AT_ONCE_MAX, isDue }
  return (await store.takeLease(ports.database, lease, order)) ? lease : null
}

/** Does work as long as the lease holds. */
async function inLease<Result>(
  { database, clock }: Ports,
  lease: Lease,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const live = new LiveWork()
  live.start(() => work(live.signal))
  let settled = await live.settledWithin(RENEW_MS)
  for (; !settled; settled = await live.settledWithin(RENEW_MS)) {
    const now = clock.now()
    if (!(await store.renewLease(database, lease, { now, until: now + LEASE_MS }))) live.abort(leaseLost())
  }
  return settled.value() as Result
}

function leaseLost(): Refusal {
  return new Refusal('conflict', 'The refresh was deleted, or another one began after a pause of this one.')
}

async function replaceRows(
  context: Context,
  { table, row, lease }: Task,
  { signal, progress }: Course,
): Promise<RefreshedView> {
  const { ports } = context
  const { database, clock } = ports
  const { origin, everyMs } = row
  const { timeoutMs, rowsMax } = limitsOf(everyMs)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const at = clock.now()
  const filling: Filling = {
    limits: { rowsMax, bytesMax: BYTES_MAX, timeoutMs },
    rowsBefore: table.rows,
    key: lease.token,
  }
  const course = { signal: inTime, progress }
  const open = await (origin.kind === 'script'
    ? openScriptRows(context, origin, filling, course)
    : openForeignRows(context, origin, filling, course))
  return inGeneration(ports, table.generation.sourceId, async (to) => {
    const rows = await open(to)
    inTime.throwIfAborted()
    const nextAt = nextAfter(clock.now(), { everyMs, failures: 0, chance: chanceOf(ports) })
    const columns = origin.columns.map(({ name, type }) => ({ name, type }))
    const contents = { name: table.name, columns, rows, generation: to }
    const others = [store.finishRefresh(database, lease, { at, nextAt })]
    try {
      await publishTable(context, contents, { before: table, others })
    } catch (error) {
      throw store.isOther(error) ? leaseLost() : error
    }
    return { table: table.name, rows }
  })
}

async function fail(ports: Ports, { row, lease }: Task, error: unknown): Promise<void> {
  const { database, clock } = ports
  const failures = row.failures + 1
  const at = clock.now()
  const nextAt = nextAfter(at, { everyMs: row.everyMs, failures, chance: chanceOf(ports) })
  await commit(database, [store.failRefresh(database, lease, { at, nextAt, error: errorOf(error) })])
}

function errorOf(error: unknown): RefreshError {
  const refusal = refusalIn(error)
  if (refusal) return { code: refusal.code, detail: refusal.detail }
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { code: 'query_timeout', detail: 'The refresh did not end within its time.' }
  return { code: 'internal', detail: 'Internal error. See the server log.' }
}

function chanceOf({ secrets }: Ports): number {
  return (secrets.random(1)[0] ?? 0) / CHANCE_MAX
}
