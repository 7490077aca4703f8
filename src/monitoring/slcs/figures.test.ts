import { expect, test } from 'bun:test'
import { creditView, paceOf } from './figures.ts'
import { HOUR_MS } from '../../lib/time.ts'

const NOW = 100 * HOUR_MS
const END = 720 * HOUR_MS
const always = [{ beginAt: NOW - 6 * HOUR_MS, endAt: END }]
const credit = { creditMs: 7 * HOUR_MS, minorMs: 5 * HOUR_MS, majorMs: 7 * HOUR_MS + 1 }
const spent = { credit, usedMs: HOUR_MS, limit: 99, active: always }

test('percent is rounded down, and creditLeft is negative after a breach', () => {
  const view = creditView({ creditMs: 1_000, minorMs: 800, majorMs: 1_001 }, 1_500, 100_000_000)
  expect(view).toEqual({ percent: 99.998, creditTotal: 1, creditUsed: 1.5, creditLeft: -0.5 })
  expect(creditView(credit, 0, 0).percent).toBeNull()
})

test('an hour of downtime in the last six sets the pace, even after a recovery', () => {
  const bad = [{ beginAt: NOW - 5 * HOUR_MS, endAt: NOW - 4 * HOUR_MS }]
  const pace = paceOf({ ...spent, bad }, NOW, END)
  expect(pace.burnRate1h).toBe(0)
  expect(pace.burnRate6h).toBeCloseTo(100 / 6)
  // Six hours of credit are left, which are used in thirty-six.
  expect(pace.projectedBreachAt).toBe(NOW + 36 * HOUR_MS + 6)
})

test('only active time uses credit, in the past and in the projection', () => {
  const active = [
    { beginAt: NOW - 2 * HOUR_MS, endAt: NOW },
    { beginAt: NOW + 10 * HOUR_MS, endAt: NOW + 20 * HOUR_MS },
  ]
  const bad = [{ beginAt: NOW - 2 * HOUR_MS, endAt: NOW - HOUR_MS }]
  const pace = paceOf({ ...spent, usedMs: 5 * HOUR_MS, active, bad }, NOW, END)
  expect(pace.burnRate6h).toBeCloseTo(50)
  expect(pace.projectedBreachAt).toBe(NOW + 14 * HOUR_MS + 2)
  expect(paceOf({ ...spent, active, bad }, NOW, END).projectedBreachAt).toBeNull()
})

test('nothing is projected without downtime, after a breach, or beyond the period', () => {
  const bad = [{ beginAt: NOW - HOUR_MS, endAt: NOW }]
  expect(paceOf({ ...spent, bad: [] }, NOW, END).projectedBreachAt).toBeNull()
  expect(paceOf({ ...spent, usedMs: credit.majorMs, bad }, NOW, END).projectedBreachAt).toBeNull()
  expect(paceOf({ ...spent, bad }, NOW, NOW + 30 * HOUR_MS).projectedBreachAt).toBeNull()
})
