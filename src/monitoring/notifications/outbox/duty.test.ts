import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { personOnCall, quietUntil } from './duty.ts'
import { DAY_MS } from '../../../lib/time.ts'

const at = (text: string) => Date.parse(text)
const MEMBERS = [4, 7, 9]
const NOBODY_AWAY = { vacations: [], timeZone: 'Europe/Zurich' }

describe('the members on duty', () => {
  test('are all members without a rotation', () => {
    const when = { at: 0, handedOut: 0 }
    expect(personOnCall({ ...NOBODY_AWAY, rotation: null }, MEMBERS, when)).toBeNull()
    expect(personOnCall({ ...NOBODY_AWAY, rotation: { by: 'turn' } }, [], when)).toBeNull()
  })

  test('change with each alarm, or after a number of alarms', () => {
    const order = (rotation: Parameters<typeof personOnCall>[0]['rotation']) =>
      Array.from({ length: 7 }, (_, handedOut) =>
        personOnCall({ ...NOBODY_AWAY, rotation }, MEMBERS, { at: 0, handedOut }),
      )
    expect(order({ by: 'turn' })).toEqual([4, 7, 9, 4, 7, 9, 4])
    expect(order({ by: 'count', count: 2 })).toEqual([4, 4, 7, 7, 9, 9, 4])
  })

  test('change at the same time of day across a DST change', () => {
    // 09:00 in Zurich, a week before summer time.
    const rotation = { by: 'interval', interval: 'P7D', begin: '2026-03-23T08:00:00Z' } as const
    const who = (text: string) =>
      personOnCall({ ...NOBODY_AWAY, rotation }, MEMBERS, { at: at(text), handedOut: 0 })
    expect(who('2026-01-01T00:00:00Z')).toBe(4)
    expect(who('2026-03-30T06:59:59Z')).toBe(4)
    expect(who('2026-03-30T07:00:00Z')).toBe(7)
    expect(who('2026-04-06T07:00:00Z')).toBe(9)
    expect(who('2026-04-13T07:00:00Z')).toBe(4)
  })

  test('change at the first instant after a DST gap that contains their time', () => {
    // 02:30 in Zurich.
    const rotation = { by: 'interval', interval: 'P1D', begin: '2026-03-27T01:30:00Z' } as const
    const who = (text: string) =>
      personOnCall({ ...NOBODY_AWAY, rotation }, MEMBERS, { at: at(text), handedOut: 0 })
    expect(who('2026-03-29T00:59:59Z')).toBe(7)
    expect(who('2026-03-29T01:00:00Z')).toBe(9)
    expect(who('2026-03-30T00:29:59Z')).toBe(9)
    expect(who('2026-03-30T00:30:00Z')).toBe(4)
  })

  test('change after elapsed time for intervals shorter than a day', () => {
    const rotation = { by: 'interval', interval: 'PT8H', begin: '2026-03-28T23:00:00Z' } as const
    const who = (text: string) =>
      personOnCall({ ...NOBODY_AWAY, rotation }, MEMBERS, { at: at(text), handedOut: 0 })
    expect(who('2026-03-29T06:59:59Z')).toBe(4)
    expect(who('2026-03-29T07:00:00Z')).toBe(7)
  })

  test('skip absent members, unless all are absent', () => {
    const away = (userId: number) => ({ userId, begin: '2026-03-01T00:00:00Z', end: '2026-03-08T00:00:00Z' })
    const rules = { timeZone: 'UTC', rotation: { by: 'turn' } as const }
    const when = { at: at('2026-03-02T00:00:00Z'), handedOut: 0 }
    expect(personOnCall({ ...rules, vacations: [away(4)] }, MEMBERS, when)).toBe(7)
    expect(personOnCall({ ...rules, vacations: MEMBERS.map(away) }, MEMBERS, when)).toBe(4)
    expect(
      personOnCall({ ...rules, vacations: [away(4)] }, MEMBERS, { ...when, at: at('2026-03-08T00:00:00Z') }),
    ).toBe(4)
  })
})

describe('a quiet time', () => {
  const rules = { onVacation: false, vacations: [], times: null, timeZone: 'Europe/Zurich' }

  test('does not exist without rules, and is checked hourly during a vacation without an end', () => {
    expect(quietUntil(rules, 0, 5)).toBeNull()
    expect(quietUntil({ ...rules, onVacation: true }, 0, 5)).toBe(5 + 3_600_000)
  })

  test('lasts to the end of the longest vacation of all members or of this one', () => {
    const vacations = [
      { userId: null, begin: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' },
      { userId: 7, begin: '2026-03-01T00:00:00Z', end: '2026-03-05T00:00:00Z' },
    ]
    const until = (userId: number, text: string) => quietUntil({ ...rules, vacations }, userId, at(text))
    expect(until(4, '2026-03-01T12:00:00Z')).toBe(at('2026-03-02T00:00:00Z'))
    expect(until(7, '2026-03-01T12:00:00Z')).toBe(at('2026-03-05T00:00:00Z'))
    expect(until(4, '2026-03-02T00:00:00Z')).toBeNull()
    expect(until(4, '2026-02-28T23:59:59Z')).toBeNull()
  })

  test('ends at an instant at which notifications are allowed, from whenever it is computed', () => {
    const time = fc.record({
      begin: fc.integer({ min: 0, max: 23 }).map((hour) => `${String(hour).padStart(2, '0')}:30`),
      duration: fc.constantFrom('PT1H', 'PT8H', 'PT24H'),
      weekday: fc.integer({ min: 1, max: 7 }),
    })
    const entry = fc.record({
      type: fc.constant('weekly' as const),
      name: fc.constant(null),
      timezone: fc.constantFrom('UTC', 'America/New_York', undefined),
      times: fc.array(time, { minLength: 1, maxLength: 3 }),
      exception: fc.constant(false),
    })
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 1_772_000_000_000, max: 1_772_000_000_000 + 400 * DAY_MS }),
        (times, when) => {
          const until = quietUntil({ ...rules, times }, 0, when)
          if (until === null) return
          expect(until).toBeGreaterThan(when)
          expect(until).toBeLessThanOrEqual(when + 8 * DAY_MS)
          expect(quietUntil({ ...rules, times }, 0, until)).toBeNull()
          expect(quietUntil({ ...rules, times }, 0, until - 1)).toBe(until)
        },
      ),
      { numRuns: 60 },
    )
  })
})
