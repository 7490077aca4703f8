import { language, t } from '../../language/t.ts'
import { dayOf, localOf, shiftDay, shiftIn } from './days.ts'
import type { Day } from './days.ts'
import { durationOut } from './duration.ts'
import type { Entry } from './occurrences.ts'
import { nextSpans } from './schedule.ts'
import type { Rule, Schedule, Span } from './schedule.ts'

const YEAR_MS = 365 * 86_400_000

/** The title of an entry; one without a name is called by its kind. */
export const titleOf = ({ name, type }: Entry): string => name || t(`maintenance.type.${type}`)

/** The time of day of an instant: `02:00`. */
export const clockOf = (at: number, zone: string): string => localOf(at, zone).slice(11)

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language.value, { timeZone: 'UTC', ...options })

/** A day such as "Wed 25 Nov", or with other parts. */
export function dayName(
  day: Day,
  options: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short' },
): string {
  return format(options).format(Date.parse(`${day}T00:00:00Z`))
}

/** The range of some days such as "23–29 Nov 2026". */
export function daysName(days: readonly Day[]): string {
  const [first, last] = [days[0], days.at(-1)].map((day) => Date.parse(`${day}T00:00:00Z`))
  return format({ day: 'numeric', month: 'short', year: 'numeric' }).formatRange(first ?? 0, last ?? 0)
}

/** A span with its days, such as "Wed 25 Nov 22:00–23:30". */
export function spanText({ begin, end }: Span, zone: string): string {
  const [from, to] = [localOf(begin, zone), localOf(end, zone)]
  const first = `${dayName(from.slice(0, 10))} ${from.slice(11)}`
  if (from.slice(0, 10) === to.slice(0, 10)) return `${first}–${to.slice(11)}`
  return `${first} – ${dayName(to.slice(0, 10))} ${to.slice(11)}`
}

/** How often a rule comes, such as "weekly, Wed 22:00, 1 h 30 min". */
export function ruleText({ type, times, timezone, exception, name }: Rule, zone: string): string {
  const when = times.map(({ begin, duration, weekday, day, date }) =>
    [
      weekday === undefined ? '' : dayName(shiftDay('2024-01-01', weekday - 1), { weekday: 'short' }),
      day === undefined ? '' : t('maintenance.dayOfMonth', { day }),
      date === undefined ? '' : dayName(date, { day: 'numeric', month: 'short', year: 'numeric' }),
      begin,
      durationOut(duration),
    ]
      .filter(Boolean)
      .join(' '),
  )
  return [
    exception ? t('maintenance.except') : '',
    name ?? '',
    [t(`maintenance.recur.${type}`), ...when].join(', '),
    timezone === zone || times.length === 0 ? '' : `(${timezone})`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The next change of clocks within a schedule, as a sentence; null without a change in a year. */
export function shiftText(schedule: Schedule, zone: string, now: number): string | null {
  const begin = Math.max(schedule.begin, now)
  const isSpan = schedule.active.length === 0
  const shift = shiftIn(begin, Math.min(schedule.end, isSpan ? schedule.end : begin + YEAR_MS), zone)
  if (shift === null) return null
  const values = {
    day: dayName(dayOf(shift.at, zone), { day: 'numeric', month: 'long', year: 'numeric' }),
    minutes: Math.abs(shift.minutes),
    zone: zoneName(zone),
  }
  const way = shift.minutes > 0 ? 'forward' : 'back'
  if (isSpan) return t(`maintenance.span.${way}`, values)
  const [next] = nextSpans(schedule, shift.at, 1)
  if (next === undefined) return null
  const clock = clockOf(next.begin, zone)
  const before = clockOf(next.begin + shift.minutes * 60_000, 'UTC')
  return t(`maintenance.series.${way}`, { ...values, clock, utc: clockOf(next.begin, 'UTC'), before })
}

/** The place that a zone is named after: `Amsterdam`. */
export const zoneName = (zone: string): string => zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone
