import { expect, test } from 'bun:test'

import { closest, columnsOf, extent, gapLimit, gapsOf, isolated } from './points.ts'
import type { Point } from './points.ts'

const point = (at: number, avg = 1): Point => ({ at, avg, min: avg - 1, max: avg + 1, count: 2 })

test('a silence that is longer than the timeout is a gap, and a line does not connect its ends', () => {
  const points = [point(0), point(10), point(50), point(60)]
  const gaps = gapsOf(points, gapLimit(points, 1, 20), 70)
  expect(gaps).toEqual([{ begin: 10, end: 50 }])
  const { at, avg } = columnsOf(points, gaps)
  expect(at).toEqual([0, 10, 30, 50, 60])
  expect(avg).toEqual([1, 1, null, 1, 1])
})

test('the time since the last point is a gap when it is too long', () => {
  const points = [point(0), point(10)]
  expect(gapsOf(points, 15, 100)).toEqual([{ begin: 10, end: 100 }])
})

test('without a timeout the usual distance decides, so that a slow sender has no gaps', () => {
  const slow = Array.from({ length: 10 }, (_, at) => point(at * 900))
  expect(gapsOf(slow, gapLimit(slow, 10, null), 9_000)).toEqual([])
})

test('the extent weighs buckets by their number of values', () => {
  expect(extent([point(0, 1), { ...point(1, 4), count: 4 }])).toEqual({ min: 0, max: 5, mean: 3, count: 6 })
  expect(extent([])).toBeNull()
})

test('the closest point is found on both sides', () => {
  const points = [point(0), point(10), point(20)]
  expect([-5, 4, 6, 14, 99].map((at) => closest(points, at))).toEqual([0, 0, 1, 1, 2])
  expect(closest([], 3)).toBe(-1)
})

test('a value between two gaps is isolated', () => {
  expect(isolated([1, null, 2, null, 3, 4])).toEqual([0, 2])
  expect(isolated([1])).toEqual([0])
})
