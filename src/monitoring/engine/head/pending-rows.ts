import { areSame } from '../../../lib/same.ts'
import { PendingSamples } from './pending-samples.ts'
import type { AppendedRows, Job, PendingRows } from './job.ts'
import type { TailRow } from './tail.ts'

/** Bounds of the pending rows of one list of jobs: a flush of them takes a few milliseconds at most. */
const ROWS_MAX = 32
const VALUES_MAX = 65_536

/** A fixed list of jobs and the durable rows that still have to be copied into their tails. */
export class PendingRowList implements PendingRows {
  readonly key: string
  readonly jobs: readonly Job[]
  readonly #ids: readonly number[]
  readonly rows: TailRow[] = []
  /** The latest clock at which one of the rows arrived, epoch ms. */
  nowAt = 0
  /** The WAL row of the last of the rows. */
  walId = 0
  readonly #pending: Set<PendingRowList>
  #hasTwins = false

  /** None of the jobs may be in another list. `pending` contains the list until its rows are flushed. */
  constructor({ key, jobs }: AppendedRows, pending: Set<PendingRowList>) {
    this.key = key
    this.jobs = jobs
    this.#ids = jobs.map(({ id }) => id)
    this.#pending = pending.add(this)
    for (const job of jobs) {
      if (job.pendingRows) this.#hasTwins = true
      job.pendingRows = this
    }
  }

  isFor({ key, jobs }: AppendedRows): boolean {
    // A job that occurs twice in a row needs both of its values before the values of the next row.
    return !this.#hasTwins && key === this.key && areSame(jobs, this.jobs)
  }

  jobsOf(ids: readonly number[]): readonly Job[] | null {
    return areSame(ids, this.#ids) ? this.jobs : null
  }

  add({ at, values, now }: AppendedRows, walId: number): void {
    this.rows.push({ at, values })
    this.nowAt = Math.max(this.nowAt, now)
    this.walId = walId
    const count = this.rows.length
    if (count >= ROWS_MAX || count * this.jobs.length >= VALUES_MAX) this.flushToJobs()
  }

  flushToJobs(): void {
    if (!this.#pending.delete(this)) return
    for (let index = 0; index < this.jobs.length; index++) this.jobs[index]?.takeRows(this, index)
  }
}

/**
 * Durable samples that are not in their jobs' tails yet. To reach a job in memory costs more than to apply a value to it:
 * rows for the same list of jobs are copied together, and at the latest when one of the jobs is read.
 */
export class PendingRowLists {
  readonly #lists = new Set<PendingRowList>()
  readonly #samples = new PendingSamples()

  add(rows: AppendedRows, walId: number): void {
    if (rows.jobs.length > 0) this.#listOf(rows).add(rows, walId)
  }

  /** As `add`, for values that came alone: the next ones will hardly have the same list of jobs. */
  pass({ key, jobs, at, values, now }: AppendedRows, walId: number): void {
    for (let index = 0; index < jobs.length; index++) {
      const sample = { key, at: at[index] ?? 0, value: values[index] ?? 0 }
      jobs[index]?.appendDurable(this.#samples, sample, now, walId)
    }
  }

  /** The lists with rows that are not in the jobs' tails. */
  lists(): readonly PendingRowList[] {
    return [...this.#lists]
  }

  #listOf(rows: AppendedRows): PendingRows {
    const known = rows.jobs[0]?.pendingRows
    if (known?.isFor(rows)) return known
    // Samples keep their order of arrival.
    for (const job of rows.jobs) job.pendingRows?.flushToJobs()
    return new PendingRowList(rows, this.#lists)
  }
}
