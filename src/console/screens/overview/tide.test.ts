import { expect, test } from 'bun:test'

import { axisTop, highWater } from './tide.ts'

const steps = (...counts: number[]) =>
  counts.map((objects, hour) => ({ timestamp: `2026-11-25T0${hour}:00:00Z`, objects, major: 0 }))

test('the high water is the first interval with the most objects', () => {
  expect(highWater(steps(1, 2, 0, 2))?.timestamp).toBe('2026-11-25T01:00:00Z')
})

test('calm water has no mark', () => {
  expect(highWater(steps(0, 0))).toBeNull()
})

test('each label of the axis stands at its number', () => {
  expect([0, 4, 5, 6, 1_001].map(axisTop)).toEqual([4, 4, 6, 6, 1_002])
})
