import { expect, test } from 'bun:test'

import { DAY_MS } from '../../../lib/time.ts'
import { LIMITS } from './interval.ts'

test('a refresh has the time and the rows of its interval', () => {
  expect(LIMITS).toEqual({
    none: { everyMs: null, timeoutMs: 600_000, rowsMax: 10_000_000 },
    daily: { everyMs: DAY_MS, timeoutMs: 600_000, rowsMax: 10_000_000 },
    hourly: { everyMs: DAY_MS / 24, timeoutMs: 60_000, rowsMax: 1_000_000 },
    minutely: { everyMs: DAY_MS / 1_440, timeoutMs: 10_000, rowsMax: 100_000 },
  })
})
