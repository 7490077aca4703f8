import { Temporal } from 'temporal-polyfill'

import { isDay, localInstant, MINUTE_MS } from '../../lib/time.ts'

/** Reads the text of a date, a time or an instant. @returns ISO 8601 text, or null for any other text */
export type TimeReader = (text: string) => string | null

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?$/
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i
/** As the service writes it. */
const WRITTEN_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/
const BEGIN_AT = Date.parse('0001-01-01T00:00Z')
const END_AT = Date.parse('9999-12-31T23:59Z')
/** Minutes of a zone that are remembered: rows of a file mostly follow each other in time. */
const MINUTES_MAX = 10_000

/** Parts of a format, longest first, each with its pattern. */
const PARTS: readonly (readonly [part: string, pattern: string])[] = [
  ['yyyy', String.raw`(?<year>\d{4})`],
  ['MM', String.raw`(?<month>\d{2})`],
  ['M', String.raw`(?<month>\d{1,2})`],
  ['dd', String.raw`(?<day>\d{2})`],
  ['d', String.raw`(?<day>\d{1,2})`],
  ['HH', String.raw`(?<hour>\d{2})`],
  ['H', String.raw`(?<hour>\d{1,2})`],
  ['mm', String.raw`(?<minute>\d{2})`],
  ['ss', String.raw`(?<second>\d{2})`],
]

/** Reads `2026-03-29`. */
export const readDate: TimeReader = (text) => {
  const [, year, month, day] = DATE.exec(text) ?? []
  return year !== undefined && isDay(Number(year), Number(month), Number(day)) ? text : null
}

/** Reads `07:30`, `07:30:15` and `07:30:15.25`. */
export const readTime: TimeReader = (text) => {
  const [, hour, minute, second = '00'] = TIME.exec(text) ?? []
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  return text.length === 5 ? `${text}:00` : text
}

/** Reads `2026-03-29T07:30:15.25+02:00`, also with a space for the T; without an offset the time is local to the zone. No text of
 * an instant before the year 1 or after the year 9999 in UTC is read. */
export function dateTimeReader(timeZone: string): TimeReader {
  const minutes = new Map<string, number>()
  return (text) =>
    WRITTEN_INSTANT.test(text) && isInstant(text) ? text : readDateTime(text, { minutes, timeZone })
}

function readDateTime(
  text: string,
  { minutes, timeZone }: { readonly minutes: Map<string, number>; readonly timeZone: string },
): string | null {
  const [, date, time, zone] = DATE_TIME.exec(text) ?? []
  if (date === undefined || time === undefined || readDate(date) === null) return null
  if (readTime(time.slice(0, 15)) === null) return null
  const offsetMs = zone === undefined ? null : offsetOf(zone)
  if (offsetMs !== null && Number.isNaN(offsetMs)) return null
  const minute = `${date}T${time.slice(0, 5)}`
  const at = offsetMs === null ? localMinute(minutes, minute, timeZone) : Date.parse(`${minute}Z`) - offsetMs
  return instantText(at, time.length > 5 ? time.slice(5, 15) : ':00')
}

function instantText(minuteAt: number, seconds: string): string | null {
  if (minuteAt < BEGIN_AT || minuteAt > END_AT) return null
  return `${new Date(minuteAt).toISOString().slice(0, 16)}${seconds}Z`
}

/** A reader of dates, or of local date-times where the format has hours, by a format such as `dd.MM.yyyy HH:mm`.
 * @returns null for a format without year, month or day, or with a part twice */
export function formatReader(format: string, timeZone: string): TimeReader | null {
  const pattern = patternOf(format)
  if (pattern === null) return null
  const readLocal = dateTimeReader(timeZone)
  return (text) => {
    const groups = pattern.exec(text)?.groups
    if (!groups) return null
    const { year = '', month = '', day = '', hour, minute = '00', second = '00' } = groups
    const date = readDate(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
    if (date === null || hour === undefined) return date
    return readLocal(`${date}T${hour.padStart(2, '0')}:${minute}:${second}`)
  }
}

/** Whether values by this format are instants, and not days. */
export function hasHours(format: string): boolean {
  return format.includes('H')
}

function patternOf(format: string): RegExp | null {
  const names = new Set<string>()
  let pattern = ''
  for (let rest = format; rest !== '';) {
    const [part = '', own] = PARTS.find(([one]) => rest.startsWith(one)) ?? [rest.charAt(0)]
    const name = own?.slice(3, own.indexOf('>'))
    if (name === undefined ? /[a-z]/i.test(part) : names.has(name)) return null
    if (name !== undefined) names.add(name)
    pattern += own ?? part.replaceAll(/[^\w\s]/g, String.raw`\$&`)
    rest = rest.slice(part.length)
  }
  return ['year', 'month', 'day'].every((name) => names.has(name)) ? new RegExp(`^${pattern}$`) : null
}

function isInstant(text: string): boolean {
  const two = (at: number) => Number(text.slice(at, at + 2))
  return isDay(Number(text.slice(0, 4)), two(5), two(8)) && two(11) <= 23 && two(14) <= 59 && two(17) <= 59
}

/** Milliseconds of `Z`, `+02`, `+0200` or `+02:00`; NaN beyond 14 hours. */
function offsetOf(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  if (Number(digits.slice(2)) > 59 || minutes > 14 * 60) return Number.NaN
  return (zone.startsWith('-') ? -1 : 1) * minutes * MINUTE_MS
}

function localMinute(known: Map<string, number>, minute: string, timeZone: string): number {
  let at = known.get(minute)
  if (at === undefined) {
    if (known.size >= MINUTES_MAX) known.clear()
    const [date = '', time = ''] = minute.split('T')
    known.set(minute, (at = localInstant(Temporal.PlainDate.from(date), time, timeZone)))
  }
  return at
}
