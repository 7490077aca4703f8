import { expect, test } from 'bun:test'

import { heatOf, rangeOf, stackedOf } from './stacked.ts'

const series = (...values: readonly (readonly (number | null)[])[]) =>
  values.map((one, at) => ({ name: String(at), values: one }))

test('values of a row stand one after the other, on the scale of the greatest sum', () => {
  const [first, second, none] = stackedOf({
    labels: ['a', 'b', 'c'],
    series: series([1, 3, null], [1, 1, null]),
  })
  expect(first).toEqual({
    sum: 2,
    segments: [
      { series: 0, value: 1, from: 0, to: 0.25 },
      { series: 1, value: 1, from: 0.25, to: 0.5 },
    ],
  })
  expect(second?.segments.at(-1)?.to).toBe(1)
  expect(none).toEqual({ sum: null, segments: [] })
})

test('values below zero stand to the left of it, one after the other', () => {
  const [row] = stackedOf({ labels: ['a'], series: series([-1], [2], [-1]) })
  expect(row?.sum).toBe(0)
  expect(row?.segments.map(({ from, to }) => [from, to])).toEqual([
    [0.25, 0.5],
    [0.5, 1],
    [0, 0.25],
  ])
})

test('heat goes from the least to the greatest value of all series', () => {
  const range = rangeOf({ series: series([2, null], [6, 4]) })
  expect(range).toEqual({ min: 2, max: 6 })
  expect([2, 4, 6].map((value) => heatOf(value, range ?? { min: 0, max: 0 }))).toEqual([0, 0.5, 1])
  expect(heatOf(3, { min: 3, max: 3 })).toBe(1)
  expect(rangeOf({ series: series([null]) })).toBeNull()
})
