import { msOfDuration } from '../../../kit/time.tsx'
import type { Span } from '../../../kit/charts/points.ts'

/** The ranges that a click chooses, as ISO 8601 durations. */
export const RANGES = ['PT1H', 'PT24H', 'P7D', 'P30D', 'P365D'] as const

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400
const SCALES_S = [
  1,
  2,
  5,
  10,
  15,
  30,
  MINUTE,
  2 * MINUTE,
  3 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
]

/** The length of the buckets with which a range needs at most one for each pixel, in ms. */
export function scaleOf(rangeMs: number, widthPx: number): number {
  const least = rangeMs / 1000 / Math.max(100, widthPx)
  return (SCALES_S.find((scale) => scale >= least) ?? 7 * DAY) * 1000
}

/** The span that the query names: an ISO 8601 duration up to now, or an interval `begin/end`. A day when it is neither. */
export function spanOf(range: string, now: number): Span & { readonly isFixed: boolean } {
  const [begin = '', end = ''] = range.split('/')
  const [from, to] = [Date.parse(begin), Date.parse(end)]
  if (to > from) return { begin: from, end: to, isFixed: true }
  return { begin: now - (msOfDuration(range) ?? DAY * 1000), end: now, isFixed: false }
}

/** The name of a span in the query. A span of at least ten seconds that does not end in the future. */
export function rangeOf({ begin, end }: Span, now: number): string {
  const length = Math.max(10_000, end - begin)
  const last = Math.min(end, now)
  const text = (at: number): string =>
    new Date(Math.round(at / 1000) * 1000).toISOString().replace('.000', '')
  return `${text(last - length)}/${text(last)}`
}

/** A length in ms as an ISO 8601 duration. */
export const durationOf = (ms: number): string => `PT${ms / 1000}S`
