import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { durationMs } from '../../lib/duration.ts'
import { DAY_MS, MINUTE_MS, timeFormat } from '../../lib/time.ts'
import {
  countOccurrences,
  ENTRY_TYPES,
  isActiveAt,
  localTime,
  nextChange,
  occurrencesIn,
} from './occurrences.ts'
import type { Entry, EntryTime, Schedule } from './occurrences.ts'

const ZURICH = 'Europe/Zurich'

const at = (text: string) => Date.parse(text)
const scheduleOf = (begin: string, end: string, ...active: Entry[]): Schedule => ({
  beginAt: at(begin),
  endAt: at(end),
  active,
})
const entry = (type: Entry['type'], time: EntryTime, more: Partial<Entry> = {}): Entry => ({
  type,
  timezone: ZURICH,
  exception: false,
  times: [time],
  ...more,
})

/** All occurrences, in the time of Zurich. */
function shown(schedule: Schedule): string[] {
  const format = timeFormat(ZURICH)
  return occurrencesIn(schedule, schedule).map(({ beginAt, endAt }) => `${format(beginAt)} ${format(endAt)}`)
}

describe('local times', () => {
  const night = (date: string, begin: string, duration = 'PT1H') =>
    entry('one_time', { date, begin, duration })
  test('in a DST gap begin at the first instant after it', () => {
    expect(shown(scheduleOf('2026-03-28T00:00Z', '2026-03-30T00:00Z', night('2026-03-29', '02:30')))).toEqual(
      ['2026-03-29T03:00:00+02:00 2026-03-29T04:00:00+02:00'],
    )
  })
  test('that occur twice begin the first time', () => {
    expect(shown(scheduleOf('2026-10-24T00:00Z', '2026-10-26T00:00Z', night('2026-10-25', '02:30')))).toEqual(
      ['2026-10-25T02:30:00+02:00 2026-10-25T02:30:00+01:00'],
    )
  })
  test('have their length in elapsed time, across DST changes', () => {
    const across = night('2026-03-28', '23:00', 'PT6H')
    expect(shown(scheduleOf('2026-03-28T00:00Z', '2026-03-30T00:00Z', across))).toEqual([
      '2026-03-28T23:00:00+01:00 2026-03-29T06:00:00+02:00',
    ])
  })
  test('with a length of days use the calendar, with additional hours in elapsed time', () => {
    const [begin, end] = ['2027-03-27T00:00Z', '2027-11-02T00:00Z']
    const lasting = (date: string, duration: string) =>
      shown(scheduleOf(begin, end, night(date, '00:00', duration)))
    expect(lasting('2027-03-28', 'P1D')).toEqual(['2027-03-28T00:00:00+01:00 2027-03-29T00:00:00+02:00'])
    expect(lasting('2027-10-31', 'P1D')).toEqual(['2027-10-31T00:00:00+02:00 2027-11-01T00:00:00+01:00'])
    expect(lasting('2027-10-31', 'PT24H')).toEqual(['2027-10-31T00:00:00+02:00 2027-10-31T23:00:00+01:00'])
    expect(lasting('2027-10-25', 'P1W')).toEqual(['2027-10-25T00:00:00+02:00 2027-11-01T00:00:00+01:00'])
    expect(lasting('2027-10-31', 'P1DT2H')).toEqual(['2027-10-31T00:00:00+02:00 2027-11-01T02:00:00+01:00'])
  })
  test('of each day stay the same in summer and winter', () => {
    const daily = entry('daily', { begin: '02:00', duration: 'PT1H' })
    expect(shown(scheduleOf('2026-03-27T12:00Z', '2026-03-31T00:00Z', daily))).toEqual([
      '2026-03-28T02:00:00+01:00 2026-03-28T03:00:00+01:00',
      '2026-03-29T03:00:00+02:00 2026-03-29T04:00:00+02:00',
      '2026-03-30T02:00:00+02:00 2026-03-30T03:00:00+02:00',
    ])
  })
  test('of an instant are in the time zone', () => {
    expect(localTime(at('2026-07-01T00:00Z'), ZURICH)).toBe('02:00')
    expect(localTime(at('2026-01-01T01:00Z'), ZURICH)).toBe('02:00')
    expect(localTime(at('2026-01-01T01:00Z'), 'Asia/Kathmandu')).toBe('06:45')
  })
})

describe('a schedule', () => {
  const JANUARY = ['2026-01-01T00:00:00+01:00', '2026-02-01T00:00:00+01:00'] as const
  test('covers its whole range without entries, also if it has only an exception', () => {
    expect(shown(scheduleOf(...JANUARY))).toEqual([JANUARY.join(' ')])
    const lunch = entry(
      'one_time',
      { date: '2026-01-05', begin: '12:00', duration: 'PT1H' },
      { exception: true },
    )
    expect(shown(scheduleOf('2026-01-05T00:00:00+01:00', '2026-01-06T00:00:00+01:00', lunch))).toEqual([
      '2026-01-05T00:00:00+01:00 2026-01-05T12:00:00+01:00',
      '2026-01-05T13:00:00+01:00 2026-01-06T00:00:00+01:00',
    ])
  })
  test('has weekly days without exceptions, and is cut at its end', () => {
    const fridays = entry('weekly', { weekday: 5, begin: '22:00', duration: 'PT4H' })
    const holiday = entry(
      'one_time',
      { date: '2026-01-16', begin: '00:00', duration: 'P2D' },
      { exception: true },
    )
    expect(shown(scheduleOf(JANUARY[0], '2026-01-30T23:00:00+01:00', fridays, holiday))).toEqual([
      '2026-01-02T22:00:00+01:00 2026-01-03T02:00:00+01:00',
      '2026-01-09T22:00:00+01:00 2026-01-10T02:00:00+01:00',
      '2026-01-23T22:00:00+01:00 2026-01-24T02:00:00+01:00',
      '2026-01-30T22:00:00+01:00 2026-01-30T23:00:00+01:00',
    ])
  })
  test('of months has only months with the day', () => {
    const last = entry('monthly', { day: 31, begin: '00:00', duration: 'PT1H' })
    expect(
      shown(scheduleOf('2026-01-01T00:00Z', '2026-06-01T00:00Z', last)).map((text) => text.slice(0, 10)),
    ).toEqual(['2026-01-31', '2026-03-31', '2026-05-31'])
  })
  test('changes when its next occurrence begins or this one ends, at any distance', () => {
    const far = entry('one_time', { date: '2035-05-05', begin: '05:00', duration: 'P30D' })
    const schedule = scheduleOf('2026-01-01T00:00Z', '2036-01-01T00:00Z', far)
    const beginAt = at('2035-05-05T05:00:00+02:00')
    expect(nextChange(schedule, at('2020-01-01T00:00Z'))).toBe(beginAt)
    expect(nextChange(schedule, beginAt)).toBe(beginAt + 30 * DAY_MS)
    expect(nextChange(schedule, beginAt + 30 * DAY_MS)).toBeNull()
    expect(nextChange(scheduleOf(...JANUARY), at(JANUARY[0]) - 5)).toBe(at(JANUARY[0]))
    expect(nextChange(scheduleOf(...JANUARY), at(JANUARY[0]))).toBe(at(JANUARY[1]))
  })
  test('has at most the counted number of occurrences', () => {
    const range = { beginAt: at(JANUARY[0]), endAt: at(JANUARY[1]) }
    const time = { begin: '00:00', duration: 'PT1H' }
    expect(countOccurrences([entry('daily', time)], range)).toBe(32)
    expect(countOccurrences([entry('weekly', time)], range)).toBe(5)
    expect(countOccurrences([entry('monthly', time)], range)).toBe(2)
    expect(
      countOccurrences([entry('one_time', time, { times: [time, time] }), entry('manual', time)], range),
    ).toBe(3)
  })
})

const ZONES = [
  'UTC',
  ZURICH,
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Pacific/Chatham',
]
/** Around changes of the clocks on both halves of the globe, and in between. */
const STARTS = [
  '2026-03-05',
  '2026-03-26',
  '2026-04-01',
  '2026-04-22',
  '2026-08-30',
  '2026-10-01',
  '2026-10-21',
]

const someTime = fc.record({
  begin: fc.oneof(
    fc.constantFrom('00:00', '00:30', '02:00', '02:15', '02:30', '03:00', '23:59'),
    fc.nat({ max: 1_439 }).map((n) => new Date(n * MINUTE_MS).toISOString().slice(11, 16)),
  ),
  duration: fc.constantFrom('PT1M', 'PT45M', 'PT1H', 'PT5H', 'P1D', 'P1DT3H', 'PT40H'),
  day: fc.nat({ max: 11 }),
})
const someEntries = fc.array(
  fc.record({
    type: fc.constantFrom(...ENTRY_TYPES),
    timezone: fc.constantFrom(...ZONES),
    exception: fc.boolean(),
    times: fc.array(someTime, { minLength: 1, maxLength: 2 }),
  }),
  { maxLength: 3 },
)
const someSchedules = fc
  .record({ start: fc.constantFrom(...STARTS), hours: fc.nat({ max: 24 * 14 }), entries: someEntries })
  .map(({ start, hours, entries }): Schedule => {
    const dayOf = (day: number) => new Date(at(start) + day * DAY_MS)
    return {
      beginAt: at(start) + DAY_MS,
      endAt: at(start) + DAY_MS + hours * 3_600_000,
      active: entries.map(({ type, times, ...rest }) => ({
        ...rest,
        type,
        times: times.map(({ day, ...time }) => ({
          ...time,
          ...(type === 'one_time' && { date: dayOf(day).toISOString().slice(0, 10) }),
          ...(type === 'weekly' && { weekday: (day % 7) + 1 }),
          ...(type === 'monthly' && { day: day === 0 ? 31 : dayOf(day).getUTCDate() }),
        })),
      })),
    }
  })

describe('a schedule compared with a model that checks every minute', () => {
  test('has the same occurrences, activity and next change, in every time zone', () => {
    fc.assert(
      fc.property(someSchedules, fc.nat({ max: 1_000 }), (schedule, chance) => {
        const applies = naive(schedule)
        const occurrences = occurrencesIn(schedule, schedule)
        const within = (instant: number) =>
          occurrences.some(({ beginAt, endAt }) => beginAt <= instant && instant < endAt)
        // No occurrence begins or ends within a minute, so one instant stands for all.
        for (
          let instant = schedule.beginAt - DAY_MS;
          instant < schedule.endAt + DAY_MS;
          instant += 15 * MINUTE_MS
        ) {
          const probe = instant + (chance % 15) * MINUTE_MS
          if (within(probe) !== applies(probe))
            expect([probe, within(probe)]).toEqual([probe, applies(probe)])
        }
        for (const { beginAt, endAt } of occurrences) {
          for (const [instant, wanted] of [
            [beginAt - 1, false],
            [beginAt, true],
            [endAt - 1, true],
            [endAt, false],
          ] as const) {
            expect([instant, applies(instant)]).toEqual([instant, wanted])
          }
        }
        const changes = occurrences.flatMap(({ beginAt, endAt }) => [beginAt, endAt])
        const probe = schedule.beginAt + (chance / 1_000) * (schedule.endAt - schedule.beginAt)
        for (const instant of [Math.floor(probe), schedule.beginAt - 1, ...changes.slice(0, 4)]) {
          expect(nextChange(schedule, instant)).toBe(changes.find((change) => change > instant) ?? null)
          expect(isActiveAt(schedule, instant)).toBe(applies(instant))
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

/** Whether a schedule applies at an instant, by looking at every day and asking `Intl` what the clocks show. */
function naive({ beginAt, endAt, active }: Schedule): (instant: number) => boolean {
  const begins = active.map(({ type, timezone, times }) =>
    times.flatMap((time) => {
      const found: (readonly [number, number])[] = []
      for (let day = beginAt - 5 * DAY_MS; day < endAt + 3 * DAY_MS; day += DAY_MS) {
        const date = new Date(day)
        const isDay = {
          one_time: date.toISOString().slice(0, 10) === time.date,
          daily: true,
          manual: false,
          weekly: (date.getUTCDay() || 7) === time.weekday,
          monthly: date.getUTCDate() === time.day,
        }[type]
        if (!isDay) continue
        const wall = at(`${date.toISOString().slice(0, 10)}T${time.begin}Z`)
        const days = Number(/^P(\d+)D/.exec(time.duration)?.[1] ?? 0)
        const last = instantOf(wall + days * DAY_MS, timezone)
        found.push([instantOf(wall, timezone), last + durationMs(time.duration) - days * DAY_MS])
      }
      return found
    }),
  )
  const applies = (index: number, instant: number) =>
    active[index]?.type === 'manual' ||
    (begins[index] ?? []).some(([begin, end]) => begin <= instant && instant < end)
  const anyOf = (exception: boolean, instant: number) =>
    active.some((one, index) => one.exception === exception && applies(index, instant))
  return (instant) =>
    instant >= beginAt &&
    instant < endAt &&
    (active.every(({ exception }) => exception) || anyOf(false, instant)) &&
    !anyOf(true, instant)
}

/** The instant at which the clock shows a wall time, given as if it were UTC: the first of two; in a gap, the first
 * minute after it. */
function instantOf(wall: number, timezone: string): number {
  const [before, after] = [offsetAt(wall - DAY_MS, timezone), offsetAt(wall + DAY_MS, timezone)]
  const fits = [before, after]
    .map((offset) => wall - offset)
    .filter((one) => one + offsetAt(one, timezone) === wall)
  if (fits.length > 0) return Math.min(...fits)
  let instant = wall - before
  while (offsetAt(instant - MINUTE_MS, timezone) === after) instant -= MINUTE_MS
  return instant
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function offsetAt(instant: number, timezone: string): number {
  const numeric = 'numeric'
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric } as const
  const clock =
    clocks.get(timezone) ??
    new Intl.DateTimeFormat('en-US', { ...parts, timeZone: timezone, hourCycle: 'h23' })
  clocks.set(timezone, clock)
  const shownAt = Object.fromEntries(
    clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = shownAt
  const minuteAt = instant - (((instant % MINUTE_MS) + MINUTE_MS) % MINUTE_MS)
  return Date.UTC(year, month - 1, day, hour, minute) - minuteAt
}
