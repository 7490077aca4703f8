import { expect, test } from 'bun:test'
import { earlier } from './lookback.ts'

test.each([
  ['datetime', '2026-03-29T01:00:00.000001Z', 'PT1H', '2026-03-29T00:00:00.000001Z'],
  ['datetime', '2026-03-29T02:30:00.25', 'P1D', '2026-03-28T02:30:00.25'],
  ['datetime', '2026-01-01T00:00:00Z', 'PT0S', '2026-01-01T00:00:00Z'],
  ['date', '2026-03-01', 'P1D', '2026-02-28'],
  ['date', '2026-03-01', 'PT1H', '2026-02-28'],
  ['date', '2026-03-01', 'PT0S', '2026-03-01'],
  ['datetime', 'infinity', 'PT1H', null],
] as const)('%s: %s before by %s is %s', (type, value, lookback, before) => {
  expect(earlier(type, value, lookback)).toBe(before)
})
