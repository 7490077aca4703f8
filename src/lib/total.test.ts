import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { addTotal, meanOf, totalOf } from './total.ts'
import type { Total } from './total.ts'

const MAX = Number.MAX_VALUE

test.each<[readonly number[], Pick<Total, 'sum'>['sum'], number | null]>([
  [[], 0, null],
  [[1, 2, 6], 9, 3],
  [[MAX, MAX], null, MAX],
  [[-MAX, -MAX, -MAX], null, -MAX],
  [[1e308, 1e308, -1e308], 1e308, 1e308 / 3],
  [[1.5e308, 1.7e308], null, 1.6e308],
])('the total of %p has the sum %p and the mean %p', (numbers, sum, mean) => {
  const total = totalOf(numbers)
  expect(total.sum === null ? null : total.sum / 1e300).toEqual(sum === null ? null : sum / 1e300)
  expect((meanOf(total) ?? 0) / 1e300).toBeCloseTo((mean ?? 0) / 1e300, -6)
})

test('the mean of any numbers is finite and lies among them, however they are added up', () => {
  const numbers = fc.array(
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(MAX, -MAX, 0, -0, 1e308)),
    { minLength: 1, maxLength: 20 },
  )
  fc.assert(
    fc.property(fc.array(numbers, { minLength: 1, maxLength: 5 }), (parts) => {
      const total = totalOf([])
      for (const part of parts) addTotal(total, totalOf(part))
      const all = parts.flat()
      const mean = meanOf(total) ?? Number.NaN
      const scale = Math.max(...all.map(Math.abs)) * 1e-9
      expect(mean).toBeGreaterThanOrEqual(Math.min(...all) - scale)
      expect(mean).toBeLessThanOrEqual(Math.max(...all) + scale)
      expect(total.count).toBe(all.length)
      const exact = all.reduce((sum, one) => sum + one / all.length, 0)
      expect(Math.abs(mean - exact)).toBeLessThanOrEqual(scale)
    }),
  )
})

test('a mean that is unknown makes the mean of the whole unknown', () => {
  const total = totalOf([1])
  addTotal(total, { count: 2, sum: null, mean: null })
  expect([total.count, total.sum, meanOf(total)]).toEqual([3, null, null])
})
