import type { Value } from '../../../domain/delivery.ts'
import type { JobRules } from '../../../domain/job-rules.ts'
import type { Level, State } from '../../../domain/state.ts'
import type { Transition } from '../../../domain/transition.ts'
import { Refusal } from '../../../lib/errors.ts'
import { STATES } from '../../../domain/state.ts'
import { LEVELS } from '../../states/state.ts'
import { step } from '../actor.ts'
import type { ActorState, Event } from '../actor.ts'
import { BARE } from '../delivery.ts'
import { ReplayBands } from './bands.ts'

/** Raw values of one instant, epoch ms, with the error code if it changed. */
export type Arrival = {
  readonly at: number
  readonly values: Readonly<Record<string, Value>>
  readonly errorCode: number | null
}

export type ReplaySpan = { readonly state: State; readonly beginAt: number; readonly endAt: number }

/** Replays arrivals with the rules of a job through the function that decides what a delivery does. */
export class Replay {
  #state: ActorState
  #spanBeginAt: number
  /** Spans of one state, ascending and without gaps. */
  readonly spans: ReplaySpan[] = []
  /** The number of times that each condition began to hold, level by level. */
  readonly crossings: number[]
  /** The number of times that the state reached each level from below. */
  readonly openings: Record<Level, number> = { major: 0, minor: 0, warning: 0 }

  readonly #bands: ReplayBands

  /** @param first the arrival at which the replay begins: its state counts as no opening and no crossing */
  constructor(rules: JobRules, first: Arrival, bands = new ReplayBands([], [])) {
    this.#bands = bands
    this.#state = step(null, { kind: 'configure', jobId: 0, rules }, first.at).state
    this.#spanBeginAt = first.at
    this.crossings = rules.thresholds.flatMap(({ conditions }) => conditions.map(() => 0))
    this.#makeBands(first.at)
    this.#state = this.#stepped(eventOf(first), first.at).state
    this.#state = { ...this.#state, sinceAt: first.at }
  }

  /** Replays an arrival that is not before the previous one. */
  add(arrival: Arrival): void {
    this.#wakeUntil(arrival.at)
    this.#makeBands(arrival.at)
    this.#apply(eventOf(arrival), arrival.at)
  }

  /** Ends the replay: silence counts until this instant. */
  end(endAt: number): void {
    this.#wakeUntil(endAt)
    this.#closeSpan(endAt)
  }

  #wakeUntil(at: number): void {
    const { deadline } = this.#state
    if (deadline !== null && deadline.at < at) this.#apply({ kind: 'wake' }, deadline.at)
  }

  #makeBands(at: number): void {
    const { rules, counters } = this.#state
    const event = this.#bands.eventAt(rules.revision, counters, at)
    if (event) this.#apply(event, at)
  }

  #apply(event: Event, now: number): void {
    const before = this.#state
    const { state, transitions } = this.#stepped(event, now)
    this.#state = state
    for (const transition of transitions) this.#follow(transition)
    if (state.counters === before.counters) return
    for (const [index, { held }] of state.counters.entries())
      if (held && before.counters[index]?.held !== true)
        this.crossings[index] = (this.crossings[index] ?? 0) + 1
  }

  /** A value that the rules refuse today leaves the state as it is. */
  #stepped(event: Event, now: number) {
    try {
      return step(this.#state, event, now)
    } catch (error) {
      if (error instanceof Refusal) return { state: this.#state, transitions: [] }
      throw error
    }
  }

  #follow({ from, to, at }: Transition): void {
    if (from === to) return
    this.#closeSpan(at, from)
    for (const level of LEVELS) if (reaches(to, level) && !reaches(from, level)) this.openings[level]++
  }

  #closeSpan(endAt: number, state: State = this.#state.state): void {
    if (endAt > this.#spanBeginAt) this.spans.push({ state, beginAt: this.#spanBeginAt, endAt })
    this.#spanBeginAt = endAt
  }
}

/** Whether a state is a level, or a worse one. */
function reaches(state: State, level: Level): boolean {
  return STATES.indexOf(state) <= STATES.indexOf(level)
}

function eventOf({ at, values, errorCode }: Arrival): Event {
  return { kind: 'deliver', delivery: { ...BARE, values, errorCode, timestampAt: at } }
}
