import type { Blocks } from '../blocks/blocks.ts'
import type { Head } from '../head/head.ts'
import { readMeta, writeMeta } from '../store.ts'
import { applyToJobs } from './apply.ts'
import { sweepBlobs } from './context.ts'
import type { RetentionContext } from './context.ts'
import { nextSlot } from './stagger.ts'

const JOBS_PER_SLICE = 64
/** The sweep of blobs has a slot of its own, as if it were a job with this id. */
const SWEEP = 0

/** `selects` chooses jobs, all by default. The run ends early once `goesOn` returns false. */
type RetentionRun = {
  readonly selects?: (jobId: number) => boolean
  readonly goesOn?: () => boolean
}

const always = () => true

/** Deletes expired samples and offloads cold segments. */
export class Retention {
  readonly #context: RetentionContext
  #running: Promise<void> | null = null

  constructor(head: Head, blocks: Blocks) {
    this.#context = { head, blocks }
  }

  /** Applies the retention of jobs, a few at a time. A running call is joined. A failure is logged, and its jobs wait for
   * the next run. */
  apply(run: RetentionRun = {}): Promise<void> {
    this.#running ??= this.#context.blocks.layoutLock
      .run(() => this.#applyToAll(run))
      .finally(() => {
        this.#running = null
      })
    return this.#running
  }

  /** The first slot of a job after an instant, at the latest a period after it, epoch ms. */
  nextAt(periodMs: number, afterAt: number): number {
    let at = afterAt + periodMs
    for (const id of this.#context.head.jobs.keys()) at = Math.min(at, nextSlot(id, periodMs, afterAt))
    return at
  }

  /** The begin of the last completed run that selected jobs or the sweep, epoch ms; null before the first. */
  lastAt(): Promise<number | null> {
    return readMeta(this.#context.blocks.values, 'tidied')
  }

  /** Deletes blobs that no row refers to. @throws {Error} while the blobs are unavailable */
  sweep(): Promise<void> {
    return sweepBlobs(this.#context.blocks)
  }

  /** As `sweep`; a failure is logged, and the blobs wait for the next sweep. */
  sweepQuietly(): Promise<void> {
    return this.#attempt(() => this.sweep())
  }

  async #applyToAll({ selects = always, goesOn = always }: RetentionRun): Promise<void> {
    const { head, blocks } = this.#context
    const { host, lock, values } = blocks
    const now = host.clock.now()
    const jobs = [...head.jobs.values()].filter(({ id }) => selects(id))
    const sweeps = selects(SWEEP)
    if (jobs.length === 0 && !sweeps) return
    for (let from = 0; from < jobs.length && goesOn(); from += JOBS_PER_SLICE) {
      await this.#attempt(() => applyToJobs(this.#context, jobs.slice(from, from + JOBS_PER_SLICE), now))
      await host.turn()
    }
    if (sweeps) await this.sweepQuietly()
    await lock.run(() => values.commit([writeMeta('tidied', now)]))
  }

  async #attempt(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#context.blocks.host.log.error('engine: retention of old values failed; retrying later', error)
    }
  }
}
