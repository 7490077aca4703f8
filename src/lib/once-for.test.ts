import { expect, test } from 'bun:test'

import { onceFor } from './once-for.ts'

test('each key has one value, which is made at its first use', () => {
  let count = 0
  const numberOf = onceFor((_key: object) => ++count)
  const [one, other] = [{}, {}]
  expect(count).toBe(0)
  expect([numberOf(one), numberOf(other), numberOf(one), numberOf(other)]).toEqual([1, 2, 1, 2])
})
