import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import type { Level, State } from '../../domain/state.ts'
import { STATES } from '../states/state.ts'
import { heldReasonOf, isSilent, openAlarm, opens } from './alarm.ts'
import type { Alarm, AlarmChange, AlarmEvent, Terms } from './alarm.ts'
import { dueAtOf, stepAlarm } from './course.ts'

const TERMS: Terms = { minState: 'warning', delayMs: 0, recoveryDelayMs: 0 }

const state = (at: number, to: State): AlarmEvent => ({ kind: 'state', at, state: to })
const time = (at: number): AlarmEvent => ({ kind: 'time', at })
const assign = (at: number, untilAt: number | null = null, sticky = false): AlarmEvent => ({
  kind: 'assignment',
  at,
  by: 1,
  assigneeId: 7,
  untilAt,
  sticky,
})
const unassign = (at: number): AlarmEvent => ({
  kind: 'assignment',
  at,
  by: 1,
  assigneeId: null,
  untilAt: null,
  sticky: false,
})
const flap = (at: number, isFlapping: boolean): AlarmEvent => ({ kind: 'flapping', at, isFlapping })
const suppress = (at: number, by: number | null): AlarmEvent => ({ kind: 'suppression', at, by })

/** What becomes of an alarm that opens at 0 in `minor`. */
function live(events: readonly AlarmEvent[], terms: Partial<Terms> = {}) {
  const all = { ...TERMS, ...terms }
  const opened = openAlarm({ state: 'minor', at: 0, isFlapping: false }, all)
  let { alarm } = opened
  const changes: AlarmChange[] = [...opened.changes]
  for (const event of events) {
    const step = stepAlarm(alarm, event, all)
    alarm = step.alarm
    changes.push(...step.changes)
  }
  return { alarm, changes }
}

/** When, what, and whether somebody is to be told. */
const told = (changes: readonly AlarmChange[]) =>
  changes.map(({ at, kind, details }) => `${at} ${kind}${details.isSilent ? '' : '!'}`)

const ROWS: readonly (readonly [
  title: string,
  terms: Partial<Terms>,
  events: readonly AlarmEvent[],
  expected: readonly string[],
])[] = [
  ['it opens, and is told at once', {}, [], ['0 opened!']],
  ['it is told after its delay', { delayMs: 5 }, [time(4), time(9)], ['0 opened', '5 unheld!']],
  ['within its delay it is never told', { delayMs: 5 }, [state(4, 'ok')], ['0 opened', '4 closed']],
  [
    'a comment changes nothing else',
    {},
    [{ kind: 'comment', at: 1, by: 1, text: 'x' }],
    ['0 opened!', '1 commented!'],
  ],
  ['assigned for good it is silent', {}, [assign(1), time(99)], ['0 opened!', '1 assigned']],
  ['until then it is silent', {}, [assign(1, 5), time(4)], ['0 opened!', '1 assigned']],
  [
    'after that it is told again, dated then',
    {},
    [assign(1, 5), time(9)],
    ['0 opened!', '1 assigned', '5 assignment_expired!'],
  ],
  [
    'who gives it back makes it heard',
    {},
    [assign(1), unassign(2)],
    ['0 opened!', '1 assigned', '2 unassigned!'],
  ],
  ['nobody gives back what nobody has', {}, [unassign(2)], ['0 opened!']],
  ['worse, it is nobody’s', {}, [assign(1), state(2, 'major')], ['0 opened!', '1 assigned', '2 worsened!']],
  [
    'sticky, it stays somebody’s',
    {},
    [assign(1, null, true), state(2, 'major')],
    ['0 opened!', '1 assigned', '2 worsened'],
  ],
  [
    'better, it stays somebody’s',
    {},
    [assign(1), state(2, 'warning')],
    ['0 opened!', '1 assigned', '2 eased'],
  ],
  ['well, it closes', {}, [state(2, 'ok')], ['0 opened!', '2 closed']],
  ['assigned, it closes', {}, [assign(1), state(2, 'ok')], ['0 opened!', '1 assigned', '2 closed']],
  [
    'it closes after the object was well for long enough',
    { recoveryDelayMs: 5 },
    [state(2, 'ok'), time(9)],
    ['0 opened!', '2 recovering', '7 closed'],
  ],
  [
    'bad again before, it goes on',
    { recoveryDelayMs: 5 },
    [state(2, 'ok'), state(4, 'minor'), time(9)],
    ['0 opened!', '2 recovering', '4 relapsed!'],
  ],
  [
    'its time passing while it recovers makes nobody hear',
    { recoveryDelayMs: 5 },
    [assign(1, 3), state(2, 'ok'), time(4)],
    ['0 opened!', '1 assigned', '2 recovering', '3 assignment_expired'],
  ],
  ['nothing being known leaves it as it was', {}, [state(2, 'no_data'), state(3, 'minor')], ['0 opened!']],
  [
    'what is no longer watched is no alarm',
    { recoveryDelayMs: 5 },
    [state(2, 'undefined')],
    ['0 opened!', '2 closed'],
  ],
  [
    'maintenance holds it; bad after that, it fires at that instant',
    {},
    [state(2, 'maintenance_minor'), state(9, 'minor')],
    ['0 opened!', '2 held', '9 unheld!'],
  ],
  [
    'what gets worse in maintenance is told with its end',
    {},
    [state(2, 'maintenance_minor'), state(5, 'maintenance_major'), state(9, 'major')],
    ['0 opened!', '2 held', '5 worsened', '9 unheld!'],
  ],
  [
    'well in maintenance, it closes',
    {},
    [state(2, 'maintenance_minor'), state(5, 'maintenance_ok')],
    ['0 opened!', '2 held', '5 closed'],
  ],
  [
    'a delay that passes in maintenance is over with it',
    { delayMs: 5 },
    [state(2, 'maintenance_minor'), time(6), state(9, 'minor')],
    ['0 opened', '2 held', '9 unheld!'],
  ],
  [
    'one that is not over yet goes on',
    { delayMs: 5 },
    [state(2, 'maintenance_minor'), state(3, 'minor'), time(6)],
    ['0 opened', '2 held', '3 held', '5 unheld!'],
  ],
  [
    'flapping holds it',
    {},
    [flap(2, true), state(3, 'ok'), state(4, 'minor'), flap(9, false)],
    ['0 opened!', '2 held', '3 recovering', '4 relapsed', '9 unheld!'],
  ],
  [
    'well when it ceases to flap, it closes then',
    {},
    [flap(2, true), state(3, 'ok'), flap(9, false)],
    ['0 opened!', '2 held', '3 recovering', '9 unheld', '9 closed'],
  ],
  [
    'explained by another it is silent, and heard when that has closed',
    {},
    [suppress(2, 5), suppress(4, 5), suppress(9, null)],
    ['0 opened!', '2 suppressed', '9 released!'],
  ],
  [
    'of who is gone it is nobody’s',
    {},
    [assign(1), { kind: 'orphaned', at: 3 }],
    ['0 opened!', '1 assigned', '3 unassigned!'],
  ],
]

describe('the transition table', () => {
  for (const [title, terms, events, expected] of ROWS)
    test(title, () => expect(told(live(events, terms).changes)).toEqual([...expected]))

  test('ends when the object got well, however long that was waited for', () => {
    const { alarm } = live([state(2, 'ok'), time(9)], { recoveryDelayMs: 5 })
    expect(alarm).toMatchObject({ status: 'closed', endAt: 2 })
  })

  test('remembers the worst', () => {
    const { alarm } = live([state(1, 'major'), state(2, 'warning')])
    expect(alarm).toMatchObject({ state: 'warning', worstState: 'major' })
  })

  test('says when time changes it next', () => {
    expect(dueAtOf(live([]).alarm, TERMS)).toBeNull()
    expect(dueAtOf(live([], { delayMs: 5 }).alarm, TERMS)).toBe(5)
    expect(dueAtOf(live([assign(1, 8)]).alarm, TERMS)).toBe(8)
    expect(dueAtOf(live([state(2, 'ok')], { recoveryDelayMs: 5 }).alarm, { recoveryDelayMs: 5 })).toBe(7)
    expect(dueAtOf(live([state(2, 'ok')]).alarm, TERMS)).toBeNull()
  })

  test('opens at its link’s state and worse, and never in maintenance', () => {
    const opening = (minState: Level) => STATES.filter((one) => opens(one, { minState }))
    expect(opening('warning')).toEqual(['major', 'minor', 'warning'])
    expect(opening('minor')).toEqual(['major', 'minor'])
    expect(opening('major')).toEqual(['major'])
  })
})

const RANK: readonly State[] = ['major', 'minor', 'warning']

/** The same told plainly: a clock that ticks, and everything looked at anew at each tick. */
class PlainAlarm {
  bad: Level = 'minor'
  end: number | null = null
  #maintained = false
  #flapping = false
  #suppressed = false
  #assignment: { readonly until: number; readonly sticky: boolean } | null = null
  #wellSince: number | null = null
  readonly #terms: Terms
  #now = 0

  constructor(terms: Terms) {
    this.#terms = terms
  }

  get isSilent(): boolean {
    const isDelayed = this.#terms.delayMs > this.#now
    const isHeld = this.#maintained || this.#flapping || this.#suppressed || isDelayed
    return this.end !== null || isHeld || this.#assignment !== null || this.#wellSince !== null
  }

  tick(now: number): void {
    this.#now = now
    if (this.#assignment && this.#assignment.until <= now) this.#assignment = null
    const isWell = this.#wellSince !== null && this.#wellSince + this.#terms.recoveryDelayMs <= now
    if (isWell && !this.#flapping) this.end ??= this.#wellSince
  }

  take(event: AlarmEvent): void {
    if (this.end !== null) return
    if (event.kind === 'flapping') this.#flapping = event.isFlapping
    if (event.kind === 'suppression') this.#suppressed = event.by !== null
    if (event.kind === 'assignment') {
      const until = event.untilAt ?? Number.POSITIVE_INFINITY
      this.#assignment = event.assigneeId === null ? null : { until, sticky: event.sticky }
    }
    if (event.kind === 'state') this.#turn(event.state)
  }

  #turn(to: State): void {
    if (to === 'no_data') return
    if (to === 'undefined') {
      this.end = this.#wellSince ?? this.#now
      return
    }
    this.#maintained = to.startsWith('maintenance_')
    const bare = to.replace('maintenance_', '') as Level | 'ok'
    if (bare === 'ok') {
      this.#wellSince ??= this.#now
      return
    }
    this.#wellSince = null
    const isWorse = RANK.indexOf(bare) < RANK.indexOf(this.bad)
    if (isWorse && this.#assignment?.sticky === false) this.#assignment = null
    this.bad = bare
  }
}

function plainly(events: readonly AlarmEvent[], terms: Terms, until: number): PlainAlarm {
  const alarm = new PlainAlarm(terms)
  for (let now = 0; now <= until; now++) {
    alarm.tick(now)
    for (const event of events.filter(({ at }) => at === now)) {
      alarm.take(event)
      alarm.tick(now)
    }
  }
  return alarm
}

const events = fc
  .array(
    fc.record({
      at: fc.integer({ min: 1, max: 30 }),
      what: fc.oneof(
        fc.constantFrom(...STATES).map((to) => ({ kind: 'state', state: to }) as const),
        fc.boolean().map((isFlapping) => ({ kind: 'flapping', isFlapping }) as const),
        fc.constantFrom(3, null).map((by) => ({ kind: 'suppression', by }) as const),
        fc
          .record({
            for: fc.option(fc.integer({ min: 1, max: 9 })),
            sticky: fc.boolean(),
            to: fc.constantFrom(7, null),
          })
          .map((given) => ({ kind: 'assignment', given }) as const),
      ),
    }),
    { maxLength: 12 },
  )
  .map((list) =>
    list
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, what }): AlarmEvent => {
        if (what.kind !== 'assignment') return { ...what, at }
        const { sticky, to, for: lasting } = what.given
        return {
          kind: 'assignment',
          at,
          by: 1,
          assigneeId: to,
          untilAt: lasting === null ? null : at + lasting,
          sticky,
        }
      }),
  )
const delays = fc.record({
  delayMs: fc.integer({ min: 0, max: 9 }),
  recoveryDelayMs: fc.integer({ min: 0, max: 9 }),
})

describe('whatever happens', () => {
  test('an alarm is what a plain account of it says', () => {
    fc.assert(
      fc.property(events, delays, (list, given) => {
        const terms = { ...TERMS, ...given }
        const { alarm } = live([...list, time(40)], terms)
        const plain = plainly(list, terms, 40)
        const isQuiet = alarm.endAt !== null || isSilent(alarm)
        expect([alarm.endAt, alarm.state, isQuiet]).toEqual([plain.end, plain.bad, plain.isSilent])
      }),
      { numRuns: 2_000 },
    )
  })

  test('it does not matter how often somebody looks, nor how late', () => {
    fc.assert(
      fc.property(events, delays, fc.array(fc.integer({ min: 1, max: 40 })), (list, given, looks) => {
        const terms = { ...TERMS, ...given }
        const eager = [...list, ...looks.map(time), time(40)].toSorted(
          (a, b) => a.at - b.at || Number(a.kind === 'time') - Number(b.kind === 'time'),
        )
        expect(live(eager, terms)).toEqual(live([...list, time(40)], terms))
      }),
      { numRuns: 1_000 },
    )
  })

  test('nothing changes without being told, and the last that is told is how it stands', () => {
    fc.assert(
      fc.property(events, delays, (list, given) => {
        const terms = { ...TERMS, ...given }
        let alarm: Alarm = openAlarm({ state: 'minor', at: 0, isFlapping: false }, terms).alarm
        for (const event of list) {
          const step = stepAlarm(alarm, event, terms)
          if (step.changes.length === 0) expect(step.alarm).toEqual(alarm)
          const last = step.changes.at(-1)
          if (last)
            expect([last.details.heldReason, last.details.status]).toEqual([
              heldReasonOf(step.alarm),
              step.alarm.status,
            ])
          if (alarm.endAt !== null) expect(step.changes).toEqual([])
          alarm = step.alarm
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
