import { expect, test } from 'bun:test'

import { TokenBucket } from './token-bucket.ts'

test('a token bucket gives its burst, then its rate, and never saves more than its burst', () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 })
  const taken = (now: number) => Array.from({ length: 5 }, () => bucket.take(now)).filter(Boolean).length
  expect(taken(1_000)).toBe(3)
  expect(taken(1_499)).toBe(0)
  expect(taken(1_500)).toBe(1)
  expect(taken(2_500)).toBe(2)
  expect(taken(60_000)).toBe(3)
})

test('a clock that is set back gives no tokens', () => {
  const bucket = new TokenBucket({ burst: 1, perSecond: 1 })
  expect(bucket.take(10_000)).toBe(true)
  expect(bucket.take(5_000)).toBe(false)
  expect(bucket.take(6_000)).toBe(true)
})
