import { expect, test } from 'bun:test'

import { momentOf } from './serial.ts'
import type { NumberKind } from './styles.ts'

test.each([
  [1, 'date', '1900-01-01'],
  [59, 'date', '1900-02-28'],
  [60, 'date', null],
  [61, 'date', '1900-03-01'],
  [2_958_465, 'date', '9999-12-31'],
  [2_958_466, 'date', null],
  [0, 'date', null],
  [-1, 'date', null],
  [46_082.5, 'date', '2026-03-01T12:00:00'],
  [46_082, 'datetime', '2026-03-01T00:00:00'],
  [46_082.4376736111, 'datetime', '2026-03-01T10:30:15'],
  [46_082 + 1 / 86_400_000, 'datetime', '2026-03-01T00:00:00.001'],
  [0.295_138_888_888_9, 'time', '07:05:00'],
  [0, 'time', '00:00:00'],
  [0.999_999_999_9, 'time', '23:59:59.999'],
  [1.5, 'time', '1900-01-01T12:00:00'],
  [1.104_166_666_666_7, 'duration', '26:30:00'],
  [1e300, 'duration', null],
] as const)('%d as a %s is %s', (serial, kind, text) => {
  const moment = momentOf(serial, kind satisfies NumberKind, false)
  expect(typeof moment === 'object' ? (moment?.text ?? null) : moment).toBe(text)
})

test.each([
  [0, 'date', '1904-01-01'],
  [44_620, 'date', '2026-03-01'],
  [0.5, 'time', '12:00:00'],
  [0.5, 'datetime', '1904-01-01T12:00:00'],
] as const)('%d as a %s from 1904 is %s', (serial, kind, text) => {
  const moment = momentOf(serial, kind, true)
  expect(typeof moment === 'object' ? moment?.text : moment).toBe(text)
})
