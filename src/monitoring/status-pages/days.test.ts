import { expect, test } from 'bun:test'

import { daysOf } from './days.ts'

const EDGES = [0, 100, 200, 300]

test('each day is measured by itself, and what is excused or unknown does not count', () => {
  const spans = [
    { state: 'ok', beginAt: 50, endAt: 75 },
    { state: 'major', beginAt: 75, endAt: 150 },
    { state: 'maintenance_major', beginAt: 150, endAt: 190 },
    { state: 'minor', beginAt: 190, endAt: 200 },
    { state: 'no_data', beginAt: 200, endAt: 250 },
  ] as const
  expect(daysOf(spans, EDGES, ['major'])).toEqual([
    { beginAt: 0, percent: 50 },
    { beginAt: 100, percent: 16.666 },
    { beginAt: 200, percent: null },
  ])
})

test('nothing is known of days before there was anything', () => {
  expect(daysOf([], EDGES, ['major']).map(({ percent }) => percent)).toEqual([null, null, null])
})
