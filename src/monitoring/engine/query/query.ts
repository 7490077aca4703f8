import type { Value } from '../../../domain/delivery.ts'
import type {
  BucketsAnswer,
  BucketsOfAll,
  BucketsQuery,
  SamplesAnswer,
  SamplesQuery,
  SeriesName,
} from '../../../domain/series.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { ReadCounts } from '../blocks/segment-body.ts'
import type { Head } from '../head/head.ts'
import { readBuckets, readSamples } from './samples.ts'

/** Far more values of one instant than a sender sends on purpose. */
const VALUES_AT_ONCE = 1_000

/** Reads the value histories of jobs. */
export class Query {
  readonly #head: Head
  readonly #blocks: Blocks

  constructor(head: Head, blocks: Blocks) {
    this.#head = head
    this.#blocks = blocks
  }

  /** Counts since the engine was opened. */
  get touched(): Readonly<ReadCounts> {
    return { ...this.#blocks.touched }
  }

  /** @throws {Refusal} not_found */
  async buckets(jobId: number, { key, ...query }: BucketsQuery): Promise<BucketsAnswer> {
    const [answer] = await this.bucketsAll([{ jobId, key }], query)
    if (!answer) throw new TypeError('A series has no answer.')
    return answer
  }

  /** @throws {Refusal} not_found */
  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll): Promise<readonly BucketsAnswer[]> {
    return readBuckets(this.#head, this.#blocks, series, query)
  }

  /** @throws {Refusal} not_found */
  samples(jobId: number, query: SamplesQuery): Promise<SamplesAnswer> {
    return readSamples(this.#head, this.#blocks, jobId, query)
  }

  /** The values of one instant. @throws {Refusal} not_found */
  async at(jobId: number, key: string, at: number): Promise<readonly Value[]> {
    const query = { key, beginAt: at, endAt: at + 1, skip: 0, limit: VALUES_AT_ONCE }
    return (await this.samples(jobId, query)).samples.map(({ value }) => value)
  }
}
