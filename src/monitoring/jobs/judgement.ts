import type { Delivery, RefusedSample, SampleSeries, Value } from '../../domain/delivery.ts'
import type { JobRules } from '../../domain/job-rules.ts'
import type { Reason, State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { flappingAfter, STEADY } from '../states/flapping.ts'
import type { Flapping } from '../states/flapping.ts'
import { limitMessage, limitNewsOf } from '../states/limit-news.ts'
import { isLevel } from '../states/state.ts'
import { count, evaluate, TIMEOUT_ERROR } from '../states/thresholds.ts'
import type { Counter } from '../states/thresholds.ts'
import { userValue } from '../job-config/value-keys.ts'

/** The message of a job whose values do not end error code 5. */
export const TIMEOUT_LEFT =
  'values arrive without errorCode; error code 5 stays until a delivery has an errorCode'

/** A job with an interval and no timeout has no data after two intervals and this time. */
const NO_DATA_GRACE_MS = 10 * 60_000
/** The minimum time between two message changes of a bad job. */
const MESSAGE_EVERY_MS = 60_000

/** `at` is on the service's clock. `spanMs` is how long the job may be silent before it, if its rules do not say. */
export type Deadline = {
  readonly at: number
  readonly means: 'timeout' | 'no_data'
  readonly spanMs?: number
}

export type Current = { readonly value: Value; readonly at: number }

/** The state of a running job. Immutable; absolute times in epoch ms. */
export type ActorState = {
  readonly jobId: number
  readonly rules: JobRules
  /** The greatest `now` so far: the job's timestamps never go back, even if the service's clock does. */
  readonly nowAt: number
  /** When the job was created or last started. */
  readonly startedAt: number
  readonly lastReceivedAt: number | null
  /** The service's clock at the last sign of life or start, if it was behind `nowAt`: deadlines count from it. */
  readonly heardAt?: number
  /** The greatest timestamp of an in-order delivery. */
  readonly newestAt: number | null
  /** When silence becomes error code 5 (`timeout`) or only a gap (`no_data`). */
  readonly deadline: Deadline | null
  readonly errorCode: number
  /** The state from the thresholds, before it is forced or stopped. */
  readonly evaluated: State
  readonly state: State
  readonly sinceAt: number
  /** The number of transitions so far. */
  readonly seq: number
  readonly message: string | null
  readonly silentSinceAt: number | null
  readonly current: Readonly<Record<string, Current>>
  readonly counters: readonly Counter[]
  /** The run that `signal: start` began and that has not ended yet. */
  readonly run: { readonly id: string | null } | null
  /** How often results changed the state; absent before the first change, and without flap detection. */
  readonly flapping?: Flapping
  /** When the state or the message was last published, and the message; absent before the first time. */
  readonly told?: { readonly at: number; readonly message: string | null } | undefined
}

export type Sample = { readonly key: string; readonly at: number; readonly value: Value }

export type Step = {
  readonly state: ActorState
  /** Raw values to store, in order of arrival. */
  readonly samples: readonly Sample[]
  /** The stored part of a series; null for every other event. */
  readonly run: StoredSeries | null
  readonly transitions: readonly Transition[]
  /** True if the delivery was older than the newest one: it is stored and has no other effect. */
  readonly late: boolean
}

/** The stored samples of a series, the number of late ones, and the refused samples. */
export type StoredSeries = SampleSeries & {
  readonly late: number
  readonly refused: readonly RefusedSample[]
}

/** Applies an in-order delivery: evaluates the job's state and sets the next deadline. */
export function judge(
  state: ActorState,
  delivery: Delivery,
  kept: { at: number; now: number; samples: readonly Sample[] },
): Step {
  const { at, now, samples } = kept
  const nowAt = Math.max(state.nowAt, now)
  const { rules } = state
  const sentCode = delivery.errorCode ?? (endsError(state, delivery) ? 0 : null)
  const errorCode = sentCode ?? state.errorCode
  const counters = count(
    rules.thresholds,
    state.counters,
    valuesToCount(rules, delivery.values, sentCode),
    at,
  )
  const evaluated = evaluate(rules.thresholds, counters, errorCode)
  const isRunOver = endsRun(state, delivery)
  // Spelled out, because copying the state and changing half of it takes twice as long.
  const next: ActorState = {
    jobId: state.jobId,
    rules,
    nowAt,
    startedAt: state.startedAt,
    lastReceivedAt: nowAt,
    newestAt: at,
    deadline: isRunOver ? deadlineAfter(rules, now, delivery.ttlMs) : state.deadline,
    errorCode,
    evaluated,
    state: state.state,
    sinceAt: state.sinceAt,
    seq: state.seq,
    message: leavesTimeout(state, delivery) ? withTimeoutLeft(delivery.message) : delivery.message,
    silentSinceAt: null,
    current: withNewest(state.current, samples),
    counters,
    run: isRunOver ? null : state.run,
    told: state.told,
  }
  const isNewCode = errorCode !== state.errorCode || state.newestAt === null
  const heard = now < nowAt ? { ...next, heardAt: now } : next
  const settled = settle(withResult(heard, state), {
    reason: evaluated === 'ok' ? 'delivery' : 'threshold',
    at,
    samples: isNewCode ? [...samples, { key: 'errorCode', at, value: errorCode }] : samples,
  })
  return withFlapping(withMessage(settled, state), state)
}

/** Whether a delivery without an error code ends error code 5. */
function endsError({ errorCode, rules }: ActorState, { values }: Delivery): boolean {
  return errorCode === TIMEOUT_ERROR && rules.healsOnData && hasAny(values)
}

/** Whether a delivery brings values to a job in error code 5 without ending it.
 * @param state before or after the delivery */
export function leavesTimeout(
  { errorCode, rules }: ActorState,
  delivery: Pick<Delivery, 'values' | 'errorCode'>,
): boolean {
  if (errorCode !== TIMEOUT_ERROR || delivery.errorCode !== null) return false
  return !rules.healsOnData && hasAny(delivery.values)
}

function hasAny(values: Delivery['values']): boolean {
  for (const _ in values) return true
  return false
}

function withTimeoutLeft(message: string | null): string {
  return message === null ? TIMEOUT_LEFT : `${message} (${TIMEOUT_LEFT})`
}

function endsRun({ run }: ActorState, { runId }: Delivery): boolean {
  return run === null || runId === null || runId === run.id
}

/** Counts an evaluated result for flap detection.
 * @param before the state before it */
export function withResult(state: ActorState, before: ActorState): ActorState {
  const limits = state.rules.flapping
  if (!limits) return state
  const flapping = flappingAfter(before.flapping ?? STEADY, state.evaluated !== before.evaluated, limits)
  return flapping === STEADY ? state : { ...state, flapping }
}

/** Resets flap detection, for a job that is stopped or has no flap detection. */
export function withoutFlapping(state: ActorState): ActorState {
  const { flapping: _, ...rest } = state
  return rest
}

/** Adds a transition if the job started or stopped flapping since `before`, because recipients are notified of it. */
export function withFlapping(step: Step, before: ActorState): Step {
  const { state } = step
  const isFlapping = state.flapping?.isFlapping === true
  if (isFlapping === (before.flapping?.isFlapping === true)) return step
  const told: Transition = { ...asItWas(state, 'flapping'), isFlapping }
  return { ...step, state: { ...state, seq: told.seq }, transitions: [...step.transitions, told] }
}

/** Adds a transition from the state to itself if a bad job has another error code than `before`, or another message, at
 * most once a minute. Its alarm then shows what is wrong now. */
export function withMessage(step: Step, before: ActorState): Step {
  const { state } = step
  if (step.transitions.length > 0 || !isLevel(state.state)) return step
  const isNewCode = state.errorCode !== before.errorCode
  if (!isNewCode && !hasNewMessage(state)) return step
  const transition: Transition = { ...asItWas(state, 'message'), isNewCode }
  const told = { at: state.nowAt, message: state.message }
  return { ...step, state: { ...state, seq: transition.seq, told }, transitions: [transition] }
}

function hasNewMessage({ message, told, nowAt }: ActorState): boolean {
  if (message === null || message === told?.message) return false
  return nowAt - (told?.at ?? 0) >= MESSAGE_EVERY_MS
}

/** A transition that does not change the state. */
function asItWas(state: ActorState, reason: Reason): Transition {
  return {
    objectId: state.jobId,
    seq: state.seq + 1,
    at: state.sinceAt,
    detectedAt: state.nowAt,
    from: state.state,
    to: state.state,
    reason,
    errorCode: state.errorCode,
    message: state.message,
    silentSinceAt: state.silentSinceAt,
  }
}

function valuesToCount(rules: JobRules, raw: Delivery['values'], errorCode: number | null) {
  const values: Record<string, Value> = {}
  for (const key in raw) values[key] = userValue(rules, key, raw[key] ?? 0)
  if (errorCode !== null) values['errorCode'] = errorCode
  return values
}

function withNewest(current: ActorState['current'], samples: readonly Sample[]): ActorState['current'] {
  const newest: Record<string, Current> = { ...current }
  for (const { key, value, at } of samples) newest[key] = { value, at }
  return newest
}

/** Derives the visible state and records the transition if it changed. */
export function settle(
  state: ActorState,
  change: { reason: Reason; at: number; samples?: readonly Sample[] },
): Step {
  const samples = change.samples ?? []
  const to = state.rules.forced ?? (state.rules.stopped ? 'undefined' : state.evaluated)
  if (to === state.state) return { state, samples, run: null, transitions: NONE, late: false }
  // A transition is never dated before the one that it follows.
  const at = Math.max(change.at, state.sinceAt)
  const transition: Transition = {
    objectId: state.jobId,
    seq: state.seq + 1,
    at,
    detectedAt: state.nowAt,
    from: state.state,
    to,
    reason: change.reason,
    errorCode: state.errorCode,
    message: state.message ?? (change.reason === 'threshold' ? messageOfLimit(state, to) : null),
    silentSinceAt: state.silentSinceAt,
  }
  const told = { at: state.nowAt, message: state.message }
  const next = { ...state, state: to, sinceAt: at, seq: transition.seq, told }
  return { state: next, samples, run: null, transitions: [transition], late: false }
}

/** The message of a state that a predicted or adaptive limit has caused. */
function messageOfLimit({ rules, counters, current }: ActorState, to: State): string | null {
  if (!isLevel(to)) return null
  const valued = (key: string) => {
    const newest = current[key]
    const value = newest && userValue(rules, key, newest.value)
    return newest && typeof value === 'number' ? { value, at: newest.at } : null
  }
  const news = limitNewsOf(rules.thresholds, counters, { level: to, valued })
  return news && limitMessage(news)
}

export function unchanged(state: ActorState): Step {
  return { state, samples: NONE, run: null, transitions: NONE, late: false }
}

/** Shared, because most steps have no transitions. */
const NONE: readonly never[] = []

/** The deadline of a job that was last heard as its state says. */
export function regularDeadline(
  state: Pick<ActorState, 'rules' | 'startedAt' | 'lastReceivedAt' | 'heardAt'>,
): Deadline | null {
  return deadlineAfter(state.rules, deliveredAtOf(state), null)
}

/** When the job gave its last sign of life or was started, on the service's clock. */
export function deliveredAtOf({
  heardAt,
  lastReceivedAt,
  startedAt,
}: Pick<ActorState, 'startedAt' | 'lastReceivedAt' | 'heardAt'>): number {
  return heardAt ?? Math.max(lastReceivedAt ?? 0, startedAt)
}

/** The deadline after a sign of life at this instant of the service's clock. */
function deadlineAfter(rules: JobRules, heardAt: number, ttlMs: number | null): Deadline | null {
  if (rules.stopped) return null
  if (ttlMs !== null) return { at: heardAt + ttlMs, means: 'timeout', spanMs: ttlMs }
  const patience = patienceOf(rules)
  return patience && { at: heardAt + patience.ms, means: patience.means }
}

/** The state with a deadline that comes no later after this instant than the job may be silent. */
export function within(state: ActorState, now: number): ActorState {
  const { deadline, rules } = state
  if (deadline === null) return state
  const latestAt = now + spanOf(deadline, rules)
  return deadline.at <= latestAt ? state : { ...state, deadline: { ...deadline, at: latestAt } }
}

/** How long the job may be silent before this deadline, ms. */
export function spanOf({ spanMs }: Deadline, rules: JobRules): number {
  return spanMs ?? patienceOf(rules)?.ms ?? Number.POSITIVE_INFINITY
}

/** How long the job may be silent, and what its silence means; null when it may be silent for ever. */
export function patienceOf(rules: JobRules): { ms: number; means: Deadline['means'] } | null {
  if (rules.timeoutMs !== null) return { ms: rules.timeoutMs, means: 'timeout' }
  return rules.intervalMs > 0 ? { ms: 2 * rules.intervalMs + NO_DATA_GRACE_MS, means: 'no_data' } : null
}
