import { Temporal } from 'temporal-polyfill'
import { Refusal } from '../../lib/errors.ts'
import { DAY_MS } from '../../lib/time.ts'

/** Buckets of one answer. */
const BUCKETS_MAX = 2_000

const BUCKETS_BY_DEFAULT = 200

export type BucketRange = {
  readonly beginAt: number
  readonly endAt: number
  readonly scale: Temporal.Duration
  readonly timeZone: string
  /** Whether buckets of elapsed time begin on multiples of the scale on the zone's clock, instead of at `beginAt`. */
  readonly isOnClock?: boolean
}

/**
 * Returns the ascending edges of the half-open buckets that cover [beginAt, endAt): bucket i is [edge i, edge i + 1).
 *
 * A scale of years, months, weeks and days only follows the calendar of `timeZone`: its edges are midnights, on
 * Mondays, firsts of a month or first of January when its smallest unit is the week, month or year. They are counted
 * from the one at or before `beginAt`; the first and last bucket are clipped to the range. Every other scale is elapsed
 * time counted from `beginAt`, or from the clock before it, where a day is 24 hours. An empty range has one edge and no
 * bucket.
 * @throws Refusal too_many_buckets for more than BUCKETS_MAX
 * @throws RangeError for a range that ends before it begins, a scale that is not positive, or an unknown time zone
 */
export function bucketEdges(range: BucketRange): number[] {
  const { beginAt, endAt, scale } = range
  if (endAt < beginAt) throw new RangeError('the range ends before it begins')
  if (scale.sign <= 0) throw new RangeError('a scale must be longer than zero')

  const edges = [beginAt]
  let lastAt = beginAt
  const edgeAt = isCalendar(scale) ? calendarEdges(range) : elapsedEdges(range)
  for (let index = 1; edges.length <= BUCKETS_MAX; index++) {
    const edge = edgeAt(index)
    if (edge >= endAt) break
    // A day that the zone skipped, or a clock that was set back over midnight, results in an edge that is not later
    // than the previous one.
    if (edge > lastAt) {
      edges.push(edge)
      lastAt = edge
    }
  }
  if (endAt > beginAt) edges.push(endAt)
  if (edges.length - 1 > BUCKETS_MAX) throw tooMany()

  return edges
}

/** Scales that align with clocks and calendars, with the least time of each. */
const ROUND_SCALES: readonly (readonly [scale: string, leastMs: number])[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => [`PT${count}S`, count * 1_000] as const),
  ...[1, 2, 5, 10, 15, 30].map((count) => [`PT${count}M`, count * 60_000] as const),
  ...[1, 2, 3, 6, 12].map((count) => [`PT${count}H`, count * 3_600_000] as const),
  ['P1D', DAY_MS],
  ['P1W', 7 * DAY_MS],
  ['P1M', 28 * DAY_MS],
  ['P1Y', 365 * DAY_MS],
  ['P10Y', 3_650 * DAY_MS],
]

/** The shortest round scale that cuts [beginAt, endAt) into at most about 200 buckets. */
export function defaultScale(beginAt: number, endAt: number): Temporal.Duration {
  const leastMs = (endAt - beginAt) / BUCKETS_BY_DEFAULT
  return Temporal.Duration.from(ROUND_SCALES.find(([, ms]) => ms >= leastMs)?.[0] ?? 'P100Y')
}

function isCalendar(scale: Temporal.Duration): boolean {
  return scale.with({ years: 0, months: 0, weeks: 0, days: 0 }).blank
}

function elapsedEdges(range: BucketRange): (index: number) => number {
  const { beginAt, endAt, scale } = range
  const begin = Temporal.Instant.fromEpochMilliseconds(beginAt).toZonedDateTimeISO('UTC')
  const scaleMs = orInfinity(() => scale.total({ unit: 'millisecond', relativeTo: begin }))
  if ((endAt - beginAt) / scaleMs > BUCKETS_MAX) throw tooMany()

  // Samples have whole milliseconds, so an edge between two milliseconds can be rounded up.
  const anchorAt = range.isOnClock ? beginAt - overClock(range, scaleMs) : beginAt
  return (index) => Math.ceil(anchorAt + index * scaleMs)
}

/** How long before `beginAt` the zone's clock showed a multiple of the scale. */
function overClock({ beginAt, timeZone }: BucketRange, scaleMs: number): number {
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(beginAt).toZonedDateTimeISO(timeZone)
  const over = (beginAt + offsetNanoseconds / 1e6) % scaleMs
  return over < 0 ? over + scaleMs : over
}

function calendarEdges({ beginAt, endAt, scale, timeZone }: BucketRange): (index: number) => number {
  if ((endAt - beginAt) / longestMs(scale) > BUCKETS_MAX) throw tooMany()

  const { years, months, weeks, days } = scale
  const anchor = borderBefore(beginAt, scale, timeZone)

  return (index) => {
    const step = { years: years * index, months: months * index, weeks: weeks * index, days: days * index }

    return orInfinity(() => anchor.add(step).toZonedDateTime(timeZone).epochMilliseconds)
  }
}

function borderBefore(beginAt: number, scale: Temporal.Duration, timeZone: string): Temporal.PlainDate {
  const day = Temporal.Instant.fromEpochMilliseconds(beginAt).toZonedDateTimeISO(timeZone).toPlainDate()
  if (scale.days > 0) return day
  if (scale.weeks > 0) return day.subtract({ days: day.dayOfWeek - 1 })
  if (scale.months > 0) return day.with({ day: 1 })

  return day.with({ month: 1, day: 1 })
}

/** A day may take more than 24 hours, and never takes 48, so this many days and one more hold one step of `scale`. */
function longestMs({ years, months, weeks, days }: Temporal.Duration): number {
  return (years * 366 + months * 31 + weeks * 7 + days + 1) * DAY_MS
}

/** Temporal's calendar ends in the year 275760; edges beyond it are beyond every range. */
function orInfinity(ask: () => number): number {
  try {
    return ask()
  } catch (error) {
    if (error instanceof RangeError) return Infinity
    throw error
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'too_many_buckets',
    `The range has more than ${BUCKETS_MAX} buckets of this scale. Use a longer scale or a shorter range.`,
    [{ pointer: '?scale', message: `results in more than ${BUCKETS_MAX} buckets` }],
  )
}
