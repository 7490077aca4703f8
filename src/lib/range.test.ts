import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { intersectionOf, lengthMs, unionOf } from './range.ts'
import type { Range } from './range.ts'

const MAX = 40
const ranges = fc.array(fc.record({ beginAt: fc.nat(MAX), endAt: fc.nat(MAX) }), { maxLength: 8 })

/** The instants that lie in any of the ranges. */
function instantsOf(some: readonly Range[]): number[] {
  const instants = Array.from({ length: MAX }, (_, at) => at)
  return instants.filter((at) => some.some(({ beginAt, endAt }) => beginAt <= at && at < endAt))
}

test('a union has the instants of all, in order and without touching neighbours', () => {
  fc.assert(
    fc.property(ranges, (some) => {
      const union = unionOf(some)
      expect(instantsOf(union)).toEqual(instantsOf(some))
      expect(lengthMs(union)).toBe(instantsOf(some).length)
      for (const [index, { beginAt, endAt }] of union.entries()) {
        expect(endAt).toBeGreaterThan(beginAt)
        expect(beginAt).toBeGreaterThan(union[index - 1]?.endAt ?? -1)
      }
    }),
  )
})

test('an intersection has the instants that are in both', () => {
  fc.assert(
    fc.property(ranges, ranges, (some, others) => {
      const both = intersectionOf(unionOf(some), unionOf(others))
      const wanted = new Set(instantsOf(others))
      expect(instantsOf(both)).toEqual(instantsOf(some).filter((at) => wanted.has(at)))
      expect(lengthMs(both)).toBe(instantsOf(both).length)
    }),
  )
})
