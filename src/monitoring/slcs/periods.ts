import { Temporal } from 'temporal-polyfill'
import type { Range } from '../../lib/range.ts'

/** Lengths of a period, shortest first. */
export const PERIOD_UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type PeriodUnit = (typeof PERIOD_UNITS)[number]

/** The rules of periods: each is as long as `duration`, and a new one begins every `resetInterval`. */
export type PeriodRules = {
  readonly duration: PeriodUnit
  readonly resetInterval: PeriodUnit
  readonly timeZone: string
}

/** A period, and the instant from which it is the current one: later than its start if periods overlap. */
export type Period = Range & { readonly fromAt: number }

const MONTHS = { month: 1, quarter: 3, year: 12 } as const

/** The current period at an instant: it ends with the reset interval around the instant, and is as long as `duration`.
 * The spans in which periods are current are adjacent and never overlap, even across a DST change. */
export function periodAt(rules: PeriodRules, at: number): Period {
  const { duration, resetInterval, timeZone } = rules
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate()
  let from = startOf(today, resetInterval)
  // After the clock was set back over midnight, yesterday's date is shown again after the end of yesterday.
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

/** The start of a day: its first instant, which is not always midnight. */
function midnight(day: Temporal.PlainDate, timeZone: string): number {
  return day.toZonedDateTime(timeZone).epochMilliseconds
}
