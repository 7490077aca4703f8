import { Refusal } from '../../../lib/errors.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Value } from '../../../domain/delivery.ts'
import type {
  BucketsAnswer,
  BucketsOfAll,
  BucketsQuery,
  SamplesAnswer,
  SamplesQuery,
  SeriesName,
} from '../../../domain/series.ts'
import type { Log } from '../../../ports/log.ts'
import type { Job } from '../head/job.ts'
import type { Mutex } from '../../../lib/mutex.ts'
import { readMeta, writeMeta } from '../store.ts'
import type { WriteCounter } from '../blocks/write-counter.ts'
import { nextSlot } from '../retention/stagger.ts'
import type { ReadCounts } from '../blocks/segment-body.ts'
import { readBuckets, readSamples } from './samples.ts'
import type { Reading } from './samples.ts'
import { applyRetention } from '../retention/retention.ts'
import { sweepBlobs } from '../retention/context.ts'
import type { RetentionContext } from '../retention/context.ts'

/** What the history needs of the engine. */
type ReaderDeps = {
  readonly host: {
    readonly values: WriteCounter
    readonly blobs: Blobs
    readonly clock: Clock
    readonly log: Log
    readonly blobBytes?: number
    turn(): Promise<void>
  }
  /** Held for everything that must see or leave segments, rollups and tails as one. */
  readonly lock: Mutex
  /** Held while the rows of a job are copied, and while they are moved. */
  readonly layoutLock: Mutex
  readonly jobs: ReadonlyMap<number, Job>
}

const JOBS_PER_SLICE = 64
/** More values of one instant than anybody sends by mistake. */
const VALUES_AT_ONCE = 1_000
/** Removing blobs has a turn of its own, as if it were a job of this id. */
const SWEEP = 0

/** Which jobs are tidied, all unless it says otherwise, and for how long. */
type Turn = { readonly whose?: (jobId: number) => boolean; readonly goesOn?: () => boolean }

const always = () => true
/** A file takes whole pages of a disk, a folder for each job another one, and a blob a request of its own. */
const BLOB_BYTES = 64 * 1024

/** What jobs have received: reads of it, and keeping it small. */
export class HistoryReader {
  readonly #deps: ReaderDeps
  readonly #reading: Reading
  readonly #tidying: RetentionContext
  #tidyingAll: Promise<void> | null = null

  constructor(home: ReaderDeps) {
    const { host, lock, jobs } = home
    const { values, blobs } = host
    const turn = () => host.turn()
    this.#deps = home
    this.#reading = { values, blobs, lock, turn, touched: { rollups: 0, segments: 0, decoded: 0, blobs: 0 } }
    this.#tidying = {
      values,
      blobs,
      lock,
      turn,
      blobBytes: host.blobBytes ?? BLOB_BYTES,
      reserved: new Set(),
      isKnown: (job) => jobs.get(job.id) === job,
    }
  }

  /** What reads have touched since the opening. */
  get touched(): Readonly<ReadCounts> {
    return { ...this.#reading.touched }
  }

  /** @throws {Refusal} not_found */
  async buckets(jobId: number, { key, ...query }: BucketsQuery): Promise<BucketsAnswer> {
    const [answer] = await this.bucketsAll([{ jobId, key }], query)
    if (!answer) throw new TypeError('A series was not answered.')
    return answer
  }

  /** @throws {Refusal} not_found */
  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll): Promise<readonly BucketsAnswer[]> {
    return readBuckets(this.#reading, (jobId) => this.#job(jobId), series, query)
  }

  /** @throws {Refusal} not_found */
  samples(jobId: number, query: SamplesQuery): Promise<SamplesAnswer> {
    return readSamples(this.#reading, () => this.#job(jobId), query)
  }

  /** The values of one instant. @throws {Refusal} not_found */
  async at(jobId: number, key: string, at: number): Promise<readonly Value[]> {
    const query = { key, beginAt: at, endAt: at + 1, skip: 0, limit: VALUES_AT_ONCE }
    return (await this.samples(jobId, query)).samples.map(({ value }) => value)
  }

  /** Removes what has expired and moves what is cold into blobs, a little at a time. One under way is joined. What fails
   * is logged and left for the next time. */
  applyRetention(turn: Turn = {}): Promise<void> {
    this.#tidyingAll ??= this.#deps.layoutLock
      .run(() => this.#applyToAll(turn))
      .finally(() => {
        this.#tidyingAll = null
      })
    return this.#tidyingAll
  }

  /** When the next job has its turn after an instant, if each has one in every period; at the latest a period after it. */
  nextTurn(periodMs: number, afterAt: number): number {
    let at = afterAt + periodMs
    for (const id of this.#deps.jobs.keys()) at = Math.min(at, nextSlot(id, periodMs, afterAt))
    return at
  }

  /** When `tidy` last came to its end with something to look at, epoch ms; null before the first time. */
  lastRetentionAt(): Promise<number | null> {
    return readMeta(this.#deps.host.values, 'tidied')
  }

  /** Removes the blobs to which nothing refers any more. @throws {Error} while the blobs are away */
  sweep(): Promise<void> {
    return sweepBlobs(this.#tidying)
  }

  /** The same; while the blobs are away they are left for the next time. */
  sweepQuietly(): Promise<void> {
    return this.#attempt(() => this.sweep())
  }

  #job(jobId: number): Job {
    const job = this.#deps.jobs.get(jobId)
    if (!job) throw new Refusal('not_found', 'There is no such webhook job.')
    return job
  }

  async #applyToAll({ whose = always, goesOn = always }: Turn): Promise<void> {
    const { host, lock } = this.#deps
    const now = host.clock.now()
    const jobs = [...this.#deps.jobs.values()].filter(({ id }) => whose(id))
    const sweeps = whose(SWEEP)
    if (jobs.length === 0 && !sweeps) return
    for (let from = 0; from < jobs.length && goesOn(); from += JOBS_PER_SLICE) {
      await this.#attempt(() => applyRetention(this.#tidying, jobs.slice(from, from + JOBS_PER_SLICE), now))
      await host.turn()
    }
    if (sweeps) await this.sweepQuietly()
    await lock.run(() => host.values.commit([writeMeta('tidied', now)]))
  }

  async #attempt(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#deps.host.log.error('engine: retention of old values failed; retrying later', error)
    }
  }
}
