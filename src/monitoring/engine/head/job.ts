import type { Value } from '../../../domain/delivery.ts'
import type { Thresholds } from '../../../domain/job-rules.ts'
import type { Snapshot } from '../../../domain/snapshot.ts'
import type { IngestGap } from '../../../ports/ingest-health.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Event, Sample, Step } from '../../jobs/actor.ts'
import { deliveredAtOf } from '../../jobs/judgement.ts'
import { bandsOf, predictionsOf } from '../../states/shown-limits.ts'
import type { PendingSamples } from './pending-samples.ts'
import type { SeriesEnd } from '../blocks/open-segments.ts'
import type { SeriesKey } from '../store/segments.ts'
import { HotState } from './hot-state.ts'
import type { Arrival } from './hot-state.ts'
import { Tail } from './tail.ts'
import type { TailRow } from './tail.ts'

/** Deliveries that one job may take in the long run; a burst of a hundred thousand may come at once. */
const PACE_PER_MS = 5
export const BURST_MAX = 100_000

let made = 0

/** Durable rows for a list of jobs that are not in the tails of these jobs yet. */
export type PendingRows = {
  /** Whether these rows have the same jobs, in the same order, and the same key. */
  isFor(rows: AppendedRows): boolean
  /** The jobs, if these are their ids. Some of them may have been forgotten since. */
  jobsOf(ids: readonly number[]): readonly Job[] | null
  add(rows: AppendedRows, walId: number): void
  /** Copies the rows into the tails. The jobs have no pending rows afterwards. */
  flushToJobs(): void
}

/** The durable side of a job, without pending samples. It is valid until the job's next event is durable. */
type FlushedJob = {
  /** The state as of the last event on stable storage; null before the first. */
  readonly durable: ActorState | null
  /** Durable samples that are not in segments yet; null where there is no such sample. */
  readonly tail: Tail | null
  /** The WAL row of the last event on stable storage. */
  readonly walId: number
}

/** One job in the engine's memory. */
export class Job {
  readonly id: number
  /** Differs for a later job with the same id. */
  readonly serial = ++made
  /** The WAL row up to which segments and checkpoint have everything. */
  flushedId: number
  /** The list of pending rows that the job is in. */
  pendingRows: PendingRows | null = null
  /** True once the job's end was accepted: its id may name another job then. */
  isForgotten = false
  #walId: number
  #tail: Tail | null = null
  /** Pending samples: how many of one key, and the number of the last. */
  #pendingSamples: PendingSamples | null = null
  #pendingKey = ''
  #pendingCount = 0
  #lastNumber = 0
  /** The ends of series that were flushed since the engine was opened. */
  readonly #ends: (SeriesKey & SeriesEnd)[] = []
  /** The time of the job's entry among the deadlines, epoch ms. */
  armedAt = Number.POSITIVE_INFINITY
  readonly #hot: HotState
  /** The thresholds for which `#isAdaptive` holds. */
  #knownThresholds: Thresholds | null = null
  #isAdaptive = false
  /** The time in which deliveries were refused through no fault of the sender. */
  #refused: IngestGap | null = null
  /** The used part of the rate limit, as of `#usedAt`, epoch ms. */
  #used = 0
  #usedAt = 0

  /** @param checkpointId the WAL row of the checkpoint that the job was read from; null for a new job */
  constructor(state: ActorState, checkpointId: number | null) {
    this.id = state.jobId
    this.#hot = new HotState(state, checkpointId !== null)
    this.#walId = checkpointId ?? 0
    this.flushedId = checkpointId ?? 0
  }

  /** Applies appended values, and returns the state as of the last accepted event or value. */
  currentState(): ActorState {
    this.pendingRows?.flushToJobs()
    return this.#hot.currentState()
  }

  /** As `HotState.lastState`: with the rules and counters of now. */
  get lastState(): ActorState {
    return this.#hot.lastState
  }

  /** Whether a threshold adapts or looks ahead; kept until the rules change. */
  isAdaptive(): boolean {
    const { thresholds } = this.#hot.lastState.rules
    if (thresholds !== this.#knownThresholds) {
      this.#knownThresholds = thresholds
      this.#isAdaptive = thresholds.some(({ conditions }) =>
        conditions.some(({ adaptive, forecast }) => (adaptive ?? forecast) !== undefined),
      )
    }
    return this.#isAdaptive
  }

  /** Whether a predicted or adaptive limit is unknown; false for a stopped job. */
  get hasUnknownLimit(): boolean {
    const { rules, counters, nowAt } = this.#hot.lastState
    const isLearned = rules.thresholds.some(({ conditions }) => conditions.some(({ predicted }) => predicted))
    if (rules.stopped || !isLearned) return false
    const at = this.newestAt ?? nowAt
    return (
      predictionsOf(rules.thresholds, counters, at).some(({ predicted }) => predicted === null) ||
      bandsOf(rules.thresholds, counters, at).some(({ unknown }) => unknown !== null)
    )
  }

  accept(state: ActorState): void {
    this.#hot.accept(state)
  }

  /** Applies everything that is pending, and returns the durable side of the job. */
  flushed(): FlushedJob {
    this.pendingRows?.flushToJobs()
    this.#flushPendingSamples()
    return { durable: this.#hot.durableState(), tail: this.#tail, walId: this.#walId }
  }

  /** Samples of the tail, and pending samples that came alone. Pending rows do not count. */
  get takenSize(): number {
    return (this.#tail?.size ?? 0) + this.#pendingCount
  }

  /** Whether segments and checkpoint have everything but pending rows. */
  get isFlushed(): boolean {
    return this.#walId <= this.flushedId
  }

  get collectorId(): number {
    return this.#hot.collectorId
  }

  /** The deadline of the current state, epoch ms; infinity without a deadline. */
  deadlineAt(): number {
    return this.currentState().deadline?.at ?? Number.POSITIVE_INFINITY
  }

  /** As `HotState.newestAt`. */
  get newestAt(): number | null {
    return this.#hot.newestAt
  }

  /** Takes one delivery from the job's rate limit; false when it is used up. */
  tryConsume(now: number): boolean {
    // A clock that was set back gives nothing and costs nothing.
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

  /** The time up to `now` in which deliveries were refused since the last accepted one; null where there was none. */
  refusedBy(now: number): IngestGap | null {
    if (!this.#refused) return null
    const heardAt = deliveredAtOf(this.currentState())
    const toAt = Math.min(now, this.#refused.toAt)
    if (toAt <= heardAt) this.#refused = null
    return this.#refused && { fromAt: Math.max(heardAt, this.#refused.fromAt), toAt }
  }

  /** The result of an event is on stable storage. */
  markDurable({ state, samples, run }: Step, walId: number): void {
    this.pendingRows?.flushToJobs()
    this.#hot.markStateDurable(state)
    this.#flushPendingSamples()
    this.#walId = walId
    if (samples.length > 0 || run) this.#tail ??= new Tail()
    for (const { key, at, value } of samples) this.#tail?.add(key, at, value)
    if (run) this.#tail?.addSeries(run)
  }

  /** As `HotState.append`. */
  append(key: string, value: Value, arrival: Arrival): number | null {
    return this.#hot.append(key, value, arrival)
  }

  /** As `HotState.answer`. */
  get answer(): HotState['answer'] {
    return this.#hot.answer
  }

  /** Copies the values at this index of durable rows into the tail. */
  takeRows({ key, rows, nowAt, walId }: DurableRows, index: number): void {
    this.pendingRows = null
    this.#flushPendingSamples()
    this.#walId = walId
    this.#tail ??= new Tail()
    this.#tail.addRows(key, rows, index)
    const last = rows.at(-1)
    const sample = { key, value: last?.values[index] ?? 0, at: last?.at[index] ?? 0 }
    this.#hot.markDurable(sample, nowAt, rows.length)
  }

  /** Adds a sample that came alone, and is on stable storage now, to the pending samples. */
  appendDurable(pending: PendingSamples, sample: Sample, now: number, walId: number): void {
    // Samples keep their order of arrival.
    this.pendingRows?.flushToJobs()
    if (this.#pendingKey !== sample.key) this.#flushPendingSamples()
    this.#pendingSamples = pending
    this.#pendingKey = sample.key
    this.#lastNumber = pending.add(sample.at, sample.value, this.#lastNumber)
    this.#pendingCount++
    this.#walId = walId
    this.#hot.markDurable(sample, now, 1)
  }

  #flushPendingSamples(): void {
    if (!this.#pendingSamples || this.#pendingCount === 0) return
    const samples = this.#pendingSamples.take(this.#lastNumber, this.#pendingCount)
    this.#pendingCount = 0
    this.#tail ??= new Tail()
    this.#tail.addSeries({ key: this.#pendingKey, ...samples })
  }

  endOf(series: number): SeriesEnd | null {
    return this.#ends.find((end) => end.series === series) ?? null
  }

  /** The tail is in segments now. */
  markFlushed(): void {
    this.#tail = null
    this.flushedId = this.#walId
  }

  endsAt(end: SeriesKey & SeriesEnd): void {
    const place = this.#ends.findIndex(({ series }) => series === end.series)
    if (place < 0) this.#ends.push(end)
    else this.#ends[place] = end
  }

  snapshot(): Snapshot | null {
    const { durable } = this.flushed()
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
      heardAt: deliveredAtOf(durable),
      isFlapping,
      predictions: predictionsOf(rules.thresholds, durable.counters, durable.newestAt ?? durable.nowAt),
      bands: bandsOf(rules.thresholds, durable.counters, durable.newestAt ?? durable.nowAt),
      current,
    }
  }
}

/** Durable rows of one key for the same jobs. */
type DurableRows = {
  readonly key: string
  readonly rows: readonly TailRow[]
  /** The latest clock at which one of the rows arrived, epoch ms. */
  readonly nowAt: number
  readonly walId: number
}

/** Values of jobs that skipped the step, as columns. They arrived at `now`. */
export type AppendedRows = {
  readonly key: string
  readonly now: number
  readonly jobs: readonly Job[]
  readonly at: readonly number[]
  readonly values: readonly Value[]
}

export type Effect = { readonly job: Job; readonly result: Step }

/** The effect of an event on a job; none where an event for all jobs leaves the job as it is. */
export function effectsOf(job: Job, event: Event, at: number): readonly Effect[] {
  const before = job.currentState()
  const result = step(before, event, at)
  const isForAll = event.kind === 'ingest gap' || event.kind === 'clock'
  const isMoved = result.transitions.length > 0 || result.state.deadline?.at !== before.deadline?.at
  return !isForAll || isMoved ? [{ job, result }] : []
}
