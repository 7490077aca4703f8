import { describe, expect, test } from 'bun:test'

import { lastOf, rangeAt, scaleFor } from './range.ts'

const NOW = Date.parse('2026-03-02T08:30:07.500Z')
const at = (from: string, to: string, refresh = 'PT1M') => {
  const { beginAt, endAt } = rangeAt({ from, to }, NOW, { refresh, timeZone: 'Europe/Berlin' })
  return [beginAt, endAt].map((ms) => new Date(ms).toISOString())
}

describe('a range', () => {
  const rows: [title: string, from: string, to: string, refresh: string, begin: string, end: string][] = [
    [
      'of a day until now, aligned to the minute',
      '-P1D',
      'now',
      'PT1M',
      '2026-03-01T08:31:00.000Z',
      '2026-03-02T08:31:00.000Z',
    ],
    [
      'aligned to a shorter refresh',
      '-PT1H',
      'now',
      'PT5S',
      '2026-03-02T07:30:10.000Z',
      '2026-03-02T08:30:10.000Z',
    ],
    [
      'aligned to a minute for a longer refresh',
      '-PT1H',
      'now',
      'PT1H',
      '2026-03-02T07:31:00.000Z',
      '2026-03-02T08:31:00.000Z',
    ],
    [
      'before an instant',
      '-P1M',
      '2026-03-31T00:00:00Z',
      'PT1M',
      '2026-02-28T01:00:00.000Z',
      '2026-03-31T00:00:00.000Z',
    ],
    [
      'between instants',
      '2026-01-01T00:00:00Z',
      '2026-02-01T00:00:00+01:00',
      'PT1M',
      '2026-01-01T00:00:00.000Z',
      '2026-01-31T23:00:00.000Z',
    ],
  ]
  for (const [title, from, to, refresh, begin, end] of rows)
    test(title, () => expect(at(from, to, refresh)).toEqual([begin, end]))

  test('of a length ends with another one', () => {
    expect(lastOf({ beginAt: 0, endAt: NOW }, 'PT1H', 'UTC')).toEqual({
      beginAt: NOW - 3_600_000,
      endAt: NOW,
    })
  })
})

test('a history has no more buckets than pixels, and no more than its share', () => {
  const day = { beginAt: 0, endAt: 86_400_000 }
  expect([scaleFor(day, undefined, 32_000), scaleFor(day, 480, 32_000)]).toEqual([undefined, undefined])
  expect([scaleFor(day, 101, 32_000), scaleFor(day, undefined, 51), scaleFor(day, 1, 32_000)]).toEqual([
    'PT864S',
    'PT1728S',
    'PT86400S',
  ])
})
