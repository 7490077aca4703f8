import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { happen, histories } from '../../../../test/engine/acts.ts'
import type { Act } from '../../../../test/engine/acts.ts'
import { BEGIN_AT, conditionWith, deliveryWith, rulesWith } from '../../../../test/engine/rules.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Value } from '../../../domain/delivery.ts'
import type { Band } from '../../states/band.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Event } from '../../jobs/actor.ts'
import { HotState } from './hot-state.ts'
import type { Arrival } from './hot-state.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 2_000)

/** An entry that is not durable yet: a value that was only noted, or the state after an event. */
type Pending =
  | { readonly key: string; readonly value: Value; readonly at: number; readonly now: number }
  | { readonly state: ActorState }

/** A standing beside the states that it stands for, of which each was made by a step. */
class Both {
  now = BEGIN_AT
  heard = 0
  readonly standing: HotState
  #accepted: ActorState
  #durable: ActorState
  #revision: number
  /** An entry that is not durable yet, and the state after it. */
  #pending: { readonly what: Pending; readonly after: ActorState }[] = []

  constructor(rules: ActorState['rules']) {
    const { state } = step(null, { kind: 'configure', jobId: 1, rules }, this.now)
    this.standing = new HotState(state, true)
    this.#accepted = state
    this.#durable = state
    this.#revision = rules.revision
  }

  send(key: string, value: Value, sent: Omit<Arrival, 'errorCode'> & Partial<Arrival>): void {
    const { timestampAt, errorCode = null, now } = sent
    const delivery = deliveryWith({ values: { [key]: value }, timestampAt, errorCode })
    const event: Event = { kind: 'deliver', delivery }
    const at = this.standing.append(key, value, { timestampAt, errorCode, now })
    if (at === null) return this.#tell(event, now)
    const result = step(this.#accepted, event, now)
    expect(result).toMatchObject({ samples: [{ key, at, value }], transitions: [], late: false })
    const { state, errorCode: code, deadline } = result.state
    expect(this.standing.answer).toEqual({ state, errorCode: code, deadlineAt: deadline?.at ?? null })
    this.#accepted = result.state
    this.#pending.push({ what: { key, value, at, now }, after: result.state })
    this.heard++
  }

  live(act: Act): void {
    const deadlineAt = this.#accepted.deadline?.at ?? null
    const happening = happen(act, { now: this.now, deadlineAt, revision: this.#revision })
    this.now = happening.now
    if (happening.kind === 'configure') {
      this.#revision = happening.rules.revision
      return this.#tell({ kind: 'configure', jobId: 1, rules: happening.rules }, this.now)
    }
    if (happening.kind === 'ingest gap')
      return this.#tell({ kind: 'ingest gap', fromAt: happening.fromAt, toAt: this.now }, this.now)
    this.#tell(happening, this.now)
  }

  learn(band: Band): void {
    this.#tell({ kind: 'bands', revision: this.#revision, bands: [[0, band]] }, this.now)
  }

  commit(count: number): void {
    for (const { what, after } of this.#pending.splice(0, count)) {
      if ('state' in what) this.standing.markStateDurable(what.state)
      else this.standing.markDurable(what, what.now, 1)
      this.#durable = after
    }
  }

  undo(): void {
    this.#pending = []
    this.standing.accept(this.standing.durableState() ?? this.#durable)
    this.#accepted = this.#durable
  }

  lookAtAccepted(): void {
    expect(this.standing.currentState()).toEqual(this.#accepted)
    expect(this.standing.collectorId).toBe(this.#accepted.rules.collectorId)
  }

  lookAtDurable(): void {
    expect(this.standing.durableState()).toEqual(this.#durable)
  }

  #tell(event: Event, now: number): void {
    try {
      const { state } = step(this.standing.currentState(), event, now)
      expect(state).toEqual(step(this.#accepted, event, now).state)
      this.standing.accept(state)
      this.#accepted = state
      this.#pending.push({ what: { state }, after: state })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
}

const lone = fc.record({
  kind: fc.constant('value' as const),
  key: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('returnValue1', 'returnValue2') },
    { weight: 1, arbitrary: fc.constantFrom('returnValue3', 'stringValue1') },
  ),
  value: fc.constantFrom(0, 0, 1, 2, 3, -0, 1_500, 2_500),
  afterMs: fc.constantFrom(0, 1, 500, 1_000, -700),
  offsetMs: fc.constantFrom(null, null, null, 0, -500, 800, 300_000, 300_001),
  errorCode: fc.constantFrom(null, null, null, null, null, null, 0, 0, 0, 5),
  commits: fc.constantFrom(0, 1, 1, 9),
})
const deed = fc.oneof(
  { weight: 20, arbitrary: lone },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('act' as const), commits: fc.constantFrom(0, 9, 9, 9) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('commit' as const), count: fc.constantFrom(1, 2, 9) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { kind: 'undo' as const },
      { kind: 'durable' as const },
      { kind: 'accepted' as const },
    ),
  },
)

test('both states are as after a step for each value, with any events in between', () => {
  let heard = 0
  fc.assert(
    fc.property(histories(30), fc.array(deed, { maxLength: 80, size: 'max' }), ({ rules, acts }, deeds) => {
      const both = new Both(rules)
      const rest = acts.values()
      for (const one of deeds) {
        if (one.kind === 'value') {
          both.now += one.afterMs
          const timestampAt = one.offsetMs === null ? null : both.now + one.offsetMs
          const sent = one.key === 'stringValue1' ? String(one.value) : one.value
          both.send(one.key, sent, { timestampAt, errorCode: one.errorCode, now: both.now })
          both.commit(one.commits)
        } else if (one.kind === 'act') {
          const act = rest.next().value
          if (act) both.live(act)
          both.commit(one.commits)
        } else if (one.kind === 'commit') both.commit(one.count)
        else if (one.kind === 'undo') both.undo()
        else if (one.kind === 'durable') both.lookAtDurable()
        else both.lookAtAccepted()
      }
      both.lookAtDurable()
      both.lookAtAccepted()
      heard += both.heard
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
  // Less while the clock is behind: each value is an event then.
  expect(heard).toBeGreaterThan(RUNS / 4)
})

test('values in order that break no limit are only noted; all other values are events', () => {
  const limit = conditionWith({ operator: '>', value: 10 })
  const both = new Both(rulesWith({ thresholds: [{ level: 'major', mode: 'or', conditions: [limit] }] }))
  const send = (value: number, timestampAt: number | null = null) => {
    both.send('returnValue1', value, { timestampAt, now: (both.now += 1_000) })
    both.commit(1)
    return both.heard
  }
  // The first one ever says that there are values at all.
  expect([1, 2, 3, 10].map((one) => send(one))).toEqual([0, 1, 2, 3])
  expect(send(11)).toBe(3)
  expect(send(12)).toBe(3)
  expect(send(9)).toBe(3)
  expect(send(9)).toBe(4)
  expect(send(9, both.now)).toBe(5)
  expect(send(9, BEGIN_AT)).toBe(5)
})

test('an error code that is there already, and that no limit counts, says nothing new', () => {
  const limit = conditionWith({ key: 'errorCode', operator: '>=', value: 2 })
  const both = new Both(rulesWith({ thresholds: [{ level: 'major', mode: 'or', conditions: [limit] }] }))
  const heard = [0, 0, null, 1, 1, null, 2, 2, 0, 0].map((errorCode) => {
    const before = both.heard
    both.send('returnValue1', 1, { timestampAt: null, errorCode, now: (both.now += 1_000) })
    both.commit(1)
    return both.heard - before
  })
  expect(heard).toEqual([0, 1, 1, 0, 1, 1, 0, 0, 0, 1])
})

test('limits are compared with what the user sees', () => {
  const limit = conditionWith({ key: 'returnValue2', operator: '<', value: 1 })
  const both = new Both(rulesWith({ thresholds: [{ level: 'major', mode: 'or', conditions: [limit] }] }))
  const heard = [2_000, 1_000, 1_500, 999].map((value) => {
    both.send('returnValue2', value, { timestampAt: null, now: (both.now += 1_000) })
    both.commit(1)
    return both.heard
  })
  expect(heard).toEqual([0, 1, 2, 2])
})

test('with a limit that looks ahead, the first value of each cell is an event', () => {
  const ahead = { withinMs: 30_000, windowMs: 64 * 5_000 }
  const limit = conditionWith({ value: 1_000, predicted: true, ahead })
  const both = new Both(rulesWith({ thresholds: [{ level: 'major', mode: 'or', conditions: [limit] }] }))
  let events = 0
  for (let index = 0; index < 400; index++) {
    const before = both.heard
    both.send('returnValue1', index % 7, { timestampAt: null, now: (both.now += 1_000) })
    both.commit(1)
    both.lookAtAccepted()
    both.lookAtDurable()
    if (both.heard === before) events++
  }
  expect(events).toBe(81)
})

test('with an adaptive limit, the first value of each cell is an event, and values outside of the band are', () => {
  const adaptive = {
    windowMs: 86_400_000,
    season: 'none',
    bucketMs: 3_600_000,
    timeZone: 'UTC',
    factor: 3,
    side: 'both',
    minSamples: 1,
    minWidth: 0,
    offset: 0,
    learnsMaintenance: true,
  } as const
  const limit = conditionWith({ predicted: true, adaptive })
  const both = new Both(rulesWith({ thresholds: [{ level: 'major', mode: 'or', conditions: [limit] }] }))
  both.learn({
    madeAt: BEGIN_AT,
    cells: [
      [BEGIN_AT, 0, 8],
      [BEGIN_AT + 100_000, null, null, 'constant'],
      [BEGIN_AT + 200_000, 0, 8],
    ],
    endAt: BEGIN_AT + 300_000,
  })
  both.commit(1)
  const events: number[] = []
  for (let index = 1; index < 400; index++) {
    const before = both.heard
    both.send('returnValue1', index % 50 === 0 ? 9 : 1 + (index % 7), {
      timestampAt: null,
      now: (both.now += 1_000),
    })
    both.commit(1)
    both.lookAtAccepted()
    both.lookAtDurable()
    if (both.heard === before) events.push(index)
  }
  // The first value ever, the first of each cell, those outside of the band, and those that end that.
  expect(events).toEqual([1, 50, 51, 100, 200, 201, 250, 251, 300])
})

test('a value is not noted before what came before it is durable', () => {
  const both = new Both(rulesWith())
  const send = () => both.send('returnValue1', 1, { timestampAt: null, now: (both.now += 1_000) })
  send()
  send()
  expect(both.heard).toBe(0)
  both.commit(2)
  send()
  send()
  expect(both.heard).toBe(2)
})

test('to look at a job costs nothing that was noted, and leaves its values routine', () => {
  const both = new Both(rulesWith())
  const send = () => both.send('returnValue1', 1, { timestampAt: null, now: (both.now += 1_000) })
  send()
  both.commit(1)
  for (let heard = 1; heard < 4; heard++) {
    send()
    both.commit(1)
    both.lookAtDurable()
    both.lookAtAccepted()
    expect(both.heard).toBe(heard)
    expect(both.standing.currentState()).toBe(both.standing.durableState() as ActorState)
  }
})

test('what waits is not taken for what is kept, though it looks the same', () => {
  const both = new Both(rulesWith())
  const send = (value: number) => both.send('returnValue1', value, { timestampAt: null, now: both.now })
  send(0)
  both.commit(1)
  send(0)
  both.commit(1)
  // The clock stands: behind the last of these the job is as it was before them.
  send(3)
  send(0)
  both.lookAtAccepted()
  both.commit(1)
  both.lookAtDurable()
  both.lookAtAccepted()
  both.commit(1)
  both.lookAtDurable()
})

test('a state that is given takes nothing up that was noted before it', () => {
  const { state } = step(null, { kind: 'configure', jobId: 1, rules: rulesWith() }, BEGIN_AT)
  const delivery = deliveryWith({ values: { returnValue1: 1 } })
  const first = step(state, { kind: 'deliver', delivery }, BEGIN_AT + 1).state
  const standing = new HotState(first, true)
  expect(standing.append('returnValue1', 2, { timestampAt: null, errorCode: null, now: BEGIN_AT + 2 })).toBe(
    BEGIN_AT + 2,
  )
  standing.accept(first)
  expect(standing.currentState()).toBe(first)
})

test('values that were taken back wait for nothing, and one that is kept all the same shows everywhere', () => {
  const both = new Both(rulesWith())
  const send = () => both.send('returnValue1', 1, { timestampAt: null, now: (both.now += 1_000) })
  send()
  both.commit(1)
  send()
  both.undo()
  send()
  both.commit(1)
  both.lookAtDurable()
  expect(both.standing.currentState()).toBe(both.standing.durableState() as ActorState)
  const { standing, now } = both
  expect(standing.append('returnValue1', 2, { timestampAt: null, errorCode: null, now })).toBe(now)
  standing.accept(standing.durableState() as ActorState)
  standing.markDurable({ key: 'returnValue1', value: 2, at: now }, now, 1)
  expect(standing.durableState()?.current['returnValue1']?.value).toBe(2)
  expect(standing.currentState()).toBe(standing.durableState() as ActorState)
})
