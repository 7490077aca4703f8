import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { decodeNumbers } from './numbers-codec.ts'
import { BucketSums, ROLLUP_MODES } from './bucket-sums.ts'
import type { Mode } from '../domain/series.ts'
import type { Samples } from './samples.ts'
import { segmentNumbers } from './segments.ts'
import type { NumberSummary } from './summary.ts'

const SAMPLES: Samples<number> = {
  at: [9, 10, 11, 19, 20, 29, 40, 40, 49, 50],
  values: [99, 4, 1, 7, 2, 2, 5, 6, -1, 99],
}
const EDGES = [10, 20, 30, 40, 50]

describe('each mode makes its value of each bucket', () => {
  test.each<[Mode, (number | null)[]]>([
    ['avg', [4, 2, null, 10 / 3]],
    ['min', [1, 2, null, -1]],
    ['max', [7, 2, null, 6]],
    ['last', [7, 2, null, -1]],
    ['sum', [12, 4, null, 10]],
    ['count', [3, 2, null, 3]],
    ['p50', [4, 2, null, 5]],
    ['p95', [7, 2, null, 6]],
    ['p99', [7, 2, null, 6]],
  ])('%s', (mode, values) => {
    const rollup = new BucketSums(EDGES, mode)
    rollup.addSamples(SAMPLES)
    const { buckets, aggregate } = rollup.result()
    expect(buckets.map(({ value }) => value)).toEqual(values)
    expect(buckets[2]).toEqual({ at: 30, value: null, min: null, max: null, count: 0 })
    expect(buckets[3]).toMatchObject({ at: 40, min: -1, max: 6, count: 3 })
    expect(aggregate).toEqual({ min: -1, max: 7, avg: 26 / 8, last: -1, count: 8, sum: 26 })
  })
})

test('percentiles are the nearest rank', () => {
  const at = Array.from({ length: 100 }, (_, index) => index)
  const values = at.map((index) => 100 - index)
  const value = (mode: Mode) => {
    const rollup = new BucketSums([0, 100], mode)
    rollup.addSamples({ at, values })

    return rollup.result().buckets[0]?.value
  }
  expect([value('p50'), value('p95'), value('p99')]).toEqual([50, 95, 99])
})

test('an average never leaves the values it stands between', () => {
  const rollup = new BucketSums([0, 10], 'avg')
  rollup.addSamples({ at: [1, 2, 3], values: [0.1, 0.1, 0.1] })
  expect(rollup.result().buckets[0]?.value).toBe(0.1)
})

test('a sum beyond the range of a double is null, and its average is the mean', () => {
  const huge = { at: [1, 2, 3], values: [1e308, 1e308, 1.6e308] }
  const [segment] = summarized(huge, 10)
  const rollup = new BucketSums([0, 10], 'avg')
  expect(segment && rollup.needsSamples(segment.summary)).toBe(true)
  rollup.addSamples(huge)
  const { buckets, aggregate } = rollup.result()
  expect(buckets[0]).toMatchObject({ value: 1.2e308, min: 1e308, max: 1.6e308, count: 3 })
  expect(aggregate).toMatchObject({ sum: null, avg: 1.2e308, last: 1.6e308 })

  const samples = new BucketSums([0, 10], 'sum')
  samples.addSamples(huge)
  expect(samples.result().buckets[0]).toMatchObject({ value: null, count: 3 })
})

test('on equal instants the last value is the one fed later', () => {
  const rollup = new BucketSums([0, 10], 'last')
  rollup.addSamples({ at: [5, 7], values: [1, 2] })
  rollup.addSamples({ at: [6, 7, 7], values: [3, 4, 5] })
  rollup.addSamples({ at: [1], values: [6] })
  expect(rollup.result().buckets[0]?.value).toBe(5)
})

test('no buckets take nothing and aggregate nothing', () => {
  const rollup = new BucketSums([5], 'avg')
  rollup.addSamples({ at: [5], values: [1] })
  expect(rollup.result()).toEqual({
    buckets: [],
    aggregate: { min: null, max: null, avg: null, last: null, count: 0, sum: null },
  })
})

describe('samples are asked for only where aggregates do not do', () => {
  test.each<[string, Mode, number[], boolean]>([
    ['inside one bucket', 'avg', [10, 19], false],
    ['across an edge', 'avg', [19, 20], true],
    ['across begin', 'max', [9, 10], true],
    ['across end', 'sum', [49, 50], true],
    ['before begin', 'avg', [1, 9], false],
    ['from end on', 'avg', [50, 60], false],
    ['inside one bucket, for a percentile', 'p95', [10, 19], true],
    ['before begin, for a percentile', 'p95', [1, 9], false],
  ])('%s', (_, mode, at, needed) => {
    const [segment] = summarized({ at, values: at.map(() => 1) }, 10)
    expect(segment && new BucketSums(EDGES, mode).needsSamples(segment.summary)).toBe(needed)
  })
})

test('any split into segments and tails, in any order, equals a plain count over all samples', () => {
  const source = fc.record({
    steps: fc.array(fc.tuple(fc.nat(6), fc.integer({ min: -1_000, max: 1_000 })), { maxLength: 40 }),
    countMax: fc.option(fc.integer({ min: 1, max: 12 })),
  })
  const edges = fc.uniqueArray(fc.nat(120), { minLength: 1, maxLength: 12 })

  fc.assert(
    fc.property(
      fc.array(source, { maxLength: 5 }),
      edges,
      fc.constantFrom(...ROLLUP_MODES),
      (sources, some, mode) => {
        const sortedEdges = some.toSorted((one, other) => one - other)
        const rollup = new BucketSums(sortedEdges, mode)
        const fed: Row[] = []
        for (const { steps, countMax } of sources) {
          let at = 0
          const samples = { at: steps.map(([gap]) => (at += gap)), values: steps.map(([, value]) => value) }
          feed(rollup, samples, countMax)
          fed.push(
            ...samples.at.map((instant, index) => ({ at: instant, value: samples.values[index] ?? NaN })),
          )
        }
        expect(rollup.result()).toEqual(plainly(fed, sortedEdges, mode))
      },
    ),
    { numRuns: 2_000 },
  )
})

type Row = { at: number; value: number }

function feed(rollup: BucketSums, samples: Samples<number>, countMax: number | null): void {
  if (countMax === null) return rollup.addSamples(samples)
  for (const { body, summary } of summarized(samples, countMax)) {
    if (rollup.needsSamples(summary)) rollup.addSamples(decodeNumbers(body))
    else rollup.addSummary(summary)
  }
}

function summarized(
  samples: Samples<number>,
  countMax: number,
): { body: Uint8Array; summary: NumberSummary }[] {
  return segmentNumbers(samples, { countMax, sizeMaxBytes: 10_000 }).map(({ body, summary }) => {
    if (!('min' in summary)) throw new Error('No numbers are there.')
    return { body, summary }
  })
}

function plainly(rows: Row[], edges: number[], mode: Mode) {
  const buckets = edges.slice(1).map((end, index) => {
    const begin = edges[index] ?? NaN
    const inside = rows.filter(({ at }) => at >= begin && at < end)
    const { min, max, count, ...rest } = aggregateOf(inside)
    const ascending = inside.map(({ value }) => value).toSorted((one, other) => one - other)
    const rank = (percent: number) =>
      ascending.find((_, place) => (place + 1) * 100 >= percent * count) ?? null
    const values = { min, max, ...rest, p50: rank(50), p95: rank(95), p99: rank(99), count: count || null }

    return { at: begin, value: values[mode], min, max, count }
  })
  const whole = rows.filter(({ at }) => at >= (edges[0] ?? NaN) && at < (edges.at(-1) ?? NaN))

  return { buckets, aggregate: aggregateOf(whole) }
}

function aggregateOf(rows: Row[]) {
  const values = rows.map(({ value }) => value)
  const count = rows.length
  if (count === 0) return { min: null, max: null, avg: null, last: null, count, sum: null }

  const sum = values.reduce((total, value) => total + value, 0)
  const newest = Math.max(...rows.map(({ at }) => at))
  const last = rows.findLast(({ at }) => at === newest)?.value ?? null

  return { min: Math.min(...values), max: Math.max(...values), avg: sum / count, last, count, sum }
}
