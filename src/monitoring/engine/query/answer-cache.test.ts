import { expect, test } from 'bun:test'

import type { RollupCell } from '../../../timeseries/rollup-block.ts'
import { AnswerCache, answerNames } from './answer-cache.ts'
import { HOUR_MS } from '../../../lib/time.ts'

const cell: RollupCell = {
  from: 0,
  end: HOUR_MS,
  to: 1,
  count: 1,
  sum: 1,
  mean: null,
  min: 1,
  max: 1,
  last: 1,
}
const empty = { min: null, max: null, avg: null, last: null, count: 0, sum: null }

const query = { mode: 'avg', edges: [0, HOUR_MS] } as const
const question = (jobSerial: number, cells: readonly RollupCell[] = [], body = new Uint8Array(0)) =>
  ({
    ...query,
    name: answerNames(query)(jobSerial, 1),
    cells: [cells],
    segments: [{ from: 0, body }],
    expiredAt: 0,
    asOf: 0,
  }) as const
const answer = () => ({
  buckets: [{ at: 0, value: 1, min: 1, max: 1, count: 1 }],
  aggregate: empty,
})

test('the size of the cache is counted in buckets, cells and segments', () => {
  const sizeOf = (...of: Parameters<typeof question>) => {
    const recent = new AnswerCache()
    recent.keep(question(...of), answer())
    return recent.sizeBytes
  }
  const bucketBytes = sizeOf(1)
  expect(bucketBytes).toBeGreaterThan(300)
  expect(sizeOf(1, [cell, cell]) - bucketBytes).toBeGreaterThan(200)
  expect(sizeOf(1, [], new Uint8Array(1_000)) - bucketBytes).toBe(1_000)
})

test('lets go of what was not asked for longest', () => {
  const cells = [cell]
  const one = new AnswerCache()
  one.keep(question(1, cells), answer())
  const recent = new AnswerCache(2 * one.sizeBytes)
  const kept = [1, 2].map((id) => {
    const told = answer()
    recent.keep(question(id, cells), told)
    return told
  })
  expect([1, 2].map((id) => recent.find(question(id, cells)) === kept[id - 1])).toEqual([true, true])
  recent.find(question(1, cells))
  recent.keep(question(3, cells), answer())
  expect([1, 2, 3].map((id) => recent.find(question(id, cells)) !== null)).toEqual([true, false, true])
})
