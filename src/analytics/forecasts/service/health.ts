import type { Warning } from '../../../operations/health/schema.ts'
import type { Ports } from '../../../ports/index.ts'
import { staleAtOf } from '../service.ts'
import * as store from '../store.ts'

/** Holds while the latest run of a forecast failed, or results of a scheduled forecast or of one with limits of jobs are old. */
export async function forecastsStale(ports: Ports): Promise<Warning | null> {
  const now = ports.clock.now()
  const rows = await store.listForecasts(ports.database)
  const stale = rows.filter((row) => {
    const isUsed = row.definition.schedule?.enabled === true || row.definition.bands.length > 0
    return isUsed && (row.failure !== null || (staleAtOf(ports, row) ?? Infinity) <= now)
  })
  const [first] = stale
  if (!first) return null
  return {
    code: 'forecasts_stale',
    detail: `The results of ${stale.length} forecasts are old or their latest run failed, of ${first.name} among others. GET /forecasts has their states, GET /forecasts/{id} the failure.`,
  }
}
