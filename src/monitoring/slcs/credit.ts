import type { Range } from '../../lib/range.ts'

/** What may be used of a period, ms: `majorMs` is the first whole millisecond that is more than the credit. */
export type Credit = { readonly creditMs: number; readonly minorMs: number; readonly majorMs: number }

/** Decimals that limits and warnings may have. */
export const PERCENT_DECIMALS = 6
const SCALE = 10 ** PERCENT_DECIMALS
const WHOLE = 100n * BigInt(SCALE)

/** The credit of a time that is active so long: (1 − limit / 100) of it; `minorMs` is at `warnAt` percent of that, and at
 * least a millisecond. Exact: the credit is rounded down to whole ms, which whole ms exceed or not all the same. */
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

/** How many times faster than the limit allows the credit is used; 1 uses it up exactly when the period ends. Null where
 * nothing is active, or nothing is allowed. */
export function burnRateOf(usedMs: number, activeMs: number, limit: number): number | null {
  const allowed = (100 - limit) / 100
  return activeMs === 0 || allowed === 0 ? null : usedMs / activeMs / allowed
}

/** The first instant at which so much of ranges is over, in their order; null when they are not that long. */
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
