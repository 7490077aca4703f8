import type { Segment } from '../../../timeseries/segments.ts'
import { FRAME_BYTES, isFull, SEGMENT_BYTES, SEGMENT_SAMPLES } from './series.ts'

/** So many segments at the end of a series may be open at once. */
export const OPEN_MAX = 10

/** The summary of an open segment without its body. */
type OpenSegment = {
  readonly head: { readonly count: number; readonly to: number }
  readonly sizeBytes: number
}

/** The end of a series: no sample is later than `to`, and the total of its open segments. */
export type SeriesEnd = {
  readonly to: number
  readonly rows: number
  readonly count: number
  /** The size of the bodies of the segments. */
  readonly sizeBytes: number
}

/** Samples that are later than every sample of a series. */
export type NewSamples = { readonly beginAt: number; readonly count: number }

/** The end of a series whose last samples are in these segments. */
export function endOf(open: readonly OpenSegment[], to: number): SeriesEnd {
  return {
    to,
    rows: open.length,
    count: open.reduce((sum, { head }) => sum + head.count, 0),
    sizeBytes: open.reduce((sum, one) => sum + one.sizeBytes, 0),
  }
}

/** The end once a series that ends there has these segments behind it: all but the last are closed. */
export function endBehind(end: SeriesEnd | null, packed: readonly Segment<unknown>[]): SeriesEnd {
  const last = packed.at(-1)
  if (!last) throw new RangeError('There is nothing behind the end.')
  const { summary, body } = last
  const open = isFull(summary, body.length) ? [] : [{ head: summary, sizeBytes: body.length }]
  const behind = endOf(open, Math.max(end?.to ?? 0, summary.to))
  if (!end || packed.length > 1 || open.length === 0) return behind
  return {
    to: behind.to,
    rows: end.rows + behind.rows,
    count: end.count + behind.count,
    sizeBytes: end.sizeBytes + behind.sizeBytes,
  }
}

/** Whether samples become a segment of their own behind all others, which need not be read. */
export function becomesOwnSegment(end: SeriesEnd, coming: NewSamples): boolean {
  if (coming.beginAt <= end.to) return false
  return end.rows === 0 || (end.rows < OPEN_MAX && !fillsSegment(end, coming))
}

/**
 * From which of the open segments on all are packed into one with what comes; their number for none. All are once they
 * fill a segment. Before that samples become one of their own until there are too many, and then the smaller ones are
 * packed: however few samples come at once, each is packed a few times until its segment is closed.
 */
export function openedFrom(open: readonly OpenSegment[], coming: NewSamples): number {
  const end = endOf(open, 0)
  if (fillsSegment(end, coming)) return 0
  const reached = open.findIndex(({ head }) => head.to >= coming.beginAt)
  const apart = reached < 0 ? open.length : reached
  return open.length < OPEN_MAX ? apart : Math.min(apart, smallFrom(open, end.count + coming.count))
}

/** The approximate bytes of a sample in open segments. */
export function sampleBytesOf({ rows, count, sizeBytes }: SeriesEnd): number {
  return count === 0 ? 0 : Math.max(0, sizeBytes - rows * FRAME_BYTES) / count
}

function fillsSegment(end: SeriesEnd, { count }: NewSamples): boolean {
  const total = end.count + count
  return total >= SEGMENT_SAMPLES || total * sampleBytesOf(end) >= SEGMENT_BYTES
}

/** The first segment that is at most as large as all later ones together. */
function smallFrom(open: readonly OpenSegment[], total: number): number {
  let follows = total
  const found = open.findIndex(({ head }) => {
    follows -= head.count
    return head.count <= follows
  })
  return Math.max(0, found)
}
