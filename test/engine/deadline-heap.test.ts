import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { DeadlineHeap } from '../../src/monitoring/engine/head/deadline-heap.ts'

test('a heap returns deadlines as a sorted list with one entry per job, after any additions, moves and removals', () => {
  const set = fc.record({ at: fc.integer({ min: 0, max: 50 }), id: fc.nat(30) })
  const take = fc.record({ now: fc.integer({ min: -1, max: 60 }) })
  const act = fc.oneof({ weight: 3, arbitrary: set }, { weight: 2, arbitrary: take })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200, size: 'max' }), (acts) => {
      const wheel = new DeadlineHeap()
      const entries = new Map<number, number>()
      for (const one of acts) {
        if ('id' in one) {
          wheel.set(one.at, one.id)
          entries.set(one.id, one.at)
        } else {
          const earliest = Math.min(Infinity, ...entries.values())
          const taken = wheel.takeDue(one.now)
          if (earliest > one.now) expect(taken).toBeNull()
          else {
            expect(taken?.at).toBe(earliest)
            expect(entries.get(taken?.id ?? -1)).toBe(earliest)
            entries.delete(taken?.id ?? -1)
          }
        }
        expect(wheel.nextAt).toBe(Math.min(Infinity, ...entries.values()))
        expect(wheel.size).toBe(entries.size)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('an empty heap has no next deadline', () => {
  const wheel = new DeadlineHeap()
  expect(wheel.nextAt).toBe(Infinity)
  expect(wheel.takeDue(Number.MAX_SAFE_INTEGER)).toBeNull()
})

test('moving a deadline often does not make the heap grow', () => {
  const wheel = new DeadlineHeap()
  for (let run = 0; run < 10_000; run += 1) {
    wheel.set(run * 60_000 + 1_000, 7)
    wheel.set(run * 60_000 + 86_400_000, 7)
    expect(wheel.size).toBe(1)
  }
  expect(wheel.takeDue(Infinity)).toEqual({ at: 9_999 * 60_000 + 86_400_000, id: 7 })
})
