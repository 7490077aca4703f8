import { lengthMs } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import type { Level } from '../../domain/state.ts'
import { availabilityOf } from '../state-history/availability.ts'
import { overlapMs } from '../state-history/timeline.ts'
import type { Span } from '../state-history/timeline.ts'

/** A day by its start, with its availability in percent; null without data. */
export type Day = { readonly beginAt: number; readonly percent: number | null }

/** The availability of each day between the `edges`, from the states of an object. */
export function daysOf(
  spans: readonly Span[],
  edges: readonly number[],
  counted: readonly Level[],
): readonly Day[] {
  return edges.slice(0, -1).map((beginAt, index): Day => {
    const day = { beginAt, endAt: edges[index + 1] ?? beginAt }
    const within = spans.filter((span) => overlapMs(span, day) > 0).map((span) => clipped(span, day))
    return { beginAt, percent: lengthMs(within) === 0 ? null : availabilityOf(within, counted).percent }
  })
}

function clipped(span: Span, { beginAt, endAt }: Range): Span {
  return { ...span, beginAt: Math.max(span.beginAt, beginAt), endAt: Math.min(span.endAt, endAt) }
}
