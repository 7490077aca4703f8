import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { durationMs, durationText, isLookback, isTemporalDuration } from './duration.ts'

test.each([
  ['PT0S', 0],
  ['PT0.001S', 1],
  ['PT1.5S', 1_500],
  ['PT15M', 900_000],
  ['PT90M', 5_400_000],
  ['P1D', 86_400_000],
  ['P1DT1H', 90_000_000],
  ['P2W', 1_209_600_000],
  ['P1W1DT1H1M1.001S', 694_861_001],
  ['-PT0S', 0],
  ['pt1m', 60_000],
])('%s is %p ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})

test.each(['', 'P', 'PT', '1H', 'PT1', 'P1S', 'P1Y', 'P1M', 'P1Y1D', '-PT1S', '-P1D', ' PT1S', 'PT1H30'])(
  '%p has no exact length and is refused',
  (text) => {
    expect(() => durationMs(text)).toThrow(RangeError)
  },
)

test.each([
  ['P1Y', true],
  ['P1M', true],
  ['PT0S', true],
  ['PT0.5S', true],
  ['-PT1S', false],
  ['-P1Y', false],
  ['soon', false],
  ['', false],
])('%p is a duration that is not negative: %p', (text, expected) => {
  expect(isTemporalDuration(text)).toBe(expected)
})

test.each([
  [0, 'PT0S'],
  [1, 'PT0.001S'],
  [500, 'PT0.5S'],
  [129_600_000, 'PT36H'],
  [3_661_001, 'PT1H1M1.001S'],
])('%p ms are written %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('the text of a span reads back as the span', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 * 366 * 86_400_000 }), (ms) => {
      expect(durationMs(durationText(ms))).toBe(ms)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['P1000Y', true],
  ['P1Y2M3DT4H', true],
  ['PT0S', true],
  ['P1000YT1S', false],
  ['P300000Y', false],
  ['P400000000D', false],
  ['-P1D', false],
  ['1000', false],
])('whether %s may be before an instant: %p', (text, expected) => {
  expect(isLookback(text)).toBe(expected)
})
