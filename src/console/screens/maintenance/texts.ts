import { language, t } from '../../language/t.ts'
import { localOf } from './days.ts'
import type { Day } from './days.ts'
import type { Entry } from './occurrences.ts'

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

/** The times of a span; with the days when they differ. */
export function spanText(
  { begin, end }: { readonly begin: number; readonly end: number },
  zone: string,
): string {
  const [from, to] = [localOf(begin, zone), localOf(end, zone)]
  if (from.slice(0, 10) === to.slice(0, 10)) return `${from.slice(11)}–${to.slice(11)}`
  return `${dayName(from.slice(0, 10))} ${from.slice(11)} – ${dayName(to.slice(0, 10))} ${to.slice(11)}`
}

/** The place that a zone is named after: `Amsterdam`. */
export const zoneName = (zone: string): string => zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone
