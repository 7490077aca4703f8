import { Refusal } from '../../lib/errors.ts'
import { Lock } from '../../lib/lock.ts'
import type {
  BucketsAnswer,
  BucketsOfAll,
  BucketsQuery,
  Copied,
  Delivered,
  DeliveredRound,
  Delivery,
  JobActors,
  Outcome,
  Parcel,
  Round,
  Rules,
  SamplesAnswer,
  SamplesQuery,
  Sender,
  SeriesName,
  Snapshot,
} from '../../ports/job-actors.ts'
import { step } from '../jobs/actor.ts'
import type { Event } from '../jobs/actor.ts'
import { requireRoom } from './bounds.ts'
import type { KeeperHost } from './host.ts'
import type { Unfolded } from './bounds.ts'
import { Deadlines } from './deadlines.ts'
import { Facts } from './facts.ts'
import { Copies } from './service/copying.ts'
import { History } from './service/history.ts'
import { GroupCommit } from './group-commit.ts'
import { effectsOf, Job } from './job.ts'
import type { Effect, Heard } from './job.ts'
import { encodeEntry } from './journal.ts'
import type { Entry, RoundEntry } from './journal.ts'
import { Panels } from './panels.ts'
import { commitOf, lookAtOf } from './service/commit.ts'
import type { Accepted, Besides } from './service/commit.ts'
import { foldUpTo } from './service/folding.ts'
import { gather } from './service/gathering.ts'
import { Intake } from './service/intake.ts'
import { replay } from './service/replay.ts'
import { tellValues } from './service/telling.ts'
import * as store from './store.ts'
import { StoredValues } from './stored-values.ts'

const WAKES_PER_COMMIT = 2_000

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
  readonly #host: KeeperHost
  /** The same, for whatever changes more than the journal. */
  readonly #inside: KeeperHost & { readonly values: StoredValues }
  readonly #jobs = new Map<number, Job>()
  /** Jobs whose end is not durable yet; should it fail, they come back. */
  readonly #leaving = new Set<Job>()
  readonly #deadlines: Deadlines
  readonly #lock = new Lock()
  /** Held by whatever moves rows of jobs from one place to another, and while they are copied. */
  readonly #shelf = new Lock()
  readonly #facts: Facts
  readonly #commits: GroupCommit<Accepted>
  readonly #intake: Intake
  readonly #panels = new Panels()
  readonly #copies: Copies
  #folding: Promise<void> | null = null
  /** When the latest fold that came to its end began. */
  #foldedAt = Number.NEGATIVE_INFINITY
  #journalId = 0
  #unfolded = { samples: 0, rows: 0, sizeBytes: 0 }

  private constructor(host: KeeperHost) {
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
    this.#commits = new GroupCommit({
      turn: () => host.turn(),
      commit: (batch) => this.#lock.run(() => this.#commit(batch)),
      undo: (batch, cause) => this.#undo(batch, cause),
    })
    this.#copies = new Copies({
      host: inside,
      lock: this.#lock,
      shelf: this.#shelf,
      jobs: this.#jobs,
      facts: this.#facts,
      journalId: () => this.#journalId,
      foldedAt: () => this.#foldedAt,
      fold: () => this.fold(),
      forget: (jobId) => this.forget(jobId),
      enter: (job) => this.#deadlines.enter(job),
    })
    this.#intake = new Intake({
      values: host.values,
      clock: host.clock,
      job: (jobId) => this.#job(jobId),
      find: (jobId) => this.#jobs.get(jobId) ?? null,
      kept: (jobId, key, at) => this.history.at(jobId, key, at),
      requireRoom: () => requireRoom(this.#unfolded, this.#commits.isFull, this.#host.roomBytes()),
      accept: (entry, effects, besides) => this.#accept(entry, effects, besides),
      gather: (job, sample, arrival) => gather(this.#commits, job, sample, arrival),
      tell: () => this.#facts.tell(),
      alone: (task) => this.#lock.run(task),
    })
  }

  /** Opens the values database and brings every job to its last acknowledged event. */
  static async open(host: KeeperHost): Promise<Keeper> {
    await store.prepare(host.values)
    const keeper = new Keeper(host)
    await keeper.#replay()
    return keeper
  }

  /** When the earliest deadline may have passed; infinity when there is none. */
  get nextAt(): number {
    return this.#deadlines.nextAt
  }

  /** What the next fold would move. */
  get unfolded(): Readonly<Unfolded> {
    return this.#unfolded
  }

  /** False while somebody has not heard of a committed transition. */
  get told(): boolean {
    return this.#facts.told
  }

  get jobCount(): number {
    return this.#jobs.size
  }

  async configure(jobId: number, rules: Rules): Promise<void> {
    const event: Event = { kind: 'configure', jobId, rules }
    const known = this.#jobs.get(jobId)
    const result = step(known?.state ?? null, event, this.#host.clock.now())
    const job = known ?? new Job(result.state, null)
    this.#jobs.set(jobId, job)
    await this.#accept({ jobId, at: result.state.nowAt, event }, [{ job, result }])
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
    this.#leaving.add(job)
    const entry: Entry = { jobId, at: this.#host.clock.now(), event: { kind: 'forget' } }
    await this.#accept(entry, [], { forgotten: job })
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
  async wake(now = this.#host.clock.now()): Promise<void> {
    await Promise.all(this.#wakeSome(now))
  }

  /** Credits every job with a span [fromAt, toAt) in which the service could not receive. */
  async deaf(fromAt: number, toAt: number): Promise<void> {
    const event: Event = { kind: 'deaf', fromAt, toAt }
    const effects = [...this.#jobs.values()].flatMap((job) => effectsOf(job, event, toAt))
    if (effects.length > 0) await this.#accept({ jobId: 0, at: toAt, event }, effects)
    await this.#facts.tell()
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
    await this.#commits.settled()
    return this.#facts.tell()
  }

  #job(jobId: number): Job {
    const job = this.#jobs.get(jobId)
    if (!job) throw new Refusal('not_found', 'There is no such webhook job.')
    return job
  }

  #accept(
    entry: Entry | RoundEntry,
    effects: readonly Effect[],
    { heard = null, forgotten = null, repeat = null }: Besides = {},
  ): Promise<void> {
    for (const { job, result } of effects) job.state = result.state
    const text = encodeEntry(entry)
    const count = effects.length + (heard?.jobs.length ?? 0)
    return this.#commits.push(
      { entry: text, heard, effects, forgotten, repeat },
      text.length,
      Math.max(1, count),
    )
  }

  async #commit(batch: readonly Accepted[]): Promise<void> {
    const { statements, rows, sizeBytes } = commitOf(batch, this.#journalId, this.#host.clock.now())
    await this.#host.beforeCommit?.(lookAtOf(batch))
    await this.#host.values.commit(statements)
    // A job may have entries in several rows of a commit: what it knows is as of the last of them.
    const id = this.#journalId + rows
    this.#journalId = id
    this.#unfolded.rows += rows
    this.#unfolded.sizeBytes += sizeBytes
    for (const { entry, heard, effects, forgotten } of batch) {
      if (heard) this.#keepHeard(heard, id, typeof entry === 'string')
      for (const effect of effects) {
        this.#keep(effect, id)
        this.#deadlines.enter(effect.job)
      }
      if (forgotten) this.#drop(forgotten)
    }
    if (this.#host.onlookers?.areThere) await tellValues(this.#host.onlookers, batch)
  }

  /** The job's end is durable: there is nothing of it left to fold. */
  #drop(job: Job): void {
    this.#leaving.delete(job)
    this.#unfolded.samples -= job.tail?.size ?? 0
  }

  #keep({ job, result }: Effect, journalId: number): void {
    job.keep(result, journalId)
    this.#unfolded.samples += result.samples.length + (result.run?.at.length ?? 0)
    this.#facts.add(result.transitions)
  }

  #keepHeard(heard: Heard, journalId: number, isRound = true): void {
    if (isRound) this.#panels.add(heard, journalId)
    else this.#panels.pass(heard, journalId)
    this.#unfolded.samples += heard.jobs.length
  }

  /** Nothing of a failed commit may stay in memory: later answers would build on what no disk remembers. */
  #undo(batch: readonly Accepted[], cause: unknown): void {
    // Backwards, so that of jobs made and forgotten under one id the durable one is left.
    for (const { heard, effects, forgotten } of batch.toReversed()) {
      if (forgotten) {
        this.#leaving.delete(forgotten)
        this.#jobs.set(forgotten.id, forgotten)
      }
      for (const job of [...effects.map((effect) => effect.job), ...(heard?.jobs ?? [])]) {
        if (job.durable) job.state = job.durable
        else if (this.#jobs.get(job.id) === job) this.#jobs.delete(job.id)
        this.#deadlines.enter(job)
      }
    }
    this.#host.log.error('A commit failed; what waited for it was refused.', cause, { events: batch.length })
  }

  #wakeSome(now: number): readonly Promise<void>[] {
    const woken: Promise<void>[] = []
    for (const effect of this.#deadlines.takeDue(now)) {
      const entry: Entry = { jobId: effect.job.id, at: now, event: { kind: 'wake' } }
      // A refused wake-up is undone, and so entered again.
      woken.push(this.#accept(entry, [effect]))
      if (woken.length >= WAKES_PER_COMMIT) break
    }
    return woken
  }

  async #foldAll(): Promise<void> {
    const beganAt = this.#host.clock.now()
    const isDone = await foldUpTo(this.#journalId, {
      host: this.#inside,
      lock: this.#lock,
      facts: this.#facts,
      jobs: this.#jobs,
      leaving: this.#leaving,
      panels: this.#panels,
      unfolded: this.#unfolded,
    })
    if (isDone) this.#foldedAt = beganAt
  }

  async #replay(): Promise<void> {
    this.#journalId = await replay({
      values: this.#host.values,
      jobs: this.#jobs,
      keep: (effect, id) => this.#keep(effect, id),
      keepHeard: (heard, id) => this.#keepHeard(heard, id),
      drop: (job) => this.#drop(job),
      unfolded: this.#unfolded,
    })
    // Only now: what a job waited for in between must not look like a deadline that nobody noticed.
    for (const job of this.#jobs.values()) this.#deadlines.enter(job)
  }
}
