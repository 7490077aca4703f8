import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { lengthMs } from '../../lib/range.ts'
import { activeSpans, DAYS, minutesOf } from './active-time.ts'
import type { ActiveWindow } from './active-time.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'

const ZURICH = 'Europe/Zurich'
const ZONES = [ZURICH, 'UTC', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', '-03:30']
const OFFICE: ActiveWindow = {
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  begin: '08:00',
  end: '18:00',
}
const day = (date: string) => ({
  beginAt: Temporal.ZonedDateTime.from(`${date}T00:00[${ZURICH}]`).epochMilliseconds,
  endAt: Temporal.ZonedDateTime.from(`${date}T00:00[${ZURICH}]`).add({ days: 1 }).epochMilliseconds,
})
const everyDay = (begin: string, end: string) => [{ days: DAYS, begin, end }]

test.each([
  ['the hour that is skipped in spring is never active', '2026-03-29', ['02:00', '03:00'], 0],
  ['a window around it is an hour shorter', '2026-03-29', ['01:30', '03:30'], 1],
  ['the hour that comes twice in autumn is active twice', '2026-10-25', ['02:00', '03:00'], 2],
  ['so is each part of it', '2026-10-25', ['02:00', '02:30'], 1],
  ['a whole day of spring', '2026-03-29', ['00:00', '24:00'], 23],
  ['a whole day of autumn', '2026-10-25', ['00:00', '24:00'], 25],
] as const)('%s', (_, date, [begin, end], hours) => {
  expect(lengthMs(activeSpans(everyDay(begin, end), ZURICH, day(date))) / HOUR_MS).toBe(hours)
})

test('office hours of March 2026 are 22 days of ten hours', () => {
  const march = { beginAt: day('2026-03-01').beginAt, endAt: day('2026-04-01').beginAt }
  expect(lengthMs(activeSpans([OFFICE], ZURICH, march)) / HOUR_MS).toBe(220)
})

test('overlapping and adjacent windows count once', () => {
  const twice = [
    OFFICE,
    { ...OFFICE, begin: '12:00', end: '18:00' },
    { ...OFFICE, begin: '18:00', end: '19:00' },
  ]
  const spans = activeSpans(twice, ZURICH, day('2026-03-02'))
  expect(spans).toHaveLength(1)
  expect(lengthMs(spans) / HOUR_MS).toBe(11)
})

test('active time is every minute whose local time is in a window, in every time zone', () => {
  const time = fc.integer({ min: 0, max: 24 * 60 })
  const window = fc
    .record({ days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1 }), a: time, b: time })
    .filter(({ a, b }) => a !== b)
    .map(({ days, a, b }) => ({ days, begin: timeOf(Math.min(a, b)), end: timeOf(Math.max(a, b)) }))
  fc.assert(
    fc.property(
      fc.array(window, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...ZONES),
      // Around the nights of DST changes, and the day that Samoa skipped.
      fc.constantFrom(
        '2026-03-29T00:00Z',
        '2026-10-25T00:00Z',
        '2006-10-29T02:00Z',
        '2011-12-30T10:00Z',
        '2026-04-04T15:00Z',
      ),
      fc.integer({ min: 1, max: 1_800 }),
      (windows, zone, around, minutes) => {
        const beginAt = Date.parse(around.replace('Z', ':00Z')) - (minutes % 600) * MINUTE_MS
        const range = { beginAt, endAt: beginAt + minutes * MINUTE_MS }
        let naive = 0
        for (let at = beginAt; at < range.endAt; at += MINUTE_MS) if (isOpen(windows, zone, at)) naive++
        expect(lengthMs(activeSpans(windows, zone, range)) / MINUTE_MS).toBe(naive)
      },
    ),
    { numRuns: 60 },
  )
})

function isOpen(windows: readonly ActiveWindow[], zone: string, at: number): boolean {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const minute = local.hour * 60 + local.minute
  return windows.some(
    ({ days, begin, end }) =>
      days.some((name) => DAYS.indexOf(name) + 1 === local.dayOfWeek) &&
      minutesOf(begin) <= minute &&
      minute < minutesOf(end),
  )
}

function timeOf(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
