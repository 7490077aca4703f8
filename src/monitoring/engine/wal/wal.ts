import type { Lock } from '../../../lib/mutex.ts'
import type { Sample } from '../../jobs/actor.ts'
import type { Deadlines } from '../head/deadlines.ts'
import type { Facts } from './transition-outbox.ts'
import { GroupCommit } from './group-commit.ts'
import type { KeeperHost } from '../host.ts'
import type { Effect, Heard, Job } from '../head/job.ts'
import { encodeEntry } from './entry.ts'
import type { Entry, RoundEntry } from './entry.ts'
import { Panels } from '../head/pending-rows.ts'
import { commitOf, lookAtOf } from './commit.ts'
import type { Accepted, Besides } from './commit.ts'
import { gather } from './write-batch.ts'
import { tellValues } from './publish.ts'
import type { Arrival } from '../head/hot-state.ts'

/** Samples, rows of the log, and the characters in them, that the next flush moves. */
export type Unfolded = { samples: number; rows: number; sizeBytes: number }

/** What the ledger shares with its keeper. */
export type Books = {
  readonly host: KeeperHost
  readonly lock: Lock
  readonly jobs: Map<number, Job>
  readonly deadlines: Deadlines
  readonly facts: Facts
}

/** Writes accepted events to the journal, and brings what jobs know on stable storage up to it. */
export class Ledger {
  readonly panels = new Panels()
  /** Jobs whose end is not durable yet; should it fail, they come back. */
  readonly leaving = new Set<Job>()
  /** The journal row that was written last. */
  journalId = 0
  /** What the next fold would move. */
  readonly unfolded: Unfolded = { samples: 0, rows: 0, sizeBytes: 0 }
  readonly #books: Books
  readonly #commits: GroupCommit<Accepted>

  constructor(books: Books) {
    this.#books = books
    this.#commits = new GroupCommit({
      turn: () => books.host.turn(),
      commit: (batch) => books.lock.run(() => this.#commit(batch)),
      undo: (batch, cause) => this.#undo(batch, cause),
    })
  }

  /** True while no more may wait for a commit. */
  get isFull(): boolean {
    return this.#commits.isFull
  }

  /** Resolves when nothing waits for a commit. */
  settled(): Promise<void> {
    return this.#commits.settled()
  }

  /** Lets the event take effect at once, and resolves when it is durable. @throws {Refusal} unavailable */
  accept(
    entry: Entry | RoundEntry,
    effects: readonly Effect[],
    { heard = null, forgotten = null, repeat = null }: Besides = {},
  ): Promise<void> {
    for (const { job, result } of effects) job.state = result.state
    const text = encodeEntry(entry)
    const count = effects.length + (heard?.jobs.length ?? 0)
    const { kind } = entry.event
    const isDelivery = kind === 'deliver' || kind === 'run' || kind === 'round'
    return this.#commits.push(
      { entry: text, heard, effects, forgotten, repeat, isDelivery },
      text.length,
      Math.max(1, count),
    )
  }

  /** As `accept`, of a value that was only noted. */
  gather(job: Job, sample: Sample, arrival: Arrival): Promise<void> {
    return gather(this.#commits, job, sample, arrival)
  }

  /** What an event did to a job is on stable storage. */
  keep({ job, result }: Effect, journalId: number): void {
    job.keep(result, journalId)
    this.unfolded.samples += result.samples.length + (result.run?.at.length ?? 0)
    this.#books.facts.add(result.transitions)
  }

  keepHeard(heard: Heard, journalId: number, isRound = true): void {
    if (isRound) this.panels.add(heard, journalId)
    else this.panels.pass(heard, journalId)
    this.unfolded.samples += heard.jobs.length
  }

  /** The job's end is durable: there is nothing of it left to fold. */
  drop(job: Job): void {
    this.leaving.delete(job)
    this.unfolded.samples -= job.tail?.size ?? 0
  }

  async #commit(batch: readonly Accepted[]): Promise<void> {
    const { host, deadlines } = this.#books
    const { statements, rows, sizeBytes } = commitOf(batch, this.journalId, host.clock.now())
    await host.beforeCommit?.(lookAtOf(batch))
    await host.values.commit(statements)
    // A job may have entries in several rows of a commit: what it knows is as of the last of them.
    const id = this.journalId + rows
    this.journalId = id
    this.unfolded.rows += rows
    this.unfolded.sizeBytes += sizeBytes
    for (const { entry, heard, effects, forgotten } of batch) {
      if (heard) this.keepHeard(heard, id, typeof entry === 'string')
      for (const effect of effects) {
        this.keep(effect, id)
        deadlines.enter(effect.job)
      }
      if (forgotten) this.drop(forgotten)
    }
    if (host.onlookers?.areThere) await tellValues(host.onlookers, batch)
  }

  /** Nothing of a failed commit may stay in memory: later answers would build on what no disk remembers. */
  #undo(batch: readonly Accepted[], cause: unknown): void {
    const { host, jobs, deadlines } = this.#books
    const now = host.clock.now()
    // Backwards, so that of jobs made and forgotten under one id the durable one is left.
    for (const { heard, effects, forgotten, isDelivery } of batch.toReversed()) {
      if (forgotten) {
        this.leaving.delete(forgotten)
        jobs.set(forgotten.id, forgotten)
      }
      for (const job of [...effects.map((effect) => effect.job), ...(heard?.jobs ?? [])]) {
        if (job.durable) job.state = job.durable
        else if (jobs.get(job.id) === job) jobs.delete(job.id)
        if (isDelivery) job.refuse(now)
        deadlines.enter(job)
      }
    }
    host.log.error('A commit failed; what waited for it was refused.', cause, { events: batch.length })
  }
}
