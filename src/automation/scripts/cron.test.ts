import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'

import { comes, nextAfter, nextRuns } from './cron.ts'

const ZURICH = 'Europe/Zurich'
const NOW = Date.UTC(2026, 10, 21)

function local(at: number, timeZone = ZURICH): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone)
  return `${zoned.toPlainDateTime().toString({ smallestUnit: 'minute' })}${zoned.offset}`
}

function runsFrom(cron: string, from: string, count: number, timeZone = ZURICH): string[] {
  return nextRuns(cron, timeZone, Date.parse(from), count).map((at) => local(at, timeZone))
}

test.each([
  '* * * * *',
  '0 0 29 2 *',
  '@daily',
  '0 12 * * MON-FRI',
  '0 0 L * *',
  '0 12 * * MON#2',
  ' 0  0 * * * ',
])('%p comes', (cron) => expect(comes(cron, ZURICH, NOW)).toBe(true))

test.each([
  '',
  'never',
  '* * * *',
  '* * * * * *',
  '0 0 1 1 * 2030',
  '60 * * * *',
  '*/0 * * * *',
  '5/15 * * * *',
  '* * * * 8',
  '0 0 30 2 *',
  '0 0 31 4 *',
  '@reboot',
  '? * * * *',
])('%p does not', (cron) => expect(comes(cron, ZURICH, NOW)).toBe(false))

describe('when a clock is changed', () => {
  test('a time of day that is left out comes when the clock goes on', () => {
    expect(runsFrom('30 2 * * *', '2026-03-27T12:00Z', 3)).toEqual([
      '2026-03-28T02:30+01:00',
      '2026-03-29T03:00+02:00',
      '2026-03-30T02:30+02:00',
    ])
    expect(runsFrom('30 2,3 * * *', '2026-03-28T12:00Z', 3)).toEqual([
      '2026-03-29T03:00+02:00',
      '2026-03-29T03:30+02:00',
      '2026-03-30T02:30+02:00',
    ])
  })

  test('a time of day that is there twice comes the first time', () => {
    expect(runsFrom('30 2 * * *', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T02:30+02:00',
      '2026-10-26T02:30+01:00',
    ])
    expect(runsFrom('0,30 2 * * *', '2026-10-24T12:00Z', 3)).toEqual([
      '2026-10-25T02:00+02:00',
      '2026-10-25T02:30+02:00',
      '2026-10-26T02:00+01:00',
    ])
  })

  test('what comes again and again follows the clock', () => {
    expect(runsFrom('*/30 * * * *', '2026-03-29T00:29Z', 3)).toEqual([
      '2026-03-29T01:30+01:00',
      '2026-03-29T03:00+02:00',
      '2026-03-29T03:30+02:00',
    ])
    expect(runsFrom('*/30 * * * *', '2026-10-25T00:00Z', 4)).toEqual([
      '2026-10-25T02:30+02:00',
      '2026-10-25T02:00+01:00',
      '2026-10-25T02:30+01:00',
      '2026-10-25T03:00+01:00',
    ])
    expect(runsFrom('0 */2 * * *', '2026-03-28T22:30Z', 2)).toEqual([
      '2026-03-29T00:00+01:00',
      '2026-03-29T04:00+02:00',
    ])
  })

  test('by half an hour it is the same', () =>
    expect(runsFrom('15 2 * * *', '2026-10-02T12:00Z', 3, 'Australia/Lord_Howe')).toEqual([
      '2026-10-03T02:15+10:30',
      '2026-10-04T02:30+11:00',
      '2026-10-05T02:15+11:00',
    ]))
})

describe('days of the month and of the week', () => {
  const days = (cron: string) => runsFrom(cron, '2026-11-25T12:00Z', 4).map((text) => text.slice(0, 10))

  test('have to agree where either begins with a star', () => {
    const oddMondays = ['2026-12-07', '2026-12-21', '2027-01-11', '2027-01-25']
    expect(days('0 0 */2 * 1')).toEqual(oddMondays)
    expect(days(' 0  0 */2 * MON ')).toEqual(oddMondays)
    // Sunday is 0: every other day of the week from it on.
    expect(days('0 0 1-7 * */6')).toEqual(['2026-12-05', '2026-12-06', '2027-01-02', '2027-01-03'])
    expect(days('0 0 * * 1')).toEqual(['2026-11-30', '2026-12-07', '2026-12-14', '2026-12-21'])
    expect(days('0 0 13 * *')).toEqual(['2026-12-13', '2027-01-13', '2027-02-13', '2027-03-13'])
  })

  test('are enough by themselves where both are named', () => {
    expect(days('0 0 13 * 5')).toEqual(['2026-11-27', '2026-12-04', '2026-12-11', '2026-12-13'])
    expect(days('0 0 1-31/2 * 1')).toEqual(['2026-11-27', '2026-11-29', '2026-11-30', '2026-12-01'])
  })
})

const ZONES = ['UTC', ZURICH, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Santiago']
const year = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) })

test('a time of day comes exactly once on every day, in every zone', () => {
  fc.assert(
    fc.property(fc.nat(23), fc.nat(59), fc.constantFrom(...ZONES), year, (hour, minute, timeZone, from) => {
      const days = nextRuns(`${minute} ${hour} * * *`, timeZone, from, 370).map((at) =>
        Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate(),
      )
      for (const [index, day] of days.slice(1).entries()) expect(days[index]?.until(day).days ?? 0).toBe(1)
    }),
    { numRuns: 60 },
  )
})

test('each instant follows the one before, and none is left out that another start would find', () => {
  const cron = fc.constantFrom(
    '* * * * *',
    '*/7 * * * *',
    '0 */3 * * *',
    '15 1-4 * * *',
    '30 2 * * SUN',
    '0 0 1 * *',
  )
  fc.assert(
    fc.property(cron, fc.constantFrom(...ZONES), year, fc.nat(1_000), (one, timeZone, from, share) => {
      const runs = nextRuns(one, timeZone, from, 20)
      expect(runs).toHaveLength(20)
      let before = from
      for (const at of runs) {
        expect(at).toBeGreaterThan(before)
        // A search from any instant in between finds the same.
        expect(nextAfter(one, timeZone, before + Math.floor(((at - 1 - before) * share) / 1_000))).toBe(at)
        before = at
      }
    }),
    { numRuns: 100 },
  )
})
