import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { CellBlock, decodeCells, HOURS } from './rollup-block.ts'
import { RollupCache } from './rollup-cache.ts'
import { HOUR_MS } from '../lib/time.ts'

/** The bytes of a block with a cell in each of its first hours. */
function bodyOf(block: number, values: readonly number[]): Uint8Array {
  const cells = new CellBlock(HOURS, block)
  cells.add({ at: values.map((_, index) => (block * 128 + index) * HOUR_MS), values })
  return cells.encode()
}

const read = fc.record({
  jobId: fc.integer({ min: 1, max: 3 }),
  block: fc.integer({ min: 1, max: 3 }),
  values: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 }),
})

test('answers what decoding would, however blocks change in between, and never holds more than it may', () => {
  fc.assert(
    fc.property(fc.array(read, { maxLength: 40 }), fc.integer({ min: 0, max: 12 }), (reads, cellsMax) => {
      const recent = new RollupCache(cellsMax)
      for (const { jobId, block, values } of reads) {
        const body = bodyOf(block, values)
        const cells = recent.cellsOf({ jobId, series: 1, level: HOURS, block, body })
        expect(cells).toEqual(decodeCells(HOURS, block, body))
        expect(recent.size).toBeLessThanOrEqual(cellsMax)
      }
    }),
  )
})

test('decodes what it holds once, and lets go of what was not read for longest', () => {
  const recent = new RollupCache(4)
  const ask = (jobId: number) =>
    recent.cellsOf({ jobId, series: 1, level: HOURS, block: 7, body: bodyOf(7, [1, 2]) })
  const [one, two] = [ask(1), ask(2)]
  expect(ask(1)).toBe(one)
  ask(3)
  expect(ask(1)).toBe(one)
  expect(ask(2)).not.toBe(two)
})

test('tells apart blocks whose bytes alone differ', () => {
  const recent = new RollupCache()
  const ask = (values: readonly number[]) =>
    recent.cellsOf({ jobId: 1, series: 1, level: HOURS, block: 7, body: bodyOf(7, values) })
  expect(ask([1, 2]).map(({ sum }) => sum)).toEqual([1, 2])
  expect(ask([1, 3]).map(({ sum }) => sum)).toEqual([1, 3])
  expect(recent.size).toBe(2)
})
