import { scheduleOf } from './changes.ts'
import type { Entry, Occurrence } from './occurrences.ts'
import { spansIn } from './schedule.ts'
import type { Span } from './schedule.ts'

/** Longer than an occurrence of a rule can be. */
const REACH_MS = 33 * 86_400_000

/** The occurrences of entries, in the order of time. The service cuts them at the range that was read; here they are whole. */
export function occurrencesOf(entries: readonly Entry[], range: Span): readonly Occurrence[] {
  return entries
    .flatMap((entry) =>
      entry.occurrences
        .map((one) => wholeOf(entry, spanOf(one), range))
        .map((span) => ({
          ...span,
          key: `${entry.id} ${span.begin}`,
          entry,
        })),
    )
    .toSorted((a, b) => a.begin - b.begin || a.entry.id - b.entry.id)
}

const spanOf = ({ begin, end }: Entry['occurrences'][number]): Span => ({
  begin: Date.parse(begin),
  end: Date.parse(end),
})

function wholeOf(entry: Entry, { begin, end }: Span, range: Span): Span {
  if (begin > range.begin && end < range.end) return { begin, end }
  const schedule = scheduleOf(entry)
  const reach = entry.active.length === 0 ? schedule : { begin: begin - REACH_MS, end: end + REACH_MS }
  return spansIn(schedule, reach).find((one) => one.begin <= begin && one.end >= end) ?? { begin, end }
}
