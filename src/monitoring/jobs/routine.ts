import type { Delivery, Value } from '../../domain/delivery.ts'
import { evaluate, isCounted, TIMEOUT_ERROR, uncountedSpan, uncountedUntil } from '../states/thresholds.ts'
import type { Span } from '../states/thresholds.ts'
import { divisorOf, isDefined, userValue } from '../job-config/value-keys.ts'
import { BARE } from './delivery.ts'
import { judge, regularDeadline } from './judgement.ts'
import type { ActorState, Sample } from './judgement.ts'

/** Whether an in-order delivery with one value of this key, within the dead band, changes neither the job's state nor
 * its next deadline. If so, this holds for all such values until another event. */
export function canSkipStep(state: ActorState, key: string): boolean {
  const { rules, counters, evaluated, deadline, newestAt, flapping, errorCode } = state
  if (rules.stopped || !isDefined(rules, key)) return false
  // A value ends this error code, or its answer has a warning.
  if (errorCode === TIMEOUT_ERROR) return false
  // The first value brings an error code, and with flap detection each result counts.
  if (newestAt === null || flapping !== undefined) return false
  // A deadline that was moved by something else may come earlier.
  const isAwaited = deadline?.at === regularDeadline(state)?.at
  return isAwaited && evaluate(rules.thresholds, counters, errorCode) === evaluated
}

/** User values of a key that certainly change no counter before `untilAt`, and the divisor of raw values. */
export type DeadBand = Span & { readonly divisor: number; readonly untilAt: number }

/** The numbers of a key that certainly change no counter of the job. */
export function deadBandOf(
  { rules, counters, newestAt }: Pick<ActorState, 'rules' | 'counters' | 'newestAt'>,
  key: string,
): DeadBand {
  const at = newestAt ?? 0
  const { over, under } = uncountedSpan(rules.thresholds, counters, key, at)
  const untilAt = uncountedUntil(rules.thresholds, counters, key, at)
  return { over, under, divisor: divisorOf(rules, key), untilAt }
}

/** Whether a value certainly changes no counter at an instant; false also for values that may change none. */
export function isWithin({ over, under, divisor, untilAt }: DeadBand, value: Value, at: number): boolean {
  if (typeof value !== 'number' || at >= untilAt) return false
  const scaled = value / divisor
  return scaled > over && scaled < under
}

/** Whether a value changes a counter of the job, and so may change its state. */
export function crossesThreshold({ rules, counters }: ActorState, { key, value, at }: Sample): boolean {
  return isCounted(rules.thresholds, counters, { key, value: userValue(rules, key, value), at })
}

/** The state after a value that skips the step, received at an instant of the service's clock that is not before the
 * state's. */
export function withNewValue(state: ActorState, { key, value, at }: Sample, now: number): ActorState {
  const delivery: Delivery = { ...BARE, values: { [key]: value }, timestampAt: at }
  return judge(state, delivery, { at, now, samples: [{ key, at, value }] }).state
}
