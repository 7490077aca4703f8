import { DurableObject } from 'cloudflare:workers'

import { Refusal } from '../../src/lib/errors.ts'
import { Keeper } from '../../src/monitoring/engine/service.ts'
import { nextTurn } from '../../src/monitoring/engine/retention/stagger.ts'
import type { Copied, JobActors } from '../../src/ports/job-actors.ts'
import type { Delivery, Outcome, Parcel, Sender } from '../../src/domain/delivery.ts'
import type { Rules } from '../../src/domain/job-rules.ts'
import type { BucketsOfAll, BucketsQuery, SamplesQuery, SeriesName } from '../../src/domain/series.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { jsonLog } from '../json-log.ts'
import { openBlobsR2 } from './blobs-r2.ts'
import { clock } from './clock.ts'
import type { Environment } from './environment.ts'
import { flowInObject } from './flow.ts'
import { OnlookersElsewhere } from './subscribers.ts'
import { valuesInObject } from './values.ts'
import { refused } from './reply.ts'
import type { Reply } from './reply.ts'

/** An alarm that comes later than this came late through our own fault: the sender is credited with the time. */
const LATENESS_MAX_MS = 5_000
const RETRY_MS = 5_000
/** An alarm that has not come by then does not come any more. */
const OVERDUE_MS = 60_000
/** A fold once so much waits: small enough that an object wakes up quickly, large enough to be rare. */
const FOLD_SAMPLES = 512
const FOLD_ROWS = 256
const TIDY_MS = 86_400_000
const FOLD_BYTES = 1024 * 1024
/** The platform ends an object's storage at 10 GB; what is left is for deletes and folds. */
const DATABASE_MAX_BYTES = 9e9

const log = jsonLog(console.log)

/** One webhook job: a keeper of a single job over the object's own SQLite storage, woken by the object's alarm. */
export class JobObject extends DurableObject<Environment> {
  #keeper: Promise<Keeper> | null = null
  /** Whether the object is known to keep something: it does so until it is forgotten. */
  #keepsSomething = false
  readonly #onlookers = new OnlookersElsewhere(this.ctx.storage, this.env.EVENTS, log)

  configure(jobId: number, rules: Rules): Promise<Reply<void>> {
    return this.#reply(async (keeper) => {
      await keeper.configure(jobId, rules)
      await this.#secureAlarm(keeper)
    }, 'create')
  }

  deliver(jobId: number, delivery: Delivery, sender: Sender) {
    return this.#reply(async (keeper) => {
      const delivered = await keeper.deliver(jobId, delivery, sender)
      await this.#secureAlarm(keeper)
      this.#foldWhenDue(keeper)
      return delivered
    })
  }

  /** The outcomes of parcels for this job. */
  deliverAll(parcels: readonly Parcel[], sender: Sender) {
    return this.#reply(async (keeper) => {
      const outcomes = await keeper.deliverAll(parcels, sender)
      await this.#secureAlarm(keeper)
      this.#foldWhenDue(keeper)
      return outcomes.map((outcome): Reply<Exclude<Outcome, Refusal>> =>
        outcome instanceof Refusal ? refused(outcome) : { ok: true, value: outcome },
      )
    })
  }

  snapshot(jobId: number): Promise<Reply<Snapshot | null>> {
    if (this.#isEmpty()) return Promise.resolve({ ok: true, value: null })
    return this.#reply((keeper) => keeper.snapshot(jobId))
  }

  buckets(jobId: number, query: BucketsQuery) {
    return this.#reply((keeper) => keeper.buckets(jobId, query))
  }

  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll) {
    return this.#reply((keeper) => keeper.bucketsAll(series, query))
  }

  samples(jobId: number, query: SamplesQuery) {
    return this.#reply((keeper) => keeper.samples(jobId, query))
  }

  /** Whoever reads events wants what the job receives, until then. */
  async watch(untilAt: number): Promise<void> {
    if (!this.#isEmpty()) await this.#onlookers.watch(untilAt)
  }

  archive(jobId: number, notBeforeAt: number) {
    return this.#reply((keeper) => keeper.archive(jobId, notBeforeAt))
  }

  restore(jobId: number, copied: Copied): Promise<Reply<void>> {
    return this.#reply(async (keeper) => {
      await keeper.restore(jobId, copied)
      await this.#secureAlarm(keeper)
    }, 'create')
  }

  /** Ends the object: nothing of it stays in storage. */
  async forget(jobId: number): Promise<Reply<void>> {
    if (!this.#isEmpty()) {
      const keeper = await this.#open()
      await keeper.forget(jobId)
      // The numbers of the blobs are in this storage: it goes when they have gone.
      await keeper.history.sweep()
      // What is being written must not write into what is made anew under this id.
      await keeper.settled()
    }
    this.#keeper = null
    this.#keepsSomething = false
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    return { ok: true, value: undefined }
  }

  /** Whether the object had lost its alarm, which it then sets again: none stands, or its time is long past. */
  async secure(): Promise<Reply<boolean>> {
    if (this.#isEmpty()) return { ok: true, value: false }
    return this.#reply(async (keeper) => {
      const isOverdue = keeper.nextAt < clock.now() - OVERDUE_MS
      const isLost = isOverdue || (await this.ctx.storage.getAlarm()) === null
      if (isOverdue) await this.ctx.storage.setAlarm(clock.now())
      await this.#secureAlarm(keeper)
      return isLost
    })
  }

  /** The deadline may have passed. Never throws: the platform drops an alarm that failed six times. */
  override async alarm(): Promise<void> {
    if (this.#isEmpty()) return
    try {
      const keeper = await this.#open()
      const dueAt = keeper.nextAt
      const now = clock.now()
      if (now - dueAt > LATENESS_MAX_MS) await keeper.deaf(dueAt, now)
      await keeper.wake(now)
      await this.#tidyWhenDue(keeper, now)
      await this.#arm(keeper)
      if (isFoldDue(keeper)) await keeper.fold()
    } catch (error) {
      log.error('an alarm failed and is set again', error)
      await this.ctx.storage.setAlarm(clock.now() + RETRY_MS)
    }
  }

  /** The alarm looks at the job's deadline at the latest; sooner while somebody has not heard of its transitions. */
  async #arm(keeper: Keeper): Promise<void> {
    const told = await keeper.settled()
    const at = told ? keeper.nextAt : Math.min(keeper.nextAt, clock.now() + RETRY_MS)
    await this.ctx.storage.setAlarm(Math.min(at, keeper.history.nextTurn(TIDY_MS, clock.now())))
  }

  /** Also a job that nobody delivers to any more loses what has expired. */
  async #tidyWhenDue(keeper: Keeper, now: number): Promise<void> {
    const tidiedAt = (await keeper.history.lastTidied()) ?? 0
    await keeper.history.tidy({ whose: (jobId) => nextTurn(jobId, TIDY_MS, tidiedAt) <= now })
  }

  /** Only an alarm brings a silent job back: it stands after each write, whatever a crash or an absent listener left. */
  async #secureAlarm(keeper: Keeper): Promise<void> {
    const wantedAt = keeper.told ? keeper.nextAt : Math.min(keeper.nextAt, clock.now() + RETRY_MS)
    await this.#alarmBy(Math.min(wantedAt, keeper.history.nextTurn(TIDY_MS, clock.now())))
  }

  async #alarmBy(at: number): Promise<void> {
    const alarmAt = (await this.ctx.storage.getAlarm()) ?? Number.POSITIVE_INFINITY
    if (at < alarmAt) await this.ctx.storage.setAlarm(at)
  }

  async #reply<Value>(
    use: (keeper: Keeper) => Promise<Value>,
    missing: 'refuse' | 'create' = 'refuse',
  ): Promise<Reply<Value>> {
    try {
      // An object that nobody configured stays without storage, however often somebody guesses its name.
      if (missing === 'refuse' && this.#isEmpty())
        throw new Refusal('not_found', 'There is no such webhook job.')
      return { ok: true, value: await use(await this.#open()) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return refused(error)
    }
  }

  #open(): Promise<Keeper> {
    this.#keeper ??= this.#openKeeper().catch((error: unknown) => {
      this.#keeper = null
      throw error
    })
    return this.#keeper
  }

  #openKeeper(): Promise<Keeper> {
    const flow = flowInObject(this.env.FLOW)
    return Keeper.open({
      values: valuesInObject(this.ctx.storage),
      blobs: openBlobsR2(this.env.FILES),
      clock,
      log,
      turn: () => scheduler.wait(0),
      follow: (transitions) => flow.follow(transitions),
      onlookers: this.#onlookers,
      roomBytes: () => DATABASE_MAX_BYTES - this.ctx.storage.sql.databaseSize,
      // Every write and every alarm sets the next alarm by itself.
      armed: () => undefined,
      // An object that dies after the commit has nobody to set its alarm then; one that comes for nothing does no harm.
      beforeCommit: (lookAt) => this.#alarmBy(Math.min(lookAt, clock.now() + TIDY_MS)),
    })
  }

  #foldWhenDue(keeper: Keeper): void {
    if (!isFoldDue(keeper)) return
    this.ctx.waitUntil(
      keeper.fold().catch((error: unknown) => log.error('a fold failed and is tried again', error)),
    )
  }

  #isEmpty(): boolean {
    const { sql } = this.ctx.storage
    this.#keepsSomething ||= [...sql.exec(`select 1 from sqlite_master where name = 'journal'`)].length > 0
    return !this.#keepsSomething
  }
}

/** Whether there is enough to fold, or something was told that would be told again whenever the object wakes. */
function isFoldDue({ unfolded: { samples, rows, sizeBytes }, told, hasTold }: Keeper): boolean {
  return (told && hasTold) || samples >= FOLD_SAMPLES || rows >= FOLD_ROWS || sizeBytes >= FOLD_BYTES
}

/** What the application may ask of an object is what the port names, each answered with a `Reply`; rounds are of many. */
type Asked = {
  [Name in Exclude<keyof JobActors, 'deliverRounds' | 'archivesMax'>]: (
    ...input: never[]
  ) => Promise<Reply<unknown>>
}
JobObject.prototype satisfies Asked
