import { SEGMENT_BYTES, SEGMENT_SAMPLES } from './series.ts'

/** So many segments at the end of a series may be open at once. */
export const OPEN_MAX = 10
/** Packed into one, open segments take less than in sum: what is packed too early is packed once more. */
const LOOSE = 1.25

/** What is known of an open segment without its body. */
type Open = {
  readonly head: { readonly count: number; readonly to: number }
  readonly sizeBytes: number
}

/**
 * From which of the open segments on all are packed into one with samples that come behind them; their number for none.
 * All are once they fill a segment. Before that samples become a segment of their own until there are too many, and then
 * the smaller ones are packed, so that a sample is packed a few times until its segment is closed, however few come at
 * once.
 */
export function openedFrom(
  open: readonly Open[],
  { beginAt, count }: { readonly beginAt: number; readonly count: number },
): number {
  const held = open.reduce((sum, { head }) => sum + head.count, 0)
  const sizeBytes = open.reduce((sum, one) => sum + one.sizeBytes, 0)
  const isEnough =
    held + count >= SEGMENT_SAMPLES || (sizeBytes / held) * (held + count) >= SEGMENT_BYTES * LOOSE
  if (isEnough) return 0
  const reached = open.findIndex(({ head }) => head.to >= beginAt)
  const apart = reached < 0 ? open.length : reached
  return open.length < OPEN_MAX ? apart : Math.min(apart, smallFrom(open, held + count))
}

/** The first that is no larger than what follows it. */
function smallFrom(open: readonly Open[], total: number): number {
  let follows = total
  const found = open.findIndex(({ head }) => {
    follows -= head.count
    return head.count <= follows
  })
  return Math.max(0, found)
}
