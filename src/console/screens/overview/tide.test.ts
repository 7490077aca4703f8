import { expect, test } from 'bun:test'

import { highWater, tideOf } from './tide.ts'

const HOUR_MS = 3_600_000
const span = { begin: Date.UTC(2026, 10, 25), end: Date.UTC(2026, 10, 25, 4) }
const at = (hour: number) => new Date(span.begin + hour * HOUR_MS).toISOString()

test('an alarm counts in each interval that it touches, an open one to the end', () => {
  const steps = tideOf(
    [
      { begin: at(-3), end: at(1.5), worstState: 'minor' },
      { begin: at(1.2), end: null, worstState: 'major' },
      { begin: at(-9), end: at(-1), worstState: 'major' },
    ],
    span,
    HOUR_MS,
  )
  expect(steps.map(({ all, major }) => [all, major])).toEqual([
    [1, 0],
    [2, 1],
    [1, 1],
    [1, 1],
  ])
  expect(highWater(steps)?.at).toBe(span.begin + HOUR_MS)
})

test('calm water has no mark', () => {
  expect(highWater(tideOf([], span, HOUR_MS))).toBeNull()
})
