import { Temporal } from 'temporal-polyfill'
import type { Range } from '../../lib/range.ts'

/** Lengths of a period, shortest first. */
export const PERIOD_UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type PeriodUnit = (typeof PERIOD_UNITS)[number]

/** How periods follow each other: as long as the duration; the next one comes when the reset interval is over. */
export type PeriodRules = {
  readonly duration: PeriodUnit
  readonly resetInterval: PeriodUnit
  readonly timeZone: string
}

/** A period, and since when it has been the current one: later than its begin where periods float. */
export type Period = Range & { readonly fromAt: number }

const MONTHS = { month: 1, quarter: 3, year: 12 } as const

/** The period that is the current one at an instant: until the end of the reset interval around it, and as long as the
 * duration. Current spans of neighbours touch and never overlap, also where clocks change. */
export function periodAt(rules: PeriodRules, at: number): Period {
  const { duration, resetInterval, timeZone } = rules
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate()
  let from = startOf(today, resetInterval)
  // Clocks that were set back over midnight show yesterday's date once more, after the end of yesterday.
  while (midnight(from.add(lengthOf(resetInterval)), timeZone) <= at) from = from.add(lengthOf(resetInterval))
  const end = from.add(lengthOf(resetInterval))
  return {
    beginAt: midnight(end.subtract(lengthOf(duration)), timeZone),
    fromAt: midnight(from, timeZone),
    endAt: midnight(end, timeZone),
  }
}

function startOf(day: Temporal.PlainDate, unit: PeriodUnit): Temporal.PlainDate {
  if (unit === 'day') return day
  if (unit === 'week') return day.subtract({ days: day.dayOfWeek - 1 })
  return day.with({ day: 1, month: day.month - ((day.month - 1) % MONTHS[unit]) })
}

function lengthOf(unit: PeriodUnit): Temporal.DurationLike {
  if (unit === 'day' || unit === 'week') return { [`${unit}s`]: 1 }
  return { months: MONTHS[unit] }
}

/** When a day begins: its first instant, which is not always called midnight. */
function midnight(day: Temporal.PlainDate, timeZone: string): number {
  return day.toZonedDateTime(timeZone).epochMilliseconds
}
