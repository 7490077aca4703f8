import { Refusal } from '../../../lib/errors.ts'
import { Mutex } from '../../../lib/mutex.ts'
import type { Dispatch, RunnerPoll } from '../../../ports/dispatch.ts'
import type { Ports } from '../../../ports/index.ts'
import { POLL_MS } from '../protocol.ts'
import type { AboutRunner, Assignment } from '../protocol.ts'
import { findRunner } from '../runners/store.ts'
import * as store from '../store.ts'
import type { RunRow } from '../store.ts'
import { assign, fits, readyOf } from './assign.ts'
import type { ReadyRun } from './assign.ts'
import { loseRun } from './transition-run.ts'
import type { DueWork } from './due-work.ts'
import { Reports } from './reports.ts'
import { withScripts } from './script-port.ts'

/** The number of runs in one read, of each configuration the oldest queued one. */
const LOOKED_AT_MAX = 50
const EXPIRED_AT_ONCE = 100
/** A run that no waiting runner can take is not tried again for this long, unless another runner polls. */
const UNFIT_MS = 5_000

/** The dispatch as its host sees it. */
export type OpenDispatch = Dispatch & {
  /** The time at which the queue is settled next, epoch ms; 0 if it is not known. */
  readonly nextAt: number
  /** Answers all polls with the present runs, and later polls at once: a shutdown does not wait for polls. */
  close(): void
}

/** A runner that waits for jobs. */
type Waiting = {
  readonly poll: RunnerPoll
  readonly name: string
  readonly about: AboutRunner
  readonly jobs: Assignment[]
  readonly answer: () => void
  isOpen: boolean
}

/** Opens the dispatch of an installation. Its state is in the database: a new dispatch continues from there. */
export function openDispatch(ports: Omit<Ports, 'dispatch' | 'scripts'>, due: DueWork): OpenDispatch {
  return new Dispatching(ports, due)
}

class Dispatching implements OpenDispatch {
  readonly #ports: Ports
  readonly #due: DueWork
  readonly #lock = new Mutex()
  readonly #waiting = new Map<number, Waiting>()
  /** Configurations whose runs no waiting runner can take, until an instant. */
  readonly #unfit = new Map<string, number>()
  readonly #reports: Reports
  #isAssignmentAhead = false
  #isClosed = false
  #nextAt = 0

  constructor(ports: Omit<Ports, 'dispatch' | 'scripts'>, due: DueWork) {
    this.#ports = withScripts({ ...ports, dispatch: this })
    this.#reports = new Reports(this.#ports, due)
    this.#due = due
  }

  get nextAt(): number {
    return this.#nextAt
  }

  async poll(poll: RunnerPoll, signal?: AbortSignal): Promise<readonly object[]> {
    const { database } = this.#ports
    const runner = await findRunner(database, poll.runnerId)
    if (!runner) throw new Refusal('unauthenticated', 'This runner is not registered.')
    await this.#lock.run(() => this.#loseUnnamed(poll))
    this.#waiting.get(poll.runnerId)?.answer()
    return new Promise((resolve) => {
      const waiting: Waiting = {
        poll,
        name: runner.name,
        about: runner.about,
        jobs: [],
        isOpen: true,
        answer: () => {
          if (!waiting.isOpen) return
          waiting.isOpen = false
          clearTimeout(timer)
          signal?.removeEventListener('abort', waiting.answer)
          if (this.#waiting.get(poll.runnerId) === waiting) this.#waiting.delete(poll.runnerId)
          resolve(waiting.jobs)
        },
      }
      const timer = setTimeout(waiting.answer, POLL_MS)
      signal?.addEventListener('abort', waiting.answer)
      this.#waiting.set(poll.runnerId, waiting)
      this.#unfit.clear()
      if (this.#isClosed || signal?.aborted) waiting.answer()
      this.#assignSoon()
    })
  }

  wake(): Promise<void> {
    this.#assignSoon()
    return Promise.resolve()
  }

  async runDue(): Promise<void> {
    await this.#lock.run(async () => {
      const dueAt = await this.#due.runDue(this.#ports)
      await this.#expire()
      await this.#assignOnce()
      const leaseAt = (await store.nextLease(this.#ports.database)) ?? Infinity
      const unfitAt = this.#waiting.size > 0 ? Math.min(...this.#unfit.values()) : Infinity
      this.#nextAt = Math.min(dueAt, leaseAt, unfitAt)
    })
    // Jobs that are slow to take a report keep no run waiting.
    await this.#reports.settle()
    this.#nextAt = Math.min(this.#nextAt, this.#reports.nextAt)
  }

  close(): void {
    this.#isClosed = true
    for (const waiting of this.#waiting.values()) waiting.answer()
  }

  /** Schedules one assignment of runs; calls meanwhile join it. */
  #assignSoon(): void {
    if (this.#isAssignmentAhead) return
    this.#isAssignmentAhead = true
    this.#lock
      .run(() => {
        this.#isAssignmentAhead = false
        return this.#assignOnce()
      })
      .then(() => this.#reports.settle())
      .then(() => {
        this.#nextAt = Math.min(this.#nextAt, this.#reports.nextAt)
      })
      .catch((error: unknown) => {
        // Queued runs stay in the database.
        this.#nextAt = 0
        this.#ports.log.error(
          'runs: assigning runs to runners or reporting their results failed; retrying',
          error,
        )
      })
  }

  async #assignOnce(): Promise<void> {
    try {
      while (this.#open().length > 0 && (await this.#giveSome()));
    } finally {
      for (const waiting of this.#waiting.values()) if (waiting.jobs.length > 0) waiting.answer()
    }
  }

  /** The runners that can take one more run. */
  #open(): Waiting[] {
    return [...this.#waiting.values()].filter(({ poll, jobs }) => jobs.length < poll.free)
  }

  /** Assigns the oldest queued runs to runners that can take them. @returns whether there may be more to give */
  async #giveSome(): Promise<boolean> {
    const now = this.#ports.clock.now()
    for (const [key, untilAt] of this.#unfit) if (untilAt <= now) this.#unfit.delete(key)
    const rows = await store.listNext(this.#ports.database, LOOKED_AT_MAX + this.#unfit.size)
    const fresh = rows.filter((row) => !this.#unfit.has(keyOf(row)))
    for (const row of fresh) {
      if (this.#open().length === 0) return false
      const ready = await readyOf(this.#ports, row)
      if (ready && !(await this.#give(ready))) this.#unfit.set(keyOf(row), now + UNFIT_MS)
    }
    return fresh.length > 0
  }

  async #give(ready: ReadyRun): Promise<boolean> {
    const fitting = this.#open().filter(({ about }) => fits(ready, about))
    // The runner with the fewest runs.
    const [waiting] = fitting.sort((a, b) => b.poll.free - b.jobs.length - (a.poll.free - a.jobs.length))
    if (!waiting) return false
    const { runnerId, baseUrl } = waiting.poll
    const { id } = ready.row
    const given = await assign(this.#ports, ready, { runnerId, name: waiting.name, baseUrl })
    this.#nextAt = 0
    if (!given) return true
    // A runner that has left meanwhile gets nothing.
    if (waiting.isOpen) waiting.jobs.push(given.assignment)
    else await loseRun(this.#ports, { id, attemptHash: given.attemptHash }, 'the runner had disconnected.')
    return true
  }

  /** A run that its runner does not know is lost. */
  async #loseUnnamed({ runnerId, running }: RunnerPoll): Promise<void> {
    const held = await store.listHeldBy(this.#ports.database, runnerId)
    for (const row of held) {
      if (!running.includes(row.id)) await loseRun(this.#ports, row, 'the runner no longer knows the run.')
    }
  }

  async #expire(): Promise<void> {
    const { database, clock } = this.#ports
    const now = clock.now()
    for (;;) {
      const rows = await store.listExpired(database, now, EXPIRED_AT_ONCE)
      for (const row of rows) {
        await loseRun(
          this.#ports,
          row,
          'the runner stopped responding.',
          ({ leaseUntil }) => leaseUntil !== null && leaseUntil <= now,
        )
      }
      if (rows.length < EXPIRED_AT_ONCE) return
    }
  }
}

function keyOf({ scriptId, runConfigurationId }: RunRow): string {
  return `${scriptId}/${runConfigurationId}`
}
