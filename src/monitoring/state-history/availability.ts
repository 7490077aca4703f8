import type { Level, State } from '../../domain/state.ts'
import type { Span } from './timeline.ts'

/** Times in ms. Percentages are floored to three decimals, so that 100 means not a millisecond was bad; null where there
 * was nothing to measure. */
export type Availability = {
  readonly percent: number | null
  /** As if maintenance excused nothing. */
  readonly percentWithMaintenance: number | null
  readonly downMs: number
  readonly maintenanceMs: number
  /** Nothing is known of this time: no data, or not watched. */
  readonly excludedMs: number
  readonly measuredMs: number
}

/** How much of the time that was watched an object was not in one of the `counted` states. */
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

/** The good part of a time in percent, floored to three decimals exactly: doubles would round 99.9999 up. */
export function percentOf(badMs: number, wholeMs: number): number | null {
  if (wholeMs <= 0) return null
  return Number((BigInt(wholeMs - badMs) * 100_000n) / BigInt(wholeMs)) / 1000
}
