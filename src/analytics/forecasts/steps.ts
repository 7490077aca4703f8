import { Temporal } from 'temporal-polyfill'
import { durationMs, isFixedDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'

const CALENDAR_MONTHS: Readonly<Record<string, number>> = { P1M: 1, P3M: 3, P1Y: 12 }
const MONTH_MS = 365.2425 * (DAY_MS / 12)
const MONTHS_OF_YEAR = 12

/** The width of the buckets of a forecast: calendar months, or milliseconds that divide a day or are whole days. */
export type StepWidth = { readonly months: number } | { readonly ms: number }

/** @returns null for other texts */
export function stepOf(text: string): StepWidth | null {
  const months = CALENDAR_MONTHS[text]
  if (months !== undefined) return { months }
  if (!isFixedDuration(text)) return null
  const ms = durationMs(text)
  return ms > 0 && (ms % DAY_MS === 0 || DAY_MS % ms === 0) ? { ms } : null
}

/** The step as the engine takes it. */
export function engineStep(text: string): string | number {
  const step = stepOf(text)
  return step && 'ms' in step ? step.ms : text
}

/** How many steps a duration has; null unless it is a whole number of them. */
export function stepsIn(duration: string, step: StepWidth): number | null {
  const count = 'ms' in step ? fixedSteps(duration, step.ms) : calendarSteps(duration, step.months)
  return count !== null && Number.isInteger(count) && count > 0 ? count : null
}

function fixedSteps(duration: string, widthMs: number): number | null {
  return isFixedDuration(duration) ? durationMs(duration) / widthMs : null
}

function calendarSteps(duration: string, stepMonths: number): number | null {
  const { years, months, weeks, days, ...rest } = parsed(duration)
  return weeks === 0 && days === 0 && rest.isDate ? (years * MONTHS_OF_YEAR + months) / stepMonths : null
}

function parsed(duration: string) {
  const whole = Temporal.Duration.from(duration)
  const { years, months, weeks, days } = whole
  const isDate = whole.with({ years: 0, months: 0, weeks: 0, days: 0 }).blank
  return { years, months, weeks, days, isDate }
}

/** About how many milliseconds a step has. */
export function stepMs(step: StepWidth): number {
  return 'ms' in step ? step.ms : step.months * MONTH_MS
}

/** The borders of buckets of a value history from one instant to another: whole steps, or local days for steps of days and
 * months. */
export function historyEdges(
  { beginAt, endAt }: { readonly beginAt: number; readonly endAt: number },
  step: StepWidth,
  timeZone: string,
): number[] {
  if ('ms' in step && step.ms < DAY_MS) {
    const first = Math.ceil(beginAt / step.ms)
    const last = Math.floor(endAt / step.ms)
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => (first + place) * step.ms)
  }
  const edges: number[] = []
  const begin = Temporal.Instant.fromEpochMilliseconds(beginAt).toZonedDateTimeISO(timeZone).toPlainDate()
  for (let days = 0; ; days++) {
    const at = begin.add({ days }).toZonedDateTime(timeZone).epochMilliseconds
    if (at > endAt) return edges
    edges.push(at)
  }
}
