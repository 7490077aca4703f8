import type { ForecastPoint } from '../../../kit/charts/plot.ts'
import type { Point, Span } from '../../../kit/charts/points.ts'
import type { Job } from './job.ts'

const SEVERITIES = ['major', 'minor', 'warning'] as const
/** The part of the chart that the future may take. */
const AHEAD = 0.25

/** The forecast by which a job limits a value, with the level of its interval; null without one. */
export function forecastOf(
  { thresholds }: Pick<Job, 'thresholds'>,
  key: string,
): { readonly id: number; readonly level: number } | null {
  for (const severity of SEVERITIES)
    for (const { key: own, adaptiveValues } of thresholds?.[severity]?.conditions ?? [])
      if (own === key && adaptiveValues?.source === 'forecast')
        return { id: adaptiveValues.forecastId, level: adaptiveValues.level }
  return null
}

/** The predicted values behind the last one, as far ahead as the chart has room, and the span with them. */
export function ahead(
  all: readonly ForecastPoint[],
  points: readonly Point[],
  span: Span,
): { readonly forecast: readonly ForecastPoint[]; readonly span: Span } {
  const from = Math.max(points.at(-1)?.at ?? 0, span.begin)
  const until = span.end + (span.end - span.begin) * AHEAD
  const forecast = all.filter(({ at }) => at > from && at <= until)
  return { forecast, span: { begin: span.begin, end: Math.max(span.end, forecast.at(-1)?.at ?? 0) } }
}
