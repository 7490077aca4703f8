import { expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { decimalOf } from './properties.ts'

test('a decimal text is read as its number', () => {
  expect(['0', '-1.5', '+2.', '.5', '1e3', '-2E-2'].map(decimalOf)).toEqual([0, -1.5, 2, 0.5, 1000, -0.02])
})

test('non-decimal and infinite numbers are rejected', () => {
  for (const text of ['', ' 1', '1 ', '0x10', 'Infinity', 'NaN', '1e999', '1_000', '1,5', '.', 'e5', '١']) {
    expect(decimalOf(text)).toBeNull()
  }
})

test('every double is read back from its text', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(decimalOf(String(number))).toBe(number === 0 ? 0 : number)
    }),
  )
})
