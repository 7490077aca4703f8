import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { decodeNumbers } from './numbers-codec.ts'
import { segmentNumbers, segmentTexts } from './segments.ts'
import { decodeTexts } from './texts-codec.ts'

const atMost = (countMax: number) => ({ countMax, sizeMaxBytes: 1_000 })

test('samples are cut in order and each segment carries its aggregates', () => {
  const segments = segmentNumbers({ at: [10, 20, 20, 30, 40], values: [3, -1, 2, 7, 7] }, atMost(3))
  expect(
    segments.map(({ body, summary }) => ({ ...summary, decoded: [...decodeNumbers(body).values] })),
  ).toEqual([
    { from: 10, to: 20, count: 3, min: -1, max: 3, sum: 4, first: 3, last: 2, decoded: [3, -1, 2] },
    { from: 30, to: 40, count: 2, min: 7, max: 7, sum: 14, first: 7, last: 7, decoded: [7, 7] },
  ])
})

test('strings are cut the same way', () => {
  const segments = segmentTexts({ at: [1, 2, 3], values: ['a', '', 'c'] }, atMost(2))
  expect(
    segments.map(({ body, summary }) => ({ ...summary, decoded: [...decodeTexts(body).values] })),
  ).toEqual([
    { from: 1, to: 2, count: 2, decoded: ['a', ''] },
    { from: 3, to: 3, count: 1, decoded: ['c'] },
  ])
})

test('no samples give no segments', () => {
  expect(segmentNumbers({ at: [], values: [] }, atMost(10))).toEqual([])
})

test('a sum beyond the range of a double is null, never an infinity', () => {
  expect(segmentNumbers({ at: [1, 2], values: [1e308, 1e308] }, atMost(10))[0]?.summary).toMatchObject({
    sum: null,
  })
})

test.each([0, -1, 1.5, 65_537, NaN])('%p is not a count of samples for a segment', (countMax) => {
  expect(() => segmentNumbers({ at: [1], values: [1] }, atMost(countMax))).toThrow(RangeError)
})

test('the segments of any series decode to that series, none longer than asked', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      (values, countMax) => {
        const at = values.map((_, index) => index * 1_000)
        const segments = segmentNumbers({ at, values }, atMost(countMax))
        expect(segments.every(({ summary }) => summary.count >= 1 && summary.count <= countMax)).toBe(true)
        expect(segments.flatMap(({ body }) => decodeNumbers(body).at)).toEqual(at)
        expect(segments.flatMap(({ body }) => decodeNumbers(body).values)).toEqual(values)
      },
    ),
  )
})

test('the sum of decimals is the sum of whole numbers, rounded once', () => {
  const values = Array.from({ length: 10 }, () => 0.1)
  const [segment] = segmentNumbers({ at: values.map((_, index) => index), values }, atMost(10))
  expect(segment?.summary).toMatchObject({ sum: 1 })
})

describe('a segment', () => {
  test('takes no more bytes than asked, and one sample at least', () => {
    const values = Array.from({ length: 500 }, (_, index) => Math.sin(index))
    const at = values.map((_, index) => index * 1_000)
    const segments = segmentNumbers({ at, values }, { countMax: 500, sizeMaxBytes: 900 })
    expect(segments.every(({ body }) => body.length <= 900)).toBe(true)
    expect(segments.length).toBeLessThan(8)
    expect(segments.flatMap(({ body }) => decodeNumbers(body).values)).toEqual(values)
    const long = segmentTexts(
      { at: [1, 2], values: ['x'.repeat(3_000), 'y'] },
      { countMax: 9, sizeMaxBytes: 900 },
    )
    expect(long.map(({ summary }) => summary.count)).toEqual([1, 1])
  })

  test('ends where segments of other series with the same instants end, unless it is small', () => {
    const at = Array.from({ length: 600 }, (_, index) => index * 1_000 + ((index * 7_919) % 97))
    const countsOf = (series: number, sizeMaxBytes: number, sampleBytes: number) => {
      const values = at.map(
        (_, index) => Math.round(2_000 * Math.abs(Math.sin(series + index * index))) / 100,
      )
      const segments = segmentNumbers({ at, values }, { countMax: 600, sizeMaxBytes, sampleBytes })
      expect(segments.flatMap((segment) => decodeNumbers(segment.body).values)).toEqual(values)
      return segments.slice(0, -1).map(({ summary }) => summary.count)
    }
    const all = Array.from({ length: 40 }, (_, series) => series)
    // As many as it takes to be too large at first, and fewer.
    for (const sampleBytes of [1, 2.9]) {
      const large = new Set(all.flatMap((series) => countsOf(series, 975, sampleBytes)))
      expect([...large].filter((count) => count % 8 !== 0)).toEqual([])
      expect(large.size).toBeLessThan(4)
      const small = new Set(all.flatMap((series) => countsOf(series, 160, sampleBytes)))
      expect([...small].some((count) => count % 8 !== 0)).toBe(true)
    }
  })

  test('keeps equal instants together, unless all of them are equal', () => {
    const counts = (at: readonly number[]) =>
      segmentNumbers({ at, values: at.map(() => 1) }, atMost(4)).map(({ summary }) => summary.count)
    expect(counts([1, 2, 3, 4, 5])).toEqual([4, 1])
    expect(counts([1, 2, 3, 4, 4])).toEqual([3, 2])
    expect(counts([1, 2, 2, 2, 2, 2])).toEqual([1, 4, 1])
    expect(counts([2, 2, 2, 2, 2, 3])).toEqual([4, 2])
  })
})
