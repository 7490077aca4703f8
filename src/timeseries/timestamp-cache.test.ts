import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { decodeNumbers, encodeNumbers } from './numbers-codec.ts'
import { TimestampCache } from './timestamp-cache.ts'

test('series with the same instants share them once they are unpacked', () => {
  const at = [1_000, 2_003, 3_001, 9_007]
  const [one, other] = [
    [1, 2, 3, 4],
    [0.5, -0, 7, 7],
  ].map((values) => encodeNumbers({ at, values }))
  const first = decodeNumbers(one ?? new Uint8Array())
  const second = decodeNumbers(other ?? new Uint8Array())
  expect(first).toEqual({ at, values: [1, 2, 3, 4] })
  expect(second).toEqual({ at, values: [0.5, -0, 7, 7] })
  expect(second.at).toBe(first.at)
})

test('columns that are alike, or begin with each other, are never taken for one another', () => {
  const gap = fc.constantFrom<number[]>(0, 1, 1, 2, 300)
  const column = fc
    .array(gap, { maxLength: 6 })
    .map((gaps) => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, one) => sum + one, 0)))
  const value = fc.constantFrom(0, 1, -1, 0.5)
  const series = column.chain((at) =>
    fc.tuple(fc.constant(at), fc.array(value, { minLength: at.length, maxLength: at.length })),
  )
  fc.assert(
    fc.property(fc.array(series, { maxLength: 50 }), (all) => {
      const bodies = all.map(([at, values]) => encodeNumbers({ at, values }))
      // Backwards, so that what was packed first is asked for when it may be gone.
      for (const [index, [at, values]] of [...all.entries()].toReversed()) {
        expect(decodeNumbers(bodies[index] ?? new Uint8Array())).toEqual({ at, values })
      }
    }),
    { numRuns: Number(process.env['TIDEMARK_TEST_RUNS'] ?? 500) },
  )
})

test('are known by their instants and by their bytes, wherever these stand', () => {
  const recent = new TimestampCache()
  const [at, bytes] = [[5, 6, 8], new Uint8Array([3, 5, 1])]
  recent.add(at, bytes)
  expect(recent.bytesOf([5, 6, 8])).toBe(bytes)
  for (const other of [[], [5], [5, 6], [5, 6, 7], [5, 6, 8, 9]]) expect(recent.bytesOf(other)).toBe(null)
  expect(recent.columnIn(new Uint8Array([9, 3, 5, 1, 7]), 1)?.at).toBe(at)
  for (const body of [[], [3, 5], [3, 5, 2], [9, 3, 5, 1]])
    expect(recent.columnIn(new Uint8Array(body), 0)).toBe(null)
})

test('are thirty-two, of which the oldest makes room, and no longer than a thousand', () => {
  const recent = new TimestampCache()
  for (let first = 0; first < 33; first++) recent.add([first], new Uint8Array([first]))
  expect(recent.bytesOf([0])).toBe(null)
  for (let first = 1; first < 33; first++) expect(recent.bytesOf([first])).toEqual(new Uint8Array([first]))
  const long = Array.from({ length: 1_025 }, (_, index) => index)
  recent.add(long, new Uint8Array([1]))
  recent.add(long.slice(1), new Uint8Array([2]))
  expect(recent.bytesOf(long)).toBe(null)
  expect(recent.bytesOf(long.slice(1))).toEqual(new Uint8Array([2]))
})
