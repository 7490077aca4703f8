import { expect, test } from 'bun:test'

import { forecastPoints, pastPoints, widest } from './forecast.ts'

const bucket = (begin: string, end: string, mean: number | null) => ({
  begin,
  end,
  mean,
  bounds: { '80': { lower: 11, upper: 13 }, '95': { lower: 10, upper: null } },
})
const BUCKETS = [
  bucket('2026-11-01T00:00:00Z', '2026-11-01T02:00:00Z', 12),
  bucket('2026-11-01T02:00:00Z', '2026-11-01T04:00:00Z', null),
]

test('predicted values lie in the middle of their buckets, between the bounds of a level as far as there are some', () => {
  const at = Date.parse('2026-11-01T01:00:00Z')
  expect(forecastPoints({ buckets: BUCKETS }, 80)).toEqual([{ at, value: 12, low: 11, high: 13 }])
  expect(forecastPoints({ buckets: BUCKETS }, 95)).toEqual([{ at, value: 12, low: 10, high: 12 }])
  expect(forecastPoints({ buckets: BUCKETS }, 50)).toEqual([{ at, value: 12, low: 12, high: 12 }])
  expect(widest([80, 95, 50])).toBe(95)
})

test('steps without a value are no points of the past', () => {
  const untested = { mean: null, bounds: {}, anomaly: null }
  const past = [
    { at: '2026-11-01T00:00:00Z', value: 3, ...untested },
    { at: '2026-11-02T00:00:00Z', value: null, ...untested },
  ]
  expect(pastPoints({ past, levels: [], buckets: [] }).map(({ avg }) => avg)).toEqual([3])
})
