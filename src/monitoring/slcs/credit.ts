import type { Range } from '../../lib/range.ts'

/** The credit (error budget) of a period, ms: the container is `minor` from `minorMs` and `major` from `majorMs` of
 * downtime; `majorMs` is the first whole millisecond beyond the credit. */
export type Credit = { readonly creditMs: number; readonly minorMs: number; readonly majorMs: number }

/** Decimals of limits and warnings. */
export const PERCENT_DECIMALS = 6
const SCALE = 10 ** PERCENT_DECIMALS
const WHOLE = 100n * BigInt(SCALE)

/** The credit of an active time: (1 − limit / 100) of it; `minorMs` is `warnAt` percent of that, at least a
 * millisecond. Exact: rounding the credit down to whole ms does not change which whole ms exceed it. */
export function creditOf(
  activeMs: number,
  terms: { readonly limit: number; readonly warnAt: number },
): Credit {
  const share = WHOLE - inUnits(terms.limit)
  const creditMs = Number((BigInt(activeMs) * share) / WHOLE)
  const warned = BigInt(activeMs) * share * inUnits(terms.warnAt)
  const minorMs = Number((warned + WHOLE * WHOLE - 1n) / (WHOLE * WHOLE))
  return { creditMs, minorMs: Math.max(1, minorMs), majorMs: creditMs + 1 }
}

/** How many times faster than the limit allows the credit is used; 1 uses it up exactly at the end of the period. Null
 * if no time is active, or no downtime is allowed. */
export function burnRateOf(usedMs: number, activeMs: number, limit: number): number | null {
  const allowed = (100 - limit) / 100
  return activeMs === 0 || allowed === 0 ? null : usedMs / activeMs / allowed
}

/** The first instant at which this much of the ranges has passed, in order; null if they are shorter. */
export function instantOf(ranges: readonly Range[], wantedMs: number): number | null {
  let leftMs = wantedMs
  for (const { beginAt, endAt } of ranges) {
    if (leftMs <= endAt - beginAt) return beginAt + leftMs
    leftMs -= endAt - beginAt
  }
  return null
}

function inUnits(percent: number): bigint {
  return BigInt(Math.round(percent * SCALE))
}
