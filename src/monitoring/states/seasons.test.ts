import { describe, expect, test } from 'bun:test'
import { Temporal } from 'temporal-polyfill'

import { bucketBeginOf, bucketEdgesOf, cellCountOf, cellOf, neighboursOf } from './seasons.ts'

const HOUR_MS = 3_600_000
const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds
const zurich = { season: 'week', bucketMs: HOUR_MS, timeZone: 'Europe/Zurich' } as const
const hoursBetween = (edges: readonly number[]) =>
  edges.slice(1).map((edge, index) => (edge - (edges[index] ?? 0)) / HOUR_MS)

describe('the cell of a season', () => {
  test.each([
    ['week', 1, '2026-03-02T00:00+01:00', 0],
    ['week', 1, '2026-03-02T08:00+01:00', 8],
    ['week', 1, '2026-03-08T23:00+01:00', 167],
    ['week', 1, '2026-07-06T08:00+02:00', 8],
    ['day', 1, '2026-03-04T08:00+01:00', 8],
    ['day', 0.5, '2026-03-04T08:30+01:00', 17],
    ['week', 24, '2026-03-05T00:00+01:00', 3],
    ['day', 24, '2026-03-05T00:00+01:00', 0],
    ['none', 1, '2026-03-05T07:00+01:00', 0],
  ] as const)('of a %s by %f hours at %s is %d', (season, hours, begin, cell) => {
    expect(cellOf({ ...zurich, season, bucketMs: hours * HOUR_MS }, at(begin))).toBe(cell)
  })

  test.each([
    ['week', 1, 168],
    ['week', 24, 7],
    ['day', 0.5, 48],
    ['day', 24, 1],
    ['none', 1, 1],
  ] as const)('is one of all of them: %s by %f hours has %d', (season, hours, count) => {
    expect(cellCountOf({ ...zurich, season, bucketMs: hours * HOUR_MS })).toBe(count)
  })

  test('has neighbours within an hour, around the end of the season', () => {
    expect(neighboursOf(zurich, 0)).toEqual([1, 167])
    expect(neighboursOf({ ...zurich, bucketMs: HOUR_MS / 2 }, 5)).toEqual([6, 4, 7, 3])
    expect(neighboursOf({ ...zurich, bucketMs: 2 * HOUR_MS }, 5)).toEqual([])
    expect(neighboursOf({ ...zurich, season: 'none' }, 0)).toEqual([])
  })
})

describe('buckets', () => {
  test.each([
    [1, '2026-03-29T00:59:59Z', '2026-03-29T00:00Z'],
    [24, '2026-03-29T12:00Z', '2026-03-28T23:00Z'],
    [24, '2026-03-30T12:00Z', '2026-03-29T22:00Z'],
    [4, '2026-03-29T01:30Z', '2026-03-28T23:00Z'],
    [4, '2026-10-25T01:30Z', '2026-10-24T22:00Z'],
  ])('of %d hours: the one at %s begins at %s', (hours, instant, begin) => {
    expect(bucketBeginOf({ ...zurich, bucketMs: hours * HOUR_MS }, at(instant))).toBe(at(begin))
  })

  test('of a day have 23 and 25 hours where the clock is changed', () => {
    const days = { ...zurich, bucketMs: 24 * HOUR_MS }
    expect(hoursBetween(bucketEdgesOf(days, at('2026-03-27T23:00Z'), at('2026-03-30T22:00Z')))).toEqual([
      24, 23, 24,
    ])
    expect(hoursBetween(bucketEdgesOf(days, at('2026-10-23T22:00Z'), at('2026-10-26T23:00Z')))).toEqual([
      24, 25, 24,
    ])
  })

  test('of four hours begin on the clock of the zone after its change', () => {
    const edges = bucketEdgesOf(
      { ...zurich, bucketMs: 4 * HOUR_MS },
      at('2026-03-28T23:00Z'),
      at('2026-03-29T08:00Z'),
    )
    expect(hoursBetween(edges)).toEqual([3, 4, 4])
  })

  test('begin where the buckets at their begins do, in every zone and width', () => {
    for (const timeZone of [
      'UTC',
      'Europe/Zurich',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
    ])
      for (const minutes of [5, 30, 60, 240, 1440]) {
        const season = { season: 'day', bucketMs: minutes * 60_000, timeZone } as const
        const beginAt = bucketBeginOf(season, at('2026-03-27T10:17Z'))
        const edges = bucketEdgesOf(season, beginAt, beginAt + 5 * 24 * HOUR_MS)
        for (const [index, edge] of edges.entries()) {
          expect([
            bucketBeginOf(season, edge),
            bucketBeginOf(season, (edges[index + 1] ?? edge + 1) - 1),
          ]).toEqual([edge, edge])
        }
      }
  })
})
