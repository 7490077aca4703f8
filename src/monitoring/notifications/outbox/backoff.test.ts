import { expect, test } from 'bun:test'

import { waitMs } from './backoff.ts'

test('delays double from half a minute to an hour, plus or minus a fifth', () => {
  expect([1, 2, 3, 7, 8, 9, 1_000].map((attempts) => waitMs(attempts, 0.5))).toEqual([
    30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000,
  ])
  expect([waitMs(1, 0), waitMs(1, 1)]).toEqual([24_000, 36_000])
  expect([waitMs(99, 0), waitMs(99, 1)]).toEqual([2_880_000, 4_320_000])
})
