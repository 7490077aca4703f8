import { noSuch } from '../../lib/errors.ts'
import type { Delivery, SampleSeries } from '../../domain/delivery.ts'
import type { JobRules } from '../../domain/job-rules.ts'
import type { Reason } from '../../domain/state.ts'
import { isLevel, worseOf } from '../states/state.ts'
import type { Band } from '../states/band.ts'
import {
  carryMemories,
  count,
  countSilence,
  evaluate,
  TIMEOUT_ERROR,
  withBands,
} from '../states/thresholds.ts'
import type { Counter } from '../states/thresholds.ts'
import { userValue } from '../job-config/value-keys.ts'
import { checkDated, checkStarted, checkValues } from './delivery.ts'
import {
  judge,
  deliveredAtOf,
  patienceOf,
  spanOf,
  within,
  regularDeadline,
  settle,
  unchanged,
  withFlapping,
  withMessage,
  withoutFlapping,
  withResult,
} from './judgement.ts'
import type { ActorState, Deadline, Sample, Step } from './judgement.ts'
import { takeSeries } from './sample-series.ts'

/** After a shorter gap, the job is assumed to have stayed as it was. */
const RESTART_MAX_MS = 60_000
export type { ActorState, Sample, Step } from './judgement.ts'

export type Event =
  | { readonly kind: 'configure'; readonly jobId: number; readonly rules: JobRules }
  | { readonly kind: 'deliver'; readonly delivery: Delivery }
  /** One delivery for each sample, in order. Samples outside the accepted span of time are left out. */
  | { readonly kind: 'run'; readonly run: SampleSeries }
  /** The deadline may have passed. Early or repeated events change nothing. */
  | { readonly kind: 'wake' }
  /** The service could not receive during [fromAt, toAt). In that time its clock was set ahead by `aheadMs`, if at all.
   * `isSent`: the job's own deliveries were refused from the first to the last, so it was alive at `toAt`. */
  | {
      readonly kind: 'ingest gap'
      readonly fromAt: number
      readonly toAt: number
      readonly aheadMs?: number
      readonly isSent?: boolean
    }
  /** The usual values of adaptive conditions, by the place of the condition. They were made for this revision. */
  | {
      readonly kind: 'bands'
      readonly revision: number
      readonly bands: readonly (readonly [place: number, band: Band])[]
    }
  /** The service's clock was set back by this much (at most 0), or by an unknown time if `byMs` is 0. */
  | { readonly kind: 'clock'; readonly byMs: number }

const NO_COUNTERS: readonly Counter[] = []

/** The message of a job whose condition ended because its adaptive limit has long been unknown. */
const LIMIT_UNKNOWN = 'the adaptive limit is unknown: its history is too short or does not vary'

const FORECAST_OLD = 'the adaptive limit is unknown: its forecast is old or was deleted'

/** Applies an event to a job; all rules of a job are here. A pure function: equal arguments give equal results on every
 * host. `state` is null before the first `configure`.
 * @throws {Refusal} when a delivery is not acceptable; the job is unchanged */
export function step(state: ActorState | null, event: Event, now: number): Step {
  if (event.kind === 'configure') {
    const configured = configure(state, event, now)
    return state ? withFlapping(configured, state) : configured
  }
  if (!state) throw noSuch('webhook job')
  // A delivery copies the state once, with all other changes.
  if (event.kind === 'deliver') return deliver(state, event.delivery, now)
  if (event.kind === 'run') return takeSeries(state, event.run, now)
  if (event.kind === 'clock') return unchanged(within(shifted(state, event.byMs), now))
  const current = state.nowAt > now ? state : { ...state, nowAt: now }
  switch (event.kind) {
    case 'wake':
      return withFlapping(wake(current, now), state)
    case 'bands':
      return takeBands(current, event)
    case 'ingest gap':
      return creditGap(current, event)
  }
}

/** Moves the times of the service's clock; times that the job has stamped stay. */
function shifted(state: ActorState, byMs: number): ActorState {
  const { deadline } = state
  if (deadline === null || byMs === 0) return state
  const heardAt = deliveredAtOf(state) + byMs
  return { ...state, heardAt, deadline: { ...deadline, at: deadline.at + byMs } }
}

function deliver(state: ActorState, delivery: Delivery, now: number): Step {
  const { rules } = state
  const nowAt = Math.max(state.nowAt, now)
  checkStarted(rules)
  checkValues(rules, delivery)
  checkDated(delivery, nowAt)
  if (delivery.signal === 'log')
    return unchanged({ ...state, nowAt, message: delivery.message ?? state.message })
  if (delivery.signal === 'start') return begin({ ...state, nowAt }, delivery, now)

  const at = delivery.timestampAt ?? Math.max(nowAt, state.newestAt ?? 0)
  const samples = samplesOf(delivery.values, at)
  if (state.newestAt !== null && at < state.newestAt)
    return { ...unchanged({ ...state, nowAt }), samples, late: true }
  return judge(state, delivery, { at, now, samples })
}

function samplesOf(values: Delivery['values'], at: number): Sample[] {
  const samples: Sample[] = []
  for (const key in values) samples.push({ key, at, value: values[key] ?? 0 })
  return samples
}

function begin(state: ActorState, delivery: Delivery, now: number): Step {
  const message = delivery.message ?? state.message
  const { graceMs } = state.rules
  if (graceMs === null) return unchanged({ ...state, message })
  const deadline: Deadline = { at: now + graceMs, means: 'timeout', spanMs: graceMs }
  return unchanged({ ...state, message, deadline, run: { id: delivery.runId } })
}

function wake(state: ActorState, now: number): Step {
  const { deadline, rules } = state
  if (rules.stopped || deadline === null || deadline.at > now) return unchanged(state)
  const silentSinceAt = Math.max(state.lastReceivedAt ?? 0, state.startedAt)
  // After the clock was set back, the deadline is before the job's latest stamped instant.
  const at = Math.max(deadline.at, silentSinceAt)
  const change = { reason: 'timeout', at } as const
  const silent = { ...state, deadline: null, run: null, message: null, silentSinceAt }
  if (deadline.means === 'no_data') {
    const evaluated = isLevel(state.evaluated) ? state.evaluated : 'no_data'
    return settle(withResult({ ...silent, evaluated }, state), change)
  }
  const counters = countSilence(rules.thresholds, state.counters)
  const evaluated = worseOf(state.evaluated, evaluate(rules.thresholds, counters, TIMEOUT_ERROR))
  // Each silence is recorded, also one after values that left the error code of the silence before.
  const samples = [{ key: 'errorCode', at, value: TIMEOUT_ERROR }]
  const timedOut = { ...silent, errorCode: TIMEOUT_ERROR, counters, evaluated }
  return withMessage(settle(withResult(timedOut, state), { ...change, samples }), state)
}

/** Bands of other rules change nothing. */
function takeBands(state: ActorState, { revision, bands }: Event & { kind: 'bands' }): Step {
  const { rules } = state
  if (rules.stopped || revision !== rules.revision) return unchanged(state)
  const counters = withBands(rules.thresholds, state.counters, bands)
  // A condition may end whose limit has become unknown; none begins to hold.
  const hasEnded = counters.some(({ held }, place) => !held && state.counters[place]?.held === true)
  if (!hasEnded || !isLevel(state.evaluated)) return unchanged({ ...state, counters })
  const evaluated = evaluate(rules.thresholds, counters, state.errorCode)
  const message = isOfForecast(rules, bands) ? FORECAST_OLD : LIMIT_UNKNOWN
  const ended = { ...state, counters, evaluated, message }
  return settle(ended, { reason: 'threshold', at: state.nowAt })
}

function isOfForecast({ thresholds }: JobRules, bands: (Event & { kind: 'bands' })['bands']): boolean {
  const conditions = thresholds.flatMap((level) => level.conditions)
  return bands.some(([place]) => conditions[place]?.forecast !== undefined)
}

type GapSpan = Omit<Event & { kind: 'ingest gap' }, 'kind'>

/** Credits our own downtime: the deadline moves by the length of the gap, but at most by the timeout. */
function creditGap(state: ActorState, gap: GapSpan): Step {
  const { deadline, rules } = state
  if (rules.stopped || (deadline !== null && deadline.at < gap.fromAt)) return unchanged(state)
  const credited = withCredit(state, gap)
  const isMissed = deadline !== null && deadline.at <= gap.toAt
  if (!isMissed && !isBlamed(state, gap)) return unchanged(credited)
  // The deadline fell into the gap, or the job may have recovered in it: its state during the gap is unknown.
  const gone = settle({ ...credited, evaluated: 'no_data' }, { reason: 'platform', at: gap.fromAt })
  const back = settle({ ...gone.state, evaluated: state.evaluated }, { reason: 'platform', at: gap.toAt })
  return { ...back, transitions: [...gone.transitions, ...back.transitions] }
}

/** The state with an extended deadline. */
function withCredit(state: ActorState, { fromAt, toAt, aheadMs = 0, isSent }: GapSpan): ActorState {
  const moved = shifted(state, aheadMs)
  const { deadline, rules } = moved
  if (deadline === null) return state
  const spanMs = spanOf(deadline, rules)
  const creditMs = isSent ? spanMs : Math.min(spanMs, toAt - fromAt)
  const credited = { ...moved, deadline: { ...deadline, at: Math.max(deadline.at, toAt + creditMs) } }
  // Samples that arrived after the clock was set ahead have a deadline on the new clock already.
  return aheadMs === 0 ? credited : within(credited, toAt)
}

/** Whether the job would count as down over a gap of ours that is longer than a restart. */
function isBlamed({ state, sinceAt }: ActorState, gap: GapSpan): boolean {
  return isLevel(state) && sinceAt < gap.toAt && gap.toAt - gap.fromAt >= RESTART_MAX_MS
}

function configure(state: ActorState | null, event: { jobId: number; rules: JobRules }, now: number): Step {
  const { rules } = event
  if (!state) return create(event.jobId, rules, now)
  const current = state.nowAt > now ? state : { ...state, nowAt: now }
  if (rules.revision <= state.rules.revision) return unchanged(current)
  const change = { reason: reasonOf(state.rules, rules), at: current.nowAt }
  const judged = rejudge({ ...current, rules }, state.rules)
  const next = rules.stopped || !rules.flapping ? withoutFlapping(judged) : judged
  if (rules.stopped) return settle({ ...next, deadline: null, counters: NO_COUNTERS, run: null }, change)
  if (!state.rules.stopped) return settle(rearm(next, state.rules, now), change)
  const { heardAt: _, ...started } = { ...next, startedAt: next.nowAt }
  const heard = now < next.nowAt ? { ...started, heardAt: now } : started
  return settle({ ...heard, deadline: regularDeadline(heard) }, change)
}

function reasonOf(before: JobRules, rules: JobRules): Reason {
  if (rules.forced !== before.forced) return 'forced'
  return rules.stopped === before.stopped ? 'threshold' : 'stopped'
}

/** Evaluates the newest values again after a change of the limits. */
function rejudge(state: ActorState, before: JobRules): ActorState {
  const { thresholds, divisors } = state.rules
  if (equal(before.thresholds, thresholds) && equal(before.divisors, divisors)) return state
  const memories = equal(before.divisors, divisors)
    ? carryMemories(before.thresholds, state.counters, thresholds)
    : NO_COUNTERS
  let counters = count(thresholds, memories, { errorCode: state.errorCode }, null)
  for (const [key, { value, at }] of Object.entries(state.current))
    counters = count(thresholds, counters, { [key]: userValue(state.rules, key, value) }, { receivedAt: at })
  const level = evaluate(thresholds, counters, state.errorCode)
  return { ...state, counters, evaluated: level === 'ok' && hasNoData(state) ? 'no_data' : level }
}

/** Whether the job is silent without an error code. */
function hasNoData({ silentSinceAt, errorCode, evaluated }: ActorState): boolean {
  return silentSinceAt !== null && (errorCode !== TIMEOUT_ERROR || evaluated === 'no_data')
}

/** Sets the deadline after a change of the timeout: it counts from the last sign of life. The deadline of a running run
 * stays. */
function rearm(state: ActorState, before: JobRules, now: number): ActorState {
  if (state.run !== null || equal(patienceOf(before), patienceOf(state.rules))) return state
  const deadline = regularDeadline(state)
  if (deadline === null || alreadyMissed(state, deadline, now)) return { ...state, deadline: null }
  // A new limit cannot have been missed before it existed, so it is due now at the earliest.
  return within({ ...state, deadline: { ...deadline, at: Math.max(deadline.at, now) } }, now)
}

function alreadyMissed(state: ActorState, deadline: Deadline, now: number): boolean {
  if (state.silentSinceAt === null || deadline.at > now) return false
  return state.errorCode === TIMEOUT_ERROR || deadline.means === 'no_data'
}

function create(jobId: number, rules: JobRules, now: number): Step {
  const created: ActorState = {
    jobId,
    rules,
    nowAt: now,
    startedAt: now,
    lastReceivedAt: null,
    newestAt: null,
    deadline: null,
    errorCode: 0,
    evaluated: 'ok',
    state: rules.stopped ? 'undefined' : 'ok',
    sinceAt: Math.min(now, rules.createdAt ?? now),
    seq: 0,
    message: null,
    silentSinceAt: null,
    current: {},
    counters: NO_COUNTERS,
    run: null,
  }
  return settle({ ...created, deadline: regularDeadline(created) }, { reason: 'forced', at: now })
}

function equal(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
