import { describe, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import { happen, histories } from '../../../test/engine/acts.ts'
import type { Act, Happening } from '../../../test/engine/acts.ts'
import { NaiveJob } from '../../../test/engine/naive-job.ts'
import type { Mistake } from '../../../test/engine/naive-job.ts'
import { BEGIN_AT } from '../../../test/engine/rules.ts'
import { Refusal } from '../../lib/errors.ts'
import type { JobRules } from '../../domain/job-rules.ts'
import type { Transition } from '../../domain/transition.ts'
import { step } from './actor.ts'
import type { ActorState, Event, Sample } from './actor.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 2_000)
const MISTAKES: readonly Mistake[] = [
  'late values count',
  'absent error code ends the timeout',
  'error codes do not re-arm',
  'timeouts are dated when noticed',
  'our own silence counts',
  'missing keys clear',
  'stopping keeps what was counted',
  'the future limit is exclusive',
  'only changes are results',
  'limits on values stand for one on the error code',
  'silence clears what it does not breach',
  'silence is better than a bad value',
  'only the first silence is on record',
  'a clock set back delays timeouts',
]

/** Seed and path of a failure are in its message. */
const REPORTED = { numRuns: RUNS, includeErrorInReport: true }

/** The real actor, with everything that it published. */
class RealJob {
  state: ActorState
  readonly transitions: Transition[] = []
  readonly samples: Sample[] = []
  readonly accepted: { readonly event: Event; readonly now: number }[] = []

  constructor(rules: JobRules, now: number) {
    const event: Event = { kind: 'configure', jobId: 1, rules }
    const { state, transitions } = step(null, event, now)
    this.state = state
    this.transitions.push(...transitions)
    this.accepted.push({ event, now })
  }

  /** 'kept', 'late', or the code of the refusal. */
  tell(event: Event, now: number): string {
    try {
      const { state, samples, transitions, late } = step(this.state, event, now)
      this.state = state
      this.samples.push(...samples)
      this.transitions.push(...transitions)
      this.accepted.push({ event, now })
      return late ? 'late' : 'kept'
    } catch (error) {
      if (error instanceof Refusal) return error.code
      throw error
    }
  }

  /** The visible part of a state. */
  get face() {
    const { state, errorCode, deadline, message, silentSinceAt, lastReceivedAt, flapping } = this.state
    const isFlapping = flapping?.isFlapping === true
    return {
      state,
      errorCode,
      deadline: deadline?.at ?? null,
      message,
      silentSinceAt,
      lastReceivedAt,
      isFlapping,
    }
  }
}

setDefaultTimeout(180_000)

describe('a job under random events', () => {
  test('agrees with the model: state, error code, deadline, transitions, samples, answers', () => {
    fc.assert(
      fc.property(
        histories(40),
        setBacks,
        ({ rules, acts }, clock) => void liveThrough(rules, acts, { clock }),
      ),
      REPORTED,
    )
  })

  test('writes a history without gaps, in order of time', () => {
    fc.assert(
      fc.property(histories(40), setBacks, ({ rules, acts }, clock) => {
        const { transitions, state } = liveThrough(rules, acts, { clock })
        let before = { seq: 0, at: -Infinity, detectedAt: -Infinity, to: rules.stopped ? 'undefined' : 'ok' }
        for (const transition of transitions) {
          expect(transition.seq).toBe(before.seq + 1)
          expect(transition.from as string).toBe(before.to)
          expect(transition.to === transition.from).toBe(['flapping', 'message'].includes(transition.reason))
          expect(transition.at).toBeGreaterThanOrEqual(before.at)
          expect(transition.detectedAt).toBeGreaterThanOrEqual(before.detectedAt)
          before = transition
        }
        expect(state).toMatchObject({ seq: before.seq, state: before.to })
      }),
      REPORTED,
    )
  })

  test('does not improve by silence', () => {
    const order = ['major', 'minor', 'warning', 'ok', 'no_data'] as const
    const rank = (state: string) => order.findIndex((one) => one === state)
    fc.assert(
      fc.property(histories(40), ({ rules, acts }) => {
        const silences = liveThrough({ ...rules, forced: null }, acts, { clock: [] }).transitions.filter(
          ({ reason, from }) => reason === 'timeout' && rank(from) >= 0,
        )
        for (const { from, to } of silences) {
          if (to === 'no_data') expect(from).toBe('ok')
          else expect(rank(to)).toBeLessThan(rank(from))
        }
      }),
      REPORTED,
    )
  })

  test('is the same after a replay, and after its state was serialised in between', () => {
    fc.assert(
      fc.property(histories(30), setBacks, fc.nat(30), ({ rules, acts }, clock, cut) => {
        const job = liveThrough(rules, acts, { clock })
        let state: ActorState | null = null
        job.accepted.forEach(({ event, now }, index) => {
          ;({ state } = step(state, event, now))
          if (index === cut) state = JSON.parse(JSON.stringify(state)) as ActorState
        })
        expect(state as ActorState | null).toEqual(job.state)
      }),
      REPORTED,
    )
  })

  test('ignores early and repeated wake-ups', () => {
    fc.assert(
      fc.property(histories(25), ({ rules, acts }) => {
        const calm = new RealJob(rules, BEGIN_AT)
        const restless = new RealJob(rules, BEGIN_AT)
        let now = BEGIN_AT
        for (const act of acts.map(forwards)) {
          const happening = happen(act, {
            now,
            deadlineAt: calm.face.deadline,
            revision: calm.state.rules.revision,
          })
          const deadlineAt = restless.face.deadline ?? Infinity
          for (const early of [now, happening.now, deadlineAt - 1]) {
            if (early >= now && early <= happening.now && early < deadlineAt)
              restless.tell({ kind: 'wake' }, early)
          }
          now = happening.now
          for (const job of [calm, restless]) job.tell(eventOf(happening), now)
          if (happening.kind === 'wake') restless.tell({ kind: 'wake' }, now)
        }
        expect(restless.face).toEqual(calm.face)
        expect(restless.transitions).toEqual(calm.transitions)
        expect(restless.samples).toEqual(calm.samples)
      }),
      REPORTED,
    )
  })

  test.each([...MISTAKES])('control: a model with the mistake %s is found out', (mistake) => {
    const result = fc.check(
      fc.property(
        histories(40),
        setBacks,
        ({ rules, acts }, clock) => void liveThrough(rules, acts, { clock, mistake }),
      ),
      { numRuns: 10 * RUNS, seed: 1, endOnFailure: true },
    )
    expect(result.failed).toBe(true)
  })
})

/** By how much the clock is set back before an act, rarely; the host may or may not know the time. */
const setBacks = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.record({ byMs: fc.constantFrom(-1, -900, -4_000, -3_600_000), isKnown: fc.boolean() }),
    },
  ),
  { minLength: 40, maxLength: 40 },
)

type Living = {
  readonly clock: readonly ({ readonly byMs: number; readonly isKnown: boolean } | null)[]
  readonly mistake?: Mistake
}

/** Applies the acts to the real job and to the model, and compares them after each. */
function liveThrough(rules: JobRules, acts: readonly Act[], { clock, mistake }: Living): RealJob {
  const real = new RealJob(rules, BEGIN_AT)
  const naive = new NaiveJob(rules, BEGIN_AT, mistake ?? null)
  let now = BEGIN_AT
  for (const [index, act] of acts.entries()) {
    const setBack = clock[index]
    if (setBack) {
      now += setBack.byMs
      const byMs = setBack.isKnown ? setBack.byMs : 0
      real.tell({ kind: 'clock', byMs }, now)
      naive.clock(byMs, now)
    }
    const happening = happen(act, { now, deadlineAt: real.face.deadline, revision: naive.revision })
    now = happening.now
    expect(real.tell(eventOf(happening), now)).toBe(tellNaively(naive, happening))
    expect(real.face).toEqual({
      state: naive.state,
      errorCode: naive.errorCode,
      deadline: naive.deadline,
      message: naive.message,
      silentSinceAt: naive.silentSince,
      lastReceivedAt: naive.lastReceived,
      isFlapping: naive.isFlapping,
    })
  }
  const changes = real.transitions.map(({ at, detectedAt, from, to, reason, errorCode }) => {
    return { at, detectedAt, from, to, reason, errorCode }
  })
  expect(changes).toEqual(naive.transitions)
  expect(real.samples).toEqual(naive.samples)
  return real
}

/** The clock of an act is not set back: an earlier wake-up would be the job's latest time. */
function forwards(act: Act): Act {
  return 'afterMs' in act ? { ...act, afterMs: Math.abs(act.afterMs) } : act
}

function eventOf(happening: Happening): Event {
  switch (happening.kind) {
    case 'deliver':
      return { kind: 'deliver', delivery: happening.delivery }
    case 'wake':
      return { kind: 'wake' }
    case 'ingest gap':
      return { kind: 'ingest gap', fromAt: happening.fromAt, toAt: happening.now }
    case 'configure':
      return { kind: 'configure', jobId: 1, rules: happening.rules }
  }
}

function tellNaively(naive: NaiveJob, happening: Happening): string {
  switch (happening.kind) {
    case 'deliver':
      return naive.deliver(happening.delivery, happening.now)
    case 'wake':
      naive.wake(happening.now)
      return 'kept'
    case 'ingest gap':
      naive.ingestGap(happening.fromAt, happening.now)
      return 'kept'
    case 'configure':
      naive.configure(happening.rules, happening.now)
      return 'kept'
  }
}
