import type { Mutex } from '../../../lib/mutex.ts'
import { traced } from '../../../ports/traces.ts'
import type { Sample } from '../../jobs/actor.ts'
import type { EngineHost } from '../host.ts'
import type { Arrival } from '../head/hot-state.ts'
import type { Head } from '../head/head.ts'
import type { Effect, Job } from '../head/job.ts'
import { readRepeats } from '../store/repeats.ts'
import type { KnownRepeat } from '../store/repeats.ts'
import { commitOf, wakeAtOf } from './commit.ts'
import type { RecordExtras, WalRecord } from './commit.ts'
import { encodeEntry } from './entry.ts'
import type { Entry, RoundEntry } from './entry.ts'
import { GroupCommit } from './group-commit.ts'
import { publishValues } from './publish.ts'
import { TransitionOutbox } from './transition-outbox.ts'
import { appendToBatch } from './write-batch.ts'

/** The write-ahead log: makes accepted events durable, and then marks them durable in the head. */
export class Wal {
  readonly outbox: TransitionOutbox
  /** The number of the last WAL row. */
  lastId = 0
  /** The commits since the process started. */
  commits = 0
  readonly #host: EngineHost
  readonly #lock: Mutex
  readonly #head: Head
  readonly #commits: GroupCommit<WalRecord>

  constructor(host: EngineHost, lock: Mutex, head: Head) {
    this.#host = host
    this.#lock = lock
    this.#head = head
    this.outbox = new TransitionOutbox((transitions) => host.follow(transitions), host.log)
    this.#commits = new GroupCommit({
      turn: () => host.turn(),
      commit: (batch) => lock.run(() => this.#commit(batch)),
      undo: (batch, cause) => this.#undo(batch, cause),
    })
  }

  /** True while no more events may wait for a commit. */
  get isFull(): boolean {
    return this.#commits.isFull
  }

  /** As `GroupCommit.durable`. */
  get durable(): Promise<void> {
    return this.#commits.durable
  }

  /** Resolves when no event waits for a commit. */
  settled(): Promise<void> {
    return this.#commits.settled()
  }

  /** Applies the event to the head at once, and resolves when it is durable. Events of one turn share one promise.
   * @throws {Refusal} unavailable */
  accept(
    entry: Entry | RoundEntry,
    effects: readonly Effect[],
    { rows = null, forgotten = null, repeat = null }: RecordExtras = {},
  ): Promise<void> {
    for (const { job, result } of effects) job.accept(result.state)
    const text = encodeEntry(entry)
    const count = effects.length + (rows?.jobs.length ?? 0)
    const { kind } = entry.event
    const isDelivery = kind === 'deliver' || kind === 'run' || kind === 'round'
    return this.#commits.push(
      { entry: text, rows, isRow: true, effects, forgotten, repeat, isDelivery },
      text.length,
      Math.max(1, count),
    )
  }

  /** As `accept`, for a value that the job has appended. */
  append(job: Job, sample: Sample, arrival: Arrival): Promise<void> {
    return appendToBatch(this.#commits, job, sample, arrival)
  }

  /** The idempotency keys that earlier deliveries had, with the answers. No commit runs meanwhile. */
  repeatsOf(
    keys: readonly { readonly jobId: number; readonly key: string }[],
    now: number,
  ): Promise<readonly KnownRepeat[]> {
    return this.#lock.run(() => readRepeats(this.#host.values, keys, now))
  }

  async #commit(batch: readonly WalRecord[]): Promise<void> {
    const host = this.#host
    const { statements, rows, sizeBytes } = commitOf(batch, this.lastId, host.clock.now())
    await host.beforeCommit?.(wakeAtOf(batch))
    await this.#write(statements, { rows, sizeBytes, records: batch.length })
    // A job may have entries in several rows of a commit: its state is as of the last of them.
    this.lastId += rows
    this.commits++
    this.#head.unflushed.rows += rows
    this.#head.unflushed.sizeBytes += sizeBytes
    for (const record of batch) {
      this.#head.markDurable(record, this.lastId)
      for (const { job, result } of record.effects) {
        this.outbox.add(result.transitions)
        this.#head.deadlines.enter(job)
      }
    }
    if (host.subscribers?.areThere) await publishValues(host.subscribers, batch)
  }

  async #write(
    statements: Parameters<EngineHost['values']['commit']>[0],
    {
      rows,
      sizeBytes,
      records,
    }: { readonly rows: number; readonly sizeBytes: number; readonly records: number },
  ): Promise<void> {
    const { values, clock, traces = null } = this.#host
    if (!traces) return values.commit(statements)
    const attributes = {
      'tidemark.commit.rows': rows,
      'tidemark.commit.size_bytes': sizeBytes,
      'tidemark.commit.records': records,
    }
    const about = { name: 'commit values', kind: 'internal', attributes } as const
    return traced({ traces, clock }, about, () => values.commit(statements))
  }

  #undo(batch: readonly WalRecord[], cause: unknown): void {
    const now = this.#host.clock.now()
    // In reverse order: of several jobs with one id, the durable one remains.
    for (const record of batch.toReversed()) this.#head.revert(record, now)
    this.#host.log.error('engine: commit failed; the waiting deliveries were rejected', cause, {
      events: batch.length,
    })
  }
}
