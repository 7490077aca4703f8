import type { Delivered, Value } from '../../../domain/delivery.ts'
import type { State } from '../../../domain/state.ts'
import type { ActorState, Sample } from '../../jobs/actor.ts'
import { misdated } from '../../jobs/delivery.ts'
import { patienceOf } from '../../jobs/judgement.ts'
import { withNewValue, crossesThreshold, canSkipStep, deadBandOf } from '../../jobs/routine.ts'

/** The metadata of a value: the sender's instant and error code, if any, and the time of arrival. */
export type Arrival = {
  readonly timestampAt: number | null
  readonly errorCode: number | null
  readonly now: number
}

/** No error code. */
const NO_CODE = -1

/** No value: no value is older than the year 1970. */
const NO_VALUE = -1

/**
 * Two versions of a job's state: accepted and durable.
 *
 * Most values are routine: they change only the newest value. The latest routine value is stored in place, and a state
 * that includes it is made when it is read: making a state for each value costs more than everything else. The fields
 * that a routine value needs of the state and its rules are copied here, so that a value touches one object in memory.
 */
export class HotState {
  #accepted: ActorState
  #durable: ActorState | null
  #collectorId: number
  /** The key whose values were checked to be routine; empty where none was. */
  #key = ''
  /** Numbers of that key that cross no threshold: `DeadBand`. */
  #over = 0
  #under = 0
  #divisor = 1
  /** The first instant from which that no longer holds. */
  #untilAt = Number.POSITIVE_INFINITY
  /** The error code that crosses no threshold either. */
  #quietCode = NO_CODE
  /** The answer to a routine value, but for the deadline. */
  #state: State = 'ok'
  #errorCode = 0
  #patienceMs: number | null = null
  /** The instant and the arrival of the newest value of that key, epoch ms. */
  #newestAt = 0
  #nowAt = 0
  /** The latest routine value since the accepted state, if there is one. */
  #hasAppended = false
  #appendedValue: Value = 0
  /** The latest durable routine value since the durable state. */
  #durableAt = NO_VALUE
  #durableNowAt = 0
  #durableValue: Value = 0
  #durableKey = ''
  /** How many appended values are not durable. */
  #undurable = 0

  constructor(state: ActorState, isDurable: boolean) {
    this.#accepted = state
    this.#durable = isDurable ? state : null
    this.#collectorId = state.rules.collectorId
  }

  /** The state as of the last accepted event or appended value. */
  currentState(): ActorState {
    this.#applyDurable()
    if (this.#hasAppended) this.#applyAppended()
    return this.#accepted
  }

  /** The accepted state as of the last event or read: values that were appended since may be missing. */
  get lastState(): ActorState {
    return this.#accepted
  }

  /** The state as of the last event or value on stable storage; null before the first. */
  durableState(): ActorState | null {
    this.#applyDurable()
    return this.#durable
  }

  get collectorId(): number {
    return this.#collectorId
  }

  /** The latest instant of all accepted values, epoch ms; null before the first. Unlike `currentState`, makes no state. */
  get newestAt(): number | null {
    return this.#key === '' ? this.#accepted.newestAt : this.#newestAt
  }

  /** Accepting the durable state reverts all values that are not durable. */
  accept(state: ActorState): void {
    if (state === this.#durable) this.#undurable = 0
    this.#accepted = state
    this.#collectorId = state.rules.collectorId
    this.#hasAppended = false
    this.#key = ''
  }

  markStateDurable(state: ActorState): void {
    this.#durable = state
    this.#durableAt = NO_VALUE
  }

  /** Appends a value if it is routine. @returns its instant; null for every other value, which is an event */
  append(key: string, value: Value, { timestampAt, errorCode, now }: Arrival): number | null {
    // Behind an event that is not durable yet, the value would become durable before the event.
    if (this.#accepted !== this.#durable || !this.#isRoutine(key)) return null
    if (errorCode !== null && errorCode !== this.#quietCode) return null
    // While the clock is behind, each value is an event: its stamp and its deadline differ.
    if (now < this.#nowAt) return null
    const at = timestampAt ?? Math.max(now, this.#newestAt)
    if (at < this.#newestAt || misdated(at, now) !== null || this.#isEvent(key, value, at)) return null
    this.#newestAt = at
    this.#nowAt = now
    this.#hasAppended = true
    this.#appendedValue = value
    this.#undurable++
    return at
  }

  /** The answer to the value that was appended last. */
  get answer(): Pick<Delivered, 'state' | 'errorCode' | 'deadlineAt'> {
    const deadlineAt = this.#patienceMs === null ? null : this.#nowAt + this.#patienceMs
    return { state: this.#state, errorCode: this.#errorCode, deadlineAt }
  }

  /** `count` routine values, of which this is the last, are on stable storage; the last arrived at `now`. */
  markDurable({ key, value, at }: Sample, now: number, count: number): void {
    this.#durableNowAt = Math.max(
      now,
      this.#durableAt === NO_VALUE ? (this.#durable?.nowAt ?? 0) : this.#durableNowAt,
    )
    this.#durableAt = at
    this.#durableValue = value
    this.#durableKey = key
    this.#undurable = Math.max(0, this.#undurable - count)
  }

  #isRoutine(key: string): boolean {
    if (this.#key === key) return true
    const state = this.#accepted
    if (this.#hasAppended || !canSkipStep(state, key)) return false
    const { over, under, divisor, untilAt } = deadBandOf(state, key)
    this.#key = key
    this.#over = over
    this.#under = under
    this.#divisor = divisor
    this.#untilAt = untilAt
    this.#newestAt = state.newestAt ?? 0
    const code = { key: 'errorCode', value: state.errorCode, at: this.#newestAt }
    this.#quietCode = crossesThreshold(state, code) ? NO_CODE : state.errorCode
    this.#nowAt = state.nowAt
    this.#state = state.state
    this.#errorCode = state.errorCode
    this.#patienceMs = patienceOf(state.rules)?.ms ?? null
    return true
  }

  #isEvent(key: string, value: Value, at: number): boolean {
    if (at >= this.#untilAt) return true
    if (typeof value === 'number') {
      const scaled = value / this.#divisor
      if (scaled > this.#over && scaled < this.#under) return false
      // The step refuses such a number.
      if (!Number.isFinite(scaled)) return true
    }
    return crossesThreshold(this.#accepted, { key, value, at })
  }

  /** An appended value stays as it is: it is newer than the durable one. */
  #applyDurable(): void {
    if (this.#durableAt === NO_VALUE || !this.#durable) return
    const sample = { key: this.#durableKey, at: this.#durableAt, value: this.#durableValue }
    const durable = withNewValue(this.#durable, sample, this.#durableNowAt)
    if (this.#accepted === this.#durable) this.#accepted = durable
    this.#durable = durable
    this.#durableAt = NO_VALUE
  }

  #applyAppended(): void {
    this.#hasAppended = false
    // The durable state has all values, and is the accepted one.
    if (this.#undurable === 0) return
    const sample = { key: this.#key, at: this.#newestAt, value: this.#appendedValue }
    this.#accepted = withNewValue(this.#accepted, sample, this.#nowAt)
  }
}
