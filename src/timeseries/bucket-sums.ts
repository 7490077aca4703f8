import type { Aggregate, Bucket, Mode } from '../domain/series.ts'
import { addNumber, addTotal, meanOf } from '../lib/total.ts'
import type { Total } from '../lib/total.ts'
import type { RollupCell } from './rollup-block.ts'
import { firstAtOrAfter, type Samples } from './samples.ts'
import type { NumberSummary } from './summary.ts'

/** The ways to make one value of a bucket, in the words of the query parameter `mode`. */
export const ROLLUP_MODES = [
  'avg',
  'min',
  'max',
  'last',
  'sum',
  'count',
  'p50',
  'p95',
  'p99',
] as const satisfies readonly Mode[]

/**
 * Gathers numeric samples into half-open buckets. Sources may be fed in any order and may overlap in time; each sample
 * must be fed once. Only the rounding of sums depends on the order, and on equal instants `last` is the one fed later.
 *
 * Percentiles are the nearest rank over every single sample of the bucket: the smallest value that at least p percent
 * of the samples do not exceed. They keep those samples in memory. An average is the mean of all samples of the bucket,
 * however they were fed. A sum beyond the range of a double is null.
 */
export class BucketSums {
  readonly #edges: readonly number[]
  readonly #mode: Mode
  readonly #percent: number | undefined
  readonly #buckets: Gathered[]
  readonly #beginAt: number
  readonly #endAt: number
  /** The last place and its borders: most samples fall there or into the next one. */
  #near = -1
  #nearFrom = Infinity
  #nearEnd = Infinity

  /** `edges` come from bucketEdges; samples outside of them are ignored. */
  constructor(edges: readonly number[], mode: Mode) {
    this.#edges = edges
    this.#beginAt = edges[0] ?? Infinity
    this.#endAt = edges.at(-1) ?? -Infinity
    this.#mode = mode
    this.#percent = PERCENT[mode]
    this.#buckets = edges.slice(1).map(() => new Gathered(this.#percent !== undefined))
  }

  /** True when the samples of a segment must be read: it crosses an edge, or its summary has no sum and so no mean. */
  needsSamples(segment: NumberSummary): boolean {
    if (!this.#overlaps(segment)) return false
    return this.wantsSamples || segment.sum === null || this.#only(segment) === undefined
  }

  /** Adds a whole segment that does not need its samples. */
  addSummary(segment: NumberSummary): void {
    if (this.#overlaps(segment)) this.#only(segment)?.addSummary({ ...segment, mean: null })
  }

  /** True when a cell lies within one bucket or outside of all, so that its samples need not be told apart. */
  takesWhole({ from, end }: Pick<RollupCell, 'from' | 'end'>): boolean {
    if (end <= this.#beginAt || from >= this.#endAt) return true
    return from >= this.#beginAt && this.#placeOf(from) >= 0 && end <= this.#nearEnd
  }

  /** Adds a cell to the bucket in which it begins. A percentile of that bucket is then unknown, hence null. */
  addCell(cell: RollupCell): void {
    const bucket = this.#buckets[this.#placeOf(cell.from)]
    if (bucket === undefined) return
    bucket.addSummary(cell)
    bucket.isWhole = false
  }

  /** True when only single samples will do. */
  get wantsSamples(): boolean {
    return this.#percent !== undefined
  }

  /** Adds samples in ascending order of time. */
  addSamples(samples: Samples<number>): void {
    let place = -1
    let cellEnd = this.#beginAt
    let cell: Gathered | undefined
    for (let index = firstAtOrAfter(samples.at, this.#beginAt); index < samples.at.length; index++) {
      const at = samples.at[index]
      const value = samples.values[index]
      if (at === undefined || value === undefined) return

      if (at >= cellEnd) {
        place = this.#placeOf(at)
        cell = this.#buckets[place]
        cellEnd = this.#edges[place + 1] ?? Infinity
      }
      if (cell === undefined) return
      cell.addSample(at, value)
    }
  }

  /** Returns one row per bucket, empty ones included, and the aggregate of the whole range. */
  result(): { buckets: Bucket[]; aggregate: Aggregate } {
    const all = new Gathered(false)
    const buckets = this.#buckets.map((cell, place) => {
      const at = this.#edges[place] ?? 0
      const { count, min, max } = cell
      if (count === 0) return { at, value: null, min: null, max: null, count }
      all.addSummary(cell)
      return { at, value: this.#valueOf(cell), min, max, count }
    })

    return { buckets, aggregate: aggregateOf(all) }
  }

  /** Of a bucket that is not empty. */
  #valueOf(cell: Gathered): number | null {
    if (this.#percent !== undefined)
      return cell.isWhole && cell.values ? nearestRank(cell.values, this.#percent) : null
    if (this.#mode === 'avg') return averageOf(cell)
    const aggregate: Partial<Record<Mode, number | null>> = aggregateOf(cell)

    return aggregate[this.#mode] ?? null
  }

  #overlaps(segment: NumberSummary): boolean {
    return segment.to >= this.#beginAt && segment.from < this.#endAt
  }

  /** The one cell that holds the whole segment. */
  #only(segment: NumberSummary): Gathered | undefined {
    const place = this.#placeOf(segment.from)

    return segment.to < (this.#edges[place + 1] ?? -Infinity) ? this.#buckets[place] : undefined
  }

  #placeOf(at: number): number {
    if (at >= this.#nearFrom && at < this.#nearEnd) return this.#near
    const next = this.#edges[this.#near + 2] ?? -Infinity
    this.#near = at >= this.#nearEnd && at < next ? this.#near + 1 : firstAtOrAfter(this.#edges, at + 1) - 1
    this.#nearFrom = this.#edges[this.#near] ?? Infinity
    this.#nearEnd = this.#edges[this.#near + 1] ?? -Infinity
    return this.#near
  }
}

const PERCENT: Partial<Record<Mode, number>> = { p50: 50, p95: 95, p99: 99 }

class Gathered implements Total {
  count = 0
  sum: number | null = 0
  mean: number | null = null
  min = Infinity
  max = -Infinity
  to = -Infinity
  last = 0
  /** False once samples are in it that are not known one by one. */
  isWhole = true
  /** All of them, where single values are wanted. */
  readonly values: number[] | null

  constructor(keepsValues: boolean) {
    this.values = keepsValues ? [] : null
  }

  addSample(at: number, value: number): void {
    addNumber(this, value)
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
    if (at >= this.to) {
      this.to = at
      this.last = value
    }
    this.values?.push(value)
  }

  addSummary(summary: Omit<RollupCell, 'from' | 'end'>): void {
    addTotal(this, summary)
    this.min = Math.min(this.min, summary.min)
    this.max = Math.max(this.max, summary.max)
    if (summary.to < this.to) return
    this.to = summary.to
    this.last = summary.last
  }
}

function aggregateOf(cell: Gathered): Aggregate {
  const { count, min, max, last, sum } = cell
  if (count === 0) return { min: null, max: null, avg: null, last: null, count, sum: null }

  return { min, max, avg: averageOf(cell), last, count, sum }
}

/** Rounding may push the quotient past the values it stands between: three times 0.1 makes 0.10000000000000002. */
function averageOf(cell: Gathered): number | null {
  const mean = meanOf(cell)
  return mean === null ? null : Math.min(cell.max, Math.max(cell.min, mean))
}

function nearestRank(values: readonly number[], percent: number): number | null {
  const rank = Math.ceil((percent * values.length) / 100)

  return Float64Array.from(values).sort()[rank - 1] ?? null
}
