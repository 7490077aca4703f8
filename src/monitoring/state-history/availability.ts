import type { Level, State } from '../../domain/state.ts'
import type { Span } from './timeline.ts'

/** Times in ms. Percentages are rounded down to three decimals, so that 100 means no bad millisecond; null if nothing
 * was measured. */
export type Availability = {
  readonly percent: number | null
  /** The percentage as if there were no maintenance: bad states in it count as downtime. */
  readonly percentWithMaintenance: number | null
  readonly downMs: number
  readonly maintenanceMs: number
  /** Time without data, and time in which the object was not monitored. */
  readonly excludedMs: number
  readonly measuredMs: number
}

/** The share of the monitored time in which an object was in none of the `counted` states. */
export function availabilityOf(spans: readonly Span[], counted: readonly Level[]): Availability {
  const isDown = new Set<State>(counted)
  const isDownInMaintenance = new Set<State>(counted.map((state) => `maintenance_${state}` as const))
  const lasting = (takes: (state: State) => boolean) =>
    spans.reduce((sum, { state, beginAt, endAt }) => sum + (takes(state) ? endAt - beginAt : 0), 0)
  const measuredMs = lasting(() => true)
  const downMs = lasting((state) => isDown.has(state))
  const maintenanceMs = lasting((state) => state.startsWith('maintenance_'))
  const excludedMs = lasting((state) => state === 'undefined' || state === 'no_data')
  const knownMs = measuredMs - excludedMs
  const coveredMs = lasting((state) => isDownInMaintenance.has(state))
  return {
    percent: percentOf(downMs, knownMs - maintenanceMs),
    percentWithMaintenance: percentOf(downMs + coveredMs, knownMs),
    downMs,
    maintenanceMs,
    excludedMs,
    measuredMs,
  }
}

/** The good share of a time in percent, rounded down to three decimals exactly: doubles would round 99.9999 up. */
export function percentOf(badMs: number, wholeMs: number): number | null {
  if (wholeMs <= 0) return null
  return Number((BigInt(wholeMs - badMs) * 100_000n) / BigInt(wholeMs)) / 1000
}
