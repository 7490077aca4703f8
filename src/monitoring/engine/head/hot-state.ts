import type { Delivered, Value } from '../../../domain/delivery.ts'
import type { State } from '../../../domain/state.ts'
import type { ActorState, Sample } from '../../jobs/actor.ts'
import { misdated } from '../../jobs/delivery.ts'
import { patienceOf } from '../../jobs/judgement.ts'
import { withNewValue, crossesThreshold, canSkipStep, deadBandOf } from '../../jobs/routine.ts'

/** What comes with a value: the instant and the error code that it was given, if any, and when it arrives. */
export type Arrival = {
  readonly timestampAt: number | null
  readonly errorCode: number | null
  readonly now: number
}

/** Stands for no error code. */
const NO_CODE = -1

/** Stands for no value: nothing is heard before the year 1970. */
const NO_VALUE = -1

/**
 * Where a job stands: its state as of the last accepted event, and as of the last on stable storage. Most values change
 * nothing but what was heard last. Of these the latest is noted in place, and a state takes it up when somebody asks: to
 * make one for each costs more than all else that a job does with it. What such a value needs of the state and its rules
 * is copied here, because what takes time is less to compute than to reach into memory that is far apart.
 */
export class HotState {
  #accepted: ActorState
  #durable: ActorState | null
  #collectorId: number
  /** Of which values are routine after both states; empty where nobody knows. */
  #key = ''
  /** Which numbers of that key are no news: `Quiet`. */
  #over = 0
  #under = 0
  #divisor = 1
  /** The error code that says nothing new either. */
  #quietCode = NO_CODE
  /** What such a value is answered with: it changes none of that but when the job's silence becomes news. */
  #state: State = 'ok'
  #errorCode = 0
  #patienceMs: number | null = null
  /** Where that key is known: the instant and the clock of what came last. */
  #newestAt = 0
  #nowAt = 0
  /** The latest routine value since the accepted state, if there is one. */
  #hasHeard = false
  #heardValue: Value = 0
  /** The latest routine value on stable storage since the durable state. */
  #keptAt = NO_VALUE
  #keptNowAt = 0
  #keptValue: Value = 0
  #keptKey = ''
  /** How many values were heard and are not kept. */
  #waiting = 0

  constructor(state: ActorState, isDurable: boolean) {
    this.#accepted = state
    this.#durable = isDurable ? state : null
    this.#collectorId = state.rules.collectorId
  }

  get accepted(): ActorState {
    this.#takeUpKept()
    if (this.#hasHeard) this.#takeUpHeard()
    return this.#accepted
  }

  get durable(): ActorState | null {
    this.#takeUpKept()
    return this.#durable
  }

  /** That of the rules. */
  get collectorId(): number {
    return this.#collectorId
  }

  /** The latest instant of all accepted values; null before the first. Unlike `accepted`, makes no state. */
  get newestAt(): number | null {
    return this.#key === '' ? this.#accepted.newestAt : this.#newestAt
  }

  /** Its durable state takes back all that was heard and will not be kept. */
  accept(state: ActorState): void {
    if (state === this.#durable) this.#waiting = 0
    this.#accepted = state
    this.#collectorId = state.rules.collectorId
    this.#hasHeard = false
    this.#key = ''
  }

  keep(state: ActorState): void {
    this.#durable = state
    this.#keptAt = NO_VALUE
  }

  /** Notes a lone value that arrives now, if it is routine, and answers its instant; null for every other, which is an event. */
  append(key: string, value: Value, { timestampAt, errorCode, now }: Arrival): number | null {
    // Behind an event that is not durable yet, its value would be kept before it.
    if (this.#accepted !== this.#durable || !this.#isRoutine(key)) return null
    if (errorCode !== null && errorCode !== this.#quietCode) return null
    // A clock that is behind makes each value an event: stamps and deadlines part then.
    if (now < this.#nowAt) return null
    const at = timestampAt ?? Math.max(now, this.#newestAt)
    if (at < this.#newestAt || misdated(at, now) !== null || this.#isNews(key, value)) return null
    this.#newestAt = at
    this.#nowAt = now
    this.#hasHeard = true
    this.#heardValue = value
    this.#waiting++
    return at
  }

  /** What a value that was just noted is answered with. */
  get answer(): Pick<Delivered, 'state' | 'errorCode' | 'deadlineAt'> {
    const deadlineAt = this.#patienceMs === null ? null : this.#nowAt + this.#patienceMs
    return { state: this.#state, errorCode: this.#errorCode, deadlineAt }
  }

  /** So many routine values, of which this is the last, are on stable storage; they were heard until `now`. */
  markDurable({ key, value, at }: Sample, now: number, count: number): void {
    this.#keptNowAt = Math.max(now, this.#keptAt === NO_VALUE ? (this.#durable?.nowAt ?? 0) : this.#keptNowAt)
    this.#keptAt = at
    this.#keptValue = value
    this.#keptKey = key
    this.#waiting = Math.max(0, this.#waiting - count)
  }

  #isRoutine(key: string): boolean {
    if (this.#key === key) return true
    const state = this.#accepted
    if (this.#hasHeard || !canSkipStep(state, key)) return false
    const { over, under, divisor } = deadBandOf(state, key)
    this.#key = key
    this.#over = over
    this.#under = under
    this.#divisor = divisor
    this.#quietCode = crossesThreshold(state, 'errorCode', state.errorCode) ? NO_CODE : state.errorCode
    this.#newestAt = state.newestAt ?? 0
    this.#nowAt = state.nowAt
    this.#state = state.state
    this.#errorCode = state.errorCode
    this.#patienceMs = patienceOf(state.rules)?.ms ?? null
    return true
  }

  #isNews(key: string, value: Value): boolean {
    if (typeof value === 'number') {
      const seen = value / this.#divisor
      if (seen > this.#over && seen < this.#under) return false
      // The step refuses it.
      if (!Number.isFinite(seen)) return true
    }
    return crossesThreshold(this.#accepted, key, value)
  }

  /** What is noted besides stays so: it comes after what is kept. */
  #takeUpKept(): void {
    if (this.#keptAt === NO_VALUE || !this.#durable) return
    const kept = { key: this.#keptKey, at: this.#keptAt, value: this.#keptValue }
    const durable = withNewValue(this.#durable, kept, this.#keptNowAt)
    if (this.#accepted === this.#durable) this.#accepted = durable
    this.#durable = durable
    this.#keptAt = NO_VALUE
  }

  #takeUpHeard(): void {
    this.#hasHeard = false
    // The durable state has all of it, and is the accepted one.
    if (this.#waiting === 0) return
    const heard = { key: this.#key, at: this.#newestAt, value: this.#heardValue }
    this.#accepted = withNewValue(this.#accepted, heard, this.#nowAt)
  }
}
