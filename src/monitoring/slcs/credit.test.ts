import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { unionOf } from '../../lib/range.ts'
import { burnRateOf, creditOf, instantOf } from './credit.ts'
import { HOUR_MS } from '../../lib/time.ts'

describe('the credit', () => {
  test.each([
    [743, 99, 26_748_000],
    [745, 99.9, 2_682_000],
    [720, 99.99, 259_200],
    [743, 100, 0],
    [743, 0, 743 * HOUR_MS],
  ])('of %d hours at %d %% is %d ms', (hours, limit, creditMs) => {
    expect(creditOf(hours * HOUR_MS, { limit, warnAt: 80 })).toMatchObject({
      creditMs,
      majorMs: creditMs + 1,
    })
  })

  test('has a warning limit that is rounded up, and at least a millisecond', () => {
    expect(creditOf(1_000_000, { limit: 99, warnAt: 80 }).minorMs).toBe(8_000)
    expect(creditOf(1_000_001, { limit: 99, warnAt: 80 }).minorMs).toBe(8_001)
    expect(creditOf(1_000_000, { limit: 100, warnAt: 80 })).toEqual({ creditMs: 0, minorMs: 1, majorMs: 1 })
  })

  test('is exact: rounding to milliseconds does not change what exceeds it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 366 * 24 * HOUR_MS }),
        fc.integer({ min: 0, max: 100_000_000 }),
        fc.integer({ min: 1, max: 100_000_000 }),
        (activeMs, limitUnits, warnUnits) => {
          const credit = creditOf(activeMs, { limit: limitUnits / 1e6, warnAt: warnUnits / 1e6 })
          // used / active against 1 - limit, both times 10^8.
          const exceeds = (ms: number) =>
            BigInt(ms) * 100_000_000n > BigInt(activeMs) * BigInt(100_000_000 - limitUnits)
          expect([exceeds(credit.creditMs), exceeds(credit.majorMs)]).toEqual([false, true])
          const warns = (ms: number) =>
            BigInt(ms) * 10n ** 16n >= BigInt(activeMs) * BigInt(100_000_000 - limitUnits) * BigInt(warnUnits)
          expect(warns(credit.minorMs)).toBe(true)
          if (credit.minorMs > 1) expect(warns(credit.minorMs - 1)).toBe(false)
        },
      ),
    )
  })
})

test('a burn rate of 1 uses the credit up exactly as the period ends', () => {
  expect(burnRateOf(36_000, HOUR_MS, 99)).toBeCloseTo(1)
  expect(burnRateOf(HOUR_MS, HOUR_MS, 99)).toBeCloseTo(100)
  expect(burnRateOf(0, HOUR_MS, 99)).toBe(0)
  expect(burnRateOf(0, 0, 99)).toBeNull()
  expect(burnRateOf(1, HOUR_MS, 100)).toBeNull()
})

test('the instant at which a time has passed agrees with counting', () => {
  const range = fc.record({ beginAt: fc.nat(60), endAt: fc.nat(60) })
  fc.assert(
    fc.property(fc.array(range, { maxLength: 6 }), fc.integer({ min: 1, max: 80 }), (some, wantedMs) => {
      const ranges = unionOf(some)
      let found: number | null = null
      for (let at = 0, over = 0; at < 60 && found === null; at++) {
        if (ranges.some(({ beginAt, endAt }) => beginAt <= at && at < endAt)) over++
        if (over === wantedMs) found = at + 1
      }
      expect(instantOf(ranges, wantedMs)).toBe(found)
    }),
  )
})
