import { Temporal } from 'temporal-polyfill'
import { daysAndMs, durationMs } from '../../lib/duration.ts'
import { cut, unionOf } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import { DAY_MS, localInstant } from '../../lib/time.ts'

/** The first search for the next change looks this far; each further search looks twice as far. */
const LOOK_MS = 8 * DAY_MS

export const ENTRY_TYPES = ['one_time', 'daily', 'weekly', 'monthly', 'manual'] as const
export type EntryType = (typeof ENTRY_TYPES)[number]

/** When an occurrence begins, and its length. */
export type EntryTime = {
  /** Local time, `HH:MM`, as `localInstant` reads it. */
  readonly begin: string
  /** ISO 8601. Days and weeks are calendar days; hours and shorter units are elapsed time, even across a DST change. */
  readonly duration: string
  /** `YYYY-MM-DD`, for `one_time`. */
  readonly date?: string | undefined
  /** From 1, Monday, to 7, for `weekly`. */
  readonly weekday?: number | undefined
  /** From 1 to 31, for `monthly`; months without this day are skipped. */
  readonly day?: number | undefined
}

export type Entry = {
  readonly type: EntryType
  /** The time zone of `times`. */
  readonly timezone: string
  readonly times: readonly EntryTime[]
  /** True for an entry that is subtracted from the others. */
  readonly exception: boolean
}

/** Entries within a range; without entries, the whole range. */
export type Schedule = Range & { readonly active: readonly Entry[] }

/** When a schedule applies within a range: disjoint and in order, cut at the ends of the range and the schedule. */
export function occurrencesIn(schedule: Schedule, range: Range): Range[] {
  const beginAt = Math.max(schedule.beginAt, range.beginAt)
  const endAt = Math.min(schedule.endAt, range.endAt)
  if (beginAt >= endAt) return []
  const whole = { beginAt, endAt }
  const among = (exception: boolean) =>
    unionOf(
      schedule.active
        .filter((entry) => entry.exception === exception)
        .flatMap((entry) => rangesOf(entry, whole)),
    )
  const isAlways = schedule.active.every(({ exception }) => exception)
  return without(isAlways ? [whole] : among(false), among(true)).flatMap((one) => cut(one, whole))
}

/** Whether a schedule applies at an instant. */
export function isActiveAt(schedule: Schedule, at: number): boolean {
  return occurrencesIn(schedule, { beginAt: at, endAt: at + 1 }).length > 0
}

/** The first instant after `at` at which the schedule starts or stops applying; null without such an instant. */
export function nextChange(schedule: Schedule, at: number): number | null {
  const isActive = isActiveAt(schedule, at)
  let beginAt = Math.max(at, schedule.beginAt)
  for (let lookMs = LOOK_MS; beginAt < schedule.endAt; lookMs *= 2) {
    const endAt = Math.min(beginAt + lookMs, schedule.endAt)
    const [first] = occurrencesIn(schedule, { beginAt, endAt })
    const changeAt = isActive ? endOf(first, beginAt) : (first?.beginAt ?? endAt)
    if (changeAt < endAt) return changeAt
    beginAt = endAt
  }
  return isActive ? schedule.endAt : null
}

/** An upper bound of the occurrences of entries in a range. */
export function countOccurrences(active: readonly Entry[], { beginAt, endAt }: Range): number {
  const days = Math.ceil((endAt - beginAt) / DAY_MS) + 1
  const perTime: Readonly<Record<EntryType, number>> = {
    one_time: 1,
    manual: 1,
    daily: days,
    weekly: Math.ceil(days / 7),
    monthly: Math.ceil(days / 28),
  }
  return active.reduce((sum, { type, times }) => sum + perTime[type] * Math.max(1, times.length), 0)
}

/** The local time of an instant, `HH:MM`. */
export function localTime(at: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timezone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' })
}

function endOf(first: Range | undefined, beginAt: number): number {
  return first?.beginAt === beginAt ? first.endAt : beginAt
}

/** The occurrences of an entry in a range, and some beyond its ends. */
function rangesOf(entry: Entry, range: Range): Range[] {
  if (entry.type === 'manual') return [range]
  return entry.times.flatMap((time) => {
    const lengthMs = durationMs(time.duration)
    const { days, ms } = daysAndMs(time.duration)
    return datesOf(entry, time, { beginAt: range.beginAt - lengthMs, endAt: range.endAt }).map((date) => {
      const beginAt = localInstant(date, time.begin, entry.timezone)
      const lastAt = days === 0 ? beginAt : localInstant(date.add({ days }), time.begin, entry.timezone)
      return { beginAt, endAt: lastAt + ms }
    })
  })
}

/** The dates on which an occurrence may begin in a range. */
function datesOf({ type, timezone }: Entry, time: EntryTime, range: Range): Temporal.PlainDate[] {
  if (time.date !== undefined) return [Temporal.PlainDate.from(time.date)]
  const last = dateOf(range.endAt, timezone)
  const dates: Temporal.PlainDate[] = []
  // Starts a day earlier: a DST gap moves a time forward, dates may be skipped, and days may be longer.
  let date = firstDate(type, time, dateOf(range.beginAt, timezone).subtract({ days: 1 }))
  while (Temporal.PlainDate.compare(date, last) <= 0) {
    if (type !== 'monthly' || date.daysInMonth >= (time.day ?? 1)) {
      dates.push(type === 'monthly' ? date.with({ day: time.day ?? 1 }) : date)
    }
    date = date.add(STEPS[type])
  }
  return dates
}

const STEPS = {
  one_time: { days: 1 },
  manual: { days: 1 },
  daily: { days: 1 },
  weekly: { weeks: 1 },
  monthly: { months: 1 },
} as const satisfies Readonly<Record<EntryType, object>>

function firstDate(
  type: EntryType,
  { weekday = 1 }: EntryTime,
  from: Temporal.PlainDate,
): Temporal.PlainDate {
  if (type === 'weekly') return from.add({ days: (weekday - from.dayOfWeek + 7) % 7 })
  return type === 'monthly' ? from.with({ day: 1 }) : from
}

function dateOf(at: number, timezone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDate()
}

/** The ranges without the exceptions; both lists as `unionOf` makes them. */
function without(ranges: readonly Range[], exceptions: readonly Range[]): Range[] {
  return ranges.flatMap((range) => {
    const left: Range[] = []
    let beginAt = range.beginAt
    for (const exception of exceptions) {
      if (exception.endAt <= beginAt || exception.beginAt >= range.endAt) continue
      if (exception.beginAt > beginAt) left.push({ beginAt, endAt: exception.beginAt })
      beginAt = exception.endAt
    }
    return beginAt < range.endAt ? [...left, { beginAt, endAt: range.endAt }] : left
  })
}
