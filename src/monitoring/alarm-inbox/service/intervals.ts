import type { Range } from '../../../lib/range.ts'
import type { OpenSpan } from '../store/trend.ts'

/** `count` intervals of `scaleMs` from the begin of a range. */
export type Intervals = Range & { readonly scaleMs: number; readonly count: number }

/** The number of objects with an open alarm in each interval. An object counts once, however many alarms it has. */
export function objectsIn(
  spans: readonly OpenSpan[],
  { beginAt, scaleMs, count }: Intervals,
): readonly number[] {
  const changes = Array.from({ length: count + 1 }, () => 0)
  const add = (index: number, by: number) => (changes[index] = (changes[index] ?? 0) + by)
  for (const ofObject of Map.groupBy(spans, ({ objectId }) => objectId).values()) {
    let counted = 0
    for (const span of ofObject.toSorted((a, b) => a.beginAt - b.beginAt)) {
      const from = Math.max(counted, Math.floor((span.beginAt - beginAt) / scaleMs))
      const last = span.endAt === null ? count - 1 : Math.floor((span.endAt - beginAt) / scaleMs)
      const to = Math.min(count, last + 1)
      if (to <= from) continue
      add(from, 1)
      add(to, -1)
      counted = to
    }
  }
  let objects = 0
  return changes.slice(0, count).map((change) => (objects += change))
}
