import { SAMPLES_PER_BODY_MAX } from './bytes.ts'
import { encodeHeader } from './segment-header.ts'
import { asDecimals, encodeNumbers } from './numbers-codec.ts'
import type { Samples } from './samples.ts'
import { extentOf, summaryOf } from './summary.ts'
import type { NumberSummary, SegmentExtent } from './summary.ts'
import { encodeTexts } from './texts-codec.ts'

/** Packed samples of one series; `summary` has the numbers only where the samples are numbers. */
export type Segment<V> = {
  readonly samples: Samples<V>
  readonly summary: SegmentExtent | NumberSummary
  readonly head: Uint8Array
  readonly body: Uint8Array
}

/** No segment holds more samples, nor more bytes in head and body, unless a single sample does. Where `sampleBytes` tells
 * what a sample takes about, hardly any is packed to see that it is too large: segments may be a little smaller then. */
export type Bounds = {
  readonly countMax: number
  readonly sizeMaxBytes: number
  readonly sampleBytes?: number | undefined
}

/**
 * Packs numeric samples into segments, in order; no samples give no segments. Samples of one instant share a segment
 * unless they are too many for one.
 * @throws RangeError for what encodeNumbers refuses, and for a `countMax` outside 1..SAMPLES_PER_BODY_MAX.
 */
export function segmentNumbers(samples: Samples<number>, bounds: Bounds): Segment<number>[] {
  return cut(samples, bounds, (part) => {
    const decimals = asDecimals(part.values)
    return { body: encodeNumbers(part, decimals), summary: summaryOf(part, decimals) }
  })
}

/**
 * Packs string samples into segments, in order; no samples give no segments.
 * @throws RangeError for what encodeTexts refuses, and for a `countMax` outside 1..SAMPLES_PER_BODY_MAX.
 */
export function segmentTexts(samples: Samples<string>, bounds: Bounds): Segment<string>[] {
  return cut(samples, bounds, (part) => ({ body: encodeTexts(part), summary: extentOf(part) }))
}

/** The approximate overhead of head and body of a segment of numbers. */
const EXTENT_BYTES = 32
const CUT_EVERY = 8

type Packed = { readonly body: Uint8Array; readonly summary: SegmentExtent | NumberSummary }

function cut<V>(
  samples: Samples<V>,
  { countMax, sizeMaxBytes, sampleBytes = 0 }: Bounds,
  pack: (part: Samples<V>) => Packed,
): Segment<V>[] {
  const isCount = Number.isInteger(countMax) && countMax >= 1 && countMax <= SAMPLES_PER_BODY_MAX
  if (!isCount) throw new RangeError(`${countMax} is not a count of samples for one segment`)
  const { at, values } = samples
  if (at.length !== values.length) throw new RangeError(`${at.length} instants for ${values.length} values`)

  const all: Segment<V>[] = []
  const countFitting = sampleBytes > 0 ? Math.floor((sizeMaxBytes - EXTENT_BYTES) / sampleBytes) : countMax
  const countFirst = Math.max(1, Math.min(countMax, rounded(countFitting)))
  for (let begin = 0; begin < at.length;) {
    let count = apart(at, begin, Math.min(countFirst, at.length - begin))
    for (;;) {
      const part = { at: at.slice(begin, begin + count), values: values.slice(begin, begin + count) }
      const { body, summary } = pack(part)
      const head = encodeHeader(summary, { isDeflated: false, isBlob: false })
      const sizeBytes = head.length + body.length
      if (sizeBytes <= sizeMaxBytes || count === 1) {
        all.push({ samples: part, summary, head, body })
        break
      }
      count = apart(
        at,
        begin,
        Math.min(count - 1, Math.max(1, rounded(Math.floor((count * sizeMaxBytes) / sizeBytes)))),
      )
    }
    begin += count
  }

  return all
}

/** Few different counts, so that series with the same instants are mostly cut at the same of them, which are then packed
 * once (RecentInstants). Small ones stay as they are: they would lose too much. */
function rounded(count: number): number {
  return count < 8 * CUT_EVERY ? count : count - (count % CUT_EVERY)
}

/** So many samples or fewer that equal instants stay together; as many where all of them are equal. */
function apart(at: readonly number[], begin: number, count: number): number {
  let end = begin + count
  const border = at[end]
  while (end > begin && at[end - 1] === border) end--
  return end > begin ? end - begin : count
}
