import type { Delivery, Value } from '../../domain/delivery.ts'
import { evaluate, isCounted, TIMEOUT_ERROR, uncountedSpan } from '../states/thresholds.ts'
import type { Span } from '../states/thresholds.ts'
import { BARE, divisorOf, isDefined, userValue } from './delivery.ts'
import { judge, regularDeadline } from './judgement.ts'
import type { ActorState, Sample } from './judgement.ts'

/** Whether a lone value of this key that comes in order, and that no limit counts, changes neither the job's state nor when
 * it is looked at next; so it is then for all such values, until anything else happens to the job. */
export function canSkipStep(state: ActorState, key: string): boolean {
  const { rules, counters, evaluated, deadline, newestAt, flapping, errorCode } = state
  if (rules.stopped || !isDefined(rules, key)) return false
  // A value ends this error code, or is answered with a warning.
  if (errorCode === TIMEOUT_ERROR) return false
  // The first value of all brings an error code along, and of a job that has flapped each result counts.
  if (newestAt === null || flapping !== undefined) return false
  // A deadline that something else has moved would come earlier.
  const isAwaited = deadline?.at === regularDeadline(state)?.at
  return isAwaited && evaluate(rules.thresholds, counters, errorCode) === evaluated
}

/** Numbers of a key that are surely no news, as their user sees them, and what raw ones are divided by before. */
export type DeadBand = Span & { readonly divisor: number }

/** Which numbers of a key surely change nothing of what is counted of a job. */
export function deadBandOf({ rules, counters }: ActorState, key: string): DeadBand {
  return { ...uncountedSpan(rules.thresholds, counters, key), divisor: divisorOf(rules, key) }
}

/** Whether a value changes what is counted of a job, and so perhaps its state. */
export function crossesThreshold({ rules, counters }: ActorState, key: string, value: Value): boolean {
  return isCounted(rules.thresholds, counters, key, userValue(rules, key, value))
}

/** The state after a routine value that was heard at an instant of the service's clock, which is not behind the state's. */
export function withNewValue(state: ActorState, { key, value, at }: Sample, now: number): ActorState {
  const delivery: Delivery = { ...BARE, values: { [key]: value }, timestampAt: at }
  return judge(state, delivery, { at, now, samples: [{ key, at, value }] }).state
}
