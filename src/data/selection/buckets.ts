import { Temporal } from 'temporal-polyfill'
import type { Writer } from '../sql/dialects/writer.ts'
import { raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import { localInstant, spanAround, timeFormat } from '../../lib/time.ts'

const DAY_S = 86_400
const HOUR_S = 3_600

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
export function localSql(seconds: Fragment, { timeZone, isOfDays }: Bucket): Fragment {
  if (isOfDays) return seconds
  return sql`(${seconds} + ${offsetSql(seconds, offsetsOf(timeZone))})`
}

/** The number that stands for the bucket of a time: `bucketStart` gives its beginning. It grows with the time.
 * @param times the time in seconds, in UTC and on the clock of the zone */
export function bucketSql(
  { unit, count }: Bucket,
  { utc, local }: { readonly utc: Fragment; readonly local: Fragment },
  writer: Writer,
): Fragment {
  if (unit === 'months') return floored(writer.months(local), count, 0)
  // 1970 began on a Thursday.
  const start = floored(local, count, count === 7 * DAY_S ? 3 * DAY_S : 0)
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

/** The greatest multiple of a count up to a number, counted from `-origin`. */
function floored(number: Fragment, count: number, origin: number): Fragment {
  const shifted = origin === 0 ? number : sql`(${number} + ${raw(String(origin))})`
  const size = raw(String(count))
  return sql`(${number} - ((${shifted} % ${size} + ${size}) % ${size}))`
}

/** A span of constant offset: from its first second on. */
type Offset = { readonly fromS: number; readonly offsetS: number }

const FIRST_MS = Date.UTC(1900, 0)
const LAST_MS = Date.UTC(2100, 0)
const ZONES_MAX = 50
const zones = new Map<string, readonly Offset[]>()

/** The offsets of a zone from 1900 to 2100. They come from here: databases have other rules, or none. */
function offsetsOf(timeZone: string): readonly Offset[] {
  const known = zones.get(timeZone)
  if (known) return known
  const offsets: Offset[] = []
  for (let at = FIRST_MS; at < LAST_MS;) {
    const { untilAt, offsetMs } = spanAround(at, timeZone)
    const offsetS = Math.round(offsetMs / 1_000)
    if (offsets.at(-1)?.offsetS !== offsetS) offsets.push({ fromS: Math.round(at / 1_000), offsetS })
    at = untilAt
  }
  if (zones.size >= ZONES_MAX) zones.clear()
  zones.set(timeZone, offsets)
  return offsets
}

/** The offset at a time, as a balanced tree: its depth is the logarithm of the number of spans. */
function offsetSql(seconds: Fragment, offsets: readonly Offset[]): Fragment {
  const middle = offsets.length >> 1
  const at = offsets[middle]
  if (middle === 0 || !at) return raw(`(${offsets[0]?.offsetS ?? 0})`)
  const [before, after] = [offsets.slice(0, middle), offsets.slice(middle)]
  return sql`CASE WHEN ${seconds} < ${raw(`(${at.fromS})`)} THEN ${offsetSql(seconds, before)} ELSE ${offsetSql(seconds, after)} END`
}
