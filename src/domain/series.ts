import type { Value } from './delivery.ts'

export type Mode = 'avg' | 'min' | 'max' | 'last' | 'sum' | 'count' | 'p50' | 'p95' | 'p99'

/** One value of one job. */
export type SeriesName = { readonly jobId: number; readonly key: string }

/** `edges` are the ascending borders of half-open buckets: n + 1 of them for n buckets. */
export type BucketsQuery = { readonly key: string; readonly edges: readonly number[]; readonly mode: Mode }

export type Bucket = {
  readonly at: number
  readonly value: number | null
  readonly min: number | null
  readonly max: number | null
  readonly count: number
}

/** The buckets of several series have the same edges and mode. */
export type BucketsOfAll = Omit<BucketsQuery, 'key'>

export type BucketsAnswer = { readonly buckets: readonly Bucket[]; readonly aggregate: Aggregate }

export type Aggregate = {
  readonly min: number | null
  readonly max: number | null
  readonly avg: number | null
  readonly last: number | null
  readonly count: number
  /** Null when it leaves the range of a double. */
  readonly sum: number | null
}

/** Samples with `beginAt <= at < endAt`, the first `skip` of those at exactly `beginAt` left out. */
export type SamplesQuery = {
  readonly key: string
  readonly beginAt: number
  readonly endAt: number
  readonly skip: number
  readonly limit: number
}

export type SamplesAnswer = {
  readonly samples: readonly { readonly at: number; readonly value: Value }[]
  readonly more: boolean
}
