import { Temporal } from 'temporal-polyfill'

/** Writes instants as ISO 8601 text with the offset of one time zone, milliseconds only where there are any. */
export type TimeFormat = (epochMs: number) => string

const formats = new Map<string, TimeFormat>()

/** The zone's formatter. It asks Temporal once per span between two offset changes, and is exact for every instant.
 * @throws {RangeError} when the zone is unknown */
export function timeFormat(timeZone: string): TimeFormat {
  let format = formats.get(timeZone)
  if (!format) formats.set(timeZone, (format = newFormat(timeZone)))
  return format
}

function newFormat(timeZone: string): TimeFormat {
  let span = spanAround(0, timeZone)
  return (epochMs) => {
    if (epochMs < span.fromAt || epochMs >= span.untilAt) span = spanAround(epochMs, timeZone)
    const local = new Date(epochMs + span.offsetMs).toISOString()
    // Counted from the end: years outside 0 to 9999 have a sign and six digits.
    return local.slice(0, local.endsWith('.000Z') ? -5 : -1) + span.offset
  }
}

/** Epoch milliseconds of an ISO 8601 date-time that carries `Z` or an offset.
 * @throws {RangeError} when the text is no such date-time */
export function parseInstant(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds
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

function spanAround(epochMs: number, timeZone: string) {
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
