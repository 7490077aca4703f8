import type { Answer } from '../../api/client.ts'
import type { Point, Span } from '../../kit/charts/points.ts'
import { msOfDuration } from '../../kit/time.tsx'

export type Outage = Answer<'/slos/{id}/outages'>[number]
type Costly = Pick<Outage, 'cost' | 'segments'>
const STEPS = 240

/** The cost of all outages. */
export function costOf(outages: readonly Pick<Outage, 'cost'>[]): number {
  return outages.reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0)
}

/** The present of the service: the end of an outage that runs, else the time at which the list was read. */
export function presentOf(
  outages: readonly Pick<Outage, 'active' | 'begin' | 'duration'>[],
  readAt: number,
): number {
  const running = outages.find(({ active }) => active)
  return running ? Date.parse(running.begin) + (msOfDuration(running.duration) ?? 0) : readAt
}

/** The cost of all outages up to each time of a span, at equal distances and where their bad time begins and ends. The cost of
 * an outage grows evenly in its bad time. */
export function costPoints(outages: readonly Costly[], { begin, end }: Span): readonly Point[] {
  const parts = outages.flatMap(({ cost, segments }) => {
    const spans = segments.map((one) => ({
      from: Date.parse(one.begin),
      to: one.end === null ? end : Math.max(Date.parse(one.begin), Math.min(end, Date.parse(one.end))),
    }))
    const ms = spans.reduce((sum, { from, to }) => sum + to - from, 0)
    const perMs = cost === null || ms <= 0 ? 0 : cost.amount / ms
    return spans.map((span) => ({ ...span, perMs }))
  })
  const steps = Array.from({ length: STEPS + 1 }, (_, step) => begin + ((end - begin) * step) / STEPS)
  const edges = parts.flatMap(({ from, to }) => [from, to]).filter((at) => at > begin && at < end)
  return [...new Set([...steps, ...edges])]
    .toSorted((a, b) => a - b)
    .map((at) => {
      const value = parts.reduce(
        (sum, { from, to, perMs }) => sum + Math.max(0, Math.min(at, to) - from) * perMs,
        0,
      )
      return { at, avg: value, min: value, max: value, count: 1 }
    })
}
