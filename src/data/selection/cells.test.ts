import { expect, test } from 'bun:test'

import { instantReader } from './cells.ts'

test.each([
  ['2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
  ['2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
  ['2026-10-25T00:30:00.123456Z', '2026-10-25T02:30:00.123456+02:00'],
  ['2026-10-25T01:30:00.500000Z', '2026-10-25T02:30:00.5+01:00'],
  ['2026-01-01T00:00:00.000000Z', '2026-01-01T01:00:00+01:00'],
  ['9999-12-30T00:00:00Z', '9999-12-30T01:00:00+01:00'],
  // The clock of Bern was ahead of UTC by 29 minutes and 46 seconds.
  ['1880-01-01T00:00:00.25Z', '1880-01-01T00:00:00.25+00:00'],
  // Not instants, or not of these years.
  ['2026-03-29T01:00:00', '2026-03-29T01:00:00'],
  ['2026-03-29T01:00:00.500000', '2026-03-29T01:00:00.5'],
  ['2026-13-01T00:00:00Z', '2026-13-01T00:00:00Z'],
  ['0044-03-15 12:00:00+00 BC', '0044-03-15 12:00:00+00 BC'],
  [null, null],
] as const)('%p is answered as %p', (cell, answer) => {
  expect(instantReader('Europe/Zurich')(cell)).toBe(answer)
})

test('instants of a minute have its offset, each with its seconds; other texts are as they were', () => {
  const read = instantReader('Europe/Zurich')
  const cells = [
    ['2026-03-29T00:59:00Z', '2026-03-29T01:59:00+01:00'],
    ['2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
    ['2026-03-29T00:59:59.5Z', '2026-03-29T01:59:59.5+01:00'],
    ['2026-03-29T00:59:60Z', '2026-03-29T00:59:60Z'],
    ['2026-03-29T00:59:01', '2026-03-29T00:59:01'],
    ['2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
    ['2026-03-29T01:00:20Z', '2026-03-29T03:00:20+02:00'],
    ['2026-03-29T00:59:40Z', '2026-03-29T01:59:40+01:00'],
    // The clock went ahead by half an hour and 14 seconds within this minute.
    ['1894-05-31T23:30:30Z', '1894-06-01T00:30:30+01:00'],
    ['1894-05-31T23:30:05Z', '1894-05-31T23:30:05+00:00'],
  ] as const
  expect(cells.map(([cell]) => read(cell))).toEqual(cells.map(([, answer]) => answer))
})
