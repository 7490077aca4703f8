import { expect, test } from 'bun:test'

import { DAY_MS } from '../../lib/time.ts'
import { limitsOf, nextAfter } from './due.ts'

const HOUR_MS = 3_600_000

test.each<[everyMs: number | null, failures: number, chance: number, waitMs: number | null]>([
  [null, 0, 0, null],
  [null, 3, 0, null],
  [HOUR_MS, 0, 0, HOUR_MS],
  [HOUR_MS, 0, 1, 66 * 60_000],
  [HOUR_MS, 1, 0, 2 * HOUR_MS],
  [HOUR_MS, 4, 0, 16 * HOUR_MS],
  [HOUR_MS, 5, 0, DAY_MS],
  [HOUR_MS, 1_000, 0, DAY_MS],
  [7 * DAY_MS, 0, 0, 7 * DAY_MS],
  [7 * DAY_MS, 3, 0, 7 * DAY_MS],
])('every %p after %p failures, with the chance %p: %p later', (everyMs, failures, chance, waitMs) => {
  expect(nextAfter(1_000, { everyMs, failures, chance })).toBe(waitMs === null ? null : 1_000 + waitMs)
})

test('refreshes that come more often than every hour may take less', () => {
  expect(limitsOf(HOUR_MS - 1)).toEqual({ timeoutMs: 60_000, rowsMax: 1_000_000 })
  expect([limitsOf(HOUR_MS), limitsOf(null)]).toEqual([
    { timeoutMs: 600_000, rowsMax: 10_000_000 },
    { timeoutMs: 600_000, rowsMax: 10_000_000 },
  ])
})
