import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import type { Value } from '../../../domain/delivery.ts'
import { PendingSamples } from './pending-samples.ts'

/** The samples of one job in chains, and the expected ones. */
type Own = { number: number; readonly at: number[]; readonly values: Value[] }

test('jobs take the samples that were added for them, in order, with any samples of others in between', () => {
  const value = fc.oneof(fc.double({ noNaN: true }), fc.constant(-0), fc.string({ maxLength: 3 }))
  const deed = fc.record({ job: fc.nat(3), at: fc.nat(), value, takes: fc.nat(9).map((n) => n === 0) })
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 60 }), (deeds) => {
      const chains = new PendingSamples()
      const jobs = [0, 1, 2, 3].map(newOwn)
      for (const one of deeds) {
        const own = jobs[one.job]
        if (!own) continue
        own.number = chains.add(one.at, one.value, own.number)
        own.at.push(one.at)
        own.values.push(one.value)
        if (one.takes) takeAll(chains, own)
      }
      for (const own of jobs) takeAll(chains, own)
    }),
  )
})

test('a page is given back with the last of its 16,384 values, and none of them is there twice', () => {
  const chains = new PendingSamples()
  const [one, other] = [newOwn(), newOwn()]
  for (let at = 0; at < 16_384; at++) {
    const own = at < 16_383 ? one : other
    own.number = chains.add(at, at / 4, own.number)
    own.at.push(at)
    own.values.push(at / 4)
  }
  takeAll(chains, one)
  expect(chains.pageCount).toBe(1)
  takeAll(chains, other)
  expect(chains.pageCount).toBe(0)
  expect(() => chains.take(16_383, 1)).toThrow(TypeError)
  expect(chains.add(1, 2, 0)).toBe(16_384)
  expect(chains.take(16_384, 1)).toEqual({ at: [1], values: [2] })
  expect(chains.pageCount).toBe(1)
})

function newOwn(): Own {
  return { number: 0, at: [], values: [] }
}

function takeAll(chains: PendingSamples, { number, at, values }: Own): void {
  expect(chains.take(number, at.length)).toEqual({ at: at.splice(0), values: values.splice(0) })
}
