import { SAMPLES_PER_BODY_MAX } from './bytes.ts'
import { encodeHeader } from './segment-header.ts'
import { asDecimals, encodeNumbers } from './numbers-codec.ts'
import { sliceSamples } from './samples.ts'
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

/** The maximum number of samples of a segment, and the maximum size of its head and body, which only a segment of one sample
 * exceeds. `sampleBytes` is the approximate size of a sample: with it, few segments are packed and then found too large, and
 * segments may be a little smaller. */
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
    let count = countBetweenInstants(at, begin, Math.min(countFirst, at.length - begin))
    for (;;) {
      const part = sliceSamples(samples, begin, begin + count)
      const { body, summary } = pack(part)
      const head = encodeHeader(summary, { isDeflated: false, isBlob: false })
      const sizeBytes = head.length + body.length
      if (sizeBytes <= sizeMaxBytes || count === 1) {
        all.push({ samples: part, summary, head, body })
        break
      }
      count = countBetweenInstants(
        at,
        begin,
        Math.min(count - 1, Math.max(1, rounded(Math.floor((count * sizeMaxBytes) / sizeBytes)))),
      )
    }
    begin += count
  }

  return all
}

/** Rounds a count down, so that most series with the same instants are cut at the same ones; RecentInstants then packs these
 * instants once. Small counts stay as they are: rounding would make their segments much smaller. */
function rounded(count: number): number {
  return count < 8 * CUT_EVERY ? count : count - (count % CUT_EVERY)
}

/** The greatest number of samples up to `count` that leaves equal instants together; `count` where all instants are equal. */
function countBetweenInstants(at: readonly number[], begin: number, count: number): number {
  let end = begin + count
  const border = at[end]
  while (end > begin && at[end - 1] === border) end--
  return end > begin ? end - begin : count
}
