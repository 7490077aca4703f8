import { expect, test } from 'bun:test'

import { medianOf } from './median.ts'

test.each([
  [[], 0],
  [[7], 7],
  [[3, 1], 2],
  [[9, 1, 2], 2],
  [[1e308, 1.6e308], 1.3e308],
  [[-Number.MAX_VALUE, -Number.MAX_VALUE], -Number.MAX_VALUE],
  [[5e-324, 5e-324], 5e-324],
])('the median of %p is %p', (values, median) => {
  expect(medianOf(values)).toBe(median)
})
