import type { Blocks } from '../blocks/blocks.ts'
import type { Head, Unflushed } from '../head/head.ts'
import type { Job } from '../head/job.ts'
import { pruneRepeats } from '../store/repeats.ts'
import { replaceWal, trimSome, trimWal } from '../wal/store.ts'
import type { Wal } from '../wal/wal.ts'
import { flushJobs } from './segments.ts'

/** The bounds of one slice, while deliveries wait: about two milliseconds of work. The tail of a job is not divided. */
const JOBS_PER_SLICE = 64
const SAMPLES_PER_SLICE = 2_000
const ROWS_PER_TRIM = 1_000
/** The rows that a new WAL table writes, besides those that it takes over. */
const ROWS_TO_REPLACE = 11
/** After so many turns a delivery that came meanwhile is durable and answered. */
const TURNS_OF_REST = 4
/** The largest factor of the bounds of a slice, where a flush would otherwise fall behind the deliveries. */
const HASTE_MAX = 32

/** Moves durable samples from the WAL into segments, a slice at a time. Deliveries get their turn between slices. */
export class Flush {
  readonly #head: Head
  readonly #wal: Wal
  readonly #blocks: Blocks
  #running: Promise<void> | null = null
  #flushedAt = Number.NEGATIVE_INFINITY

  constructor(head: Head, wal: Wal, blocks: Blocks) {
    this.#head = head
    this.#wal = wal
    this.#blocks = blocks
  }

  /** The time at which the last completed flush began, epoch ms; minus infinity before the first. */
  get flushedAt(): number {
    return this.#flushedAt
  }

  /** Flushes everything that is durable now. A running flush is joined. */
  run(): Promise<void> {
    this.#running ??= this.#blocks.layoutLock
      .run(() => this.#flushAll())
      .finally(() => {
        this.#running = null
      })
    return this.#running
  }

  /** Ends early when the listener of transitions fails: a transition must be delivered before it is flushed. */
  async #flushAll(): Promise<void> {
    const { host, lock } = this.#blocks
    const { jobs, leaving, pendingRows, unflushed } = this.#head
    const { outbox, lastId } = this.#wal
    const { rows, sizeBytes } = unflushed
    const beganAt = host.clock.now()
    outbox.willFlush()
    for (const list of pendingRows.lists()) {
      list.flushToJobs()
      await host.turn()
    }
    const due = [...jobs.values(), ...leaving].filter((job) => !job.isFlushed)
    for (const slice of slicesOf(due, unflushed)) {
      // A checkpoint must not overtake its transitions: replay starts behind it.
      do if (!(await outbox.deliver())) return
      while (!(await lock.run(() => this.#flushSlice(slice))))
      await this.#rest()
    }
    await this.#trim(lastId, rows)
    unflushed.rows -= rows
    unflushed.sizeBytes -= sizeBytes
    this.#flushedAt = beganAt
  }

  /** False when there are transitions to deliver first. */
  async #flushSlice(slice: readonly Job[]): Promise<boolean> {
    if (!this.#wal.outbox.isDrained) return false
    const { values } = this.#blocks
    const head = this.#head
    const jobs = slice.filter((job) => head.has(job) || head.leaving.has(job))
    const { statements, ends } = await flushJobs(values, jobs)
    await values.commit(statements)
    for (const job of jobs) {
      head.unflushed.samples -= job.flushed().tail?.size ?? 0
      job.markFlushed()
    }
    for (const end of ends) head.find(end.jobId)?.endsAt(end)
    return true
  }

  /** Removes the WAL rows up to this one, of which there are about `rows`. */
  async #trim(upTo: number, rows: number): Promise<void> {
    const { host, lock, values } = this.#blocks
    let left = rows
    for (; left > ROWS_PER_TRIM; left -= ROWS_PER_TRIM) {
      await lock.run(() => values.commit([trimSome(upTo, ROWS_PER_TRIM)]))
      await this.#rest()
    }
    await lock.run(() => {
      const newer = this.#head.unflushed.rows - rows
      const trimmed = newer + ROWS_TO_REPLACE < left ? replaceWal(upTo) : trimWal(upTo)
      return values.commit([...trimmed, pruneRepeats(host.clock.now())])
    })
  }

  /** A delivery waits for one slice of a flush, not for one slice in each turn that it needs. */
  async #rest(): Promise<void> {
    for (let turn = 0; turn < TURNS_OF_REST; turn++) await this.#blocks.host.turn()
  }
}

/** Divides jobs into slices by the samples to flush. A slice is twice as large as the previous one while more than half as
 * many samples arrive as are flushed, and half as large otherwise. */
function* slicesOf(jobs: readonly Job[], unflushed: Readonly<Unflushed>): Generator<readonly Job[]> {
  const begunWith = unflushed.samples
  let moved = 0
  let haste = 1
  let slice: Job[] = []
  let samples = 0
  for (const job of jobs) {
    const size = job.takenSize
    const isFull = slice.length >= JOBS_PER_SLICE * haste || samples + size > SAMPLES_PER_SLICE * haste
    if (isFull && slice.length > 0) {
      yield slice
      moved += samples
      const isBehind = unflushed.samples > begunWith - moved / 2
      haste = isBehind ? Math.min(HASTE_MAX, haste * 2) : Math.max(1, haste / 2)
      slice = []
      samples = 0
    }
    slice.push(job)
    samples += size
  }
  if (slice.length > 0) yield slice
}
