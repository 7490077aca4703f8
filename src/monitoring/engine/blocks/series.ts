import type { Value } from '../../../domain/delivery.ts'
import { decodeNumbers } from '../../../timeseries/numbers-codec.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import { segmentNumbers, segmentTexts } from '../../../timeseries/segments.ts'
import type { Bounds, Segment } from '../../../timeseries/segments.ts'
import { decodeTexts } from '../../../timeseries/texts-codec.ts'

/** Samples in a full segment: nine hours of minutes; small enough to decode for one bucket of a chart. */
export const SEGMENT_SAMPLES = 512
/** Four rows of this and what stands around them fill a page of SQLite; a larger one would take a page of its own. */
export const SEGMENT_BYTES = 975

/** The approximate overhead of a body. */
export const FRAME_BYTES = 12

export const SEGMENT_BOUNDS: Bounds = { countMax: SEGMENT_SAMPLES, sizeMaxBytes: SEGMENT_BYTES }

const TEXTS_FROM = 1_000

/** The number that stands for a key in storage: 0 `errorCode`, N `returnValueN`, 1000 + N `stringValueN`. */
export function seriesOf(key: string): number {
  if (key === 'errorCode') return 0
  if (key.startsWith('returnValue')) return Number(key.slice('returnValue'.length))
  return TEXTS_FROM + Number(key.slice('stringValue'.length))
}

export function isText(series: number): boolean {
  return series > TEXTS_FROM
}

export function decodeBody(series: number, body: Uint8Array): Samples<Value> {
  return isText(series) ? decodeTexts(body) : decodeNumbers(body)
}

/** The samples in segments, in order. */
export function packSeries(
  series: number,
  samples: Samples<Value>,
  bounds: Bounds = SEGMENT_BOUNDS,
): readonly Segment<Value>[] {
  return isText(series)
    ? segmentTexts(samples as Samples<string>, bounds)
    : segmentNumbers(samples as Samples<number>, bounds)
}

/** True when nothing is put behind the samples of this segment any more. */
export function isFull({ count }: { readonly count: number }, sizeBytes: number): boolean {
  return count >= SEGMENT_SAMPLES || sizeBytes > SEGMENT_BYTES
}
