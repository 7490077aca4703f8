import { Temporal } from 'temporal-polyfill'
import { DAY_MS } from './time.ts'

/** Exact milliseconds of an ISO 8601 duration without years and months; a day counts 24 hours.
 * @throws {RangeError} when the text is not a duration, is negative, or has years or months */
export function durationMs(text: string): number {
  const duration = Temporal.Duration.from(text)
  if (duration.years !== 0 || duration.months !== 0) {
    throw new RangeError('years and months have no fixed length')
  }
  const days = duration.weeks * 7 + duration.days
  const rest = duration.with({ weeks: 0, days: 0 }).total('milliseconds')
  const total = days * DAY_MS + rest
  if (total < 0) throw new RangeError('a duration must not be negative')
  return Math.round(total)
}

/** The calendar days of such a duration, and the exact milliseconds beside them. @throws {RangeError} as `durationMs` */
export function daysAndMs(text: string): { readonly days: number; readonly ms: number } {
  const { weeks, days } = Temporal.Duration.from(text)
  const whole = weeks * 7 + days
  return { days: whole, ms: durationMs(text) - whole * DAY_MS }
}

/** True when `durationMs` takes the text, and finds it no longer and no shorter than this. */
export function isFixedDuration(text: string, maxMs = Number.POSITIVE_INFINITY, minMs = 0): boolean {
  try {
    const ms = durationMs(text)
    return ms >= minMs && ms <= maxMs
  } catch {
    return false
  }
}

/** The ISO 8601 text of a span, hours and smaller only (`PT36H`, `PT0.5S`). */
export function durationText(ms: number): string {
  return Temporal.Duration.from({ milliseconds: ms }).round({ largestUnit: 'hour' }).toString()
}

/** True when the text is an ISO 8601 duration that is not negative; years and months are allowed. */
export function isTemporalDuration(text: string): boolean {
  try {
    return Temporal.Duration.from(text).sign >= 0
  } catch {
    return false
  }
}

const LOOKBACK_MAX = { years: 1_000 }

/** True when the text is such a duration of at most 1,000 years, so that every instant of the calendar has one before it. */
export function isLookback(text: string): boolean {
  try {
    const relativeTo = '2000-01-01'
    return isTemporalDuration(text) && Temporal.Duration.compare(text, LOOKBACK_MAX, { relativeTo }) <= 0
  } catch {
    return false
  }
}
