import type { Value } from '../../ports/job-actors.ts'
import type { ActorState } from '../jobs/actor.ts'
import { misdated } from '../jobs/delivery.ts'
import { afterRoutine, isNews, isRoutine } from '../jobs/routine.ts'

/** When something arrives, and the instant it was given. */
export type Arrival = { readonly timestampAt: number | null; readonly now: number }

/** Stands for no value: nothing is heard before the year 1970. */
const NONE = -1

/**
 * Where a job stands: its state as of the last accepted event, and as of the last on stable storage. Most values change
 * nothing but what was heard last. Of these the latest is noted in place, and a state takes it up when somebody asks: to
 * make one for each costs more than all else that a job does with it.
 */
export class Standing {
  #accepted: ActorState
  #durable: ActorState | null
  /** Of which values are routine after both states; empty where nobody knows. */
  #key = ''
  /** The latest routine value since the accepted state. */
  #heardAt = NONE
  #heardNowAt = 0
  #heardValue: Value = 0
  /** The latest routine value on stable storage since the durable state. */
  #keptAt = NONE
  #keptNowAt = 0
  #keptValue: Value = 0
  #keptKey = ''
  /** How many values were heard and are not kept. */
  #waiting = 0

  constructor(state: ActorState, isDurable: boolean) {
    this.#accepted = state
    this.#durable = isDurable ? state : null
  }

  get accepted(): ActorState {
    this.#takeUp()
    return this.#accepted
  }

  get durable(): ActorState | null {
    this.#takeUp()
    return this.#durable
  }

  /** What no event changes while values are routine. */
  get rules(): ActorState['rules'] {
    return this.#accepted.rules
  }

  /** Its durable state takes back all that was heard and will not be kept. */
  accept(state: ActorState): void {
    if (state === this.#durable) this.#waiting = 0
    this.#accepted = state
    this.#heardAt = NONE
    this.#key = ''
  }

  keep(state: ActorState): void {
    this.#durable = state
    this.#keptAt = NONE
  }

  /** Notes a lone value that arrives now, if it is routine, and answers its instant; null for every other, which is an event. */
  hear(key: string, value: Value, { timestampAt, now }: Arrival): number | null {
    // Behind an event that is not durable yet, its value would be kept before it.
    const state = this.#accepted
    if (state !== this.#durable || !this.#isRoutine(key)) return null
    const isFirst = this.#heardAt === NONE
    const newestAt = isFirst ? (state.newestAt ?? 0) : this.#heardAt
    const nowAt = Math.max(now, isFirst ? state.nowAt : this.#heardNowAt)
    const at = timestampAt ?? Math.max(nowAt, newestAt)
    if (at < newestAt || misdated(at, nowAt) !== null || isNews(state, key, value)) return null
    this.#heardAt = at
    this.#heardNowAt = nowAt
    this.#heardValue = value
    this.#waiting++
    return at
  }

  /** A routine value that was heard at `now`, with this instant, is on stable storage. */
  keepHeard(key: string, value: Value, at: number, now: number): void {
    this.#keptNowAt = Math.max(now, this.#keptAt === NONE ? (this.#durable?.nowAt ?? 0) : this.#keptNowAt)
    this.#keptAt = at
    this.#keptValue = value
    this.#keptKey = key
    this.#waiting = Math.max(0, this.#waiting - 1)
  }

  #isRoutine(key: string): boolean {
    if (this.#key === key) return true
    if (this.#heardAt !== NONE || !isRoutine(this.#accepted, key)) return false
    this.#key = key
    return true
  }

  #takeUp(): void {
    if (this.#heardAt === NONE && this.#keptAt === NONE) return
    const isAllKept = this.#accepted === this.#durable && this.#waiting === 0
    const heard = { key: this.#key, at: this.#heardAt, value: this.#heardValue }
    const kept = { key: this.#keptKey, at: this.#keptAt, value: this.#keptValue }
    if (this.#durable && kept.at !== NONE) this.#durable = afterRoutine(this.#durable, kept, this.#keptNowAt)
    if (isAllKept) this.#accepted = this.#durable ?? this.#accepted
    else if (heard.at !== NONE) this.#accepted = afterRoutine(this.#accepted, heard, this.#heardNowAt)
    this.#heardAt = NONE
    this.#keptAt = NONE
  }
}
