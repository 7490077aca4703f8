import { expect, test } from 'bun:test'

import { costOf, costPoints, presentOf } from './cost.ts'

const HOUR_MS = 3_600_000
const SPAN = { begin: 0, end: 240 * HOUR_MS }
const hour = (number: number): string => new Date(number * HOUR_MS).toISOString()
const part = (begin: number, end: number | null) => ({
  state: 'major' as const,
  begin: hour(begin),
  end: end === null ? null : hour(end),
})
const money = (amount: number) => ({ amount, currency: 'EUR', risk: amount })
const at = (points: ReturnType<typeof costPoints>, number: number): number =>
  Math.round(points.find((point) => point.at === number * HOUR_MS)?.avg ?? -1)

test('cost grows in the bad parts of an outage and stands still between them', () => {
  const outage = { cost: money(60), segments: [part(10, 12), part(14, 18)] }
  const points = costPoints([outage], SPAN)
  expect([9, 10, 11, 12, 14, 16, 18, 240].map((number) => at(points, number))).toEqual([
    0, 0, 10, 20, 20, 40, 60, 60,
  ])
})

test('the end of the chart is the sum of all outages, also of one that runs and of one that began before', () => {
  const outages = [
    { cost: money(30), segments: [part(-10, 10)] },
    { cost: money(12), segments: [part(200, null)] },
    { cost: null, segments: [part(20, 30)] },
  ]
  const points = costPoints(outages, SPAN)
  expect(at(points, 0)).toBe(15)
  expect(at(points, 220)).toBe(36)
  expect(at(points, 240)).toBe(costOf(outages))
})

test('the line bends where bad time begins and ends, also between two steps', () => {
  const points = costPoints([{ cost: money(60), segments: [part(10.5, 10.75)] }], SPAN)
  expect([at(points, 10.5), at(points, 10.75), at(points, 11)]).toEqual([0, 60, 60])
  expect(points).toHaveLength(243)
})

test('without outages, or with one that has just begun, nothing is spent', () => {
  expect(at(costPoints([], SPAN), 240)).toBe(0)
  expect(at(costPoints([{ cost: money(0), segments: [part(240, null)] }], SPAN), 240)).toBe(0)
})

test('an outage that runs tells the present of the service, whose clock may differ', () => {
  const outage = { active: true, begin: hour(5), duration: 'PT90M' }
  expect(presentOf([outage], 0)).toBe(6.5 * HOUR_MS)
  expect(presentOf([{ ...outage, active: false }], HOUR_MS)).toBe(HOUR_MS)
})
