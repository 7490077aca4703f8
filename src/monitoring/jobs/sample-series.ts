import type { SampleSeries } from '../../domain/delivery.ts'
import type { Transition } from '../../domain/transition.ts'
import { count, evaluate } from '../states/thresholds.ts'
import type { Counter } from '../states/thresholds.ts'
import { userValue } from '../job-config/value-keys.ts'
import { acceptablePart, BARE, checkRunDefined, checkStarted } from './delivery.ts'
import { judge, settle, unchanged, withFlapping, withResult } from './judgement.ts'
import type { ActorState, Step } from './judgement.ts'
import { deadBandOf, isWithin } from './routine.ts'
import type { DeadBand } from './routine.ts'

/** Has the same effect as one delivery for each sample, at a fraction of the cost: samples after the first in-order one
 * change only the newest value and the counters.
 * @throws {Refusal} job_stopped, value_not_defined, value_in_future, value_too_old, value_out_of_range */
export function takeSeries(state: ActorState, sent: SampleSeries, now: number): Step {
  const nowAt = Math.max(state.nowAt, now)
  checkStarted(state.rules)
  checkRunDefined(state.rules, sent)
  const { run, refused } = acceptablePart(state.rules, sent, nowAt)
  const { key, at, values } = run
  const floor = state.newestAt ?? Number.NEGATIVE_INFINITY
  const first = at.findIndex((one) => one >= floor)
  if (first < 0) {
    const kept = { ...run, late: at.length, refused }
    return { ...unchanged({ ...state, nowAt }), run: kept, late: true }
  }
  const delivery = { ...BARE, values: { [key]: values[first] ?? 0 } }
  const begun = judge(state, delivery, { at: at[first] ?? 0, now, samples: [] })
  const walked = walk(begun.state, run, first)
  return {
    state: walked.state,
    samples: begun.samples,
    run: { key, at, values, late: walked.late, refused },
    transitions: [...begun.transitions, ...walked.transitions],
    late: walked.late > 0,
  }
}

/** The state, the counters and their dead band after a sample, and the transitions so far. */
type Walk = {
  state: ActorState
  counters: readonly Counter[]
  band: DeadBand
  readonly transitions: Transition[]
}

/** Evaluates the samples after the first in-order one, which was evaluated before. Samples in the dead band change nothing. */
function walk(begun: ActorState, run: SampleSeries, first: number) {
  const { key } = run
  const { thresholds, flapping } = begun.rules
  const isJudged = thresholds.some(({ conditions }) => conditions.some((one) => one.key === key))
  const walked: Walk = {
    state: begun,
    counters: begun.counters,
    band: deadBandOf(begun, key),
    transitions: [],
  }
  let newest = first
  let newestAt = run.at[first] ?? 0
  let late = first
  for (let index = first + 1; index < run.at.length; index++) {
    const at = run.at[index] ?? 0
    if (at < newestAt) {
      late++
      continue
    }
    newest = index
    newestAt = at
    const isQuiet = !isJudged || isWithin(walked.band, run.values[index] ?? 0, at)
    // Flap detection needs each result.
    if (isQuiet && !flapping) continue
    const before = walked.state
    if (!isQuiet) judgeSample(walked, run, index)
    const found = withFlapping(unchanged(withResult(walked.state, before)), before)
    walked.state = found.state
    if (found.transitions.length > 0) walked.transitions.push(...found.transitions)
  }
  const { state, counters, transitions } = walked
  const current = { ...state.current, [key]: { value: run.values[newest] ?? 0, at: newestAt } }
  return { state: { ...state, counters, newestAt, current }, transitions, late }
}

function judgeSample(walked: Walk, run: SampleSeries, index: number): void {
  const { key } = run
  const { state, counters, band } = walked
  const at = run.at[index] ?? 0
  const value = userValue(state.rules, key, run.values[index] ?? 0)
  const after = count(state.rules.thresholds, counters, { [key]: value }, at)
  if (after !== counters) {
    const settled = rejudged(withCurrent(state, run, index), after, at)
    walked.state = settled.state
    walked.counters = after
    if (settled.transitions.length > 0) walked.transitions.push(...settled.transitions)
  }
  if (after !== counters || at >= band.untilAt)
    walked.band = deadBandOf({ rules: state.rules, counters: after, newestAt: at }, key)
}

/** The state with a sample as the newest value. */
function withCurrent(state: ActorState, { key, at, values }: SampleSeries, index: number): ActorState {
  const newest = { value: values[index] ?? 0, at: at[index] ?? 0 }
  return { ...state, current: { ...state.current, [key]: newest } }
}

/** The step that results from changed counters. */
function rejudged(state: ActorState, counters: readonly Counter[], at: number): Step {
  const evaluated = evaluate(state.rules.thresholds, counters, state.errorCode)
  if (evaluated === state.evaluated) return unchanged(state)
  return settle(
    { ...state, counters, evaluated },
    { reason: evaluated === 'ok' ? 'delivery' : 'threshold', at },
  )
}
