import { areSame } from '../../../lib/same.ts'
import { PendingSamples } from './pending-samples.ts'
import type { AppendedRows, Job } from './job.ts'

/** What may wait for the jobs of one panel: to hand it out takes a few milliseconds at most. */
const ROUNDS_MAX = 32
const VALUES_MAX = 65_536

/** One value for each job of a panel, in its order. */
export type PendingRow = Pick<AppendedRows, 'at' | 'values'>

/** Jobs that hear the same rounds, and rounds on stable storage that these have not taken yet. */
export class PendingRows {
  readonly key: string
  readonly jobs: readonly Job[]
  readonly #ids: readonly number[]
  readonly rows: PendingRow[] = []
  /** The latest clock at which one of the rounds arrived. */
  nowAt = 0
  /** The journal row of the last round. */
  journalId = 0
  readonly #waiting: Set<PendingRows>
  #hasTwins = false

  /** None of the jobs may be in another panel. `waiting` has this one among them until its jobs have taken all. */
  constructor({ key, jobs }: AppendedRows, waiting: Set<PendingRows>) {
    this.key = key
    this.jobs = jobs
    this.#ids = jobs.map(({ id }) => id)
    this.#waiting = waiting.add(this)
    for (const job of jobs) {
      if (job.pendingRows) this.#hasTwins = true
      job.pendingRows = this
    }
  }

  /** Whether a round is for just these jobs, in their order. One that is there twice takes both values before the next. */
  isFor({ key, jobs }: AppendedRows): boolean {
    return !this.#hasTwins && key === this.key && areSame(jobs, this.jobs)
  }

  /** Its jobs, if these are their ids. Some may have been forgotten since. */
  jobsOf(ids: readonly number[]): readonly Job[] | null {
    return areSame(ids, this.#ids) ? this.jobs : null
  }

  add({ at, values, now }: AppendedRows, journalId: number): void {
    this.rows.push({ at, values })
    this.nowAt = Math.max(this.nowAt, now)
    this.journalId = journalId
    const count = this.rows.length
    if (count >= ROUNDS_MAX || count * this.jobs.length >= VALUES_MAX) this.flushToJobs()
  }

  /** Lets the jobs take what there is for them, once: they are in no panel then. */
  flushToJobs(): void {
    if (!this.#waiting.delete(this)) return
    for (let index = 0; index < this.jobs.length; index++) this.jobs[index]?.takeRows(this, index)
  }
}

/**
 * What was heard in rounds and is on stable storage. To reach a job in memory takes longer than what it does with a value:
 * jobs that hear the same rounds take what several have brought at once, or as soon as somebody looks at one of them.
 */
export class PendingRowLists {
  readonly #waiting = new Set<PendingRows>()
  readonly #chains = new PendingSamples()

  add(heard: AppendedRows, journalId: number): void {
    if (heard.jobs.length > 0) this.#panelOf(heard).add(heard, journalId)
  }

  /** As `add`, of jobs that will hardly hear the same again. */
  pass({ key, jobs, at, values, now }: AppendedRows, journalId: number): void {
    for (let index = 0; index < jobs.length; index++) {
      const sample = { key, at: at[index] ?? 0, value: values[index] ?? 0 }
      jobs[index]?.appendDurable(this.#chains, sample, now, journalId)
    }
  }

  /** Those with something that their jobs have not taken. */
  waiting(): readonly PendingRows[] {
    return [...this.#waiting]
  }

  #panelOf(heard: AppendedRows): PendingRows {
    const known = heard.jobs[0]?.pendingRows
    if (known?.isFor(heard)) return known
    // What a job heard before comes first.
    for (const job of heard.jobs) job.pendingRows?.flushToJobs()
    return new PendingRows(heard, this.#waiting)
  }
}
