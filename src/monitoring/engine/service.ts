import { Refusal } from '../../lib/errors.ts'
import { Lock } from '../../lib/mutex.ts'
import type { DeafTime } from '../../ports/ingest-health.ts'
import type { Copied, JobActors } from '../../ports/job-actors.ts'
import type {
  Delivered,
  DeliveredRound,
  Delivery,
  Outcome,
  Parcel,
  Round,
  Sender,
} from '../../domain/delivery.ts'
import type { Rules } from '../../domain/job-rules.ts'
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
import type { KeeperHost } from './host.ts'
import type { Unfolded } from './wal/wal.ts'
import { Deadlines } from './head/deadlines.ts'
import { Facts } from './wal/transition-outbox.ts'
import { Copies } from './transfer/transfer.ts'
import { History } from './query/reader.ts'
import { Job } from './head/job.ts'
import type { Entry } from './wal/entry.ts'
import { Hearing } from './ingest/silence.ts'
import { Outage } from './ingest/outage.ts'
import { Ledger } from './wal/wal.ts'
import { foldUpTo } from './flush/flush.ts'
import { Intake } from './ingest/ingest.ts'
import { replay } from './recovery/replay.ts'
import * as store from './store.ts'
import { StoredValues } from './blocks/write-counter.ts'
import { WatchedValues } from './wal/watched-values.ts'

/**
 * Keeps webhook jobs: takes their events in order, makes them durable in one journal row per turn, and folds the
 * journal into compressed segments.
 *
 * 1. An event goes through `step`; what is refused leaves no trace.
 * 2. Accepted events wait for the turn to end and are committed together. Only then are callers answered and readers
 *    shown the result.
 * 3. A fold moves samples from the journal's tail into segments and writes checkpoints, a few jobs at a time.
 * 4. Opening replays the journal after each job's checkpoint through the same `step`.
 */
export class Keeper implements JobActors {
  readonly archivesMax = Number.POSITIVE_INFINITY
  /** What was received: reads of it, and keeping it small. */
  readonly history: History
  readonly #host: KeeperHost & { readonly values: WatchedValues }
  /** The same, for whatever changes more than the journal. */
  readonly #inside: KeeperHost & { readonly values: StoredValues }
  readonly #jobs = new Map<number, Job>()
  readonly #hearing: Hearing
  readonly #deadlines: Deadlines
  readonly #lock = new Lock()
  /** Held by whatever moves rows of jobs from one place to another, and while they are copied. */
  readonly #shelf = new Lock()
  readonly #facts: Facts
  readonly #ledger: Ledger
  readonly #intake: Intake
  readonly #copies: Copies
  #folding: Promise<void> | null = null
  /** When the latest fold that came to its end began. */
  #foldedAt = Number.NEGATIVE_INFINITY

  private constructor(place: KeeperHost) {
    const outage = new Outage()
    // A deadline of the instant at which the commit began had passed before.
    const failed = (at: number, sinceAt: number) => outage.refused(at, sinceAt + 1)
    const host = { ...place, values: new WatchedValues(place.values, place.clock, failed) }
    this.#host = host
    const inside = { ...host, values: new StoredValues(host.values) }
    this.#inside = inside
    this.#deadlines = new Deadlines(this.#jobs, () => host.armed())
    this.#facts = new Facts((transitions) => host.follow(transitions), host.log)
    this.history = new History({
      host: inside,
      lock: this.#lock,
      shelf: this.#shelf,
      jobs: this.#jobs,
    })
    this.#ledger = new Ledger({
      host,
      lock: this.#lock,
      jobs: this.#jobs,
      deadlines: this.#deadlines,
      facts: this.#facts,
    })
    const { jobs, deadlines, ledger } = { jobs: this.#jobs, deadlines: this.#deadlines, ledger: this.#ledger }
    this.#hearing = new Hearing({ host, jobs, deadlines, outage, ledger })
    this.#copies = new Copies({
      host: inside,
      lock: this.#lock,
      shelf: this.#shelf,
      jobs: this.#jobs,
      facts: this.#facts,
      journalId: () => this.#ledger.journalId,
      foldedAt: () => this.#foldedAt,
      fold: () => this.fold(),
      forget: (jobId) => this.forget(jobId),
      enter: (job) => this.#deadlines.enter(job),
    })
    this.#intake = new Intake({
      values: host.values,
      clock: this.#hearing.clock,
      job: (jobId) => this.#job(jobId),
      find: (jobId) => this.#jobs.get(jobId) ?? null,
      kept: (jobId, key, at) => this.history.at(jobId, key, at),
      requireRoom: (job, now) => this.#hearing.requireRoom(job, now),
      accept: (entry, effects, besides) => this.#ledger.accept(entry, effects, besides),
      gather: (job, sample, arrival) => this.#ledger.gather(job, sample, arrival),
      tell: () => this.#facts.tell(),
      alone: (task) => this.#lock.run(task),
    })
  }

  /** Opens the values database and brings every job to its last acknowledged event. */
  static async open(host: KeeperHost): Promise<Keeper> {
    await store.prepare(host.values)
    const keeper = new Keeper(host)
    await keeper.#replay()
    keeper.notice(host.clock.now())
    return keeper
  }

  /** When the earliest deadline may have passed; infinity when there is none. */
  get nextAt(): number {
    return this.#hearing.nextAt
  }

  /** What the next fold would move. */
  get unfolded(): Readonly<Unfolded> {
    return this.#ledger.unfolded
  }

  /** False while somebody has not heard of a committed transition. */
  get told(): boolean {
    return this.#facts.told
  }

  /** True where a keeper that opened on the journal would tell again what was told: a fold ends that. */
  get hasTold(): boolean {
    return this.#facts.hasTold
  }

  /** The latest time in which deliveries could not be received or were refused, once it is over. */
  get lastDeaf(): DeafTime | null {
    return this.#hearing.lastDeaf
  }

  /** Why nothing can be stored just now; null while it can. */
  get refusal(): Refusal | null {
    return this.#hearing.refusal
  }

  /** A delivery was refused before anybody knew of which job. */
  wasRefused(): void {
    this.#hearing.wasRefused()
  }

  /** By how many milliseconds the clock is behind what is stored; 0 where it is not. */
  get clockBehindMs(): number {
    return this.#hearing.clock.behindMs
  }

  get jobCount(): number {
    return this.#jobs.size
  }

  async configure(jobId: number, rules: Rules): Promise<void> {
    const event: Event = { kind: 'configure', jobId, rules }
    const known = this.#jobs.get(jobId)
    const now = this.#hearing.clock.now()
    const result = step(known?.state ?? null, event, now)
    const job = known ?? new Job(result.state, null)
    this.#jobs.set(jobId, job)
    await this.#ledger.accept({ jobId, at: now, event }, [{ job, result }])
    if (result.transitions.length > 0) await this.#facts.tell()
  }

  deliver(jobId: number, delivery: Delivery, sender: Sender): Promise<Delivered> {
    return this.#intake.deliver(jobId, delivery, sender)
  }

  deliverAll(parcels: readonly Parcel[], sender: Sender): Promise<readonly Outcome[]> {
    return this.#intake.deliverAll(parcels, sender)
  }

  deliverRounds(rounds: readonly Round[], sender: Sender): Promise<readonly DeliveredRound[]> {
    return this.#intake.deliverRounds(rounds, sender)
  }

  snapshot(jobId: number): Promise<Snapshot | null> {
    return Promise.resolve(this.#jobs.get(jobId)?.snapshot() ?? null)
  }

  buckets(jobId: number, query: BucketsQuery): Promise<BucketsAnswer> {
    return this.history.buckets(jobId, query)
  }

  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll): Promise<readonly BucketsAnswer[]> {
    return this.history.bucketsAll(series, query)
  }

  samples(jobId: number, query: SamplesQuery): Promise<SamplesAnswer> {
    return this.history.samples(jobId, query)
  }

  async forget(jobId: number): Promise<void> {
    const job = this.#jobs.get(jobId)
    if (!job) return
    this.#jobs.delete(jobId)
    job.wasForgotten = true
    this.#ledger.leaving.add(job)
    const entry: Entry = { jobId, at: this.#hearing.clock.now(), event: { kind: 'forget' } }
    await this.#ledger.accept(entry, [], { forgotten: job })
    await this.history.sweepQuietly()
  }

  archive(jobId: number, notBeforeAt: number): Promise<ReadableStream<Uint8Array>> {
    return this.#copies.archive(jobId, notBeforeAt)
  }

  restore(jobId: number, copied: Copied): Promise<void> {
    return this.#copies.restore(jobId, copied)
  }

  /** Lets jobs whose deadline has passed by `now` notice it, a few thousand at most, and resolves when that is durable.
   * `nextAt` tells whether others wait; `settled` carries it on. A caller who was deaf says so first, and by that `now`.
   * @throws {Refusal} unavailable while storage is away; the deadlines stand and wait for the next call */
  async wake(now = this.#hearing.clock.now()): Promise<void> {
    await this.#hearing.wake(now)
  }

  /** Credits every job with a span [fromAt, toAt) in which the service could not receive. */
  async deaf(fromAt: number, toAt: number): Promise<void> {
    await this.#hearing.deaf(fromAt, toAt)
    await this.#facts.tell()
  }

  /** Looks whether the clock, which the host has just read, was set back; deadlines follow it then. */
  notice(now: number): void {
    this.#hearing.clock.notice(now)
  }

  /** Moves everything that is durable now from the journal into segments. A fold under way is joined. */
  fold(): Promise<void> {
    this.#folding ??= this.#shelf
      .run(() => this.#foldAll())
      .finally(() => {
        this.#folding = null
      })
    return this.#folding
  }

  /** When the keeper was last known to be alive, epoch ms; null before the first `beat`. */
  lastHeartbeat(): Promise<number | null> {
    return store.readMeta(this.#host.values, 'heartbeat')
  }

  beat(now: number): Promise<void> {
    return this.#lock.run(() => this.#host.values.commit([store.writeMeta('heartbeat', now)]))
  }

  /** Resolves when everything accepted so far is durable and was carried on; false when the listener is away. */
  async settled(): Promise<boolean> {
    await this.#ledger.settled()
    return this.#facts.tell()
  }

  #job(jobId: number): Job {
    const job = this.#jobs.get(jobId)
    if (!job) throw new Refusal('not_found', 'There is no such webhook job.')
    return job
  }

  async #foldAll(): Promise<void> {
    const beganAt = this.#host.clock.now()
    const isDone = await foldUpTo(this.#ledger.journalId, {
      host: this.#inside,
      lock: this.#lock,
      facts: this.#facts,
      jobs: this.#jobs,
      leaving: this.#ledger.leaving,
      panels: this.#ledger.panels,
      unfolded: this.#ledger.unfolded,
    })
    if (isDone) this.#foldedAt = beganAt
  }

  async #replay(): Promise<void> {
    this.#ledger.journalId = await replay({
      values: this.#host.values,
      jobs: this.#jobs,
      keep: (effect, id) => this.#ledger.keep(effect, id),
      keepHeard: (heard, id) => this.#ledger.keepHeard(heard, id),
      drop: (job) => this.#ledger.drop(job),
      unfolded: this.#ledger.unfolded,
    })
    // Only now: what a job waited for in between must not look like a deadline that nobody noticed.
    for (const job of this.#jobs.values()) {
      this.#deadlines.enter(job)
      this.#hearing.clock.hasStored(job.state.nowAt)
    }
    this.#hearing.clock.hasStored((await this.lastHeartbeat()) ?? 0)
  }
}
