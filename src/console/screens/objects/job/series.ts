import type { Answer } from '../../../api/client.ts'
import type { Marked } from '../../../kit/charts/paint.ts'
import type { Point, Span } from '../../../kit/charts/points.ts'
import type { StateSpan } from '../../../kit/charts/state-strip.tsx'

/** A value as it was delivered. `at` is in ms since 1970. */
export type Sample = { readonly key: string; readonly at: number; readonly value: number | string }
type Series = Answer<'/jobs/{id}/value-history'>
type StateHistory = Answer<'/jobs/{id}/state-history'>

/** The buckets with values of an answer. A point lies in the middle of its bucket. */
export function pointsOf(answer: Series, scaleMs: number): readonly Point[] {
  const series = Array.isArray(answer) ? answer[0] : answer
  const points: Point[] = []
  for (const bucket of series?.values ?? []) {
    const at = Date.parse(bucket.timestamp) + scaleMs / 2
    const { value } = bucket
    if (typeof value !== 'number') continue
    if ('count' in bucket)
      points.push({ at, avg: value, min: bucket.min ?? value, max: bucket.max ?? value, count: bucket.count })
    else points.push({ at, avg: value, min: value, max: value, count: 1 })
  }
  return points
}

/** Adds samples to the bucket that they belong to; later ones begin new buckets. */
export function withLive(
  points: readonly Point[],
  samples: readonly Sample[],
  scaleMs: number,
): readonly Point[] {
  if (samples.length === 0) return points
  const all = [...points]
  for (const { at, value } of samples) {
    if (typeof value !== 'number') continue
    const middle = Math.floor(at / scaleMs) * scaleMs + scaleMs / 2
    const last = all.at(-1)
    if (last === undefined || middle > last.at)
      all.push({ at: middle, avg: value, min: value, max: value, count: 1 })
    else if (middle === last.at) {
      const count = last.count + 1
      all[all.length - 1] = {
        at: middle,
        avg: last.avg + (value - last.avg) / count,
        min: Math.min(last.min, value),
        max: Math.max(last.max, value),
        count,
      }
    }
  }
  return all
}

/** The states of a span, from the transitions; from the samples where these are too many to list. */
export function stateSpans(history: StateHistory, until: number): readonly StateSpan[] {
  const { transitions, samples, truncated } = history
  if (truncated || transitions.length === 0)
    return joined(
      samples.map(({ begin, end, worst }) => ({
        begin: Date.parse(begin),
        end: Date.parse(end),
        state: worst,
      })),
    )
  const sorted = transitions.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  const spans: StateSpan[] = []
  let begin = Date.parse(history.begin)
  let state = sorted[0]?.from ?? 'undefined'
  for (const { timestamp, to } of sorted) {
    const at = Date.parse(timestamp)
    if (at > begin) spans.push({ begin, end: at, state })
    begin = Math.max(begin, at)
    state = to
  }
  if (until > begin) spans.push({ begin, end: until, state })
  return spans
}

/** Each time at which maintenance applied. Its name is on the first time only: a chart has no room for more. */
export function maintenanceIn({ revaluations }: Pick<StateHistory, 'revaluations'>): readonly Marked[] {
  return revaluations.flatMap(({ type, name, occurrences }) =>
    type === 'maintenance'
      ? occurrences.map(({ begin, end }, at) => ({
          begin: Date.parse(begin),
          end: Date.parse(end),
          text: at === 0 ? name : '',
        }))
      : [],
  )
}

/** Neighbours of one state as one span. */
function joined(spans: readonly StateSpan[]): readonly StateSpan[] {
  const all: StateSpan[] = []
  for (const span of spans) {
    const last = all.at(-1)
    if (last && last.state === span.state && last.end >= span.begin)
      all[all.length - 1] = { ...last, end: span.end }
    else all.push(span)
  }
  return all
}

/** The points of a span. The last bucket has not ended yet: its point lies at the end of the span, not after it. */
export function within(points: readonly Point[], { begin, end }: Span, scaleMs: number): readonly Point[] {
  return points
    .filter(({ at }) => at >= begin - scaleMs && at - scaleMs / 2 <= end)
    .map((point) => (point.at > end ? { ...point, at: end } : point))
}
