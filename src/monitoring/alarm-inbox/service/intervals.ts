import { cut, unionOf } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import type { OpenSpan } from '../store/trend.ts'

/** `count` intervals of `scaleMs` from the begin of a range. */
export type Intervals = Range & { readonly scaleMs: number; readonly count: number }

/** The number of objects with an open alarm in each interval. An object counts once, however many alarms it has. */
export function objectsIn(spans: readonly OpenSpan[], intervals: Intervals): readonly number[] {
  const { count } = intervals
  const changes = Array.from({ length: count + 1 }, () => 0)
  const add = (index: number, by: number) => (changes[index] = (changes[index] ?? 0) + by)
  for (const ofObject of Map.groupBy(spans, ({ objectId }) => objectId).values()) {
    for (const { beginAt, endAt } of unionOf(ofObject.flatMap((span) => touchedBy(span, intervals)))) {
      add(beginAt, 1)
      add(endAt, -1)
    }
  }
  let objects = 0
  return changes.slice(0, count).map((change) => (objects += change))
}

/** The indexes of the intervals that a span touches, as a half-open range: one range, or none. */
function touchedBy(span: OpenSpan, { beginAt, scaleMs, count }: Intervals): readonly Range[] {
  const indexAt = (at: number) => Math.floor((at - beginAt) / scaleMs)
  const endAt = span.endAt === null ? count : indexAt(span.endAt) + 1
  return cut({ beginAt: indexAt(span.beginAt), endAt }, { beginAt: 0, endAt: count })
}
