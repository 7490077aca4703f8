import type { Adaptive } from '../../domain/job-rules.ts'
import { DAY_MS, HOUR_MS, spanAround } from '../../lib/time.ts'

/** The cells of a season on the clock of a time zone. Equal times of the day, or of the week, are one cell. */
type Season = Pick<Adaptive, 'season' | 'bucketMs' | 'timeZone'>

/** A span of time in which a zone keeps its offset. */
type OffsetSpan = { readonly fromAt: number; readonly untilAt: number; readonly offsetMs: number }

/** Day 0 of the epoch is a Thursday. */
const WEEKDAY_OF_DAY_0 = 3
const SPANS_MAX = 200
/** Callers name zones, in any case of their letters. */
const ZONES_MAX = 100

const spans = new Map<string, OffsetSpan[]>()

/** The begin of the bucket at an instant, epoch ms. */
export function bucketBeginOf(season: Season, at: number): number {
  const span = spanOf(at, season.timeZone)
  const beginAt = floorTo(at, season.bucketMs, gridOffsetOf(span))
  if (beginAt >= span.fromAt) return beginAt
  // The clock was changed within the bucket.
  return floorTo(span.fromAt - 1, season.bucketMs, gridOffsetOf(spanOf(span.fromAt - 1, season.timeZone)))
}

/** The begins of buckets from the begin of one until an instant, ascending, and the begin of the next. */
export function bucketEdgesOf(season: Season, beginAt: number, untilAt: number): number[] {
  const edges = [beginAt]
  for (let at = beginAt; at < untilAt;) {
    at = nextBeginOf(season, at)
    edges.push(at)
  }
  return edges
}

/** The begin of the bucket after the one that begins at an instant. */
function nextBeginOf(season: Season, beginAt: number): number {
  const { bucketMs, timeZone } = season
  const here = spanOf(beginAt, timeZone)
  const nextAt = floorTo(beginAt, bucketMs, gridOffsetOf(here)) + bucketMs
  if (nextAt < here.untilAt) return nextAt
  // The first multiple on the changed clock.
  const offsetMs = gridOffsetOf(spanOf(here.untilAt, timeZone))
  const changedAt = floorTo(here.untilAt, bucketMs, offsetMs)
  return changedAt < here.untilAt ? changedAt + bucketMs : changedAt
}

/** The number of cells of a season. */
export function cellCountOf({ season, bucketMs }: Season): number {
  if (season === 'none') return 1
  return (season === 'day' ? 1 : 7) * Math.max(1, Math.ceil(DAY_MS / bucketMs))
}

/** The cell of the bucket that begins at an instant. */
export function cellOf({ season, bucketMs, timeZone }: Season, beginAt: number): number {
  if (season === 'none') return 0
  const localAt = beginAt + gridOffsetOf(spanOf(beginAt, timeZone))
  const day = Math.floor(localAt / DAY_MS)
  const slot = Math.floor((localAt - day * DAY_MS) / bucketMs)
  if (season === 'day') return slot
  const weekday = (((day + WEEKDAY_OF_DAY_0) % 7) + 7) % 7
  return weekday * Math.ceil(DAY_MS / bucketMs) + slot
}

/** The cells within an hour of a cell. */
export function neighboursOf(season: Season, cell: number): readonly number[] {
  const count = cellCountOf(season)
  const reach = Math.min(Math.floor(HOUR_MS / season.bucketMs), Math.floor((count - 1) / 2))
  const neighbours: number[] = []
  for (let step = 1; step <= reach; step++)
    neighbours.push((cell + step) % count, (cell - step + count) % count)
  return neighbours
}

/** Buckets of an hour and more begin on whole hours, so that hourly sums need not be divided. */
function gridOffsetOf({ offsetMs }: OffsetSpan): number {
  return Math.floor(offsetMs / HOUR_MS) * HOUR_MS
}

function floorTo(at: number, bucketMs: number, offsetMs: number): number {
  return Math.floor((at + offsetMs) / bucketMs) * bucketMs - offsetMs
}

function spanOf(at: number, timeZone: string): OffsetSpan {
  let known = spans.get(timeZone)
  if (!known || known.length > SPANS_MAX) {
    if (spans.size >= ZONES_MAX) spans.clear()
    spans.set(timeZone, (known = []))
  }
  const found = known.find(({ fromAt, untilAt }) => at >= fromAt && at < untilAt)
  if (found) return found
  const span = spanAround(at, timeZone)
  known.push(span)
  return span
}
