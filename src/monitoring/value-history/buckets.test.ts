import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { Refusal } from '../../lib/errors.ts'
import { bucketEdges, defaultScale } from './buckets.ts'
import { HOUR_MS } from '../../lib/time.ts'

describe('edges', () => {
  const rows: { title: string; zone?: string; begin: string; end: string; scale: string; inner: string[] }[] =
    [
      {
        title: 'elapsed time counts from begin and clips the last bucket',
        begin: '2026-03-02T09:00:07Z',
        end: '2026-03-02T09:12:00Z',
        scale: 'PT5M',
        inner: ['2026-03-02T09:05:07Z', '2026-03-02T09:10:07Z'],
      },
      {
        title: 'an end on an edge gives no empty bucket',
        begin: '2026-03-02T09:00:00Z',
        end: '2026-03-02T10:00:00Z',
        scale: 'PT30M',
        inner: ['2026-03-02T09:30:00Z'],
      },
      {
        title: 'days are midnights of the zone, 23 hours when its summer begins',
        zone: 'Europe/Berlin',
        begin: '2026-03-28T10:00:00+01:00',
        end: '2026-03-31T00:00:00+02:00',
        scale: 'P1D',
        inner: ['2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00'],
      },
      {
        title: 'days are 25 hours when its summer ends',
        zone: 'Europe/Berlin',
        begin: '2026-10-24T00:00:00+02:00',
        end: '2026-10-26T00:00:01+01:00',
        scale: 'P1D',
        inner: ['2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00'],
      },
      {
        title: '24 hours are elapsed time, not a day',
        zone: 'Europe/Berlin',
        begin: '2026-03-28T10:00:00+01:00',
        end: '2026-03-30T12:00:00+02:00',
        scale: 'PT24H',
        inner: ['2026-03-29T11:00:00+02:00', '2026-03-30T11:00:00+02:00'],
      },
      {
        title: 'a day and hours are elapsed time',
        zone: 'Europe/Berlin',
        begin: '2026-03-29T00:00:00+01:00',
        end: '2026-03-31T00:00:00+02:00',
        scale: 'P1DT12H',
        inner: ['2026-03-30T13:00:00+02:00'],
      },
      {
        title: 'several days count from the day of the start',
        begin: '2026-03-02T09:00:00Z',
        end: '2026-03-07T09:00:00Z',
        scale: 'P2D',
        inner: ['2026-03-04T00:00:00Z', '2026-03-06T00:00:00Z'],
      },
      {
        title: 'weeks begin on Monday',
        begin: '2026-03-01T09:00:00Z',
        end: '2026-03-16T00:00:00Z',
        scale: 'P1W',
        inner: ['2026-03-02T00:00:00Z', '2026-03-09T00:00:00Z'],
      },
      {
        title: 'months begin on their first',
        begin: '2026-01-31T12:00:00Z',
        end: '2026-04-02T00:00:00Z',
        scale: 'P1M',
        inner: ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
      },
      {
        title: 'years begin in January',
        begin: '2024-02-29T00:00:00Z',
        end: '2026-02-01T00:00:00Z',
        scale: 'P1Y',
        inner: ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
      },
      {
        title: 'the smallest unit of a mixed scale says where edges lie',
        begin: '2026-01-31T12:00:00Z',
        end: '2026-04-01T00:00:00Z',
        scale: 'P1M1D',
        inner: ['2026-03-01T00:00:00Z'],
      },
      {
        title: 'a day that the zone skipped has no bucket',
        zone: 'Pacific/Apia',
        begin: '2011-12-29T00:00:00-10:00',
        end: '2012-01-01T00:00:00+14:00',
        scale: 'P1D',
        inner: ['2011-12-31T00:00:00+14:00'],
      },
      {
        title: 'a day begins at one where midnight does not exist',
        zone: 'America/Sao_Paulo',
        begin: '2018-11-03T00:00:00-03:00',
        end: '2018-11-04T12:00:00-02:00',
        scale: 'P1D',
        inner: ['2018-11-04T01:00:00-02:00'],
      },
      {
        title: 'a clock set back over midnight moves no edge before begin',
        zone: 'America/St_Johns',
        begin: '2010-11-06T23:30:00-03:30',
        end: '2010-11-08T12:00:00-03:30',
        scale: 'P1D',
        inner: ['2010-11-08T00:00:00-03:30'],
      },
      {
        title: 'a scale longer than the calendar is one bucket',
        begin: '2026-03-02T09:00:00Z',
        end: '2026-03-02T10:00:00Z',
        scale: 'P999999Y',
        inner: [],
      },
      {
        title: 'a scale longer than the calendar with hours is one bucket',
        begin: '2026-03-02T09:00:00Z',
        end: '2026-03-02T10:00:00Z',
        scale: 'P999999YT1H',
        inner: [],
      },
      {
        title: 'edges between two milliseconds are the later one',
        begin: '2026-03-02T09:00:00Z',
        end: '2026-03-02T09:00:00.004Z',
        scale: 'PT0.0015S',
        inner: ['2026-03-02T09:00:00.002Z', '2026-03-02T09:00:00.003Z'],
      },
    ]
  test.each(rows)('$title', ({ zone = 'UTC', begin, end, scale, inner }) => {
    const edges = bucketEdges({
      beginAt: Date.parse(begin),
      endAt: Date.parse(end),
      scale: Temporal.Duration.from(scale),
      timeZone: zone,
    })
    const iso = (text: string) => new Date(text).toISOString()
    expect(edges.map((edge) => new Date(edge).toISOString())).toEqual([begin, ...inner, end].map(iso))
  })

  test('an empty range has no bucket', () => {
    expect(edgesOf(5, 5, 'PT1S')).toEqual([5])
    expect(edgesOf(5, 5, 'P1D')).toEqual([5])
  })
})

describe('bounds', () => {
  test('2,000 buckets are answered, one more is refused', () => {
    expect(edgesOf(0, 2_000 * HOUR_MS, 'PT1H').length).toBe(2_001)
    expect(() => edgesOf(0, 2_000 * HOUR_MS + 1, 'PT1H')).toThrow(Refusal)
    expect(edgesOf(0, 48_000 * HOUR_MS, 'P1D').length).toBe(2_001)
    expect(() => edgesOf(0, 48_000 * HOUR_MS + 1, 'P1D')).toThrow(Refusal)
    expect(() => edgesOf(1, 48_000 * HOUR_MS + 1, 'P1D')).toThrow(Refusal)
  })

  test.each([
    ['P1W', '2008-04-01'],
    ['P1M', '2136-08-31'],
    ['P1Y', '3969-12-31'],
    ['P1M1D', '2142-01-18'],
  ])('almost 2,000 of %s are answered', (scale, end) => {
    const count = edgesOf(0, Date.parse(end), scale).length
    expect(count).toBeGreaterThan(1_900)
    expect(count).toBeLessThanOrEqual(2_001)
  })

  test.each(['PT0.000000001S', 'PT1S', 'P1D', 'P1W', 'P1M', 'P1Y'])(
    'all of time by %s is refused at once',
    (scale) => {
      expect(() => edgesOf(0, 8.64e15, scale)).toThrow(expect.objectContaining({ code: 'too_many_buckets' }))
    },
  )

  test.each(['PT0S', '-PT5M', '-P1D'])('the scale %s is refused', (scale) => {
    expect(() => edgesOf(0, 1_000, scale)).toThrow(RangeError)
  })

  test('a range that ends before it begins is refused', () => {
    expect(() => edgesOf(2, 1, 'PT1S')).toThrow(RangeError)
  })
})

test('edges ascend from begin to end, and are midnights of the zone for days', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/Sao_Paulo',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
  )
  const scales = fc.constantFrom('P1D', 'P3D', 'P1W', 'P1M', 'P1Y', 'PT6H', 'P2DT1H', 'PT7M12S')
  const begins = fc.integer({ min: 0, max: 2e12 })
  const lengths = fc.integer({ min: 1, max: 700_000_000 })

  fc.assert(
    fc.property(zones, scales, begins, lengths, (timeZone, text, beginAt, lengthMs) => {
      const scale = Temporal.Duration.from(text)
      const edges = bucketEdges({ beginAt, endAt: beginAt + lengthMs, scale, timeZone })
      expect(edges[0]).toBe(beginAt)
      expect(edges.at(-1)).toBe(beginAt + lengthMs)
      expect(edges.every((edge, index) => index === 0 || edge > (edges[index - 1] ?? edge))).toBe(true)
      if (text.includes('T')) return
      for (const edge of edges.slice(1, -1)) {
        const local = Temporal.Instant.fromEpochMilliseconds(edge).toZonedDateTimeISO(timeZone)
        expect(local.startOfDay().epochMilliseconds).toBe(edge)
      }
    }),
  )
})

describe('the default scale', () => {
  test.each([
    [24 * HOUR_MS, 'PT10M'],
    [7 * 24 * HOUR_MS, 'PT1H'],
    [200 * HOUR_MS, 'PT1H'],
    [200 * HOUR_MS + 1, 'PT2H'],
    [4_800 * HOUR_MS, 'P1D'],
    [4_801 * HOUR_MS, 'P1W'],
    [200 * 28 * 24 * HOUR_MS, 'P1M'],
    [201 * 28 * 24 * HOUR_MS, 'P1Y'],
    [201 * 365 * 24 * HOUR_MS, 'P10Y'],
    [2_001 * 365 * 24 * HOUR_MS, 'P100Y'],
    [1_000, 'PT1S'],
    [0, 'PT1S'],
    [1_000_001, 'PT10S'],
  ])('of %d ms is %s', (lengthMs, scale) => {
    expect(defaultScale(1_000, 1_000 + lengthMs).toString()).toBe(scale)
  })

  test.each([
    ['UTC', '2026-03-02T09:07:13.250Z', '2026-03-02T09:10:00.000Z'],
    ['Asia/Kathmandu', '2026-03-02T09:07:13.250Z', '2026-03-02T09:15:00.000Z'],
    ['Europe/Berlin', '1969-12-31T23:52:00.000Z', '1970-01-01T00:00:00.000Z'],
  ])('begins its buckets on the clock of %s', (timeZone, begin, first) => {
    const beginAt = Date.parse(begin)
    const scale = Temporal.Duration.from(timeZone === 'Asia/Kathmandu' ? 'PT30M' : 'PT10M')
    const edges = bucketEdges({ beginAt, endAt: beginAt + HOUR_MS, scale, timeZone, isOnClock: true })
    const lengthMs = Number(scale.total('millisecond'))
    expect(edges.slice(0, 3)).toEqual([beginAt, Date.parse(first), Date.parse(first) + lengthMs])
    expect(edges.at(-1)).toBe(beginAt + HOUR_MS)
  })

  test('begins buckets of hours on hours of the day, until its offset changes', () => {
    const beginAt = Date.parse('2026-03-01T10:20:00+01:00')
    const scale = Temporal.Duration.from('PT6H')
    const range = {
      beginAt,
      endAt: beginAt + 24 * HOUR_MS,
      scale,
      timeZone: 'Europe/Berlin',
      isOnClock: true,
    }
    expect(bucketEdges(range)[1]).toBe(Date.parse('2026-03-01T12:00:00+01:00'))
  })

  test('makes no more than 200 buckets, and one more where both ends are cut', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.integer({ min: 0, max: 2e14 }), (beginAt, lengthMs) => {
        const endAt = beginAt + lengthMs
        const scale = defaultScale(beginAt, endAt)
        const edges = bucketEdges({ beginAt, endAt, scale, timeZone: 'UTC', isOnClock: true })
        expect(edges.length).toBeLessThanOrEqual(202)
      }),
    )
  })
})

function edgesOf(beginAt: number, endAt: number, scale: string): number[] {
  return bucketEdges({ beginAt, endAt, scale: Temporal.Duration.from(scale), timeZone: 'UTC' })
}
