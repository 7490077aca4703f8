import { expect, test } from 'bun:test'

import { Histogram } from './histogram.ts'

test('a duration counts in the buckets whose bound it does not exceed', () => {
  const histogram = new Histogram()
  for (const durationMs of [0, 1, 1.01, 10_000, 10_001]) histogram.observe(durationMs)
  expect(histogram.cumulative()).toEqual([2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4])
  expect(histogram.count).toBe(5)
  expect(histogram.sumS).toBeCloseTo(20.00301, 9)
})
