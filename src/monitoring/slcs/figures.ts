import { intersectionOf, lengthMs } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import { percentOf } from '../state-history/availability.ts'
import { burnRateOf, instantOf } from './credit.ts'
import type { Credit } from './credit.ts'
import { HOUR_MS } from '../../lib/time.ts'

/** The time that burn rates look back. */
export const LOOK_BACK_MS = 6 * HOUR_MS

/** A credit and its use so far, in seconds; the percentage refers to the active time. */
export function creditView({ creditMs }: Credit, usedMs: number, activeMs: number) {
  return {
    percent: percentOf(usedMs, activeMs),
    creditTotal: creditMs / 1000,
    creditUsed: usedMs / 1000,
    creditLeft: (creditMs - usedMs) / 1000,
  }
}

/** How fast a credit is used at an instant. */
export type Pace = {
  readonly burnRate1h: number | null
  readonly burnRate6h: number | null
  /** When the credit will be used up at the rate of the last six hours; null if that is not within the rest of the
   * period. */
  readonly projectedBreachAt: number | null
}

export type Spent = {
  readonly credit: Credit
  readonly usedMs: number
  readonly limit: number
  /** The active time of the last six hours and of the rest of the period, and its bad parts. */
  readonly active: readonly Range[]
  readonly bad: readonly Range[]
}

/** The pace at an instant, from the hours before it; `endAt` is the end of the period. */
export function paceOf(spent: Spent, now: number, endAt: number): Pace {
  const { credit, usedMs, limit, active, bad } = spent
  const inRange = (ranges: readonly Range[], beginAt: number, until: number) =>
    intersectionOf(ranges, beginAt < until ? [{ beginAt, endAt: until }] : [])
  const lately = (ranges: readonly Range[], ms: number) => lengthMs(inRange(ranges, now - ms, now))
  const rateOver = (ms: number) => burnRateOf(lately(bad, ms), lately(active, ms), limit)
  const [badMs, activeMs] = [lately(bad, LOOK_BACK_MS), lately(active, LOOK_BACK_MS)]
  const leftMs = credit.majorMs - usedMs
  const isComing = badMs > 0 && leftMs > 0
  return {
    burnRate1h: rateOver(HOUR_MS),
    burnRate6h: rateOver(LOOK_BACK_MS),
    projectedBreachAt: isComing
      ? instantOf(inRange(active, now, endAt), Math.ceil((leftMs * activeMs) / badMs))
      : null,
  }
}
