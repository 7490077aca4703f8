import type { Delivery, RefusedSample, SampleSeries, Value } from '../../domain/delivery.ts'
import type { JobRules } from '../../domain/job-rules.ts'
import type { Reason, State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { flappingAfter, STEADY } from '../states/flapping.ts'
import type { Flapping } from '../states/flapping.ts'
import { isLevel } from '../states/state.ts'
import { count, evaluate, TIMEOUT_ERROR } from '../states/thresholds.ts'
import type { Counter } from '../states/thresholds.ts'
import { userValue } from './delivery.ts'

/** The message of a job whose values leave error code 5 as it is. */
export const TIMEOUT_LEFT =
  'values arrive without errorCode; error code 5 stays until a delivery has an errorCode'

/** A job with an interval and no timeout has no data after two intervals and this. */
const NO_DATA_GRACE_MS = 10 * 60_000
/** How often a bad job tells a message at most that is all that has changed. */
const MESSAGE_EVERY_MS = 60_000

/** `at` is on the service's clock. `spanMs` is how long the job may be silent before it, where its rules do not say. */
export type Deadline = {
  readonly at: number
  readonly means: 'timeout' | 'no_data'
  readonly spanMs?: number
}

export type Current = { readonly value: Value; readonly at: number }

/** Everything the service knows of a running job. Immutable; absolute times in epoch ms. */
export type ActorState = {
  readonly jobId: number
  readonly rules: JobRules
  /** The greatest `now` seen: what a job stamps never goes back, even where the service's clock does. */
  readonly nowAt: number
  /** When the job was created or last started. */
  readonly startedAt: number
  readonly lastReceivedAt: number | null
  /** The service's clock at the last sign of life or start, where it was behind `nowAt`: deadlines count from there. */
  readonly heardAt?: number
  /** The greatest timestamp of an in-order delivery. */
  readonly newestAt: number | null
  /** When silence becomes an error (`timeout`: error code 5) or merely a gap (`no_data`). */
  readonly deadline: Deadline | null
  readonly errorCode: number
  /** What thresholds say, whatever is forced or stopped. */
  readonly evaluated: State
  readonly state: State
  readonly sinceAt: number
  /** Number of transitions so far. */
  readonly seq: number
  readonly message: string | null
  readonly silentSinceAt: number | null
  readonly current: Readonly<Record<string, Current>>
  readonly counters: readonly Counter[]
  /** The run that `signal: start` announced and that has not ended yet. */
  readonly run: { readonly id: string | null } | null
  /** How often results changed the state; absent before the first that did, and where nobody asks. */
  readonly flapping?: Flapping
  /** When the state or the message was last told, and the message; absent before the first time. */
  readonly told?: { readonly at: number; readonly message: string | null } | undefined
}

export type Sample = { readonly key: string; readonly at: number; readonly value: Value }

export type Step = {
  readonly state: ActorState
  /** Raw values to keep, in order of arrival. */
  readonly samples: readonly Sample[]
  /** What a run left to keep besides; null for every other event. */
  readonly run: StoredSeries | null
  readonly transitions: readonly Transition[]
  /** True when the delivery was older than the newest one: kept, and without any other effect. */
  readonly late: boolean
}

/** The samples of a run that were kept, how many of them were late, and those that were refused. */
export type StoredSeries = SampleSeries & {
  readonly late: number
  readonly refused: readonly RefusedSample[]
}

/** A delivery in order: what it says about the job's state, and until when the next one may take. */
export function judge(
  state: ActorState,
  delivery: Delivery,
  kept: { at: number; now: number; samples: readonly Sample[] },
): Step {
  const { at, now, samples } = kept
  const nowAt = Math.max(state.nowAt, now)
  const { rules } = state
  const sentCode = delivery.errorCode ?? (heals(state, delivery) ? 0 : null)
  const errorCode = sentCode ?? state.errorCode
  const counters = count(rules.thresholds, state.counters, valuesToCount(rules, delivery.values, sentCode))
  const evaluated = evaluate(rules.thresholds, counters, errorCode)
  const isRunOver = endsRun(state, delivery)
  // Spelled out: to copy a state and change half of it takes twice as long.
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

/** Whether a delivery ends error code 5 although it has no error code. */
function heals({ errorCode, rules }: ActorState, { values }: Delivery): boolean {
  return errorCode === TIMEOUT_ERROR && rules.healsOnData && hasAny(values)
}

/** Whether a delivery brings values to a job in error code 5 and leaves it there.
 * @param state before or after it */
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

/** Counts a result that was judged: a job may flap after it.
 * @param before the state before it */
export function withResult(state: ActorState, before: ActorState): ActorState {
  const limits = state.rules.flapping
  if (!limits) return state
  const flapping = flappingAfter(before.flapping ?? STEADY, state.evaluated !== before.evaluated, limits)
  return flapping === STEADY ? state : { ...state, flapping }
}

/** A job of which nobody asks, or that starts anew, does not flap. */
export function withoutFlapping(state: ActorState): ActorState {
  const { flapping: _, ...rest } = state
  return rest
}

/** Tells in addition where a job has begun or ceased to flap since `before`: who is called for it ought to know. */
export function withFlapping(step: Step, before: ActorState): Step {
  const { state } = step
  const isFlapping = state.flapping?.isFlapping === true
  if (isFlapping === (before.flapping?.isFlapping === true)) return step
  const told: Transition = { ...asItWas(state, 'flapping'), isFlapping }
  return { ...step, state: { ...state, seq: told.seq }, transitions: [...step.transitions, told] }
}

/** Tells in addition where a job stayed as bad as it was `before` and has another error code, or another message, which is
 * told once a minute: who looks after its alarm ought to know what is wrong now. */
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

/** What is told beside changes of the state. */
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

/** Gives the state its outward face and records the change when there is one. */
export function settle(
  state: ActorState,
  change: { reason: Reason; at: number; samples?: readonly Sample[] },
): Step {
  const samples = change.samples ?? []
  const to = state.rules.forced ?? (state.rules.stopped ? 'undefined' : state.evaluated)
  if (to === state.state) return { state, samples, run: null, transitions: NONE, late: false }
  // History is written forwards: a change is never dated before the one it follows.
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
    message: state.message,
    silentSinceAt: state.silentSinceAt,
  }
  const told = { at: state.nowAt, message: state.message }
  const next = { ...state, state: to, sinceAt: at, seq: transition.seq, told }
  return { state: next, samples, run: null, transitions: [transition], late: false }
}

export function unchanged(state: ActorState): Step {
  return { state, samples: NONE, run: null, transitions: NONE, late: false }
}

/** One for all: most steps have none. */
const NONE: readonly never[] = []

/** The deadline of a job that was last heard as its state says. */
export function regularDeadline(
  state: Pick<ActorState, 'rules' | 'startedAt' | 'lastReceivedAt' | 'heardAt'>,
): Deadline | null {
  return deadlineAfter(state.rules, heardAtOf(state), null)
}

/** When the job gave its last sign of life or was started, on the service's clock. */
export function heardAtOf({
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
