import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { lengthMs } from '../../lib/range.ts'
import { activeSpans } from './active-time.ts'
import { periodAt, PERIOD_UNITS } from './periods.ts'
import type { PeriodRules, PeriodUnit } from './periods.ts'
import { HOUR_MS } from '../../lib/time.ts'

const ZURICH = 'Europe/Zurich'

/** Zones that changed their clocks at odd hours, over midnight, by half an hour, by a whole day, and never. */
const ZONES = [
  ZURICH,
  'UTC',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Cairo',
  '+05:45',
]

const rules = (duration: PeriodUnit, timeZone = ZURICH, resetInterval = duration): PeriodRules => ({
  duration,
  resetInterval,
  timeZone,
})
const text = (at: number) => new Date(at).toISOString()

describe('calendar periods', () => {
  test.each([
    ['month', '2026-03-15T12:00:00Z', 743],
    ['month', '2026-10-15T12:00:00Z', 745],
    ['month', '2026-02-15T12:00:00Z', 672],
    ['month', '2028-02-15T12:00:00Z', 696],
    ['day', '2028-02-29T12:00:00Z', 24],
    ['week', '2027-01-01T12:00:00Z', 168],
    ['day', '2026-03-29T12:00:00Z', 23],
    ['day', '2026-10-25T12:00:00Z', 25],
    ['week', '2026-03-26T12:00:00Z', 167],
    ['quarter', '2026-02-01T00:00:00Z', 2159],
    ['year', '2026-07-01T00:00:00Z', 8760],
    ['year', '2028-07-01T00:00:00Z', 8784],
  ] as const)('a %s around %s in Zurich has %d hours', (duration, at, hours) => {
    const period = periodAt(rules(duration), Date.parse(at))
    expect((period.endAt - period.beginAt) / HOUR_MS).toBe(hours)
    expect(period.fromAt).toBe(period.beginAt)
    expect(lengthMs(activeSpans(null, ZURICH, period)) / HOUR_MS).toBe(hours)
  })

  test('begin at midnight in their zone: on Mondays, on the first, in January, April, July and October', () => {
    const at = Date.parse('2026-05-20T12:00:00Z')
    const begins = PERIOD_UNITS.map((unit) => text(periodAt(rules(unit), at).beginAt))
    expect(begins).toEqual([
      '2026-05-19T22:00:00.000Z',
      '2026-05-17T22:00:00.000Z',
      '2026-04-30T22:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
      '2025-12-31T23:00:00.000Z',
    ])
  })
})

describe('overlapping periods', () => {
  test('end with the reset interval, and are as long as the duration', () => {
    const period = periodAt(rules('month', ZURICH, 'day'), Date.parse('2026-03-30T12:00:00Z'))
    expect([period.beginAt, period.fromAt, period.endAt].map(text)).toEqual([
      '2026-02-27T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T22:00:00.000Z',
    ])
  })

  test('of a year with a monthly reset end with each month', () => {
    const period = periodAt(rules('year', 'UTC', 'month'), Date.parse('2026-03-30T12:00:00Z'))
    expect([period.beginAt, period.fromAt, period.endAt].map(text)).toEqual([
      '2025-04-01T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
      '2026-04-01T00:00:00.000Z',
    ])
  })
})

test('every instant in every zone has one current period, and the next begins where it ends', () => {
  const shapes = PERIOD_UNITS.flatMap((duration, index) => [
    [duration, duration] as const,
    ...PERIOD_UNITS.slice(0, index).flatMap((reset) =>
      reset === 'day' || reset === 'month' ? [[duration, reset] as const] : [],
    ),
  ])
  fc.assert(
    fc.property(
      fc.constantFrom(...shapes),
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }),
      ([duration, reset], zone, at) => {
        const shape = rules(duration, zone, reset)
        const period = periodAt(shape, at)
        expect(period.fromAt).toBeLessThanOrEqual(at)
        expect(period.endAt).toBeGreaterThan(at)
        expect(period.beginAt).toBeLessThanOrEqual(period.fromAt)
        expect(periodAt(shape, period.endAt).fromAt).toBe(period.endAt)
        expect(periodAt(shape, period.endAt - 1)).toEqual(period)
      },
    ),
    { numRuns: 500 },
  )
})

test('a day occurs once when the clock is set back over midnight', () => {
  // St. John's, 2006-10-29: at 00:01 it was 23:01 again.
  const before = periodAt(rules('day', 'America/St_Johns'), Date.parse('2006-10-29T02:30:30Z'))
  const after = periodAt(rules('day', 'America/St_Johns'), Date.parse('2006-10-29T02:45:00Z'))
  expect(text(before.fromAt)).toBe('2006-10-29T02:30:00.000Z')
  expect(after).toEqual(before)
})
