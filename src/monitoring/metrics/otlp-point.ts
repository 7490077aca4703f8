import { NO_NUMBER } from './points.ts'
import type { Naming, Point, Points } from './points.ts'

/** What a metric's data is; the kinds' names are those of OTLP. */
export type Kind = 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary'

/** A data point of any kind, as both encodings are read into. */
export type DataPoint = {
  readonly naming: Naming
  /** Nanoseconds since 1970; 0 when it is not known. */
  readonly time: bigint
  /** The value of a gauge or sum; null when there is none. */
  readonly number: number | null
  readonly count: number
  /** Null when a histogram has none. */
  readonly sum: number | null
  readonly flags: number
}

/** The flag that says that this point only tells of a gap. */
const NO_RECORDED_VALUE = 1
const NS_PER_MS = 1_000_000n

/** Notes a data point; `resource` names the job where the point itself does not. */
export function addDataPoint(
  points: Points,
  { metric, kind, resource }: { metric: string; kind: Kind; resource: Naming },
  point: DataPoint,
): void {
  const numbers = numbersOf(kind, point)
  points.add({
    series: points.all.length,
    metric,
    job: point.naming.job ?? resource.job,
    value: point.naming.value,
    at: point.time === 0n ? null : Number(point.time / NS_PER_MS),
    numbers,
    fault: numbers.length === 0 ? NO_NUMBER : null,
  })
}

function numbersOf(kind: Kind, { number, count, sum, flags }: DataPoint): Point['numbers'] {
  if ((flags & NO_RECORDED_VALUE) !== 0) return [{ suffix: '', number: Number.NaN }]
  if (kind === 'gauge' || kind === 'sum') return number === null ? [] : [{ suffix: '', number }]
  const counted = { suffix: '_count', number: count } as const
  return sum === null ? [counted] : [counted, { suffix: '_sum', number: sum }]
}
