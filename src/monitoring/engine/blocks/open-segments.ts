import type { Segment } from '../../../timeseries/segments.ts'
import { FRAME_BYTES, isFull, SEGMENT_BYTES, SEGMENT_SAMPLES } from './series.ts'

/** So many segments at the end of a series may be open at once. */
export const OPEN_MAX = 10

/** What is known of an open segment without its body. */
type Open = {
  readonly head: { readonly count: number; readonly to: number }
  readonly sizeBytes: number
}

/** What is known of the end of a series: no sample is later than `to`, and what its open segments come to. */
export type End = {
  readonly to: number
  readonly rows: number
  readonly count: number
  /** Of their bodies. */
  readonly sizeBytes: number
}

/** Samples that come behind those of a series. */
export type Coming = { readonly beginAt: number; readonly count: number }

/** The end of a series whose last samples are in these segments. */
export function endOf(open: readonly Open[], to: number): End {
  return {
    to,
    rows: open.length,
    count: open.reduce((sum, { head }) => sum + head.count, 0),
    sizeBytes: open.reduce((sum, one) => sum + one.sizeBytes, 0),
  }
}

/** The end once a series that ends there has these segments behind it: all but the last are closed. */
export function endBehind(end: End | null, packed: readonly Segment<unknown>[]): End {
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

/** Whether samples become a segment of their own behind all others, which need not be looked at. */
export function standApart(end: End, coming: Coming): boolean {
  if (coming.beginAt <= end.to) return false
  return end.rows === 0 || (end.rows < OPEN_MAX && !areEnough(end, coming))
}

/**
 * From which of the open segments on all are packed into one with what comes; their number for none. All are once they
 * fill a segment. Before that samples become one of their own until there are too many, and then the smaller ones are
 * packed: however few samples come at once, each is packed a few times until its segment is closed.
 */
export function openedFrom(open: readonly Open[], coming: Coming): number {
  const end = endOf(open, 0)
  if (areEnough(end, coming)) return 0
  const reached = open.findIndex(({ head }) => head.to >= coming.beginAt)
  const apart = reached < 0 ? open.length : reached
  return open.length < OPEN_MAX ? apart : Math.min(apart, smallFrom(open, end.count + coming.count))
}

/** What a sample of the open segments takes, about. */
export function sampleBytesOf({ rows, count, sizeBytes }: End): number {
  return count === 0 ? 0 : Math.max(0, sizeBytes - rows * FRAME_BYTES) / count
}

function areEnough(end: End, { count }: Coming): boolean {
  const total = end.count + count
  return total >= SEGMENT_SAMPLES || total * sampleBytesOf(end) >= SEGMENT_BYTES
}

/** The first that is no larger than all that follows it. */
function smallFrom(open: readonly Open[], total: number): number {
  let follows = total
  const found = open.findIndex(({ head }) => {
    follows -= head.count
    return head.count <= follows
  })
  return Math.max(0, found)
}
