import { Temporal } from 'temporal-polyfill'
import { localInstant } from '../../lib/time.ts'
import type { ZonedWriter } from '../sql/dialects/writer.ts'
import { name, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import { DAY_S, floored, HOUR_S, offsetsOf, originS, stepSql } from '../sql/zone-steps.ts'
import type { Step } from '../sql/zone-steps.ts'

/** The units to which times are truncated: seconds, or months, each. */
const UNITS = {
  second: { seconds: 1 },
  minute: { seconds: 60 },
  hour: { seconds: HOUR_S },
  day: { seconds: DAY_S },
  week: { seconds: 7 * DAY_S },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { months: 12 },
} as const
export type TimeUnit = keyof typeof UNITS
export const TIME_UNITS = Object.keys(UNITS)

export const isTimeUnit = (text: string): text is TimeUnit => Object.hasOwn(UNITS, text)

/** Whether days have the unit. */
export function isOfDays(unit: TimeUnit): boolean {
  const span = UNITS[unit]
  return 'months' in span || span.seconds >= DAY_S
}

/** The beginning of the unit of an instant, by the clock of a zone, in the sense of `localInstant`. Those without a zone count as
 * UTC. */
export function truncatedInstant(
  unit: TimeUnit,
  instant: Fragment,
  { timeZone, writer }: { readonly timeZone: string; readonly writer: ZonedWriter },
): Fragment {
  const offsets = offsetsOf(timeZone)
  const starts = isOfDays(unit) ? startOffsets(unit, timeZone) : offsets
  const startOf = (utc: Fragment, local: Fragment) =>
    sql`(${startSql(unit, local, writer)} - ${stepSql(utc, starts, writer)})`
  const seconds = writer.seconds(instant)
  if (!writer.hasCorrelatedTables)
    return writer.instant(startOf(seconds, sql`(${seconds} + ${stepSql(seconds, offsets, writer)})`))
  const [utc, local] = [name('u'), name('l')]
  const times = sql`SELECT ${utc}, ${utc} + ${stepSql(utc, offsets, writer)} AS ${local} FROM (SELECT ${seconds} AS ${utc}) AS ${name('i')}`
  return writer.instant(sql`(SELECT ${startOf(utc, local)} FROM (${times}) AS ${name('j')})`)
}

/** The first day of the unit of a day. */
export function truncatedDay(unit: TimeUnit, day: Fragment, writer: ZonedWriter): Fragment {
  return writer.day(startSql(unit, writer.seconds(day), writer))
}

/** The beginning of the unit of a local time, both in seconds. */
function startSql(unit: TimeUnit, local: Fragment, writer: ZonedWriter): Fragment {
  const span = UNITS[unit]
  return 'months' in span
    ? writer.monthStart(local, span.months)
    : floored(local, span.seconds, originS(span.seconds))
}

const STEPS_MAX = 100
const known = new Map<string, readonly Step[]>()

/** The offset of the beginning of a unit, by a time within the unit: mostly the offset at this time, and another one after the
 * clock was set within the unit. */
function startOffsets(unit: TimeUnit, timeZone: string): readonly Step[] {
  const key = `${unit} ${timeZone}`
  const found = known.get(key)
  if (found) return found
  const offsets = offsetsOf(timeZone)
  const steps: Step[] = []
  for (const [at, { fromS, value: offsetS }] of offsets.entries()) {
    if (at === 0) {
      steps.push({ fromS, value: offsetS })
      continue
    }
    const untilS = offsets[at + 1]?.fromS ?? Number.POSITIVE_INFINITY
    for (let fromNow = fromS; fromNow < untilS;) {
      const { start, next } = unitAround(unit, fromNow + offsetS)
      const value = start - instantOf(start, timeZone)
      steps.push({ fromS: fromNow, value })
      if (value === offsetS) break
      fromNow = next - offsetS
    }
  }
  const changes = steps.filter(({ value }, at) => steps[at - 1]?.value !== value)
  if (known.size >= STEPS_MAX) known.clear()
  known.set(key, changes)
  return changes
}

/** The beginnings of the unit around a local time and of the next one, in seconds. */
function unitAround(unit: TimeUnit, local: number): { readonly start: number; readonly next: number } {
  const span = UNITS[unit]
  if ('seconds' in span) {
    const { seconds } = span
    const past = (((local + originS(seconds)) % seconds) + seconds) % seconds
    return { start: local - past, next: local - past + seconds }
  }
  const at = new Date(local * 1_000)
  const month = at.getUTCMonth() - (at.getUTCMonth() % span.months)
  const startOf = (more: number) => Date.UTC(at.getUTCFullYear(), month + more) / 1_000
  return { start: startOf(0), next: startOf(span.months) }
}

function instantOf(local: number, timeZone: string): number {
  const at = Temporal.Instant.fromEpochMilliseconds(local * 1_000).toZonedDateTimeISO('UTC')
  return localInstant(at.toPlainDate(), at.toPlainTime().toString(), timeZone) / 1_000
}
