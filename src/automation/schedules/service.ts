import { scriptRunnersAmong } from '../../access/users/service.ts'
import type { Context } from '../../context.ts'
import { refusalIn } from '../../lib/errors.ts'
import { commit } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { callerFor, orderRun } from '../runs/service.ts'
import type { DueWork } from '../runs/service.ts'
import { comingTo } from './due.ts'
import * as store from './store.ts'
import type { DueRow } from './store.ts'

/** The schedules of one turn. */
const BEGUN_AT_ONCE = 100

/** Scripts that are run by schedules. */
export const schedules: DueWork = { runDue }

/** Orders the due runs, each in the name of its schedule's user. A run and the move of its schedule are one commit, so each
 * instant runs once, with several processes and after any crash. A run that cannot be ordered is skipped, with the reason in
 * `lastResult`; a schedule whose user may not run scripts any more is disabled.
 * @returns when a schedule is due next, epoch ms; Infinity without schedules */
async function runDue(ports: Ports): Promise<number> {
  const due = await store.listDue(ports.database, ports.clock.now(), BEGUN_AT_ONCE)
  for (const row of due) await pass(ports, row)
  return (await store.nextDue(ports.database)) ?? Infinity
}

async function pass(ports: Ports, row: DueRow): Promise<void> {
  const { database, clock, log } = ports
  const { isRun, nextAt } = comingTo(row, clock.now())
  const moved = (lastResult: string) => store.moveSchedule(database, row, { nextAt, lastResult })
  try {
    const able = await scriptRunnersAmong(ports, [row.userId])
    if (row.userId === null || !able.has(row.userId)) await disable(ports, row)
    else if (isRun) await order(ports, row, moved('ordered'))
    else await commit(database, [moved('missed')])
  } catch (error) {
    if (store.isMoved(error)) return
    const refusal = refusalIn(error)
    // Nothing can be written just now: it stays due.
    if (refusal?.code === 'unavailable') throw error
    if (!refusal) log.error('schedules: ordering a scheduled run failed', error, { scheduleId: row.id })
    await commit(database, [moved(refusal?.code ?? 'internal')]).catch(unlessMoved)
  }
}

/** Disables a schedule whose user may not order runs. */
async function disable({ database, log }: Ports, row: DueRow): Promise<void> {
  await commit(database, [store.disableSchedule(database, row)])
  log.warn(
    'schedules: a schedule was disabled because its user was deleted or may not run scripts; save it as another user',
    {
      scheduleId: row.id,
      scriptId: row.scriptId,
    },
  )
}

async function order(ports: Ports, row: DueRow, also: Write): Promise<void> {
  const caller = await callerFor(ports, row.userId, 'The user of the schedule')
  const context: Context = { ports, caller, requestId: `schedule-${row.id}-${row.nextAt}` }
  await orderRun(context, {
    scriptId: row.scriptId,
    runConfigurationId: row.runConfigurationId,
    arguments: null,
    parameters: {},
    trigger: 'schedule',
    uploads: [],
    key: null,
    also: [also],
  })
}

/** How many schedules do not run because their user is gone or may not run scripts. */
export function countOwnerless({ database }: Pick<Ports, 'database'>): Promise<number> {
  return store.countOwnerless(database)
}

function unlessMoved(error: unknown): void {
  if (!store.isMoved(error)) throw error
}
