import { expect, test } from 'bun:test'

import { objectsIn } from './intervals.ts'

const HOUR_MS = 3_600_000
const day = { beginAt: Date.UTC(2026, 10, 25), endAt: Date.UTC(2026, 10, 25, 4), scaleMs: HOUR_MS, count: 4 }
const open = (objectId: number, begin: number, end: number | null) => ({
  objectId,
  worstState: 'minor' as const,
  beginAt: day.beginAt + begin * HOUR_MS,
  endAt: end === null ? null : day.beginAt + end * HOUR_MS,
})

test('an alarm counts in each interval that it touches, an open one to the end', () => {
  expect(objectsIn([open(3, -3, 1.5), open(4, 1.2, null), open(5, -9, -1)], day)).toEqual([1, 2, 1, 1])
})

test('an object counts once in each interval, however many alarms it has', () => {
  const links = [open(3, 0.1, 2.5), open(3, 0.1, null), open(3, 0.2, 1.1)]
  expect(objectsIn(links, day)).toEqual([1, 1, 1, 1])
  expect(objectsIn([open(3, 2, 2.1), open(3, 0, 0.5), open(3, 0.6, 0.7)], day)).toEqual([1, 0, 1, 0])
})

test('without alarms each interval has 0 objects', () => {
  expect(objectsIn([], day)).toEqual([0, 0, 0, 0])
})
