import { DurableObject } from 'cloudflare:workers'

import { Refusal, noSuch } from '../../src/lib/errors.ts'
import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { RefusedDelivery } from '../../src/domain/refused-delivery.ts'
import { nextSlot } from '../../src/monitoring/engine/retention/stagger.ts'
import type { Copied, JobActors } from '../../src/ports/job-actors.ts'
import type { Delivery, DeliveryOutcome, BulkItem, Sender } from '../../src/domain/delivery.ts'
import type { ForecastBand } from '../../src/domain/forecast-band.ts'
import type { JobRules } from '../../src/domain/job-rules.ts'
import type { BucketsOfAll, BucketsQuery, SamplesQuery, SeriesName } from '../../src/domain/series.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { jsonLog } from '../json-log.ts'
import { openBlobsR2 } from './blobs-r2.ts'
import { maintenanceOf } from '../../src/monitoring/revaluations/overlays/service.ts'
import { clock } from './clock.ts'
import { openD1 } from './d1.ts'
import type { Environment } from './environment.ts'
import { flowInObject } from './flow.ts'
import { StoredRefusals } from './refused-deliveries.ts'
import { RemoteSubscribers } from './subscribers.ts'
import { tracesOf } from './traces.ts'
import { UnknownLimit } from './unknown-limit.ts'
import { valuesInObject } from './values.ts'
import { refused, replyOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** The delay of an alarm from which on the time is credited to the sender: the service is late then. */
const LATENESS_MAX_MS = 5_000
const RETRY_MS = 5_000
/** The delay after which an alarm counts as lost. */
const OVERDUE_MS = 60_000
/** The pending data from which on the object flushes: small enough for a quick start, large enough for few flushes. */
const FLUSH_SAMPLES = 512
const FLUSH_ROWS = 256
const TIDY_MS = 86_400_000
const FLUSH_BYTES = 1024 * 1024
/** The platform bounds an object's storage at 10 GB; the rest is for deletes and flushes. */
const DATABASE_MAX_BYTES = 9e9

const log = jsonLog(console.log)

/** One webhook job: an engine of a single job over the object's own SQLite storage, woken by the object's alarm. */
export class JobObject extends DurableObject<Environment> {
  #engine: Promise<JobEngine> | null = null
  /** Whether the object is known to have stored data: it has until it is forgotten. */
  #keepsSomething = false
  readonly #refusals = new StoredRefusals(this.ctx.storage)
  readonly #subscribers = new RemoteSubscribers(this.ctx.storage, this.env.EVENTS, log)
  readonly #unknownLimit = new UnknownLimit(this.ctx.storage, () => openD1(this.env.DB), log)

  configure(jobId: number, rules: JobRules): Promise<Reply<void>> {
    return this.#reply(async (engine) => {
      await engine.configure(jobId, rules)
      await this.#secureAlarm(engine)
    }, 'create')
  }

  takeBands(jobId: number, bands: readonly ForecastBand[]): Promise<Reply<void>> {
    return this.#reply(async (engine) => {
      await engine.takeBands(jobId, bands)
      await this.#secureAlarm(engine)
    })
  }

  deliver(jobId: number, delivery: Delivery, sender: Sender) {
    return this.#reply(async (engine) => {
      const delivered = await engine.deliver(jobId, delivery, sender)
      await this.#secureAlarm(engine)
      this.#flushWhenDue(engine)
      return delivered
    })
  }

  /** The outcomes of parcels for this job. */
  deliverAll(parcels: readonly BulkItem[], sender: Sender) {
    return this.#reply(async (engine) => {
      const outcomes = await engine.deliverAll(parcels, sender)
      await this.#secureAlarm(engine)
      this.#flushWhenDue(engine)
      return outcomes.map((outcome): Reply<Exclude<DeliveryOutcome, Refusal>> =>
        outcome instanceof Refusal ? refused(outcome) : { ok: true, value: outcome },
      )
    })
  }

  snapshot(jobId: number): Promise<Reply<Snapshot | null>> {
    if (this.#isEmpty()) return Promise.resolve({ ok: true, value: null })
    return this.#reply((engine) => engine.snapshot(jobId))
  }

  buckets(jobId: number, query: BucketsQuery) {
    return this.#reply((engine) => engine.buckets(jobId, query))
  }

  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll) {
    return this.#reply((engine) => engine.bucketsAll(series, query))
  }

  samples(jobId: number, query: SamplesQuery) {
    return this.#reply((engine) => engine.samples(jobId, query))
  }

  /** Publishes the values of the job for readers of events until an instant. */
  async watch(untilAt: number): Promise<void> {
    if (!this.#isEmpty()) await this.#subscribers.watch(untilAt)
  }

  /** Records a refused delivery of this job, if it exists. */
  recordRefusal(jobId: number, delivery: RefusedDelivery): Promise<void> {
    if (!this.#isEmpty()) this.#refusals.record(jobId, delivery)
    return Promise.resolve()
  }

  refusals(jobId: number): Promise<readonly RefusedDelivery[]> {
    return Promise.resolve(this.#isEmpty() ? [] : this.#refusals.list(jobId))
  }

  archive(jobId: number, notBeforeAt: number) {
    return this.#reply((engine) => engine.archive(jobId, notBeforeAt))
  }

  restore(jobId: number, copied: Copied): Promise<Reply<void>> {
    return this.#reply(async (engine) => {
      await engine.restore(jobId, copied)
      await this.#secureAlarm(engine)
    }, 'create')
  }

  /** Deletes the job with all of its storage and blobs. */
  async forget(jobId: number): Promise<Reply<void>> {
    if (!this.#isEmpty()) {
      const engine = await this.#open()
      await engine.forget(jobId)
      // The storage has the numbers of the blobs, so it is deleted after them.
      await engine.retention.sweep()
      // A pending write must not go into a new actor of this id.
      await engine.settled()
    }
    this.#engine = null
    this.#keepsSomething = false
    this.#refusals.forget()
    this.#unknownLimit.forget()
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    return { ok: true, value: undefined }
  }

  /** Sets the alarm again if it was lost: if none is set, or its time has long passed. @returns whether it was lost */
  async secure(): Promise<Reply<boolean>> {
    if (this.#isEmpty()) return { ok: true, value: false }
    return this.#reply(async (engine) => {
      const isOverdue = engine.nextAt < clock.now() - OVERDUE_MS
      const isLost = isOverdue || (await this.ctx.storage.getAlarm()) === null
      if (isOverdue) await this.ctx.storage.setAlarm(clock.now())
      await this.#secureAlarm(engine)
      return isLost
    })
  }

  /** The deadline may have passed. Never throws: the platform drops an alarm that failed six times. */
  override async alarm(): Promise<void> {
    if (this.#isEmpty()) return
    try {
      const engine = await this.#open()
      const dueAt = engine.nextAt
      const now = clock.now()
      if (now - dueAt > LATENESS_MAX_MS) await engine.recordIngestGap(dueAt, now)
      await engine.wake(now)
      await this.#retainWhenDue(engine, now)
      if (engine.nextBandsAt <= now) await engine.makeBands(now)
      await this.#arm(engine)
      if (isFoldDue(engine)) await engine.flush()
    } catch (error) {
      log.error('job: waking the job failed; retrying', error)
      await this.ctx.storage.setAlarm(clock.now() + RETRY_MS)
    }
  }

  /** Sets the alarm for the deadline of the job, or for an earlier instant while transitions are not delivered. */
  async #arm(engine: JobEngine): Promise<void> {
    const told = await engine.settled()
    const at = told ? engine.nextAt : Math.min(engine.nextAt, clock.now() + RETRY_MS)
    await this.ctx.storage.setAlarm(Math.min(at, upkeepAt(engine)))
    this.#reportUnknownLimit(engine)
  }

  /** A report that failed is tried again at the next event of the job, and by the alarm. */
  #reportUnknownLimit(engine: JobEngine): void {
    const report = this.#unknownLimit.report(() => engine.unknownLimits[0])
    if (report)
      this.ctx.waitUntil(
        report.then((isDone) => (isDone ? undefined : this.#alarmBy(clock.now() + RETRY_MS))),
      )
  }

  /** A job without deliveries loses its expired samples as well. */
  async #retainWhenDue(engine: JobEngine, now: number): Promise<void> {
    const tidiedAt = (await engine.retention.lastAt()) ?? 0
    await engine.retention.apply({ selects: (jobId) => nextSlot(jobId, TIDY_MS, tidiedAt) <= now })
  }

  /** Only an alarm brings a silent job back: it is set after each write, even after a crash or a failed delivery of transitions. */
  async #secureAlarm(engine: JobEngine): Promise<void> {
    const wantedAt = engine.isDrained ? engine.nextAt : Math.min(engine.nextAt, clock.now() + RETRY_MS)
    await this.#alarmBy(Math.min(wantedAt, upkeepAt(engine)))
    this.#reportUnknownLimit(engine)
  }

  async #alarmBy(at: number): Promise<void> {
    const alarmAt = (await this.ctx.storage.getAlarm()) ?? Number.POSITIVE_INFINITY
    if (at < alarmAt) await this.ctx.storage.setAlarm(at)
  }

  #reply<Value>(
    use: (engine: JobEngine) => Promise<Value>,
    missing: 'refuse' | 'create' = 'refuse',
  ): Promise<Reply<Value>> {
    return replyOf(async () => {
      // An object without a configured job stays without storage, even if its name is guessed.
      if (missing === 'refuse' && this.#isEmpty()) throw noSuch('webhook job')
      return use(await this.#open())
    })
  }

  #open(): Promise<JobEngine> {
    this.#engine ??= this.#openEngine().catch((error: unknown) => {
      this.#engine = null
      throw error
    })
    return this.#engine
  }

  #openEngine(): Promise<JobEngine> {
    const flow = flowInObject(this.env.FLOW)
    return JobEngine.open({
      values: valuesInObject(this.ctx.storage),
      blobs: openBlobsR2(this.env.FILES, log),
      clock,
      log,
      turn: () => scheduler.wait(0),
      follow: (transitions) => flow.apply(transitions),
      subscribers: this.#subscribers,
      traces: tracesOf(this.env, log),
      maintenanceOf: (jobId, range) => maintenanceOf(openD1(this.env.DB), jobId, range),
      freeBytes: () => DATABASE_MAX_BYTES - this.ctx.storage.sql.databaseSize,
      // Every write and every alarm sets the next alarm by itself.
      armed: () => undefined,
      // An object that dies after the commit cannot set its alarm then; a needless alarm does no harm.
      beforeCommit: (lookAt) => this.#alarmBy(Math.min(lookAt, clock.now() + TIDY_MS)),
    })
  }

  #flushWhenDue(engine: JobEngine): void {
    if (!isFoldDue(engine)) return
    this.ctx.waitUntil(
      engine.flush().catch((error: unknown) => log.error('job: flush failed; retrying', error)),
    )
  }

  #isEmpty(): boolean {
    const { sql } = this.ctx.storage
    this.#keepsSomething ||= [...sql.exec(`select 1 from sqlite_master where name = 'journal'`)].length > 0
    return !this.#keepsSomething
  }
}

/** When retention or the computation of bands is due. */
function upkeepAt({ retention, nextBandsAt }: JobEngine): number {
  return Math.min(retention.nextAt(TIDY_MS, clock.now()), Math.max(nextBandsAt, clock.now()))
}

/** Whether there is enough to flush, or something was told that would be told again whenever the object wakes. */
function isFoldDue({
  unflushed: { samples, rows, sizeBytes },
  isDrained,
  redeliversOnReplay,
}: JobEngine): boolean {
  return (
    (isDrained && redeliversOnReplay) ||
    samples >= FLUSH_SAMPLES ||
    rows >= FLUSH_ROWS ||
    sizeBytes >= FLUSH_BYTES
  )
}

/** The methods of the port, each answered with a `Reply`; rounds span many objects. */
type JobCall = {
  [Name in Exclude<keyof JobActors, 'deliverRounds' | 'archivesMax' | 'snapshotsMax'>]: (
    ...input: never[]
  ) => Promise<Reply<unknown>>
}
JobObject.prototype satisfies JobCall
