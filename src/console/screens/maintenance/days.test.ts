import { expect, test } from 'bun:test'

import { dayOf, daysOfMonth, instantOf, localOf, shiftByDays, shiftIn, shiftMonth } from './days.ts'

test('a month has whole weeks from Monday on', () => {
  const days = daysOfMonth('2026-11')
  expect([days.length, days[0], days.at(-1)]).toEqual([42, '2026-10-26', '2026-12-06'])
  expect(daysOfMonth('2027-02').length).toBe(28)
})

test('months are shifted over the ends of years', () => {
  expect(['2026-12', '2026-01'].map((month, at) => shiftMonth(month, at === 0 ? 1 : -1))).toEqual([
    '2027-01',
    '2025-12',
  ])
})

test('an instant has its day in the zone of the viewer', () => {
  const ms = Date.parse('2026-11-25T23:30:00Z')
  expect([dayOf(ms, 'UTC'), dayOf(ms, 'Europe/Amsterdam'), dayOf(ms, 'America/New_York')]).toEqual([
    '2026-11-25',
    '2026-11-26',
    '2026-11-25',
  ])
})

test('a local time becomes an instant and back', () => {
  for (const local of ['2026-11-25T14:30', '2026-07-01T00:00'])
    expect(localOf(instantOf(local, 'Europe/Amsterdam'), 'Europe/Amsterdam')).toBe(local)
})

test('a local time that summer time skips is the first instant after the gap, one that it repeats the first', () => {
  expect(new Date(instantOf('2026-03-29T02:30', 'Europe/Amsterdam')).toISOString()).toBe(
    '2026-03-29T01:30:00.000Z',
  )
  expect(new Date(instantOf('2026-10-25T02:30', 'Europe/Amsterdam')).toISOString()).toBe(
    '2026-10-25T00:30:00.000Z',
  )
})

test('a change of clocks is found to the minute', () => {
  const find = (begin: string, end: string, zone: string) => {
    const shift = shiftIn(Date.parse(begin), Date.parse(end), zone)
    return shift && [new Date(shift.at).toISOString(), shift.minutes]
  }
  expect(find('2027-01-01T00:00Z', '2027-12-01T00:00Z', 'Europe/Amsterdam')).toEqual([
    '2027-03-28T01:00:00.000Z',
    60,
  ])
  expect(find('2027-05-01T00:00Z', '2027-12-01T00:00Z', 'Europe/Amsterdam')).toEqual([
    '2027-10-31T01:00:00.000Z',
    -60,
  ])
  expect(find('2027-01-01T00:00Z', '2027-12-01T00:00Z', 'Australia/Lord_Howe')).toEqual([
    '2027-04-03T15:00:00.000Z',
    -30,
  ])
  expect(find('2027-01-01T00:00Z', '2027-12-01T00:00Z', 'UTC')).toBeNull()
})

test('an instant moves by days at the same local time', () => {
  const at = instantOf('2027-03-27T22:30', 'Europe/Amsterdam')
  expect(localOf(shiftByDays(at, 1, 'Europe/Amsterdam'), 'Europe/Amsterdam')).toBe('2027-03-28T22:30')
  expect(shiftByDays(at, 1, 'Europe/Amsterdam') - at).toBe(23 * 3_600_000)
})
