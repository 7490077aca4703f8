import { expect, test } from 'bun:test'

import { dateTimeReader } from './instants.ts'

test.each([
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ['9999-12-31T23:30:00.5+00:30', '9999-12-31T23:00:00.5Z'],
  ['9999-12-31T23:30:00-00:30', null],
  ['0001-01-01T00:30:00+00:30', '0001-01-01T00:00:00Z'],
  ['0001-01-01T00:29:59+00:30', null],
  ['2026-10-25T02:30', '2026-10-25T00:30:00Z'],
  ['2026-03-29T02:30', '2026-03-29T01:00:00Z'],
  ['2026-02-29T12:00', null],
  ['2026-03-01T24:00', null],
])('the text %p of a time in Zurich is the instant %p', (text, instant) => {
  expect(dateTimeReader('Europe/Zurich')(text)).toBe(instant)
})
