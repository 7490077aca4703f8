import { durationMs } from '../../../lib/duration.ts'
import type { Range } from '../../../lib/range.ts'
import { instantBefore, parseInstant } from '../../../lib/time.ts'
import type { TimeRange } from '../parts.ts'

/** Histories that end now end at a full multiple of the refresh, at most of this. */
const ALIGN_MAX_MS = 60_000
const BUCKETS_MAX = 200

/** The instants of a time range. One that ends now is aligned, so that equal requests have equal ranges for a while. */
export function rangeAt({ from, to }: TimeRange, now: number, { refresh, timeZone }: Aligning): Range {
  const alignMs = Math.min(ALIGN_MAX_MS, durationMs(refresh))
  const endAt = to === 'now' ? Math.floor(now / alignMs + 1) * alignMs : parseInstant(to)
  if (!from.startsWith('-')) return { beginAt: parseInstant(from), endAt }
  return { beginAt: instantBefore(endAt, from.slice(1), timeZone), endAt }
}

type Aligning = { readonly refresh: string; readonly timeZone: string }

/** The range of this length that ends with another one. */
export function lastOf({ endAt }: Range, length: string, timeZone: string): Range {
  return { beginAt: instantBefore(endAt, length, timeZone), endAt }
}

/** The length of a bucket for a width in pixels; undefined where the usual one has no more buckets.
 * @param cellsMax the number of buckets that one series may have */
export function scaleFor(
  { beginAt, endAt }: Range,
  width: number | undefined,
  cellsMax: number,
): string | undefined {
  const most = Math.min(width ?? BUCKETS_MAX, cellsMax)
  if (most >= BUCKETS_MAX) return undefined
  return `PT${Math.max(1, Math.ceil((endAt - beginAt) / 1_000 / Math.max(1, most - 1)))}S`
}
