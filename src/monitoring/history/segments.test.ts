import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { decodeNumbers } from './numbers-codec.ts'
import { segmentNumbers, segmentTexts } from './segments.ts'
import { decodeTexts } from './texts-codec.ts'

test('samples are cut in order and each segment carries its aggregates', () => {
  const segments = segmentNumbers({ at: [10, 20, 20, 30, 40], values: [3, -1, 2, 7, 7] }, 3)
  expect(segments.map(({ body, ...rest }) => ({ ...rest, decoded: decodeNumbers(body).values }))).toEqual([
    { from: 10, to: 20, count: 3, min: -1, max: 3, sum: 4, first: 3, last: 2, decoded: [3, -1, 2] },
    { from: 30, to: 40, count: 2, min: 7, max: 7, sum: 14, first: 7, last: 7, decoded: [7, 7] },
  ])
})

test('strings are cut the same way', () => {
  const segments = segmentTexts({ at: [1, 2, 3], values: ['a', '', 'c'] }, 2)
  expect(segments.map(({ body, ...rest }) => ({ ...rest, decoded: decodeTexts(body).values }))).toEqual([
    { from: 1, to: 2, count: 2, first: 'a', last: '', decoded: ['a', ''] },
    { from: 3, to: 3, count: 1, first: 'c', last: 'c', decoded: ['c'] },
  ])
})

test('no samples give no segments', () => {
  expect(segmentNumbers({ at: [], values: [] }, 10)).toEqual([])
})

test('a sum beyond the range of a double is null, never an infinity', () => {
  expect(segmentNumbers({ at: [1, 2], values: [1e308, 1e308] }, 10)[0]?.sum).toBeNull()
})

test.each([0, -1, 1.5, 65_537, NaN])('%p is no count of samples for a segment', (countMax) => {
  expect(() => segmentNumbers({ at: [1], values: [1] }, countMax)).toThrow(RangeError)
})

test('the segments of any series decode to that series, none longer than asked', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      (values, countMax) => {
        const at = values.map((_, index) => index * 1_000)
        const segments = segmentNumbers({ at, values }, countMax)
        expect(segments.every(({ count }) => count >= 1 && count <= countMax)).toBe(true)
        expect(segments.flatMap(({ body }) => decodeNumbers(body).at)).toEqual(at)
        expect(segments.flatMap(({ body }) => decodeNumbers(body).values)).toEqual(values)
      },
    ),
  )
})
