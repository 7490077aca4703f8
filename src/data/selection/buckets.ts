import { Temporal } from 'temporal-polyfill'
import type { Writer } from '../sql/dialects/writer.ts'
import { sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import { DAY_S, floored, HOUR_S, offsetsOf, originS, stepSql } from '../sql/zone-steps.ts'
import { localInstant, timeFormat } from '../../lib/time.ts'

/** Spans of time on the clock of a zone. Spans of an hour at most are of equal length; longer ones begin at the same local
 * time, and may be longer or shorter by what the clock was set. */
export type Bucket = {
  readonly unit: 'seconds' | 'months'
  readonly count: number
  readonly timeZone: string
  /** Whether days are counted, which have no time and no zone. */
  readonly isOfDays: boolean
}

const SECONDS: Readonly<Record<string, number>> = { TS: 1, TM: 60, TH: HOUR_S, D: DAY_S, W: 7 * DAY_S }
const MONTHS: Readonly<Record<string, number>> = { M: 1, Y: 12 }

/** The span of an ISO 8601 duration: seconds that divide an hour, hours that divide a day, a day, a week, months that divide a
 * year, or a year; null for any other. */
export function bucketOf(text: string): Pick<Bucket, 'unit' | 'count'> | null {
  const [, time = '', digits = '', letter = ''] = /^P(T?)([1-9]\d{0,4})([DWMYHS])$/.exec(text) ?? []
  const months = Number(digits) * (MONTHS[time + letter] ?? Number.NaN)
  if (12 % months === 0) return { unit: 'months', count: months }
  const seconds = Number(digits) * (SECONDS[time + letter] ?? Number.NaN)
  const isRound = HOUR_S % seconds === 0 || (DAY_S % seconds === 0 && seconds % HOUR_S === 0)
  return isRound || seconds === 7 * DAY_S ? { unit: 'seconds', count: seconds } : null
}

/** Whether a bucket is too short for days. */
export function isShorterThanDay({ unit, count }: Pick<Bucket, 'unit' | 'count'>): boolean {
  return unit === 'seconds' && count < DAY_S
}

/** The local time of an instant in seconds. */
export function localSql(seconds: Fragment, { timeZone, isOfDays }: Bucket, writer: Writer): Fragment {
  if (isOfDays) return seconds
  return sql`(${seconds} + ${stepSql(seconds, offsetsOf(timeZone), writer)})`
}

/** The number that stands for the bucket of a time: `bucketStart` gives its beginning. It grows with the time.
 * @param times the time in seconds, in UTC and on the clock of the zone */
export function bucketSql(
  { unit, count }: Bucket,
  { utc, local }: { readonly utc: Fragment; readonly local: Fragment },
  writer: Writer,
): Fragment {
  if (unit === 'months') return floored(writer.months(local), count)
  const start = floored(local, count, originS(count))
  return count <= HOUR_S ? sql`(${start} - (${local} - ${utc}))` : start
}

/** The function that writes the beginning of the bucket that a number stands for. */
export function bucketStart({ unit, count, timeZone, isOfDays }: Bucket): (key: number) => string {
  const format = timeFormat(timeZone)
  if (unit === 'seconds' && count <= HOUR_S && !isOfDays) return (key) => format(key * 1_000)
  return (key) => {
    const local = unit === 'months' ? ofMonths(key) : ofSeconds(key)
    if (isOfDays) return local.toPlainDate().toString()
    return format(localInstant(local.toPlainDate(), local.toPlainTime().toString(), timeZone))
  }
}

function ofMonths(key: number): Temporal.PlainDateTime {
  return Temporal.PlainDateTime.from({ year: Math.floor(key / 12), month: (key % 12) + 1, day: 1 })
}

function ofSeconds(key: number): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(key * 1_000)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
}
