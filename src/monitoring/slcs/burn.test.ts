import { expect, test } from 'bun:test'
import { HOUR_MS } from '../../lib/time.ts'
import { burnOf } from './burn.ts'

const DAY = { beginAt: 0, endAt: 24 * HOUR_MS }
const hours = (beginAt: number, endAt: number) => ({ beginAt: beginAt * HOUR_MS, endAt: endAt * HOUR_MS })
const atHour = (points: ReturnType<typeof burnOf>, hour: number) =>
  points.find(({ at }) => at === hour * HOUR_MS)

test('use grows in bad time alone, and stands still between', () => {
  const points = burnOf({ bad: [hours(2, 4), hours(6, 7)], active: [DAY] }, DAY)
  expect(points).toHaveLength(241)
  expect([0, 2, 3, 4, 5, 7, 24].map((hour) => (atHour(points, hour)?.usedMs ?? -1) / HOUR_MS)).toEqual([
    0, 0, 1, 2, 2, 3, 3,
  ])
})

test('active time counts the service hours alone', () => {
  const points = burnOf({ bad: [], active: [hours(8, 18)] }, DAY)
  expect([8, 13, 18, 24].map((hour) => (atHour(points, hour)?.activeMs ?? -1) / HOUR_MS)).toEqual([
    0, 5, 10, 10,
  ])
})

test('bad time after the range is left out, and an instant is one point', () => {
  const points = burnOf({ bad: [hours(20, 30)], active: [DAY] }, hours(0, 24))
  expect(points.at(-1)).toEqual({ at: 24 * HOUR_MS, usedMs: 4 * HOUR_MS, activeMs: 24 * HOUR_MS })
  expect(burnOf({ bad: [], active: [] }, hours(5, 5))).toEqual([{ at: 5 * HOUR_MS, usedMs: 0, activeMs: 0 }])
  expect(burnOf({ bad: [], active: [] }, { beginAt: 0, endAt: 3 }).map(({ at }) => at)).toEqual([0, 1, 2, 3])
})
