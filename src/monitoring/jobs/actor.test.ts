import { describe, expect, test } from 'bun:test'

import {
  BEGIN_AT,
  conditionWith,
  deliveryWith,
  FAILED,
  MINUTE_MS,
  rulesWith,
} from '../../../test/engine/rules.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Delivery } from '../../domain/delivery.ts'
import type { JobRules, Thresholds } from '../../domain/job-rules.ts'
import type { State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { step } from './actor.ts'
import type { ActorState, Event, Sample, Step } from './actor.ts'

const MINOR_ABOVE_200: Thresholds = [{ level: 'minor', mode: 'or', conditions: [conditionWith()] }]

/** One job and its clock. Times are ms after the job was created. */
class Scene {
  rules: JobRules
  state: ActorState
  readonly transitions: Transition[] = []
  readonly samples: Sample[] = []

  constructor(rules: Partial<JobRules> = {}) {
    this.rules = rulesWith(rules)
    const created = step(null, { kind: 'configure', jobId: 7, rules: this.rules }, BEGIN_AT)
    this.state = created.state
    this.transitions.push(...created.transitions)
  }

  at(ms: number, event: Event): Step {
    const result = step(this.state, event, BEGIN_AT + ms)
    this.state = result.state
    this.transitions.push(...result.transitions)
    this.samples.push(...result.samples)
    return result
  }

  deliver(ms: number, delivery: Partial<Delivery> = {}): Step {
    return this.at(ms, { kind: 'deliver', delivery: deliveryWith(delivery) })
  }

  wake(ms: number): Step {
    return this.at(ms, { kind: 'wake' })
  }

  ingestGap(fromMs: number, toMs: number): Step {
    return this.at(toMs, { kind: 'ingest gap', fromAt: BEGIN_AT + fromMs, toAt: BEGIN_AT + toMs })
  }

  change(ms: number, rules: Partial<JobRules>): Step {
    this.rules = { ...this.rules, revision: this.rules.revision + 1, ...rules }
    return this.at(ms, { kind: 'configure', jobId: 7, rules: this.rules })
  }

  get deadlineMs(): number | null {
    return this.state.deadline && this.state.deadline.at - BEGIN_AT
  }

  /** The transitions as [ms, from, to, reason]. */
  get story(): readonly (readonly [number, State, State, string])[] {
    return this.transitions.map(({ at, from, to, reason }) => [at - BEGIN_AT, from, to, reason] as const)
  }
}

describe('the state machine of a webhook job', () => {
  test('row 1: a new job is ok, has reported nothing, and times out one timeout after its creation', () => {
    const { state, deadlineMs, transitions } = new Scene()
    expect(state).toMatchObject({ state: 'ok', errorCode: 0, lastReceivedAt: null, message: null, seq: 0 })
    expect(deadlineMs).toBe(MINUTE_MS)
    expect(transitions).toEqual([])
  })

  test('row 1: a job that is created stopped is undefined and has no deadline', () => {
    const { state, transitions } = new Scene({ stopped: true })
    expect(state).toMatchObject({ state: 'undefined', deadline: null })
    expect(transitions).toEqual([])
  })

  test('row 2: a delivery is stored and evaluated, and its deadline counts from its arrival', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200 })
    const { samples, late } = scene.deliver(5_000, {
      values: { returnValue1: 201, stringValue1: 'v1' },
      errorCode: 0,
      timestampAt: BEGIN_AT + 2_000,
      message: 'slow',
    })
    const at = BEGIN_AT + 2_000
    expect(samples).toEqual([
      { key: 'returnValue1', at, value: 201 },
      { key: 'stringValue1', at, value: 'v1' },
      { key: 'errorCode', at, value: 0 },
    ])
    expect(late).toBe(false)
    expect(scene.deadlineMs).toBe(5_000 + MINUTE_MS)
    expect(scene.state).toMatchObject({ state: 'minor', message: 'slow', lastReceivedAt: BEGIN_AT + 5_000 })
    expect(scene.state.current).toEqual({
      returnValue1: { value: 201, at },
      stringValue1: { value: 'v1', at },
    })
    expect(scene.transitions).toEqual([
      {
        objectId: 7,
        seq: 1,
        at,
        detectedAt: BEGIN_AT + 5_000,
        from: 'ok',
        to: 'minor',
        reason: 'threshold',
        errorCode: 0,
        message: 'slow',
        silentSinceAt: null,
      },
    ])
  })

  test('row 2: a delivery with an error code re-arms the deadline like any other', () => {
    const scene = new Scene()
    scene.deliver(30_000, { errorCode: 3 })
    expect(scene.deadlineMs).toBe(30_000 + MINUTE_MS)
    expect(scene.state).toMatchObject({ errorCode: 3, state: 'warning' })
    scene.wake(MINUTE_MS)
    expect(scene.state.errorCode).toBe(3)
  })

  test('row 2: a ttl takes the place of the timeout for this delivery alone', () => {
    const scene = new Scene()
    scene.deliver(1_000, { ttlMs: 5_000 })
    expect(scene.deadlineMs).toBe(6_000)
    scene.deliver(2_000, { ttlMs: 600_000 })
    expect(scene.deadlineMs).toBe(602_000)
    scene.deliver(3_000)
    expect(scene.deadlineMs).toBe(63_000)
  })

  test('row 2: a ttl arms a job that has no timeout, and its end is a timeout', () => {
    const scene = new Scene({ timeoutMs: null })
    expect(scene.deadlineMs).toBeNull()
    scene.deliver(0, { ttlMs: 5_000 })
    scene.wake(5_000)
    expect(scene.state).toMatchObject({ errorCode: 5, state: 'warning' })
    scene.deliver(6_000, { errorCode: 0 })
    expect(scene.deadlineMs).toBeNull()
  })

  test('row 3: silence is error code 5, dated at the deadline however late it is noticed', () => {
    const scene = new Scene()
    scene.deliver(10_000, { errorCode: 0, message: 'fine' })
    const { samples } = scene.wake(100_000)
    expect(samples).toEqual([{ key: 'errorCode', at: BEGIN_AT + 70_000, value: 5 }])
    expect(scene.transitions).toEqual([
      {
        objectId: 7,
        seq: 1,
        at: BEGIN_AT + 70_000,
        detectedAt: BEGIN_AT + 100_000,
        from: 'ok',
        to: 'warning',
        reason: 'timeout',
        errorCode: 5,
        message: null,
        silentSinceAt: BEGIN_AT + 10_000,
      },
    ])
    expect(scene.deadlineMs).toBeNull()
  })

  test('row 3: the deadline itself is past, the instant before it is not', () => {
    const scene = new Scene()
    scene.wake(MINUTE_MS - 1)
    expect(scene.state.errorCode).toBe(0)
    scene.wake(MINUTE_MS)
    expect(scene.state.errorCode).toBe(5)
  })

  test('row 3: a job that never reported is silent since it was created', () => {
    const scene = new Scene()
    scene.wake(MINUTE_MS)
    expect(scene.state.silentSinceAt).toBe(BEGIN_AT)
  })

  test('row 3: a timeout is a warning, with any limits on values', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200 })
    scene.wake(MINUTE_MS)
    expect(scene.state).toMatchObject({ errorCode: 5, state: 'warning' })
    scene.deliver(90_000, { errorCode: 0 })
    expect(scene.state.state).toBe('ok')
  })

  test('row 3: silence does not improve a worse state until the next delivery', () => {
    const failedOnce = conditionWith({ key: 'errorCode', operator: '=', value: 1 })
    const scene = new Scene({ thresholds: [{ level: 'major', mode: 'or', conditions: [failedOnce] }] })
    scene.deliver(0, { errorCode: 1 })
    scene.wake(MINUTE_MS)
    expect(scene.state).toMatchObject({
      errorCode: 5,
      state: 'major',
      message: null,
      silentSinceAt: BEGIN_AT,
    })
    scene.deliver(90_000, { values: { returnValue1: 1 } })
    expect(scene.state).toMatchObject({ errorCode: 5, state: 'major' })
    scene.deliver(91_000, { errorCode: 0 })
    expect(scene.story).toEqual([
      [0, 'ok', 'major', 'threshold'],
      [0, 'major', 'major', 'message'],
      [91_000, 'major', 'ok', 'delivery'],
    ])
  })

  test('another error code of a bad job is published at once, another message once a minute', () => {
    const scene = new Scene()
    const told = () => scene.story.filter(([, , , reason]) => reason === 'message').length
    const fail = (ms: number, errorCode: number, message: string | null) =>
      scene.deliver(ms, { errorCode, message }).transitions
    fail(0, 1, 'first')
    expect(fail(59_999, 1, 'second')).toEqual([])
    expect(fail(60_000, 1, 'second')).toMatchObject([
      { from: 'warning', to: 'warning', reason: 'message', message: 'second', isNewCode: false },
    ])
    expect(fail(120_000, 1, 'second')).toEqual([])
    expect(fail(120_001, 1, null)).toEqual([])
    expect(fail(120_002, 2, null)).toMatchObject([{ errorCode: 2, message: null, isNewCode: true }])
    expect(fail(120_003, 3, 'third')).toMatchObject([{ errorCode: 3, message: 'third', isNewCode: true }])
    expect(told()).toBe(3)
    // A job in ok publishes no message changes.
    scene.deliver(200_000, { errorCode: 0 })
    scene.deliver(300_000, { errorCode: 0, message: 'fine' })
    expect(told()).toBe(3)
  })

  test('row 4: waking early or twice changes nothing', () => {
    const scene = new Scene()
    for (const ms of [0, 1, 30_000, MINUTE_MS - 1]) {
      const before = scene.state
      expect(scene.wake(ms)).toEqual({
        state: { ...before, nowAt: BEGIN_AT + ms },
        samples: [],
        run: null,
        transitions: [],
        late: false,
      })
    }
    scene.wake(MINUTE_MS)
    const fired = scene.state
    expect(scene.wake(MINUTE_MS).state).toEqual(fired)
    expect(scene.wake(10 * MINUTE_MS)).toMatchObject({ samples: [], transitions: [] })
    expect(scene.transitions).toHaveLength(1)
  })

  test('row 4: delivery and deadline in one millisecond make one transition, or none when the delivery comes first', () => {
    const first = new Scene()
    first.deliver(MINUTE_MS, { errorCode: 0 })
    first.wake(MINUTE_MS)
    expect(first.transitions).toEqual([])
    const second = new Scene()
    second.wake(MINUTE_MS)
    second.deliver(MINUTE_MS)
    expect(second.story).toEqual([[MINUTE_MS, 'ok', 'warning', 'timeout']])
  })

  test('row 5: a delivery with an error code ends the timeout', () => {
    const scene = new Scene()
    scene.wake(MINUTE_MS)
    scene.deliver(90_000, { errorCode: 0, values: { returnValue1: 1 } })
    expect(scene.state).toMatchObject({ errorCode: 0, state: 'ok', silentSinceAt: null })
    expect(scene.story).toEqual([
      [MINUTE_MS, 'ok', 'warning', 'timeout'],
      [90_000, 'warning', 'ok', 'delivery'],
    ])
    expect(scene.deadlineMs).toBe(150_000)
  })

  test('row 6: a delivery without an error code leaves error code 5, stores its values and extends the deadline', () => {
    const scene = new Scene()
    scene.wake(MINUTE_MS)
    const { samples } = scene.deliver(90_000, { values: { returnValue1: 1 } })
    expect(scene.state).toMatchObject({ errorCode: 5, state: 'warning', silentSinceAt: null })
    expect(samples).toContainEqual({ key: 'returnValue1', at: BEGIN_AT + 90_000, value: 1 })
    expect(scene.deadlineMs).toBe(150_000)
    expect(scene.state.message).toBe(
      'values arrive without errorCode; error code 5 stays until a delivery has an errorCode',
    )
    const second = scene.wake(150_000)
    expect(scene.state).toMatchObject({ silentSinceAt: BEGIN_AT + 90_000, message: null })
    expect(second.samples).toEqual([{ key: 'errorCode', at: BEGIN_AT + 150_000, value: 5 }])
    expect(scene.transitions).toHaveLength(1)
    scene.deliver(160_000, { values: { returnValue1: 1 }, message: 'slow' })
    expect(scene.state.message).toStartWith('slow (values arrive without errorCode')
  })

  test('row 6: with healsOnData any in-order value ends error code 5, and nothing else does', () => {
    const scene = new Scene({ healsOnData: true })
    scene.wake(MINUTE_MS)
    scene.deliver(90_000, { values: { returnValue1: 1 }, timestampAt: BEGIN_AT + 90_000 })
    expect(scene.state).toMatchObject({ errorCode: 0, state: 'ok', message: null })
    scene.deliver(91_000, { errorCode: 3 })
    scene.deliver(92_000, { values: { returnValue1: 1 } })
    expect(scene.state).toMatchObject({ errorCode: 3, state: 'warning' })
    scene.wake(152_000)
    scene.deliver(153_000, { values: { returnValue1: 1 }, timestampAt: BEGIN_AT + 80_000 })
    scene.deliver(153_000, { signal: 'log', message: 'here' })
    expect(scene.state.errorCode).toBe(5)
    const run = { key: 'returnValue1', at: [BEGIN_AT + 154_000, BEGIN_AT + 155_000], values: [1, 2] }
    scene.at(155_000, { kind: 'run', run })
    expect(scene.state).toMatchObject({ errorCode: 0, state: 'ok' })
  })

  test('row 7: stopping makes the job undefined, disarms it and forgets what was counted', () => {
    const scene = new Scene({
      thresholds: [{ level: 'minor', mode: 'or', conditions: [conditionWith({ repetition: 2 })] }],
    })
    scene.deliver(1_000, { values: { returnValue1: 201 } })
    scene.change(2_000, { stopped: true })
    expect(scene.state).toMatchObject({ state: 'undefined', deadline: null })
    scene.wake(10 * MINUTE_MS)
    expect(scene.state.errorCode).toBe(0)
    scene.change(11 * MINUTE_MS, { stopped: false })
    scene.deliver(11 * MINUTE_MS, { values: { returnValue1: 201 } })
    expect(scene.state.state).toBe('ok')
    expect(scene.story).toEqual([
      [2_000, 'ok', 'undefined', 'stopped'],
      [11 * MINUTE_MS, 'undefined', 'ok', 'stopped'],
    ])
  })

  test('row 8: starting brings back the last evaluated state and counts the timeout from now', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200 })
    scene.deliver(1_000, { values: { returnValue1: 201 } })
    scene.change(2_000, { stopped: true })
    scene.change(500_000, { stopped: false })
    expect(scene.state.state).toBe('minor')
    expect(scene.deadlineMs).toBe(500_000 + MINUTE_MS)
    expect(scene.story.slice(1)).toEqual([
      [2_000, 'minor', 'undefined', 'stopped'],
      [500_000, 'undefined', 'minor', 'stopped'],
    ])
  })

  test('row 9: changed thresholds judge the newest values at once, in the units of their user', () => {
    const scene = new Scene({ thresholds: [] })
    scene.deliver(1_000, { values: { returnValue1: 300, returnValue2: 5_000 } })
    scene.change(2_000, { thresholds: MINOR_ABOVE_200 })
    expect(scene.state.state).toBe('minor')
    const second = conditionWith({ key: 'returnValue2', value: 4 })
    scene.change(3_000, { thresholds: [{ level: 'major', mode: 'or', conditions: [second] }] })
    expect(scene.state.state).toBe('major')
    scene.change(4_000, { divisors: [1, 10_000] })
    expect(scene.story).toEqual([
      [2_000, 'ok', 'minor', 'threshold'],
      [3_000, 'minor', 'major', 'threshold'],
      [4_000, 'major', 'ok', 'threshold'],
    ])
  })

  test('row 9: thresholds changed while the job is stopped, or with its start, judge the newest values too', () => {
    const scene = new Scene({ thresholds: [] })
    scene.deliver(1_000, { values: { returnValue1: 300 } })
    scene.change(2_000, { stopped: true })
    scene.change(3_000, { thresholds: MINOR_ABOVE_200 })
    scene.change(4_000, { stopped: false })
    expect(scene.state.state).toBe('minor')
    scene.change(5_000, { stopped: true })
    scene.change(6_000, { stopped: false, thresholds: [] })
    expect(scene.state.state).toBe('ok')
  })

  test('row 9: thresholds that stay the same keep what was counted', () => {
    const thresholds: Thresholds = [
      { level: 'minor', mode: 'or', conditions: [conditionWith({ repetition: 2 })] },
    ]
    const scene = new Scene({ thresholds })
    scene.deliver(1_000, { values: { returnValue1: 201 } })
    scene.change(2_000, { timeoutMs: 2 * MINUTE_MS, thresholds: structuredClone(thresholds) })
    scene.deliver(3_000, { values: { returnValue1: 201 } })
    expect(scene.state.state).toBe('minor')
  })

  test('row 9: a changed timeout counts from the last sign of life', () => {
    const scene = new Scene()
    scene.deliver(10_000)
    scene.change(20_000, { timeoutMs: 30_000 })
    expect(scene.deadlineMs).toBe(40_000)
    scene.change(20_000, { timeoutMs: null })
    expect(scene.deadlineMs).toBeNull()
    scene.change(20_000, { timeoutMs: 2 * MINUTE_MS })
    expect(scene.deadlineMs).toBe(130_000)
  })

  test('row 9: a changed timeout that has passed already fires at once, and not before it existed', () => {
    const scene = new Scene()
    scene.deliver(10_000)
    scene.change(50_000, { timeoutMs: 1_000 })
    expect(scene.deadlineMs).toBe(50_000)
    scene.wake(50_000)
    expect(scene.story).toEqual([[50_000, 'ok', 'warning', 'timeout']])
  })

  test('row 9: silence that was reported already is not reported again for a shorter timeout', () => {
    const scene = new Scene()
    scene.wake(MINUTE_MS)
    scene.change(70_000, { timeoutMs: 30_000 })
    expect(scene.deadlineMs).toBeNull()
    scene.change(80_000, { timeoutMs: 10 * MINUTE_MS })
    expect(scene.deadlineMs).toBe(10 * MINUTE_MS)
  })

  test('row 10: a deadline that fell into our own downtime makes a marked gap and no timeout', () => {
    const scene = new Scene()
    scene.deliver(30_000, { errorCode: 0 })
    scene.ingestGap(60_000, 100_000)
    scene.wake(100_000)
    expect(scene.story).toEqual([
      [60_000, 'ok', 'no_data', 'platform'],
      [100_000, 'no_data', 'ok', 'platform'],
    ])
    expect(scene.state.errorCode).toBe(0)
    expect(scene.deadlineMs).toBe(140_000)
    scene.wake(140_000)
    expect(scene.story.at(-1)).toEqual([140_000, 'ok', 'warning', 'timeout'])
  })

  test('row 11: a job with an interval and no timeout has no data after two intervals and ten minutes', () => {
    const scene = new Scene({ timeoutMs: null, intervalMs: MINUTE_MS })
    scene.deliver(1_000, { errorCode: 0 })
    expect(scene.deadlineMs).toBe(1_000 + 12 * MINUTE_MS)
    scene.wake(12 * MINUTE_MS)
    expect(scene.state.state).toBe('ok')
    const { samples } = scene.wake(12 * MINUTE_MS + 1_000)
    expect(samples).toEqual([])
    expect(scene.story).toEqual([[12 * MINUTE_MS + 1_000, 'ok', 'no_data', 'timeout']])
    expect(scene.state).toMatchObject({ errorCode: 0, silentSinceAt: BEGIN_AT + 1_000, deadline: null })
    scene.deliver(20 * MINUTE_MS)
    expect(scene.state.state).toBe('ok')
  })

  test('row 11: with a timeout the interval does not matter', () => {
    expect(new Scene({ intervalMs: MINUTE_MS }).deadlineMs).toBe(MINUTE_MS)
  })

  test('row 12: a started run without a result within the grace is error code 5', () => {
    const scene = new Scene({ graceMs: 10_000 })
    scene.deliver(1_000, { signal: 'start', runId: 'a' })
    expect(scene.deadlineMs).toBe(11_000)
    scene.wake(11_000)
    expect(scene.story).toEqual([[11_000, 'ok', 'warning', 'timeout']])
  })

  test('row 13: a forced state stays, samples are stored, and unforcing shows the evaluated state', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200 })
    scene.change(1_000, { forced: 'major' })
    const { samples, transitions } = scene.deliver(2_000, { values: { returnValue1: 201 } })
    expect(samples).toHaveLength(2)
    expect(transitions).toEqual([])
    scene.wake(10 * MINUTE_MS)
    expect(scene.state).toMatchObject({ state: 'major', errorCode: 5 })
    scene.change(11 * MINUTE_MS, { forced: null })
    expect(scene.story).toEqual([
      [1_000, 'ok', 'major', 'forced'],
      [1_000, 'major', 'major', 'message'],
      [11 * MINUTE_MS, 'major', 'minor', 'forced'],
    ])
  })

  test('row 13: a forced state shows through a stop and a start, and so does its end', () => {
    const scene = new Scene({ forced: 'maintenance_ok' })
    expect(scene.story).toEqual([[0, 'ok', 'maintenance_ok', 'forced']])
    scene.change(1_000, { stopped: true })
    expect(scene.state.state).toBe('maintenance_ok')
    scene.change(2_000, { forced: null })
    scene.change(3_000, { forced: 'minor' })
    expect(scene.story.slice(1)).toEqual([
      [2_000, 'maintenance_ok', 'undefined', 'forced'],
      [3_000, 'undefined', 'minor', 'forced'],
    ])
  })
})

describe('the rules of a delivery', () => {
  const FUTURE_MS = 5 * MINUTE_MS
  const PAST_MS = 30 * 86_400_000
  const dated = (ms: number) => ({ values: { returnValue1: 1 }, timestampAt: BEGIN_AT + ms })

  test('a timestamp exactly 5 minutes ahead is accepted, one millisecond more is refused', () => {
    expect(new Scene().deliver(0, dated(FUTURE_MS)).samples).toHaveLength(2)
    expect(refusal(() => new Scene().deliver(0, dated(FUTURE_MS + 1)))).toBe('value_in_future')
  })

  test('a timestamp exactly 30 days old is accepted, one millisecond more is refused', () => {
    expect(new Scene().deliver(0, dated(-PAST_MS)).samples).toHaveLength(2)
    expect(refusal(() => new Scene().deliver(0, dated(-PAST_MS - 1)))).toBe('value_too_old')
  })

  test('a refused delivery leaves no trace', () => {
    const scene = new Scene()
    const before = scene.state
    refusal(() => scene.deliver(1_000, dated(FUTURE_MS + 1_001)))
    refusal(() => scene.deliver(1_000, { values: { returnValue1: 1, returnValue3: 1 } }))
    expect(scene.state).toBe(before)
  })

  test('the limits hold for every signal', () => {
    for (const signal of ['start', 'log', 'result'] as const) {
      expect(refusal(() => new Scene().deliver(0, { signal, timestampAt: BEGIN_AT + FUTURE_MS + 1 }))).toBe(
        'value_in_future',
      )
    }
  })

  test('a delivery older than the newest one is kept and has no other effect', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200 })
    scene.deliver(10_000, { values: { returnValue1: 1 }, errorCode: 0 })
    const before = scene.state
    const { samples, transitions, late, state } = scene.deliver(20_000, {
      values: { returnValue1: 999 },
      errorCode: 9,
      timestampAt: BEGIN_AT + 9_999,
      message: 'old',
      ttlMs: 1,
    })
    expect(samples).toEqual([{ key: 'returnValue1', at: BEGIN_AT + 9_999, value: 999 }])
    expect(late).toBe(true)
    expect(transitions).toEqual([])
    expect(state).toEqual({ ...before, nowAt: BEGIN_AT + 20_000 })
  })

  test('a delivery of the same instant as the newest is not late', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200 })
    scene.deliver(10_000, { values: { returnValue1: 1 } })
    expect(scene.deliver(10_000, { values: { returnValue1: 999 } }).late).toBe(false)
    expect(scene.state.state).toBe('minor')
  })

  test('a delivery without a timestamp after one from the future is not late', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200 })
    scene.deliver(0, { values: { returnValue1: 1 }, timestampAt: BEGIN_AT + FUTURE_MS })
    const { samples, late } = scene.deliver(1_000, { values: { returnValue1: 999 } })
    expect(late).toBe(false)
    expect(samples).toEqual([{ key: 'returnValue1', at: BEGIN_AT + FUTURE_MS, value: 999 }])
    expect(scene.state.state).toBe('minor')
    expect(scene.deadlineMs).toBe(1_000 + MINUTE_MS)
  })

  test('a missing key makes no sample, keeps the newest value and leaves the counter alone', () => {
    const conditions = [conditionWith({ repetition: 2 })]
    const scene = new Scene({ thresholds: [{ level: 'minor', mode: 'or', conditions }] })
    scene.deliver(1_000, { values: { returnValue1: 201 } })
    const { samples } = scene.deliver(2_000, { values: { returnValue2: 1 } })
    expect(samples.map(({ key }) => key)).toEqual(['returnValue2'])
    expect(scene.state.current['returnValue1']).toEqual({ value: 201, at: BEGIN_AT + 1_000 })
    scene.deliver(3_000, { values: { returnValue1: 201 } })
    expect(scene.state.state).toBe('minor')
  })

  test('undefined keys refuse the whole delivery and are named', () => {
    const values = { returnValue1: 1, returnValue3: 1, stringValue2: 'x', returnValue9: 2 }
    const error = thrown(() => new Scene().deliver(0, { values }))
    expect(error).toBeInstanceOf(Refusal)
    expect(error).toMatchObject({ code: 'value_not_defined' })
    expect((error as Refusal).errors.map(({ pointer }) => pointer)).toEqual([
      '/returnValue3',
      '/stringValue2',
      '/returnValue9',
    ])
  })

  test('a delivery without an error code keeps any code', () => {
    const scene = new Scene()
    scene.deliver(1_000, { errorCode: 3 })
    scene.deliver(2_000)
    expect(scene.state).toMatchObject({ errorCode: 3, state: 'warning' })
  })

  test('the error code is a sample where it changes, and with the first delivery', () => {
    const scene = new Scene()
    const codes = [0, 0, null, 3, 3, null, 0] as const
    codes.forEach((errorCode, index) => scene.deliver(index, { errorCode }))
    scene.wake(10 * MINUTE_MS)
    expect(scene.samples.map(({ at, value }) => [at - BEGIN_AT, value])).toEqual([
      [0, 0],
      [3, 3],
      [6, 0],
      [6 + MINUTE_MS, 5],
    ])
  })

  test('an absent error code does not count for a threshold on it, one that is sent again does', () => {
    const conditions = [{ ...FAILED, repetition: 2 }]
    const scene = new Scene({ thresholds: [{ level: 'warning', mode: 'or', conditions }] })
    scene.deliver(1_000, { errorCode: 3 })
    scene.deliver(2_000)
    expect(scene.state.state).toBe('ok')
    scene.deliver(3_000, { errorCode: 3 })
    expect(scene.state.state).toBe('warning')
  })

  test('a timeout counts for thresholds on the error code only', () => {
    const scene = new Scene({
      thresholds: [
        { level: 'major', mode: 'or', conditions: [conditionWith({ repetition: 2 })] },
        { level: 'warning', mode: 'or', conditions: [{ ...FAILED, repetition: 2 }] },
      ],
    })
    scene.deliver(0, { values: { returnValue1: 201 }, errorCode: 3 })
    scene.wake(MINUTE_MS)
    expect(scene.state.state).toBe('warning')
  })

  test('a stopped job accepts no deliveries', () => {
    const scene = new Scene({ stopped: true })
    for (const signal of ['result', 'start', 'log'] as const) {
      expect(refusal(() => scene.deliver(0, { signal }))).toBe('job_stopped')
    }
  })

  test('thresholds compare user values, samples are raw', () => {
    const conditions = [conditionWith({ key: 'returnValue2', value: 1 })]
    const scene = new Scene({ thresholds: [{ level: 'minor', mode: 'or', conditions }] })
    scene.deliver(0, { values: { returnValue2: 1_000 } })
    expect(scene.state.state).toBe('ok')
    expect(scene.deliver(1, { values: { returnValue2: 1_001 } }).samples).toContainEqual({
      key: 'returnValue2',
      at: BEGIN_AT + 1,
      value: 1_001,
    })
    expect(scene.state.state).toBe('minor')
  })
})

describe('runs', () => {
  const scene = () => new Scene({ graceMs: 10_000 })

  test('a result ends the run and brings the regular deadline back', () => {
    const job = scene()
    job.deliver(1_000, { signal: 'start' })
    job.deliver(5_000, { errorCode: 0 })
    expect(job.deadlineMs).toBe(5_000 + MINUTE_MS)
  })

  test('a run is ended by its own result, or by one without a runId', () => {
    const job = scene()
    job.deliver(1_000, { signal: 'start', runId: 'b' })
    job.deliver(2_000, { runId: 'a', values: { returnValue1: 1 } })
    expect(job.deadlineMs).toBe(11_000)
    job.deliver(3_000, { runId: 'b' })
    expect(job.deadlineMs).toBe(3_000 + MINUTE_MS)
    job.deliver(4_000, { signal: 'start', runId: 'c' })
    job.deliver(5_000)
    expect(job.deadlineMs).toBe(5_000 + MINUTE_MS)
  })

  test('a later start takes the place of an earlier one', () => {
    const job = scene()
    job.deliver(1_000, { signal: 'start', runId: 'a' })
    job.deliver(2_000, { signal: 'start', runId: 'b' })
    expect(job.deadlineMs).toBe(12_000)
    job.deliver(3_000, { runId: 'a' })
    expect(job.deadlineMs).toBe(12_000)
  })

  test('a changed timeout does not change the deadline of a running run', () => {
    const job = scene()
    job.deliver(1_000, { signal: 'start', runId: 'a' })
    job.change(2_000, { timeoutMs: 10 * MINUTE_MS })
    expect(job.deadlineMs).toBe(11_000)
    job.wake(11_000)
    expect(job.state.errorCode).toBe(5)
  })

  test('a start stores nothing and does not count as a result', () => {
    const job = scene()
    const { samples } = job.deliver(1_000, { signal: 'start', message: 'off we go' })
    expect(samples).toEqual([])
    expect(job.state).toMatchObject({ lastReceivedAt: null, newestAt: null, message: 'off we go' })
  })

  test('without a grace a start does not touch the deadline', () => {
    const job = new Scene()
    job.deliver(1_000, { signal: 'start', runId: 'a' })
    expect(job.deadlineMs).toBe(MINUTE_MS)
    job.deliver(2_000, { runId: 'b' })
    expect(job.deadlineMs).toBe(2_000 + MINUTE_MS)
  })

  test('a stop ends the run', () => {
    const job = scene()
    job.deliver(1_000, { signal: 'start', runId: 'a' })
    job.change(2_000, { stopped: true })
    job.change(3_000, { stopped: false })
    expect(job.deadlineMs).toBe(3_000 + MINUTE_MS)
    job.deliver(4_000, { runId: 'z' })
    expect(job.deadlineMs).toBe(4_000 + MINUTE_MS)
  })
})

test('a job that is older than its actor has transitions before the creation of the actor, and its whole timeout', () => {
  const limits = { thresholds: MINOR_ABOVE_200, timeoutMs: 5 * MINUTE_MS }
  const older = new Scene({ ...limits, createdAt: BEGIN_AT - 60 * MINUTE_MS })
  expect(older.deadlineMs).toBe(5 * MINUTE_MS)
  const breach = { values: { returnValue1: 201 }, timestampAt: BEGIN_AT - 30 * MINUTE_MS }
  older.deliver(0, breach)
  expect(older.transitions).toMatchObject([{ at: BEGIN_AT - 30 * MINUTE_MS, to: 'minor' }])
  const young = new Scene(limits)
  young.deliver(0, breach)
  expect(young.transitions).toMatchObject([{ at: BEGIN_AT, to: 'minor' }])
})

test('a log line changes the message and nothing else', () => {
  const scene = new Scene()
  scene.deliver(1_000, { errorCode: 3, message: 'broken' })
  const before = scene.state
  const { samples, transitions } = scene.deliver(2_000, {
    signal: 'log',
    message: 'still broken',
    errorCode: 0,
  })
  expect([samples, transitions]).toEqual([[], []])
  expect(scene.state).toEqual({ ...before, nowAt: BEGIN_AT + 2_000, message: 'still broken' })
  scene.deliver(3_000, { signal: 'log' })
  expect(scene.state.message).toBe('still broken')
  scene.deliver(4_000)
  expect(scene.state.message).toBeNull()
})

describe('a gap in which the service could not receive', () => {
  test.each([
    ['before the deadline', 10_000, 20_000, 60_000],
    ['just before the deadline', 30_000, 59_999, 89_998],
    ['long before the deadline', 0, 1, 60_000],
  ])('%s moves the deadline by its own length', (_, fromMs, toMs, deadlineMs) => {
    const scene = new Scene()
    scene.ingestGap(fromMs, toMs)
    expect(scene.deadlineMs).toBe(deadlineMs)
    expect(scene.transitions).toEqual([])
  })

  test('after the deadline changes nothing', () => {
    const scene = new Scene()
    scene.ingestGap(60_001, 70_000)
    expect(scene.deadlineMs).toBe(60_000)
    scene.wake(70_000)
    expect(scene.story).toEqual([[60_000, 'ok', 'warning', 'timeout']])
  })

  test('extends the deadline by at most the timeout, so that silence is found within two timeouts', () => {
    const scene = new Scene()
    scene.ingestGap(59_000, 3_600_000)
    expect(scene.deadlineMs).toBe(3_660_000)
  })

  test('is credited once if it is reported twice', () => {
    const scene = new Scene()
    scene.ingestGap(50_000, 70_000)
    const before = scene.state
    expect(scene.ingestGap(50_000, 70_000)).toMatchObject({ state: before, transitions: [] })
  })

  test('does not affect a job without a deadline', () => {
    for (const rules of [{ stopped: true }, { timeoutMs: null }]) {
      const scene = new Scene(rules)
      scene.ingestGap(0, 3_600_000)
      expect(scene.transitions).toEqual([])
      expect(scene.deadlineMs).toBeNull()
    }
  })

  test.each([
    ['that waits for nothing', { timeoutMs: null }],
    ['whose deadline is later', { timeoutMs: 3_600_000 }],
  ])('of a minute makes the state of a job %s unknown, a shorter one does not', (_, rules) => {
    const scene = new Scene(rules)
    scene.deliver(10_000, { errorCode: 3 })
    scene.ingestGap(20_000, 80_000)
    scene.ingestGap(20_000, 80_000)
    scene.ingestGap(90_000, 149_999)
    expect(scene.story).toEqual([
      [10_000, 'ok', 'warning', 'threshold'],
      [20_000, 'warning', 'no_data', 'platform'],
      [80_000, 'no_data', 'warning', 'platform'],
    ])
    expect(scene.state).toMatchObject({ errorCode: 3, evaluated: 'warning' })
  })

  test('leaves a forced state alone', () => {
    const scene = new Scene({ forced: 'minor' })
    scene.ingestGap(59_000, 61_000)
    expect(scene.story).toEqual([[0, 'ok', 'minor', 'forced']])
    expect(scene.deadlineMs).toBe(63_000)
  })
})

describe('order', () => {
  test('an older or equal revision changes nothing', () => {
    const scene = new Scene({ revision: 5 })
    for (const revision of [4, 5]) {
      scene.at(1_000, { kind: 'configure', jobId: 7, rules: rulesWith({ revision, stopped: true }) })
      expect(scene.state).toMatchObject({ state: 'ok', rules: { revision: 5 } })
    }
    scene.at(1_000, { kind: 'configure', jobId: 7, rules: rulesWith({ revision: 6, stopped: true }) })
    expect(scene.state.state).toBe('undefined')
  })

  test('a clock set back dates no change earlier, and the deadline after a delivery follows it', () => {
    const scene = new Scene()
    scene.deliver(50_000, { errorCode: 0 })
    scene.deliver(10_000, { errorCode: 3 })
    expect(scene.deadlineMs).toBe(10_000 + MINUTE_MS)
    expect(scene.state.lastReceivedAt).toBe(BEGIN_AT + 50_000)
    expect(scene.story).toEqual([[50_000, 'ok', 'warning', 'threshold']])
  })

  test('a change is never dated before the one it follows', () => {
    const scene = new Scene()
    scene.deliver(1_000, { errorCode: 3, timestampAt: BEGIN_AT + 200_000 })
    scene.deliver(2_000, { errorCode: 0 })
    scene.change(3_000, { stopped: true })
    scene.change(4_000, { stopped: false })
    expect(scene.story.map(([ms]) => ms)).toEqual([200_000, 200_000, 200_000, 200_000])
    expect(scene.transitions.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })

  test('a job that was never configured is not found', () => {
    expect(refusal(() => step(null, { kind: 'wake' }, BEGIN_AT))).toBe('not_found')
    expect(refusal(() => step(null, { kind: 'deliver', delivery: deliveryWith() }, BEGIN_AT))).toBe(
      'not_found',
    )
  })

  test('a step leaves the state it was given as it was', () => {
    const scene = new Scene({ thresholds: MINOR_ABOVE_200, graceMs: 1_000 })
    scene.deliver(1, { values: { returnValue1: 201, stringValue1: 'a' }, errorCode: 1 })
    const { state } = scene
    const kept = structuredClone(state)
    scene.deliver(2, { values: { returnValue1: 1 }, errorCode: 0 })
    step(state, { kind: 'wake' }, BEGIN_AT + 10 * MINUTE_MS)
    step(
      state,
      { kind: 'configure', jobId: 7, rules: rulesWith({ revision: 9, forced: 'major' }) },
      BEGIN_AT + 9,
    )
    step(
      state,
      { kind: 'ingest gap', fromAt: BEGIN_AT, toAt: BEGIN_AT + 10 * MINUTE_MS },
      BEGIN_AT + 10 * MINUTE_MS,
    )
    expect(state).toEqual(kept)
  })
})

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return null
}

function refusal(run: () => unknown): string | null {
  const error = thrown(run)
  return error instanceof Refusal ? error.code : null
}
