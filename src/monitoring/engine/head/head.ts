import { noSuch } from '../../../lib/errors.ts'
import { Deadlines } from './deadlines.ts'
import type { AppendedRows, Effect, Job } from './job.ts'
import { PendingRowLists } from './pending-rows.ts'

/** The load of the next flush: samples, WAL rows, and characters in these rows. */
export type Unflushed = { samples: number; rows: number; sizeBytes: number }

/** The changes of an accepted event in memory. */
export type HeadChange = {
  /** Values that skipped the step; they come before the effects. */
  readonly rows: AppendedRows | null
  /** Whether a sender sent the values as a row: the next row is then likely to have the same jobs. */
  readonly isRow: boolean
  readonly effects: readonly Effect[]
  /** The job that the event ends. */
  readonly forgotten: Job | null
  readonly isDelivery: boolean
}

/** All jobs in memory, with their durable samples that are not in segments yet. */
export class Head {
  readonly jobs = new Map<number, Job>()
  /** Jobs whose end is not durable yet; if its commit fails, they come back. */
  readonly leaving = new Set<Job>()
  readonly deadlines: Deadlines
  readonly pendingRows = new PendingRowLists()
  /** Jobs that may have adaptive limits. */
  readonly #adaptive = new Set<Job>()
  /** Durable values since the process started. */
  storedValues = 0
  readonly unflushed: Unflushed = { samples: 0, rows: 0, sizeBytes: 0 }

  /** @param armed is called when the earliest deadline moved earlier */
  constructor(armed: () => void) {
    this.deadlines = new Deadlines(this.jobs, armed)
  }

  /** @throws {Refusal} not_found */
  job(jobId: number): Job {
    const job = this.jobs.get(jobId)
    if (!job) throw noSuch('webhook job')
    return job
  }

  find(jobId: number): Job | null {
    return this.jobs.get(jobId) ?? null
  }

  /** False once the job was forgotten, also where another job has its id. */
  has(job: Job): boolean {
    return this.jobs.get(job.id) === job
  }

  add(job: Job): void {
    this.jobs.set(job.id, job)
    this.noteRules(job)
  }

  /** Call it when the job has other rules. */
  noteRules(job: Job): void {
    if (job.isAdaptive()) this.#adaptive.add(job)
  }

  /** The jobs with adaptive limits. */
  *adaptiveJobs(): Generator<Job> {
    for (const job of this.#adaptive) {
      if (!this.has(job)) this.#adaptive.delete(job)
      else if (job.isAdaptive()) yield job
    }
  }

  /** Removes a job whose end was accepted and is not durable yet. */
  leave(job: Job): void {
    this.jobs.delete(job.id)
    job.isForgotten = true
    this.leaving.add(job)
  }

  /** The change is on stable storage, in this WAL row. */
  markDurable({ rows, isRow, effects, forgotten }: HeadChange, walId: number): void {
    if (rows) this.markRowsDurable(rows, walId, isRow)
    for (const effect of effects) this.markEffectDurable(effect, walId)
    if (forgotten) this.drop(forgotten)
  }

  markRowsDurable(rows: AppendedRows, walId: number, isRow: boolean): void {
    if (isRow) this.pendingRows.add(rows, walId)
    else this.pendingRows.pass(rows, walId)
    this.#store(rows.jobs.length)
  }

  markEffectDurable({ job, result }: Effect, walId: number): void {
    job.markDurable(result, walId)
    this.#store(result.samples.length + (result.run?.at.length ?? 0))
  }

  #store(values: number): void {
    this.unflushed.samples += values
    this.storedValues += values
  }

  /** The end of the job is durable: its samples need no flush. */
  drop(job: Job): void {
    this.leaving.delete(job)
    this.unflushed.samples -= job.flushed().tail?.size ?? 0
  }

  /** The commit of the change failed. Later answers must not build on a state that no disk has. */
  revert({ rows, effects, forgotten, isDelivery }: HeadChange, now: number): void {
    if (forgotten) {
      this.leaving.delete(forgotten)
      this.add(forgotten)
    }
    for (const job of [...effects.map((effect) => effect.job), ...(rows?.jobs ?? [])]) {
      const { durable } = job.flushed()
      if (durable) job.accept(durable)
      else if (this.has(job)) this.jobs.delete(job.id)
      if (isDelivery) job.refuse(now)
      this.deadlines.enter(job)
    }
  }
}
