import { refusalIn } from '../../../lib/errors.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { schedules } from '../../../automation/schedules/service.ts'
import type { DueWork } from '../../../automation/runs/service.ts'
import { isRunning, nextRunAfter } from '../service.ts'
import * as store from '../store.ts'
import type { DueForecast } from '../store.ts'
import { order } from './runs.ts'
import { settleForecast } from './settle.ts'

const DUE_AT_ONCE = 20
const DETAIL_MAX = 1_000
/** Longer than the reading of a source takes. */
const ORDERED_WITHIN_MS = 15 * MINUTE_MS

/** Schedules of scripts, and the ends of forecasts. */
export const dueWork: DueWork = { ...schedules, settleForecast }

/** Orders the runs of forecasts that are due. Reading a source takes time, so nothing else waits for it. */
export async function orderDueForecasts(ports: Ports): Promise<void> {
  try {
    const due = await store.listDue(ports.database, ports.clock.now(), DUE_AT_ONCE)
    for (const row of due) await orderDue(ports, row)
  } catch (error) {
    ports.log.error('forecasts: looking for forecasts that are due failed; retrying later', error)
  }
}

async function orderDue(ports: Ports, row: DueForecast): Promise<void> {
  const { database, clock, log } = ports
  const nextAt = nextRunAfter(ports, row.definition, clock.now())
  // The process may end before the run is ordered: then the run is due again.
  const againAt = Math.min(nextAt ?? Infinity, clock.now() + ORDERED_WITHIN_MS)
  if (!(await store.moveSchedule(database, row, againAt))) return
  const moved = store.settleSchedule(database, { id: row.id, nextAt: againAt }, nextAt)
  const context = { ports, requestId: `forecast-${row.id}-${row.nextAt}` }
  try {
    await order(context, row, { trigger: 'schedule', userId: row.ownerId, key: null, also: [moved] })
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal) log.error('forecasts: ordering a scheduled run failed', error, { forecastId: row.id })
    // While a run still goes on, this time is left out.
    if (refusal?.code === 'conflict' && (await isRunning(ports, row.id))) return commit(database, [moved])
    const code = refusal?.code ?? 'internal'
    const detail = refusal?.detail.slice(0, DETAIL_MAX) ?? 'Internal error. See the server log.'
    await commit(database, [
      store.noteFailure(database, row.id, { runId: null, code, detail, at: clock.now() }),
      moved,
    ])
  }
}
