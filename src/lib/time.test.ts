import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'

import { isTimeZone, localInstant, parseInstant, timeFormat } from './time.ts'

const ZONES = [
  'UTC',
  'Europe/Zurich',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
]

const YEAR_1900 = Date.UTC(1900, 0, 1)
const YEAR_2100 = Date.UTC(2100, 0, 1)
const FIRST_DAY = Date.parse('0000-01-01T00:00:00Z')
const LAST_DAY = Date.parse('9999-12-31T23:59:59.999Z')

test('keeps formatters of 20 spellings of zones at most', () => {
  const spellings = Array.from({ length: 21 }, (_, index) =>
    Array.from('europe/zurich', (letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
  )
  const [first = ''] = spellings
  const format = timeFormat(first)
  expect(timeFormat(first)).toBe(format)
  for (const spelling of spellings) expect(timeFormat(spelling)(0)).toBe('1970-01-01T01:00:00+01:00')
  expect(timeFormat(first)).not.toBe(format)
})

describe.each(ZONES)('in %s', (zone) => {
  test('one formatter writes random instants in any order as Temporal does', () => {
    const format = timeFormat(zone)
    fc.assert(
      fc.property(fc.integer({ min: YEAR_1900, max: YEAR_2100 }), (at) => {
        expect(format(at)).toBe(expected(at, zone))
      }),
      { numRuns: 500 },
    )
  })

  test('one formatter writes every instant around each change of offset as Temporal does', () => {
    const format = timeFormat(zone)
    let change = Temporal.Instant.fromEpochMilliseconds(Date.UTC(2005, 0, 1)).toZonedDateTimeISO(zone)
    for (let count = 0; count < 80; count += 1) {
      const next = change.getTimeZoneTransition('next')
      if (next === null || next.year > 2045) return
      change = next
      for (const offsetMs of [-3_600_001, -1, 0, 1, 1_800_000, 3_599_999, 3_600_000, -1, 0]) {
        const at = change.epochMilliseconds + offsetMs
        expect(format(at)).toBe(expected(at, zone))
      }
    }
  })

  test('years far away and at the ends of the calendar are exact', () => {
    const format = timeFormat(zone)
    const edges = [FIRST_DAY, LAST_DAY, LAST_DAY + 1, FIRST_DAY - 1, Date.UTC(10_000, 5, 1), -1, 0, 1]
    for (const at of edges) expect(format(at)).toBe(expected(at, zone))
    fc.assert(
      fc.property(fc.integer({ min: FIRST_DAY - 86_400_000, max: LAST_DAY + 86_400_000 }), (at) => {
        expect(format(at)).toBe(expected(at, zone))
      }),
      { numRuns: 300 },
    )
  })

  test('what is written reads back as the instant', () => {
    const format = timeFormat(zone)
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1975, 0, 1), max: YEAR_2100 }), (at) => {
        expect(parseInstant(format(at))).toBe(at)
      }),
    )
  })
})

test('milliseconds are written only where there are any', () => {
  const format = timeFormat('Europe/Zurich')
  expect(format(Date.UTC(2026, 2, 2, 8, 15))).toBe('2026-03-02T09:15:00+01:00')
  expect(format(Date.UTC(2026, 2, 2, 8, 15, 0, 20))).toBe('2026-03-02T09:15:00.020+01:00')
})

test('an unknown zone is refused', () => {
  expect(() => timeFormat('Mars/Olympus')).toThrow(RangeError)
})

test.each([
  ['2026-03-02T09:15:00+01:00', Date.UTC(2026, 2, 2, 8, 15)],
  ['2026-03-02T09:15+01:00', Date.UTC(2026, 2, 2, 8, 15)],
  ['2026-03-02T08:15:00.5Z', Date.UTC(2026, 2, 2, 8, 15, 0, 500)],
  ['1969-12-31T23:59:59.999Z', -1],
])('%s is the instant %p', (text, at) => {
  expect(parseInstant(text)).toBe(at)
})

test.each([
  '2026-03-02T09:15:00',
  '2026-03-02',
  '09:15Z',
  '',
  'now',
  '2026-02-30T00:00:00Z',
  '2026-03-02T25:00Z',
])('%p names no instant and is refused', (text) => {
  expect(() => parseInstant(text)).toThrow(RangeError)
})

test.each([
  ['Europe/Zurich', true],
  ['UTC', true],
  ['+02:00', true],
  ['Mars/Olympus', false],
  ['', false],
])('%p is a time zone: %p', (zone, known) => {
  expect(isTimeZone(zone)).toBe(known)
})

test.each([
  ['Europe/Zurich', '2027-03-28', '01:59', '2027-03-28T01:59:00+01:00'],
  ['Europe/Zurich', '2027-03-28', '02:00', '2027-03-28T03:00:00+02:00'],
  ['Europe/Zurich', '2027-03-28', '02:59', '2027-03-28T03:00:00+02:00'],
  ['Europe/Zurich', '2027-03-28', '03:00', '2027-03-28T03:00:00+02:00'],
  ['Europe/Zurich', '2027-10-31', '02:30', '2027-10-31T02:30:00+02:00'],
  ['Europe/Zurich', '2027-10-31', '03:00', '2027-10-31T03:00:00+01:00'],
  ['America/Santiago', '2026-09-06', '00:00', '2026-09-06T01:00:00-03:00'],
  ['America/Santiago', '2026-04-04', '23:30', '2026-04-04T23:30:00-03:00'],
  ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-04T02:30:00+11:00'],
  ['Australia/Lord_Howe', '2026-04-05', '01:45', '2026-04-05T01:45:00+11:00'],
  // A day that there was not.
  ['Pacific/Apia', '2011-12-30', '12:00', '2011-12-31T00:00:00+14:00'],
])('in %s the local time %s %s begins at %s', (zone, date, time, instant) => {
  expect(timeFormat(zone)(localInstant(Temporal.PlainDate.from(date), time, zone))).toBe(instant)
})

function expected(at: number, zone: string): string {
  const there = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const smallestUnit = there.millisecond === 0 ? 'second' : 'millisecond'
  return there.toPlainDateTime().toString({ smallestUnit }) + there.offset
}
