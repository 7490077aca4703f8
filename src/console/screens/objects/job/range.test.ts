import { expect, test } from 'bun:test'

import { msOfDuration } from '../../../kit/time.tsx'
import { rangeOf, RANGES, scaleOf, spanOf } from './range.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 26, 12)

test('a chart never reads more points than it has pixels, and no fewer than it needs to look smooth', () => {
  for (const range of RANGES)
    for (const width of [100, 320, 777, 1440, 3840]) {
      const ms = msOfDuration(range) ?? Number.NaN
      const points = ms / scaleOf(ms, width)
      expect(points).toBeLessThanOrEqual(width)
      expect(points).toBeGreaterThan(Math.min(ms / 1000, width) / 3.6)
    }
})

test('a range in the address is a duration up to now, an interval, or else a day', () => {
  expect(spanOf('P7D', NOW)).toEqual({ begin: NOW - 7 * DAY_MS, end: NOW, isFixed: false })
  expect(spanOf('2026-11-01T00:00:00Z/2026-11-02T00:00:00Z', NOW)).toEqual({
    begin: Date.UTC(2026, 10, 1),
    end: Date.UTC(2026, 10, 2),
    isFixed: true,
  })
  for (const wrong of ['', 'soon', '2026-11-02T00:00:00Z/2026-11-01T00:00:00Z'])
    expect(spanOf(wrong, NOW)).toEqual({ begin: NOW - DAY_MS, end: NOW, isFixed: false })
})

test('a span that was chosen in a chart comes back from the address, ten seconds long at least and not in the future', () => {
  const chosen = { begin: NOW - 3_600_000, end: NOW - 60_000 }
  expect(spanOf(rangeOf(chosen, NOW), NOW)).toEqual({ ...chosen, isFixed: true })
  expect(spanOf(rangeOf({ begin: NOW - 1_000, end: NOW + 5_000 }, NOW), NOW)).toEqual({
    begin: NOW - 10_000,
    end: NOW,
    isFixed: true,
  })
})
