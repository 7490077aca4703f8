import { NO_NUMBER } from './points.ts'
import type { Naming, Point, Points } from './points.ts'

/** The kind of a metric's data, with OTLP's names. */
export type Kind = 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary'

/** A data point of any kind, from either encoding. */
export type DataPoint = {
  readonly naming: Naming
  /** When it was measured, epoch ms; null if unknown. */
  readonly at: number | null
  /** The value of a gauge or a sum; null if it has none. */
  readonly number: number | null
  readonly count: number
  /** Null for a histogram without a sum. */
  readonly sum: number | null
  readonly flags: number
}

/** The flag of a point that marks a gap. */
const NO_RECORDED_VALUE = 1

/** Adds a data point; `resource` names the job if the point itself does not. */
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
    at: point.at,
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
