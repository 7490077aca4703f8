import { expect, test } from 'bun:test'

import { againAt, waitMs } from './backoff.ts'

test('delays double from half a minute to an hour, plus or minus a fifth', () => {
  expect([1, 2, 3, 7, 8, 9, 1_000].map((attempts) => waitMs(attempts, 0.5))).toEqual([
    30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000,
  ])
  expect([waitMs(1, 0), waitMs(1, 1)]).toEqual([24_000, 36_000])
  expect([waitMs(99, 0), waitMs(99, 1)]).toEqual([2_880_000, 4_320_000])
})

test.each([
  ['no delay', null, 30_000],
  ['a shorter one', 1_000, 30_000],
  ['a longer one', 90_000, 90_000],
  ['25 hours', 90_000_000, 3_600_000],
  ['a date in 2099', 2_300_000_000_000, 3_600_000],
])('a receiver that asks for %s is tried again', (_, retryAfterMs, expected) => {
  const due = { at: 0, nextAt: 30_000 }
  expect(againAt({ ...due, giveUpAt: 86_400_000 }, retryAfterMs)).toBe(expected)
  expect(againAt({ ...due, giveUpAt: 40_000 }, retryAfterMs)).toBe(Math.min(expected, 40_000))
})
