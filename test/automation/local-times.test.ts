import { expect, test } from 'bun:test'

import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'

import { nextAfter, nextRuns } from '../../src/automation/scripts/cron.ts'
import { localInstant } from '../../src/lib/time.ts'
import { quietUntil } from '../../src/monitoring/notifications/outbox/duty.ts'
import { nextChange } from '../../src/monitoring/revaluations/occurrences.ts'

const DAY_MS = 86_400_000
const ZONES = [
  'UTC',
  'Europe/Zurich',
  'America/Santiago',
  'Australia/Lord_Howe',
  'America/New_York',
  'America/St_Johns',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Pacific/Chatham',
]

/** The days of a year on which the clock of a zone is changed, with both their neighbours, and some others. */
function daysOf(zone: string, year: number): Temporal.PlainDate[] {
  const days = [Temporal.PlainDate.from({ year, month: 1, day: 1 })]
  let at = Temporal.ZonedDateTime.from({ timeZone: zone, year, month: 1, day: 1 })
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (!next || next.year !== year) return days
    for (const away of [-1, 0, 1]) days.push(next.toPlainDate().add({ days: away }))
    at = next
  }
}

const moment = fc.record({
  zone: fc.constantFrom(...ZONES),
  year: fc.integer({ min: 2024, max: 2035 }),
  place: fc.nat(),
  minute: fc.oneof(fc.constantFrom(0, 15, 30, 120, 135, 150, 1_439), fc.nat({ max: 1_439 })),
})

test('a schedule, maintenance and the times of a recipient begin at the same instant, whatever the clock does', () => {
  fc.assert(
    fc.property(moment, ({ zone, year, place, minute }) => {
      const days = daysOf(zone, year)
      const date = days[place % days.length] ?? Temporal.PlainDate.from({ year, month: 6, day: 1 })
      const time = new Date(minute * 60_000).toISOString().slice(11, 16)
      const begins = localInstant(date, time, zone)
      const before = begins - 2 * DAY_MS
      const cron = `${minute % 60} ${Math.floor(minute / 60)} ${date.day} ${date.month} *`
      expect(nextAfter(cron, zone, before)).toBe(begins)
      expect(nextRuns(cron, zone, before, 1)).toEqual([begins])
      const once = { begin: time, duration: 'PT1H', date: date.toString() }
      const entry = { type: 'one_time' as const, name: null, timezone: zone, times: [once], exception: false }
      const schedule = { beginAt: before, endAt: begins + DAY_MS, active: [entry] }
      expect(nextChange(schedule, before)).toBe(begins)
      const rules = { onVacation: false, vacations: [], timeZone: 'UTC', times: [entry] }
      expect(quietUntil(rules, 0, before)).toBe(begins)
    }),
    { numRuns: 2_000 },
  )
})

test('a window around a nightly run covers the run in the night in which the clock goes on', () => {
  const zone = 'Europe/Zurich'
  const from = Date.parse('2027-03-27T12:00:00Z')
  const run = nextAfter('30 2 * * *', zone, from) ?? 0
  const daily = { begin: '02:25', duration: 'PT1H' }
  const entry = { type: 'daily' as const, timezone: zone, times: [daily], exception: false }
  const beginAt = nextChange({ beginAt: from, endAt: from + DAY_MS, active: [entry] }, from) ?? 0
  expect([run, beginAt].map((at) => new Date(at).toISOString())).toEqual([
    '2027-03-28T01:00:00.000Z',
    '2027-03-28T01:00:00.000Z',
  ])
})
