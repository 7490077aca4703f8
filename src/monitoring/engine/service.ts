import type { Refusal } from '../../lib/errors.ts'
import { Mutex } from '../../lib/mutex.ts'
import type { EngineFigures, IngestGap } from '../../ports/ingest-health.ts'
import type { Copied, JobActors } from '../../ports/job-actors.ts'
import type {
  Delivered,
  DeliveredRound,
  Delivery,
  DeliveryOutcome,
  BulkItem,
  Round,
  Sender,
} from '../../domain/delivery.ts'
import type { ForecastBand } from '../../domain/forecast-band.ts'
import type { JobRules } from '../../domain/job-rules.ts'
import type {
  BucketsAnswer,
  BucketsOfAll,
  BucketsQuery,
  SamplesAnswer,
  SamplesQuery,
  SeriesName,
} from '../../domain/series.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { Blocks } from './blocks/blocks.ts'
import { Bands } from './bands/bands.ts'
import { Flush } from './flush/flush.ts'
import { Head } from './head/head.ts'
import type { Unflushed } from './head/head.ts'
import type { EngineHost } from './host.ts'
import { Ingest } from './ingest/ingest.ts'
import { Lifecycle } from './ingest/lifecycle.ts'
import { IngestOutage } from './ingest/outage.ts'
import { SilenceWatch } from './ingest/silence.ts'
import { WatchedValues } from './ingest/watched-values.ts'
import { Query } from './query/query.ts'
import { replay } from './recovery/replay.ts'
import { Retention } from './retention/retention.ts'
import * as store from './store.ts'
import { Transfer } from './transfer/transfer.ts'
import { Wal } from './wal/wal.ts'

/** Snapshots of so many jobs delay deliveries by a few milliseconds. */
const SNAPSHOTS_MAX = 5_000

/**
 * The storage engine of webhook jobs: takes their events in order, makes them durable in one WAL row per turn, and
 * flushes the WAL into compressed segments.
 *
 * 1. An event goes through `step`; a refused event leaves no trace.
 * 2. Accepted events wait for the end of the turn and are committed together. Only then are callers answered and the
 *    result is visible to readers.
 * 3. A flush moves samples from the WAL into segments and writes checkpoints, a few jobs at a time.
 * 4. Opening replays the WAL after each job's checkpoint through the same `step`.
 */
export class JobEngine implements JobActors {
  readonly archivesMax = Number.POSITIVE_INFINITY
  readonly snapshotsMax = SNAPSHOTS_MAX
  readonly query: Query
  readonly retention: Retention
  readonly #host: EngineHost
  readonly #bands: Bands
  readonly #lock = new Mutex()
  readonly #head: Head
  readonly #wal: Wal
  readonly #blocks: Blocks
  readonly #silence: SilenceWatch
  readonly #lifecycle: Lifecycle
  readonly #ingest: Ingest
  readonly #flush: Flush
  readonly #transfer: Transfer

  private constructor(place: EngineHost) {
    const outage = new IngestOutage()
    const host = { ...place, values: new WatchedValues(place.values, place.clock, outage) }
    const head = new Head(() => host.armed())
    const wal = new Wal(host, this.#lock, head)
    const blocks = new Blocks(host, this.#lock)
    const silence = new SilenceWatch(host, head, wal, outage)
    const retention = new Retention(head, blocks)
    const lifecycle = new Lifecycle(head, wal, retention, silence)
    const flush = new Flush(head, wal, blocks)
    const query = new Query(head, blocks)
    this.#ingest = new Ingest(head, wal, query, silence)
    this.#transfer = new Transfer({ head, wal, blocks, flush, lifecycle })
    this.#host = host
    this.#bands = new Bands(host, { head, wal, query })
    this.#head = head
    this.#wal = wal
    this.#blocks = blocks
    this.#silence = silence
    this.#lifecycle = lifecycle
    this.#flush = flush
    this.query = query
    this.retention = retention
  }

  /** Opens the values database and brings every job to its last acknowledged event. */
  static async open(host: EngineHost): Promise<JobEngine> {
    await store.prepare(host.values)
    const engine = new JobEngine(host)
    await engine.#replay()
    engine.notice(host.clock.now())
    return engine
  }

  /** The time of the next `wake`, epoch ms; infinity when no job has a deadline. */
  get nextAt(): number {
    return this.#silence.nextAt
  }

  /** When `makeBands` has work, epoch ms; infinity while it has none. */
  get nextBandsAt(): number {
    return this.#bands.nextAt
  }

  get unflushed(): Readonly<Unflushed> {
    return this.#head.unflushed
  }

  /** False while a committed transition was not delivered. */
  get isDrained(): boolean {
    return this.#wal.outbox.isDrained
  }

  /** True while an engine that replays the WAL would deliver transitions again; a flush ends that. */
  get redeliversOnReplay(): boolean {
    return this.#wal.outbox.redeliversOnReplay
  }

  /** The last time in which deliveries could not be received or were refused, once it is over. */
  get lastIngestGap(): IngestGap | null {
    return this.#silence.lastIngestGap
  }

  /** The reason why no delivery can be stored now; null while deliveries can be stored. */
  get refusal(): Refusal | null {
    return this.#silence.refusal
  }

  /** A delivery was refused before its job was known. */
  recordRefusal(): void {
    this.#silence.recordRefusal()
  }

  /** The milliseconds by which the clock is behind the stored values; 0 where it is not. */
  get clockBehindMs(): number {
    return this.#silence.clock.behindMs
  }

  /** The jobs with predicted or adaptive limits that are unknown, by ascending id. */
  get unknownLimits(): readonly number[] {
    const jobs = [...this.#head.jobs.values()].filter((job) => job.hasUnknownLimit)
    return jobs.map(({ id }) => id).toSorted((a, b) => a - b)
  }

  figures(): EngineFigures {
    const { jobs, storedValues, unflushed } = this.#head
    const lateMs = this.#silence.clock.now() - this.#silence.nextAt
    return {
      jobs: jobs.size,
      storedValues,
      commits: this.#wal.commits,
      unflushed: { ...unflushed },
      overdueMs: Math.max(0, lateMs),
    }
  }

  get jobCount(): number {
    return this.#head.jobs.size
  }

  configure(jobId: number, rules: JobRules): Promise<void> {
    return this.#lifecycle.configure(jobId, rules)
  }

  takeBands(jobId: number, bands: readonly ForecastBand[]): Promise<void> {
    return this.#bands.take(jobId, bands, this.#silence.clock.now())
  }

  deliver(jobId: number, delivery: Delivery, sender: Sender): Promise<Delivered> {
    return this.#ingest.deliver(jobId, delivery, sender)
  }

  deliverAll(items: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    return this.#ingest.deliverAll(items, sender)
  }

  deliverRounds(rounds: readonly Round[], sender: Sender): Promise<readonly DeliveredRound[]> {
    return this.#ingest.deliverRounds(rounds, sender)
  }

  snapshot(jobId: number): Promise<Snapshot | null> {
    return Promise.resolve(this.#head.find(jobId)?.snapshot() ?? null)
  }

  buckets(jobId: number, query: BucketsQuery): Promise<BucketsAnswer> {
    return this.query.buckets(jobId, query)
  }

  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll): Promise<readonly BucketsAnswer[]> {
    return this.query.bucketsAll(series, query)
  }

  samples(jobId: number, query: SamplesQuery): Promise<SamplesAnswer> {
    return this.query.samples(jobId, query)
  }

  forget(jobId: number): Promise<void> {
    return this.#lifecycle.forget(jobId)
  }

  archive(jobId: number, notBeforeAt: number): Promise<ReadableStream<Uint8Array>> {
    return this.#transfer.archive(jobId, notBeforeAt)
  }

  restore(jobId: number, copied: Copied): Promise<void> {
    return this.#transfer.restore(jobId, copied)
  }

  /** Wakes jobs whose deadline has passed by `now`, a few thousand at most, and resolves when that is durable. Other due
   * jobs leave `nextAt` in the past. Call `recordIngestGap` first if the host could not receive.
   * @throws {Refusal} unavailable while storage fails; the deadlines stay for the next call */
  wake(now = this.#silence.clock.now()): Promise<void> {
    return this.#silence.wake(now)
  }

  /** Computes usual values for adaptive limits that are due, of a few jobs at most. Other due jobs leave `nextBandsAt` in
   * the past. */
  makeBands(now = this.#silence.clock.now()): Promise<void> {
    return this.#bands.make(now)
  }

  /** Credits every job with a span [fromAt, toAt) in which the service could not receive. */
  async recordIngestGap(fromAt: number, toAt: number): Promise<void> {
    await this.#silence.recordIngestGap(fromAt, toAt)
    await this.#wal.outbox.deliver()
  }

  /** Moves deadlines if the clock, which the host has just read, was set back. */
  notice(now: number): void {
    this.#silence.clock.notice(now)
  }

  /** Moves everything that is durable now from the WAL into segments. A running flush is joined. */
  flush(): Promise<void> {
    return this.#flush.run()
  }

  /** The time of the last `beat`, epoch ms; null before the first. */
  lastHeartbeat(): Promise<number | null> {
    return store.readMeta(this.#host.values, 'heartbeat')
  }

  beat(now: number): Promise<void> {
    return this.#lock.run(() => this.#host.values.commit([store.writeMeta('heartbeat', now)]))
  }

  /** Resolves when all accepted events are durable and their transitions were delivered; false when the listener failed. */
  async settled(): Promise<boolean> {
    await this.#wal.settled()
    return this.#wal.outbox.deliver()
  }

  async #replay(): Promise<void> {
    await replay(this.#head, this.#wal, this.#blocks)
    // Only now: a deadline that passed and was extended during the replay must not arm the host.
    for (const job of this.#head.jobs.values()) {
      this.#head.deadlines.enter(job)
      this.#head.noteRules(job)
      this.#silence.clock.hasStored(job.currentState().nowAt)
    }
    this.#silence.clock.hasStored((await this.lastHeartbeat()) ?? 0)
  }
}
