import { expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { nextSlot } from './stagger.ts'
import { HOUR_MS } from '../../../lib/time.ts'

test('every job has one turn in each period, the same in all of them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 40 }),
      fc.constantFrom(1, 999, HOUR_MS, 24 * HOUR_MS),
      fc.integer({ min: 0, max: 2 ** 42 }),
      (jobId, periodMs, afterAt) => {
        const turn = nextSlot(jobId, periodMs, afterAt)
        expect(turn).toBeGreaterThan(afterAt)
        expect(turn).toBeLessThanOrEqual(afterAt + periodMs)
        expect(nextSlot(jobId, periodMs, turn - 1)).toBe(turn)
        expect(nextSlot(jobId, periodMs, turn)).toBe(turn + periodMs)
      },
    ),
  )
})

test.each([1, 7_000_001])('the turns of 10,000 jobs from %i on fill the hour evenly', (first) => {
  const perMinute = Array.from({ length: 60 }, () => 0)
  for (let id = first; id < first + 10_000; id++) {
    const minute = Math.floor((nextSlot(id, HOUR_MS, -1) % HOUR_MS) / 60_000)
    perMinute[minute] = (perMinute[minute] ?? 0) + 1
  }
  // 167 would be even.
  expect(Math.max(...perMinute)).toBeLessThan(180)
  expect(Math.min(...perMinute)).toBeGreaterThan(155)
})
