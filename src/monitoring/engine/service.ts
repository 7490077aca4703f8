import { Refusal } from '../../lib/errors.ts'
import { Mutex } from '../../lib/mutex.ts'
import type { IngestGap } from '../../ports/ingest-health.ts'
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
import { step } from '../jobs/actor.ts'
import type { Event } from '../jobs/actor.ts'
import type { EngineHost } from './host.ts'
import type { Unflushed } from './wal/wal.ts'
import { Deadlines } from './head/deadlines.ts'
import { TransitionOutbox } from './wal/transition-outbox.ts'
import { Transfer } from './transfer/transfer.ts'
import { HistoryReader } from './query/reader.ts'
import { Job } from './head/job.ts'
import type { Entry } from './wal/entry.ts'
import { SilenceWatch } from './ingest/silence.ts'
import { IngestOutage } from './ingest/outage.ts'
import { Wal } from './wal/wal.ts'
import { flushUpTo } from './flush/flush.ts'
import { Ingest } from './ingest/ingest.ts'
import { replay } from './recovery/replay.ts'
import * as store from './store.ts'
import { WriteCounter } from './blocks/write-counter.ts'
import { WatchedValues } from './wal/watched-values.ts'

/**
 * Keeps webhook jobs: takes their events in order, makes them durable in one journal row per turn, and flushes the
 * journal into compressed segments.
 *
 * 1. An event goes through `step`; what is refused leaves no trace.
 * 2. Accepted events wait for the turn to end and are committed together. Only then are callers answered and readers
 *    shown the result.
 * 3. A flush moves samples from the journal's tail into segments and writes checkpoints, a few jobs at a time.
 * 4. Opening replays the journal after each job's checkpoint through the same `step`.
 */
export class JobEngine implements JobActors {
  readonly archivesMax = Number.POSITIVE_INFINITY
  /** What was received: reads of it, and keeping it small. */
  readonly reader: HistoryReader
  readonly #host: EngineHost & { readonly values: WatchedValues }
  /** The same, for whatever changes more than the journal. */
  readonly #inside: EngineHost & { readonly values: WriteCounter }
  readonly #jobs = new Map<number, Job>()
  readonly #silence: SilenceWatch
  readonly #deadlines: Deadlines
  readonly #lock = new Mutex()
  /** Held by whatever moves rows of jobs from one place to another, and while they are copied. */
  readonly #layoutLock = new Mutex()
  readonly #outbox: TransitionOutbox
  readonly #wal: Wal
  readonly #ingest: Ingest
  readonly #transfer: Transfer
  #flushing: Promise<void> | null = null
  /** When the latest flush that came to its end began. */
  #flushedAt = Number.NEGATIVE_INFINITY

  private constructor(place: EngineHost) {
    const outage = new IngestOutage()
    // A deadline of the instant at which the commit began had passed before.
    const failed = (at: number, sinceAt: number) => outage.refused(at, sinceAt + 1)
    const host = { ...place, values: new WatchedValues(place.values, place.clock, failed) }
    this.#host = host
    const inside = { ...host, values: new WriteCounter(host.values) }
    this.#inside = inside
    this.#deadlines = new Deadlines(this.#jobs, () => host.armed())
    this.#outbox = new TransitionOutbox((transitions) => host.follow(transitions), host.log)
    this.reader = new HistoryReader({
      host: inside,
      lock: this.#lock,
      layoutLock: this.#layoutLock,
      jobs: this.#jobs,
    })
    this.#wal = new Wal({
      host,
      lock: this.#lock,
      jobs: this.#jobs,
      deadlines: this.#deadlines,
      outbox: this.#outbox,
    })
    const { jobs, deadlines, wal } = { jobs: this.#jobs, deadlines: this.#deadlines, wal: this.#wal }
    this.#silence = new SilenceWatch({ host, jobs, deadlines, outage, wal })
    this.#transfer = new Transfer({
      host: inside,
      lock: this.#lock,
      layoutLock: this.#layoutLock,
      jobs: this.#jobs,
      outbox: this.#outbox,
      journalId: () => this.#wal.journalId,
      flushedAt: () => this.#flushedAt,
      flush: () => this.flush(),
      forget: (jobId) => this.forget(jobId),
      enter: (job) => this.#deadlines.enter(job),
    })
    this.#ingest = new Ingest({
      values: host.values,
      clock: this.#silence.clock,
      job: (jobId) => this.#job(jobId),
      find: (jobId) => this.#jobs.get(jobId) ?? null,
      storedAt: (jobId, key, at) => this.reader.at(jobId, key, at),
      requireCapacity: (job, now) => this.#silence.requireCapacity(job, now),
      accept: (entry, effects, besides) => this.#wal.accept(entry, effects, besides),
      durable: () => this.#wal.durable,
      gather: (job, sample, arrival) => this.#wal.append(job, sample, arrival),
      deliverTransitions: () => this.#outbox.deliver(),
      alone: (task) => this.#lock.run(task),
    })
  }

  /** Opens the values database and brings every job to its last acknowledged event. */
  static async open(host: EngineHost): Promise<JobEngine> {
    await store.prepare(host.values)
    const engine = new JobEngine(host)
    await engine.#replay()
    engine.notice(host.clock.now())
    return engine
  }

  /** When the earliest deadline may have passed; infinity when there is none. */
  get nextAt(): number {
    return this.#silence.nextAt
  }

  /** What the next flush would move. */
  get unflushed(): Readonly<Unflushed> {
    return this.#wal.unflushed
  }

  /** False while somebody has not heard of a committed transition. */
  get isDrained(): boolean {
    return this.#outbox.isDrained
  }

  /** True where an engine that opened on the journal would tell again what was told: a flush ends that. */
  get redeliversOnReplay(): boolean {
    return this.#outbox.redeliversOnReplay
  }

  /** The latest time in which deliveries could not be received or were refused, once it is over. */
  get lastIngestGap(): IngestGap | null {
    return this.#silence.lastIngestGap
  }

  /** Why nothing can be stored just now; null while it can. */
  get refusal(): Refusal | null {
    return this.#silence.refusal
  }

  /** A delivery was refused before anybody knew of which job. */
  recordRefusal(): void {
    this.#silence.recordRefusal()
  }

  /** By how many milliseconds the clock is behind what is stored; 0 where it is not. */
  get clockBehindMs(): number {
    return this.#silence.clock.behindMs
  }

  get jobCount(): number {
    return this.#jobs.size
  }

  async configure(jobId: number, rules: JobRules): Promise<void> {
    const event: Event = { kind: 'configure', jobId, rules }
    const known = this.#jobs.get(jobId)
    const now = this.#silence.clock.now()
    const result = step(known?.state ?? null, event, now)
    const job = known ?? new Job(result.state, null)
    this.#jobs.set(jobId, job)
    await this.#wal.accept({ jobId, at: now, event }, [{ job, result }])
    if (result.transitions.length > 0) await this.#outbox.deliver()
  }

  deliver(jobId: number, delivery: Delivery, sender: Sender): Promise<Delivered> {
    return this.#ingest.deliver(jobId, delivery, sender)
  }

  deliverAll(parcels: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    return this.#ingest.deliverAll(parcels, sender)
  }

  deliverRounds(rounds: readonly Round[], sender: Sender): Promise<readonly DeliveredRound[]> {
    return this.#ingest.deliverRounds(rounds, sender)
  }

  snapshot(jobId: number): Promise<Snapshot | null> {
    return Promise.resolve(this.#jobs.get(jobId)?.snapshot() ?? null)
  }

  buckets(jobId: number, query: BucketsQuery): Promise<BucketsAnswer> {
    return this.reader.buckets(jobId, query)
  }

  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll): Promise<readonly BucketsAnswer[]> {
    return this.reader.bucketsAll(series, query)
  }

  samples(jobId: number, query: SamplesQuery): Promise<SamplesAnswer> {
    return this.reader.samples(jobId, query)
  }

  async forget(jobId: number): Promise<void> {
    const job = this.#jobs.get(jobId)
    if (!job) return
    this.#jobs.delete(jobId)
    job.isForgotten = true
    this.#wal.leaving.add(job)
    const entry: Entry = { jobId, at: this.#silence.clock.now(), event: { kind: 'forget' } }
    await this.#wal.accept(entry, [], { forgotten: job })
    await this.reader.sweepQuietly()
  }

  archive(jobId: number, notBeforeAt: number): Promise<ReadableStream<Uint8Array>> {
    return this.#transfer.archive(jobId, notBeforeAt)
  }

  restore(jobId: number, copied: Copied): Promise<void> {
    return this.#transfer.restore(jobId, copied)
  }

  /** Lets jobs whose deadline has passed by `now` notice it, a few thousand at most, and resolves when that is durable.
   * `nextAt` tells whether others wait; `settled` carries it on. A caller who was deaf says so first, and by that `now`.
   * @throws {Refusal} unavailable while storage is away; the deadlines stand and wait for the next call */
  async wake(now = this.#silence.clock.now()): Promise<void> {
    await this.#silence.wake(now)
  }

  /** Credits every job with a span [fromAt, toAt) in which the service could not receive. */
  async recordIngestGap(fromAt: number, toAt: number): Promise<void> {
    await this.#silence.recordIngestGap(fromAt, toAt)
    await this.#outbox.deliver()
  }

  /** Looks whether the clock, which the host has just read, was set back; deadlines follow it then. */
  notice(now: number): void {
    this.#silence.clock.notice(now)
  }

  /** Moves everything that is durable now from the journal into segments. A flush under way is joined. */
  flush(): Promise<void> {
    this.#flushing ??= this.#layoutLock
      .run(() => this.#flushAll())
      .finally(() => {
        this.#flushing = null
      })
    return this.#flushing
  }

  /** When the engine was last known to be alive, epoch ms; null before the first `beat`. */
  lastHeartbeat(): Promise<number | null> {
    return store.readMeta(this.#host.values, 'heartbeat')
  }

  beat(now: number): Promise<void> {
    return this.#lock.run(() => this.#host.values.commit([store.writeMeta('heartbeat', now)]))
  }

  /** Resolves when everything accepted so far is durable and was carried on; false when the listener is away. */
  async settled(): Promise<boolean> {
    await this.#wal.settled()
    return this.#outbox.deliver()
  }

  #job(jobId: number): Job {
    const job = this.#jobs.get(jobId)
    if (!job) throw new Refusal('not_found', 'There is no such webhook job.')
    return job
  }

  async #flushAll(): Promise<void> {
    const beganAt = this.#host.clock.now()
    const isDone = await flushUpTo(this.#wal.journalId, {
      host: this.#inside,
      lock: this.#lock,
      outbox: this.#outbox,
      jobs: this.#jobs,
      leaving: this.#wal.leaving,
      pendingRows: this.#wal.pendingRows,
      unflushed: this.#wal.unflushed,
    })
    if (isDone) this.#flushedAt = beganAt
  }

  async #replay(): Promise<void> {
    this.#wal.journalId = await replay({
      values: this.#host.values,
      jobs: this.#jobs,
      markDurable: (effect, id) => this.#wal.markDurable(effect, id),
      markRowsDurable: (heard, id) => this.#wal.markRowsDurable(heard, id),
      drop: (job) => this.#wal.drop(job),
      unflushed: this.#wal.unflushed,
    })
    // Only now: what a job waited for in between must not look like a deadline that nobody noticed.
    for (const job of this.#jobs.values()) {
      this.#deadlines.enter(job)
      this.#silence.clock.hasStored(job.state.nowAt)
    }
    this.#silence.clock.hasStored((await this.lastHeartbeat()) ?? 0)
  }
}
