import type { WidgetData } from '../data/schema.ts'
import type { Bound, Line } from './lines.ts'

export type Predicted = Extract<WidgetData, { kind: 'history' }>['forecast']

/** The part of a history that the future may take. */
const AHEAD = 0.25

/** The predicted values of a line and their widest interval, each in the middle of its bucket; of a line until an instant only as
 * far as a quarter of its length beyond it. Null where none is later than the last value. */
export function predictedLine(
  forecast: Predicted,
  line: Line | undefined,
  span: { readonly begin: number; readonly end: number } | null,
): Line | null {
  if (!forecast || !line) return null
  const known = line.points.filter(({ y }) => y !== null)
  const from = Math.max(known.at(-1)?.x ?? Number.NEGATIVE_INFINITY, span?.begin ?? Number.NEGATIVE_INFINITY)
  const until = span ? span.end + (span.end - span.begin) * AHEAD : Number.POSITIVE_INFINITY
  const level = String(Math.max(...forecast.levels))
  const band = forecast.buckets.flatMap(({ begin, end, mean, bounds }): Bound[] => {
    const x = (Date.parse(begin) + Date.parse(end)) / 2
    if (mean === null || x <= from || x > until) return []
    const { lower = null, upper = null } = bounds[level] ?? {}
    return [{ x, y: mean, low: lower ?? mean, high: upper ?? mean }]
  })
  return band.length === 0
    ? null
    : { name: '', points: band, band, isPredicted: true, color: line.color ?? null }
}
