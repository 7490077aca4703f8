import { expect, test } from 'bun:test'

import { burnDownOf, valueAt } from './burn.ts'
import type { Burn } from './burn.ts'

const DAY_MS = 86_400_000
const BEGIN = Date.UTC(2026, 10, 1)
const day = (number: number): string => new Date(BEGIN + number * DAY_MS).toISOString()
const burn: Burn = {
  period: { begin: day(0), end: day(30) },
  limit: 99,
  warnAt: 80,
  creditTotal: 1_000,
  points: [
    { timestamp: day(0), creditUsed: 0, creditEven: 0 },
    { timestamp: day(3), creditUsed: 250, creditEven: 100 },
  ],
}
const lefts = ({ points }: ReturnType<typeof burnDownOf>): readonly number[] => points.map(({ avg }) => avg)

test('what is used is taken from a hundred per cent, also below zero', () => {
  expect(lefts(burnDownOf(burn, null))).toEqual([100, 75])
  const over = { ...burn, points: [{ timestamp: day(3), creditUsed: 1_200, creditEven: 100 }] }
  expect(lefts(burnDownOf(over, null))[0]).toBeCloseTo(-20)
})

test('the present goes on from the last point, and an older one adds nothing', () => {
  const at = (number: number) => ({
    at: BEGIN + number * DAY_MS,
    creditUsed: 500,
    projectedBreachAt: null,
  })
  expect(lefts(burnDownOf(burn, at(4)))).toEqual([100, 75, 50])
  expect(lefts(burnDownOf(burn, at(2)))).toEqual([100, 75])
})

test('a steady pace ends at zero with the period', () => {
  const { steady } = burnDownOf(burn, null)
  expect(steady.map(({ value }) => value)).toEqual([100, 90, 0])
  expect(valueAt(steady, BEGIN + 1.5 * DAY_MS)).toBe(95)
  expect(valueAt(steady, BEGIN)).toBe(100)
  expect(valueAt(steady, BEGIN + 31 * DAY_MS)).toBeNull()
  expect(valueAt(steady, BEGIN - 1)).toBeNull()
})

test('the way to the breach begins at the present, and a budget that is used up has none', () => {
  const present = { at: BEGIN + 4 * DAY_MS, creditUsed: 500, projectedBreachAt: day(6) }
  expect(burnDownOf(burn, present).ahead).toEqual([
    { at: BEGIN + 4 * DAY_MS, value: 50 },
    { at: BEGIN + 6 * DAY_MS, value: 0 },
  ])
  expect(burnDownOf(burn, { ...present, projectedBreachAt: null }).ahead).toEqual([])
  expect(burnDownOf(burn, { ...present, creditUsed: 1_000 }).ahead).toEqual([])
})
