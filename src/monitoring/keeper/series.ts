import type { Value } from '../../ports/job-actors.ts'
import { decodeNumbers } from '../history/numbers-codec.ts'
import { mergeSamples } from '../history/samples.ts'
import type { Samples } from '../history/samples.ts'
import { segmentNumbers, segmentTexts } from '../history/segments.ts'
import { decodeTexts } from '../history/texts-codec.ts'
import type { NewSegment } from './store.ts'

/** Samples in a full segment: nine hours of minutes; small enough to decode for one bucket of a chart. */
export const SEGMENT_SAMPLES = 512

const TEXTS_FROM = 1_000

/** The number that stands for a key in storage: 0 `errorCode`, N `returnValueN`, 1000 + N `stringValueN`. */
export function seriesOf(key: string): number {
  if (key === 'errorCode') return 0
  if (key.startsWith('returnValue')) return Number(key.slice('returnValue'.length))
  return TEXTS_FROM + Number(key.slice('stringValue'.length))
}

function isText(series: number): boolean {
  return series > TEXTS_FROM
}

export function decodeBody(series: number, body: Uint8Array): Samples<Value> {
  return isText(series) ? decodeTexts(body) : decodeNumbers(body)
}

/** The segments that hold the older samples and the newer ones, in order of time; on equal instants older first. */
export function packSeries(
  series: number,
  older: Samples<Value>,
  newer: Samples<Value>,
): readonly NewSegment[] {
  const merged = mergeSamples(older, newer)
  if (!isText(series)) return segmentNumbers(merged as Samples<number>, SEGMENT_SAMPLES)
  const unmeasured = { min: null, max: null, sum: null, first: null, last: null }
  return segmentTexts(merged as Samples<string>, SEGMENT_SAMPLES).map((segment) => ({
    ...segment,
    ...unmeasured,
  }))
}
