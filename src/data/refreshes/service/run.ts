import type { Context } from '../../../context.ts'
import { LiveWork } from '../../../operations/work/live-work.ts'
import type { Work } from '../../../operations/work/live-work.ts'
import type { Ports } from '../../../ports/index.ts'
import { inGeneration, publishTable } from '../../tables/service.ts'
import type { OpenTable } from '../../tables/service.ts'
import { limitsOf } from '../due.ts'
import type { RefreshedView } from '../schema.ts'
import { requireRefresh } from '../service.ts'
import type { Place } from '../service.ts'
import * as store from '../store.ts'
import type { RefreshRow } from '../store.ts'
import { openForeignRows } from './from-database.ts'
import { openScriptRows } from './from-script.ts'
import type { Filling } from './filling.ts'
import { busy, inRefresh, leaseLost, refreshAllDue, takeLease } from './leased.ts'
import type { Course, Lease } from './leased.ts'

const DUE_AT_ONCE = 20
const BYTES_MAX = 8 * 1024 ** 3

type Task = { readonly table: OpenTable; readonly row: RefreshRow }

/** Replaces the rows of a table by the rows of its origin, in one commit. After a failure the rows of before are there.
 * @throws {Refusal} not_found, conflict while another refresh of the table goes on, overloaded while 8 go on, and the
 * refusals of the ports `databases` and `tables` */
export async function refreshTable(context: Context, place: Place, work: Work): Promise<RefreshedView> {
  const { ports } = context
  const task = await leasedTask(ports, place, { isDue: false })
  if (!task) {
    const { table, row } = await requireRefresh(ports, place)
    throw busy(ports, table.name, row.leaseUntilAt)
  }
  return inRefresh(ports, { ...task.row, lease: task.lease }, work, (course) =>
    replaceRows(context, task, course),
  )
}

/** Refreshes the tables that are due. Failures are in the state of their tables. */
export async function refreshWhenDue(ports: Ports): Promise<void> {
  const context: Context = { ports, caller: { kind: 'anonymous' }, requestId: 'refresh' }
  const { database, clock, log } = ports
  await refreshAllDue(ports, {
    list: () => store.listDue(database, clock.now(), DUE_AT_ONCE),
    about: ({ dataSourceId: dataSource, name: table }) => ({ dataSource, table }),
    async refresh({ dataSourceId: id, ...due }) {
      const task = await leasedTask(ports, { id, table: due.name }, { isDue: true })
      if (!task) return false
      const { rows } = await inRefresh(ports, { ...task.row, lease: task.lease }, new LiveWork(), (course) =>
        replaceRows(context, task, course),
      )
      log.info('refreshes: a table was refreshed', { dataSource: id, table: due.name, rows })
      return true
    },
  })
}

/** A refresh with its lease; null while another one of the table goes on, and while as many as may. */
async function leasedTask(
  ports: Ports,
  place: Place,
  options: Parameters<typeof takeLease>[2],
): Promise<(Task & { readonly lease: Lease }) | null> {
  const { table } = await requireRefresh(ports, place)
  const lease = await takeLease(ports, { kind: 'table', id: table.id }, options)
  // From now on a change of the definition takes the lease away.
  return lease && { ...(await requireRefresh(ports, place)), lease }
}

async function replaceRows(
  context: Context,
  { table, row }: Task,
  { lease, signal, progress, finished }: Course,
): Promise<RefreshedView> {
  const { ports } = context
  const { origin, everyMs } = row
  const { timeoutMs, rowsMax } = limitsOf(everyMs)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const at = ports.clock.now()
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
    const columns = origin.columns.map(({ name, type }) => ({ name, type }))
    const contents = { name: table.name, columns, rows, generation: to }
    await publishTable(context, contents, { before: table, others: [finished(at)], changed: leaseLost })
    return { table: table.name, rows }
  })
}
