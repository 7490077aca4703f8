import { expect, test } from 'bun:test'

import { thenSync } from './maybe-promise.ts'

test('what is known is used at once, and what comes once it is there', async () => {
  const double = (value: number) => value * 2
  expect(thenSync(2, double)).toBe(4)
  expect(await thenSync(Promise.resolve(2), double)).toBe(4)
})

test('a use that fails does so in the way the value came', async () => {
  const fail = () => {
    throw new RangeError('no')
  }
  expect(() => thenSync(2, fail)).toThrow(RangeError)
  expect(await Promise.resolve(thenSync(Promise.resolve(2), fail)).catch(String)).toBe('RangeError: no')
})
