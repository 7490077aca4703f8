import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { mergeSamples } from './samples.ts'

test('on equal instants the older samples come first, each list in its own order', () => {
  const older = { at: [1, 2, 2, 5], values: ['a', 'b', 'c', 'd'] }
  const newer = { at: [0, 2, 2, 3, 5, 9], values: ['u', 'v', 'w', 'x', 'y', 'z'] }
  expect(mergeSamples(older, newer)).toEqual({
    at: [0, 1, 2, 2, 2, 2, 3, 5, 5, 9],
    values: ['u', 'a', 'b', 'c', 'v', 'w', 'x', 'd', 'y', 'z'],
  })
})

test('merging equals a stable sort of the older list followed by the newer', () => {
  const list = fc.array(fc.nat(20), { maxLength: 30 }).map((at) => at.toSorted((one, other) => one - other))

  fc.assert(
    fc.property(list, list, (olderAt, newerAt) => {
      const older = { at: olderAt, values: olderAt.map((_, index) => `older ${index}`) }
      const newer = { at: newerAt, values: newerAt.map((_, index) => `newer ${index}`) }
      const merged = mergeSamples(older, newer)

      const rows = [older, newer].flatMap(({ at, values }) =>
        at.map((instant, index) => [instant, values[index]] as const),
      )
      const sorted = rows.toSorted(([one], [other]) => one - other)
      expect(merged.at.map((instant, index) => [instant, merged.values[index]])).toEqual(
        sorted.map((row) => [...row]),
      )
    }),
  )
})
