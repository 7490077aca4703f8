import { Temporal } from 'temporal-polyfill'
import { DateValue } from './value.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')
const LETTERS = /''|'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g
const ISO = /^(?:iso|xs)(?:_(\w+))?$/

/** The date by a pattern such as `yyyy-MM-dd`, or by `iso`; undefined when the format is not one. */
export function formattedDate(value: DateValue, format: string, timeZone: string): string | undefined {
  const [iso, options = ''] = ISO.exec(format) ?? []
  if (iso !== undefined) return isoText(value, options.split('_').includes('u') ? 'UTC' : timeZone)
  if (format === '') return undefined
  const at = zoned(value.ms, zoneOf(value.kind, timeZone))
  let text = ''
  for (const [whole, quoted, letter] of format.matchAll(LETTERS)) {
    const part = letter === undefined ? unquoted(whole, quoted) : field(letter, whole.length, at)
    if (part === undefined) return undefined
    text += part
  }
  return text
}

/** A date for a database. Instants have `Z`; a time of day is in the zone and has no offset. */
export function isoDate(value: DateValue, timeZone: string): string {
  return value.kind === 'time' ? zoned(value.ms, timeZone).toPlainTime().toString() : isoText(value, 'UTC')
}

/** A string as a date; undefined when it is not one in this format. */
export function parsedDate(
  kind: DateValue['kind'],
  text: string,
  format: string,
  timeZone: string,
): DateValue | undefined {
  const zone = zoneOf(kind, timeZone)
  const ms = ISO.test(format) ? isoMs(kind, text, zone) : patternMs(text, format, zone)
  return ms === undefined ? undefined : new DateValue(kind, ms)
}

/** The day or the time of day of a point in time. */
export function converted(
  value: DateValue,
  kind: DateValue['kind'],
  timeZone: string,
): DateValue | undefined {
  if (value.kind === kind) return value
  if (value.kind !== 'datetime') return undefined
  const day = zoned(value.ms, timeZone).toPlainDate()
  return new DateValue(kind, kind === 'date' ? day.toZonedDateTime('UTC').epochMilliseconds : value.ms)
}

/** Milliseconds since 1970; a day counts as its beginning in the zone. */
export function epochMs({ kind, ms }: DateValue, timeZone: string): number {
  if (kind !== 'date') return ms
  return zoned(ms, 'UTC').toPlainDate().toZonedDateTime(timeZone).epochMilliseconds
}

/** A day has no zone: its value is its midnight in UTC. */
const zoneOf = (kind: DateValue['kind'], timeZone: string) => (kind === 'date' ? 'UTC' : timeZone)

const zoned = (ms: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)

/** ISO 8601 with seconds, and with their fraction where there is one. */
export function isoText({ kind, ms }: DateValue, timeZone: string, hasFraction = true): string {
  const at = zoned(ms, zoneOf(kind, timeZone))
  const day = at.toPlainDate().toString()
  if (kind === 'date') return day
  const fraction = at.millisecond === 0 || !hasFraction ? '' : `.${two(at.millisecond, 3).replace(/0+$/, '')}`
  const offset = at.offset === '+00:00' ? 'Z' : at.offset
  const time = `${two(at.hour)}:${two(at.minute)}:${two(at.second)}${fraction}${offset}`
  return kind === 'time' ? time : `${day}T${time}`
}

const two = (number: number, size = 2): string => String(number).padStart(size, '0')

function unquoted(whole: string, quoted: string | undefined): string | undefined {
  if (whole === "''") return "'"
  if (quoted !== undefined) return quoted.replaceAll("''", "'")
  return whole === "'" ? undefined : whole
}

type Zoned = ReturnType<typeof zoned>
const FIELDS: Readonly<Record<string, (at: Zoned, size: number) => string>> = {
  y: (at, size) => (size === 2 ? two(at.year % 100) : two(at.year, size)),
  M: (at, size) => monthText(at.month, size),
  L: (at, size) => monthText(at.month, size),
  d: (at, size) => two(at.day, size),
  D: (at, size) => two(at.dayOfYear, size),
  H: (at, size) => two(at.hour, size),
  k: (at, size) => two(at.hour === 0 ? 24 : at.hour, size),
  K: (at, size) => two(at.hour % 12, size),
  h: (at, size) => two(at.hour % 12 === 0 ? 12 : at.hour % 12, size),
  m: (at, size) => two(at.minute, size),
  s: (at, size) => two(at.second, size),
  S: (at, size) => two(at.millisecond, size),
  a: (at) => (at.hour < 12 ? 'AM' : 'PM'),
  E: (at, size) => (size > 3 ? (DAYS[at.dayOfWeek - 1] ?? '') : (DAYS[at.dayOfWeek - 1] ?? '').slice(0, 3)),
  u: (at, size) => two(at.dayOfWeek, size),
  Z: (at) => at.offset.replace(':', ''),
}

function monthText(month: number, size: number): string {
  if (size < 3) return two(month, size)
  const name = MONTHS[month - 1] ?? ''
  return size === 3 ? name.slice(0, 3) : name
}

function field(letter: string, size: number, at: Zoned): string | undefined {
  if (letter === 'X') return offsetText(at.offset, size)
  return FIELDS[letter]?.(at, size)
}

function offsetText(offset: string, size: number): string | undefined {
  if (size > 3) return undefined
  if (offset === '+00:00') return 'Z'
  if (size === 1) return offset.slice(0, 3)
  return size === 2 ? offset.replace(':', '') : offset
}

function isoMs(kind: DateValue['kind'], text: string, timeZone: string): number | undefined {
  const whole = kind === 'time' ? `1970-01-01T${text.replace(/^T/, '')}` : text
  const form =
    kind === 'date'
      ? /^-?\d{4}-?\d{2}-?\d{2}$/
      : /^\d{4}-?\d{2}-?\d{2}T\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/
  if (!form.test(whole)) return undefined
  return instant(whole, timeZone)
}

function instant(text: string, timeZone: string): number | undefined {
  try {
    if (/(?:Z|T.*[+-]\d\d(?::?\d\d)?)$/.test(text)) return Temporal.Instant.from(text).epochMilliseconds
    return Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Of each letter how it is read, and its part of a date. */
const READ: Readonly<Record<string, readonly [pattern: string, part: string]>> = {
  y: [String.raw`\d+`, 'year'],
  M: [String.raw`\d+`, 'month'],
  d: [String.raw`\d+`, 'day'],
  H: [String.raw`\d+`, 'hour'],
  m: [String.raw`\d+`, 'minute'],
  s: [String.raw`\d+`, 'second'],
  S: [String.raw`\d+`, 'millisecond'],
}

function patternMs(text: string, format: string, timeZone: string): number | undefined {
  let pattern = ''
  const parts: string[] = []
  for (const [whole, quoted, letter] of format.matchAll(LETTERS)) {
    if (letter === undefined) {
      pattern += (unquoted(whole, quoted) ?? '').replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
      continue
    }
    const read = READ[letter]
    if (!read || (letter === 'M' && whole.length > 2)) return undefined
    pattern += `(${whole.length > 1 ? `\\d{${whole.length === 2 ? '1,2' : `1,${whole.length}`}}` : read[0]})`
    parts.push(read[1])
  }
  const found = new RegExp(`^${pattern}`).exec(text)
  return found
    ? dateMs(Object.fromEntries(parts.map((part, index) => [part, Number(found[index + 1])])), timeZone)
    : undefined
}

/** Days and hours beyond their range go on into the next month and the next day, as in Java. */
function dateMs(parts: Readonly<Record<string, number>>, timeZone: string): number | undefined {
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0 } = parts
  try {
    return Temporal.PlainDateTime.from({ year, month: 1, day: 1 })
      .add({ months: month - 1 })
      .add({ days: day - 1, hours: hour, minutes: minute, seconds: second, milliseconds: millisecond })
      .toZonedDateTime(timeZone).epochMilliseconds
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
