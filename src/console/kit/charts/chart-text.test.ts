import { expect, test } from 'bun:test'

import { timeZone } from '../time.tsx'
import { axisText } from './chart-text.ts'

const MIDNIGHT = Date.UTC(2026, 10, 27)
const HOUR_MS = 3_600_000

test('a tick has seconds between steps of seconds alone, and midnight has its day', () => {
  timeZone.value = 'UTC'
  expect(axisText(MIDNIGHT + 1_000, 1_000)).toBe('00:00:01')
  expect(axisText(MIDNIGHT + HOUR_MS, HOUR_MS)).toBe('01:00')
  expect(axisText(MIDNIGHT, HOUR_MS)).toMatch(/27/)
  // A single tick has no step.
  expect(axisText(MIDNIGHT + HOUR_MS, 0)).toBe('01:00')
  expect(axisText(MIDNIGHT, 0)).toMatch(/27/)
})
