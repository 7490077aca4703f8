import { Temporal } from 'temporal-polyfill'

/** Writes instants as ISO 8601 text with the offset of one time zone, milliseconds only where there are any. */
export type TimeFormat = (epochMs: number) => string

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))

/** The number of kept texts: a year of hours, or some days of minutes. */
const KNOWN_MAX = 10_000

/** Callers name zones, in any case of their letters. */
const ZONES_MAX = 20
const formats = new Map<string, TimeFormat>()

/** The zone's formatter. It asks Temporal once per span between two offset changes, and is exact for every instant.
 * @throws {RangeError} when the zone is unknown */
export function timeFormat(timeZone: string): TimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = newFormat(timeZone)
  if (formats.size >= ZONES_MAX) formats.clear()
  formats.set(timeZone, format)
  return format
}

function newFormat(timeZone: string): TimeFormat {
  let span = spanAround(0, timeZone)
  let [day, other] = [dayOf(0), dayOf(0)]
  const write: TimeFormat = (epochMs) => {
    if (epochMs < span.fromAt || epochMs >= span.untilAt) span = spanAround(epochMs, timeZone)
    const local = Math.trunc(epochMs + span.offsetMs)
    if (!isOn(day, local)) [day, other] = isOn(other, local) ? [other, day] : [dayOf(local), day]
    return day.text + timeOfDay(local - day.fromAt) + span.offset
  }
  // Buckets begin on whole minutes, so that all charts have the same edges.
  const known = new Map<number, string>()
  return (epochMs) => {
    if (epochMs % MINUTE_MS !== 0) return write(epochMs)
    let text = known.get(epochMs)
    if (text === undefined) {
      if (known.size >= KNOWN_MAX) known.clear()
      known.set(epochMs, (text = write(epochMs)))
    }
    return text
  }
}

type Day = { readonly fromAt: number; readonly text: string }

function isOn({ fromAt }: Day, local: number): boolean {
  return local >= fromAt && local < fromAt + DAY_MS
}

/** Most instants follow each other closely: a list has few days. A deadline may always be on the day after. */
function dayOf(local: number): Day {
  const fromAt = Math.floor(local / DAY_MS) * DAY_MS
  // Places count from the end: years outside 0 to 9999 have a sign and six digits.
  return { fromAt, text: new Date(fromAt).toISOString().slice(0, -'00:00:00.000Z'.length) }
}

function timeOfDay(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  const text = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`
  return ms % 1_000 === 0 ? text : `${text}.${String(ms % 1_000).padStart(3, '0')}`
}

function twoDigits(value: number): string {
  return TWO_DIGITS[value] ?? String(value)
}

/** Epoch milliseconds of an ISO 8601 date-time that carries `Z` or an offset.
 * @throws {RangeError} when the text is not such a date-time */
export function parseInstant(text: string): number {
  return isPlainInstant(text) ? Date.parse(text) : Temporal.Instant.from(text).epochMilliseconds
}

/** No day after the 28th, so that it is one in every month. */
const PLAIN_INSTANT =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/

/** Whether this is the text of an instant as most write it, which certainly is one. */
export function isPlainInstant(value: unknown): value is string {
  return typeof value === 'string' && PLAIN_INSTANT.test(value)
}

/** The instant that lies an ISO 8601 duration before another, on the calendar of a zone. */
export function instantBefore(epochMs: number, duration: string, timeZone: string): number {
  const zoned = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone)
  return zoned.subtract(Temporal.Duration.from(duration)).epochMilliseconds
}

/** True when the zone's rules are known here. */
export function isTimeZone(timeZone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone)
    return true
  } catch {
    return false
  }
}

/** The longest span around an instant in which a zone keeps its offset: half-open, without end where it never changes. */
export function spanAround(
  epochMs: number,
  timeZone: string,
): { readonly fromAt: number; readonly untilAt: number; readonly offsetMs: number; readonly offset: string } {
  const here = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone)
  // Transitions are asked from the next millisecond, so that one falling on `epochMs` itself begins its span.
  const before = here.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  const after = here.getTimeZoneTransition('next')
  return {
    fromAt: before?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    untilAt: after?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: here.offsetNanoseconds / 1e6,
    offset: here.offset,
  }
}

/** The instant at which a local time, `HH:MM`, begins on a date, epoch ms. One that the clock leaves out begins at the first
 * instant after the gap; of one that occurs twice the first counts. All plans by local time follow this rule. */
export function localInstant(date: Temporal.PlainDate, time: string, timeZone: string): number {
  const local = date.toPlainDateTime(time)
  const zoned = local.toZonedDateTime(timeZone)
  if (zoned.toPlainDateTime().equals(local)) return zoned.epochMilliseconds
  return spanAround(zoned.epochMilliseconds, timeZone).fromAt
}

/** Whether a year from 1 on, a month from 1 on and a day of it make a day of the calendar. */
export function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  return day <= 28 || day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}
