import type { Mutex } from '../../../lib/mutex.ts'
import type { Sample } from '../../jobs/actor.ts'
import type { Deadlines } from '../head/deadlines.ts'
import type { TransitionOutbox } from './transition-outbox.ts'
import { GroupCommit } from './group-commit.ts'
import type { EngineHost } from '../host.ts'
import type { Effect, AppendedRows, Job } from '../head/job.ts'
import { encodeEntry } from './entry.ts'
import type { Entry, RoundEntry } from './entry.ts'
import { PendingRowLists } from '../head/pending-rows.ts'
import { commitOf, wakeAtOf } from './commit.ts'
import type { WalRecord, RecordExtras } from './commit.ts'
import { appendToBatch } from './write-batch.ts'
import { publishValues } from './publish.ts'
import type { Arrival } from '../head/hot-state.ts'

/** Samples, rows of the log, and the characters in them, that the next flush moves. */
export type Unflushed = { samples: number; rows: number; sizeBytes: number }

/** What the ledger shares with its engine. */
export type WalDeps = {
  readonly host: EngineHost
  readonly lock: Mutex
  readonly jobs: Map<number, Job>
  readonly deadlines: Deadlines
  readonly outbox: TransitionOutbox
}

/** Writes accepted events to the journal, and brings what jobs know on stable storage up to it. */
export class Wal {
  readonly pendingRows = new PendingRowLists()
  /** Jobs whose end is not durable yet; should it fail, they come back. */
  readonly leaving = new Set<Job>()
  /** The journal row that was written last. */
  journalId = 0
  /** What the next flush would move. */
  readonly unflushed: Unflushed = { samples: 0, rows: 0, sizeBytes: 0 }
  readonly #deps: WalDeps
  readonly #commits: GroupCommit<WalRecord>

  constructor(books: WalDeps) {
    this.#deps = books
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

  /** As `GroupCommit.durable`. */
  get durable(): Promise<void> {
    return this.#commits.durable
  }

  /** Resolves when nothing waits for a commit. */
  settled(): Promise<void> {
    return this.#commits.settled()
  }

  /** Lets the event take effect at once, and resolves when it is durable. @throws {Refusal} unavailable */
  accept(
    entry: Entry | RoundEntry,
    effects: readonly Effect[],
    { rows = null, forgotten = null, repeat = null }: RecordExtras = {},
  ): Promise<void> {
    for (const { job, result } of effects) job.state = result.state
    const text = encodeEntry(entry)
    const count = effects.length + (rows?.jobs.length ?? 0)
    const { kind } = entry.event
    const isDelivery = kind === 'deliver' || kind === 'run' || kind === 'round'
    return this.#commits.push(
      { entry: text, rows, effects, forgotten, repeat, isDelivery },
      text.length,
      Math.max(1, count),
    )
  }

  /** As `accept`, of a value that was only noted. */
  append(job: Job, sample: Sample, arrival: Arrival): Promise<void> {
    return appendToBatch(this.#commits, job, sample, arrival)
  }

  /** What an event did to a job is on stable storage. */
  markDurable({ job, result }: Effect, journalId: number): void {
    job.keep(result, journalId)
    this.unflushed.samples += result.samples.length + (result.run?.at.length ?? 0)
    this.#deps.outbox.add(result.transitions)
  }

  markRowsDurable(heard: AppendedRows, journalId: number, isRound = true): void {
    if (isRound) this.pendingRows.add(heard, journalId)
    else this.pendingRows.pass(heard, journalId)
    this.unflushed.samples += heard.jobs.length
  }

  /** The job's end is durable: there is nothing of it left to flush. */
  drop(job: Job): void {
    this.leaving.delete(job)
    this.unflushed.samples -= job.tail?.size ?? 0
  }

  async #commit(batch: readonly WalRecord[]): Promise<void> {
    const { host, deadlines } = this.#deps
    const { statements, rows: rowCount, sizeBytes } = commitOf(batch, this.journalId, host.clock.now())
    await host.beforeCommit?.(wakeAtOf(batch))
    await host.values.commit(statements)
    // A job may have entries in several rows of a commit: what it knows is as of the last of them.
    const id = this.journalId + rowCount
    this.journalId = id
    this.unflushed.rows += rowCount
    this.unflushed.sizeBytes += sizeBytes
    for (const { entry, rows, effects, forgotten } of batch) {
      if (rows) this.markRowsDurable(rows, id, typeof entry === 'string')
      for (const effect of effects) {
        this.markDurable(effect, id)
        deadlines.enter(effect.job)
      }
      if (forgotten) this.drop(forgotten)
    }
    if (host.subscribers?.areThere) await publishValues(host.subscribers, batch)
  }

  /** Nothing of a failed commit may stay in memory: later answers would build on what no disk remembers. */
  #undo(batch: readonly WalRecord[], cause: unknown): void {
    const { host, jobs, deadlines } = this.#deps
    const now = host.clock.now()
    // Backwards, so that of jobs made and forgotten under one id the durable one is left.
    for (const { rows, effects, forgotten, isDelivery } of batch.toReversed()) {
      if (forgotten) {
        this.leaving.delete(forgotten)
        jobs.set(forgotten.id, forgotten)
      }
      for (const job of [...effects.map((effect) => effect.job), ...(rows?.jobs ?? [])]) {
        if (job.durable) job.state = job.durable
        else if (jobs.get(job.id) === job) jobs.delete(job.id)
        if (isDelivery) job.refuse(now)
        deadlines.enter(job)
      }
    }
    host.log.error('engine: commit failed; the waiting deliveries were rejected', cause, {
      events: batch.length,
    })
  }
}
