import { describe, expect, test } from 'bun:test'
import { earliestLateAt, lateAtOf, usualDistanceMs } from './lateness.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describe('a wait becomes late', () => {
  test.each([
    ['a value each minute, timeout of five minutes', MINUTE_MS, 5 * MINUTE_MS, 3 * MINUTE_MS],
    ['a run each day, timeout of 25 hours', 24 * HOUR_MS, 25 * HOUR_MS, 24.5 * HOUR_MS],
    ['as usual as the timeout: never before it', HOUR_MS, HOUR_MS, HOUR_MS],
  ])('halfway between the usual next delivery and the timeout: %s', (_, usualMs, timeoutMs, lateMs) => {
    expect(lateAtOf({ heardAt: 1_000, deadlineAt: 1_000 + timeoutMs }, usualMs)).toBe(1_000 + lateMs)
  })

  test('never before half of the time until the timeout', () => {
    const wait = { heardAt: 0, deadlineAt: 5 * MINUTE_MS }
    expect(earliestLateAt(wait)).toBe(2.5 * MINUTE_MS)
    expect(lateAtOf(wait, 1)).toBeGreaterThan(earliestLateAt(wait))
  })
})

describe('the usual distance', () => {
  test('is the median, so that an outage and a repetition do not count', () => {
    expect(usualDistanceMs([0, 60_000, 120_000, 9_000_000, 9_060_000, 9_061_000])).toBe(60_000)
  })

  test('is in whole seconds, and at least one', () => {
    expect(usualDistanceMs([0, 60_400])).toBe(60_000)
    expect(usualDistanceMs([0, 60_500])).toBe(61_000)
    expect(usualDistanceMs([0, 5])).toBe(1_000)
  })

  test('is unknown for fewer than two instants', () => {
    expect(usualDistanceMs([])).toBeNull()
    expect(usualDistanceMs([7])).toBeNull()
    expect(usualDistanceMs([7, 7])).toBeNull()
  })
})
