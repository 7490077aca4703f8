import type { Value } from '../../../domain/delivery.ts'
import type { Snapshot } from '../../../domain/snapshot.ts'
import type { IngestGap } from '../../../ports/ingest-health.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Event, Sample, Step } from '../../jobs/actor.ts'
import { heardAtOf } from '../../jobs/judgement.ts'
import type { PendingSamples } from './pending-samples.ts'
import type { SeriesEnd } from '../blocks/open-segments.ts'
import type { PendingRows } from './pending-rows.ts'
import type { SeriesKey } from '../store/segments.ts'
import { HotState } from './hot-state.ts'
import type { Arrival } from './hot-state.ts'
import { Tail } from './tail.ts'

/** Deliveries that one job may take in the long run; a burst of a hundred thousand may come at once. */
const PACE_PER_MS = 5
export const BURST_MAX = 100_000

let made = 0

/** One job in the engine's memory. */
export class Job {
  readonly id: number
  /** Of this object alone: what is made later for the same id is another job. */
  readonly serial = ++made
  /** The journal row up to which segments and checkpoint hold everything. */
  flushedId: number
  /** What it has heard on stable storage and not taken yet; whoever looks at the job lets it take that first. */
  pendingRows: PendingRows | null = null
  /** Its end has been asked for: what is found by its id may be another job. */
  isForgotten = false
  #journalId: number
  #tail: Tail | null = null
  /** What its tail has yet to take: so many values of one key, with the number of the last. */
  #pendingSamples: PendingSamples | null = null
  #pendingKey = ''
  #pendingCount = 0
  #lastNumber = 0
  /** What is known of the ends of its series; nothing of those that were not flushed since it was opened. */
  readonly #ends: (SeriesKey & SeriesEnd)[] = []
  /** When the wheel will look at this job. */
  armedAt = Number.POSITIVE_INFINITY
  readonly #hot: HotState
  /** From when until when its deliveries were refused through no fault of its sender; null where none was. */
  #refused: IngestGap | null = null
  /** What was used of the job's allowance, and when it was looked at, epoch ms. */
  #used = 0
  #usedAt = 0

  /** A job that was just accepted, or one read from its checkpoint at a journal row. */
  constructor(state: ActorState, checkpointId: number | null) {
    this.id = state.jobId
    this.#hot = new HotState(state, checkpointId !== null)
    this.#journalId = checkpointId ?? 0
    this.flushedId = checkpointId ?? 0
  }

  /** As of the last accepted event. */
  get state(): ActorState {
    this.pendingRows?.flushToJobs()
    return this.#hot.accepted
  }

  set state(state: ActorState) {
    this.#hot.accept(state)
  }

  /** As of the last event on stable storage; null before the first. Readers see only this. */
  get durable(): ActorState | null {
    this.pendingRows?.flushToJobs()
    return this.#hot.durable
  }

  /** Durable samples that are not in segments yet. */
  get tail(): Tail | null {
    this.pendingRows?.flushToJobs()
    this.#takePending()
    return this.#tail
  }

  /** The journal row of the last event on stable storage. */
  get journalId(): number {
    this.pendingRows?.flushToJobs()
    return this.#journalId
  }

  /** How many samples of the tail it has taken already, or will without a panel. */
  get takenSize(): number {
    return (this.#tail?.size ?? 0) + this.#pendingCount
  }

  /** Whether segments and checkpoint hold all that it has taken already. */
  get isFlushed(): boolean {
    return this.#journalId <= this.flushedId
  }

  /** That of its rules. */
  get collectorId(): number {
    return this.#hot.collectorId
  }

  get deadlineAt(): number {
    return this.state.deadline?.at ?? Number.POSITIVE_INFINITY
  }

  get newestAt(): number | null {
    return this.#hot.newestAt
  }

  /** Takes one delivery from the job's allowance; false when it is used up. */
  tryConsume(now: number): boolean {
    // A clock that is set back gives nothing and costs nothing.
    const regained = Math.max(0, now - this.#usedAt) * PACE_PER_MS
    this.#usedAt = now
    this.#used = Math.max(0, this.#used - regained)
    if (this.#used >= BURST_MAX) return false
    this.#used++
    return true
  }

  /** A delivery of the job is refused through no fault of its sender. */
  refuse(now: number): void {
    this.#refused = { fromAt: this.#refused?.fromAt ?? now, toAt: now }
  }

  /** The time in which its deliveries were refused since it was heard last, up to `now`; null where none was. */
  refusedBy(now: number): IngestGap | null {
    if (!this.#refused) return null
    const heardAt = heardAtOf(this.state)
    const toAt = Math.min(now, this.#refused.toAt)
    if (toAt <= heardAt) this.#refused = null
    return this.#refused && { fromAt: Math.max(heardAt, this.#refused.fromAt), toAt }
  }

  /** What an event did is on stable storage now. */
  keep({ state, samples, run }: Step, journalId: number): void {
    this.pendingRows?.flushToJobs()
    this.#hot.keep(state)
    this.#takePending()
    this.#journalId = journalId
    if (samples.length > 0 || run) this.#tail ??= new Tail()
    for (const { key, at, value } of samples) this.#tail?.add(key, at, value)
    if (run) this.#tail?.addSeries(run)
  }

  /** As `Standing.hear`. */
  append(key: string, value: Value, arrival: Arrival): number | null {
    return this.#hot.append(key, value, arrival)
  }

  /** As `Standing.answer`. */
  get answer(): HotState['answer'] {
    return this.#hot.answer
  }

  /** Takes the values that are at this index of rounds on stable storage. */
  takeRows({ key, rows, nowAt, journalId }: DurableRows, index: number): void {
    this.pendingRows = null
    this.#takePending()
    this.#journalId = journalId
    this.#tail ??= new Tail()
    this.#tail.addRows(key, rows, index)
    const last = rows.at(-1)
    const heard = { key, value: last?.values[index] ?? 0, at: last?.at[index] ?? 0 }
    this.#hot.markDurable(heard, nowAt, rows.length)
  }

  /** A value that was only noted, and came alone, is on stable storage now. */
  appendDurable(chains: PendingSamples, sample: Sample, now: number, journalId: number): void {
    // What it heard before comes first.
    this.pendingRows?.flushToJobs()
    if (this.#pendingKey !== sample.key) this.#takePending()
    this.#pendingSamples = chains
    this.#pendingKey = sample.key
    this.#lastNumber = chains.add(sample.at, sample.value, this.#lastNumber)
    this.#pendingCount++
    this.#journalId = journalId
    this.#hot.markDurable(sample, now, 1)
  }

  #takePending(): void {
    if (!this.#pendingSamples || this.#pendingCount === 0) return
    const samples = this.#pendingSamples.take(this.#lastNumber, this.#pendingCount)
    this.#pendingCount = 0
    this.#tail ??= new Tail()
    this.#tail.addSeries({ key: this.#pendingKey, ...samples })
  }

  endOf(series: number): SeriesEnd | null {
    return this.#ends.find((end) => end.series === series) ?? null
  }

  /** Its tail is in segments now. */
  markFlushed(): void {
    this.#tail = null
    this.flushedId = this.#journalId
  }

  endsAt(end: SeriesKey & SeriesEnd): void {
    const place = this.#ends.findIndex(({ series }) => series === end.series)
    if (place < 0) this.#ends.push(end)
    else this.#ends[place] = end
  }

  snapshot(): Snapshot | null {
    const { durable } = this
    if (!durable) return null
    const { rules, deadline, state, sinceAt, errorCode, message, silentSinceAt, lastReceivedAt, current } =
      durable
    const isFlapping = durable.flapping?.isFlapping === true
    const deadlineAt = deadline?.at ?? null
    const { revision } = rules
    return {
      revision,
      state,
      sinceAt,
      errorCode,
      message,
      silentSinceAt,
      deadlineAt,
      lastReceivedAt,
      isFlapping,
      current,
    }
  }
}

/** Rounds as their jobs take them: `Panel`. */
type DurableRows = Pick<PendingRows, 'key' | 'rows' | 'nowAt' | 'journalId'>

/** Routine values of jobs, as columns, which arrived at `now`. */
export type AppendedRows = {
  readonly key: string
  readonly now: number
  readonly jobs: readonly Job[]
  readonly at: readonly number[]
  readonly values: readonly Value[]
}

export type Effect = { readonly job: Job; readonly result: Step }

/** What an event does to a job: one effect, or none where an event of all jobs does not concern it. */
export function effectsOf(job: Job, event: Event, at: number): readonly Effect[] {
  const result = step(job.state, event, at)
  const isOfAll = event.kind === 'deaf' || event.kind === 'clock'
  const isMoved = result.transitions.length > 0 || result.state.deadline?.at !== job.state.deadline?.at
  return !isOfAll || isMoved ? [{ job, result }] : []
}
