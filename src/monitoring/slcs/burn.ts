import type { Range } from '../../lib/range.ts'

/** How many parts the time of a burn-down is cut into. */
const STEPS = 240

/** The downtime of a period up to an instant, and the active time up to it, ms. */
export type BurnPoint = { readonly at: number; readonly usedMs: number; readonly activeMs: number }

/** How the credit was used over a range, at equal distances; the last point is its end.
 * @param ranges the bad and the active time, each ascending and disjoint */
export function burnOf(
  { bad, active }: { readonly bad: readonly Range[]; readonly active: readonly Range[] },
  { beginAt, endAt }: Range,
): readonly BurnPoint[] {
  const instants = Array.from({ length: STEPS + 1 }, (_, step) =>
    Math.round(beginAt + ((endAt - beginAt) * step) / STEPS),
  )
  const usedUpTo = passedIn(bad)
  const activeUpTo = passedIn(active)
  return [...new Set(instants)].map((at) => ({ at, usedMs: usedUpTo(at), activeMs: activeUpTo(at) }))
}

/** How much of ranges has passed at an instant, which must not fall from call to call. */
function passedIn(ranges: readonly Range[]): (at: number) => number {
  let [next, beforeMs] = [0, 0]
  return (at) => {
    let range = ranges[next]
    while (range && range.endAt <= at) {
      beforeMs += range.endAt - range.beginAt
      next += 1
      range = ranges[next]
    }
    return beforeMs + Math.max(0, at - (range?.beginAt ?? at))
  }
}
