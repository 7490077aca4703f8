import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { errorCodeOf, hasEnded, isHeld, step } from './run.ts'
import type { Run, RunEvent } from './run.ts'

const QUEUED: Run = { state: 'queued', attempt: 1, retries: 0, isCancelled: false }

const event: fc.Arbitrary<RunEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 3 }).map((retries): RunEvent => ({ kind: 'assign', retries })) },
  {
    weight: 8,
    arbitrary: fc.constantFrom<RunEvent>({ kind: 'accept' }, { kind: 'start' }, { kind: 'lose' }),
  },
  { weight: 1, arbitrary: fc.constantFrom<RunEvent>({ kind: 'cancel' }, { kind: 'fail' }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('succeeded' as const, 'failed' as const, 'timed_out' as const, 'cancelled' as const)
      .map((outcome): RunEvent => ({ kind: 'finish', outcome })),
  },
)

type Where = 'waits' | 'given' | 'taken' | 'begun' | 'over'

/** The events that move a run on. */
const WAYS: ReadonlyMap<string, readonly [from: Where, to: Where]> = new Map([
  ['assign', ['waits', 'given']],
  ['accept', ['given', 'taken']],
  ['start', ['taken', 'begun']],
])

/** The state of a run by the words of the promise: where it is, and how it ended, without a table of states. */
class Told {
  place: Where = 'waits'
  end: Run['state'] = 'queued'
  attempt = 1
  retries = 0
  isCancelled = false

  get isWithRunner(): boolean {
    return ['given', 'taken', 'begun'].includes(this.place)
  }

  hear(one: RunEvent): void {
    if (this.place === 'over') return
    if (one.kind === 'cancel') this.cancel()
    else if (one.kind === 'lose') this.lose()
    else this.goOn(one)
  }

  goOn(one: RunEvent): void {
    if (one.kind === 'assign' && this.place === 'waits') this.retries = one.retries
    const [from, to] = WAYS.get(one.kind) ?? []
    if (to && this.place === from) this.place = to
    if (one.kind === 'fail' && this.place === 'waits') this.over('failed')
    if (one.kind === 'finish' && ['taken', 'begun'].includes(this.place))
      this.over(one.outcome === 'cancelled' && !this.isCancelled ? 'failed' : one.outcome)
  }

  cancel(): void {
    this.isCancelled = true
    if (!this.isWithRunner) this.over('cancelled')
  }

  lose(): void {
    if (!this.isWithRunner) return
    if (this.isCancelled) return this.over('cancelled')
    if (this.place !== 'given' && this.attempt > this.retries) return this.over('lost')
    if (this.place !== 'given') this.attempt++
    this.place = 'waits'
  }

  over(state: Run['state']): void {
    this.place = 'over'
    this.end = state
  }

  get run(): Run {
    const { place, end, attempt, retries, isCancelled } = this
    const held = { waits: 'queued', given: 'assigned', taken: 'preparing', begun: 'running' } as const
    return { state: place === 'over' ? end : held[place], attempt, retries, isCancelled }
  }
}

function told(events: readonly RunEvent[]): Run {
  const all = new Told()
  for (const one of events) all.hear(one)
  return all.run
}

const play = (events: readonly RunEvent[]) => events.reduce<Run>((run, one) => step(run, one) ?? run, QUEUED)

describe('a run', () => {
  test('has the state that its events give it, in any order', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        expect(play(events)).toEqual(told(events))
      }),
      { numRuns: 3_000 },
    )
  })

  test('that has ended stays as it is, and attempts only rise, by one, up to one more than retries', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let run = QUEUED
        for (const one of events) {
          const next = step(run, one)
          if (hasEnded(run.state)) expect(next).toBeNull()
          if (!next) continue
          expect([run.attempt, run.attempt + 1]).toContain(next.attempt)
          expect(next.attempt).toBeLessThanOrEqual(Math.max(run.attempt, run.retries + 1))
          // Only what was begun, and lost, begins anew.
          if (next.attempt > run.attempt) expect([one.kind, isHeld(run.state)]).toEqual(['lose', true])
          run = next
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('takes what comes twice as once', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.constantFrom('accept', 'cancel'), (events, kind) => {
        const run = play(events)
        const once = step(run, { kind })
        if (once && !hasEnded(once.state)) expect(step(once, { kind })).toEqual(once)
      }),
    )
  })

  test.each([
    [
      'a job that no runner took waits and is not lost',
      [{ kind: 'assign', retries: 0 }, { kind: 'lose' }],
      'queued',
    ],
    [
      'a job that was stopped without a cancellation has failed',
      [{ kind: 'assign', retries: 0 }, { kind: 'accept' }, { kind: 'finish', outcome: 'cancelled' }],
      'failed',
    ],
    [
      'what ended well before it heard that it should end has ended well',
      [
        { kind: 'assign', retries: 0 },
        { kind: 'accept' },
        { kind: 'start' },
        { kind: 'cancel' },
        { kind: 'finish', outcome: 'succeeded' },
      ],
      'succeeded',
    ],
    [
      'a lost one is not tried again unless its configuration says so',
      [{ kind: 'assign', retries: 0 }, { kind: 'accept' }, { kind: 'lose' }],
      'lost',
    ],
  ] as const)('%s', (_, events, state) => {
    expect(play(events).state).toBe(state)
  })
})

test.each([
  ['succeeded', 0, 0],
  ['succeeded', null, 0],
  ['failed', 3, 3],
  ['failed', 0, 1],
  ['failed', null, 1],
  ['failed', -9, 1],
  ['timed_out', 143, 124],
  ['lost', null, 1],
] as const)('a run that %s with the exit code %p has the error code %p', (state, exitCode, expected) =>
  expect(errorCodeOf(state, exitCode)).toBe(expected),
)
