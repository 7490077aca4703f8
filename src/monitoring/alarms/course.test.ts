import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import type { Level, State } from '../../domain/state.ts'
import { STATES } from '../../domain/state.ts'
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

/** The changes of an alarm that opens at 0 in `minor`. */
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

/** Instant and kind of each change; `!` marks those that are notified. */
const told = (changes: readonly AlarmChange[]) =>
  changes.map(({ at, kind, details }) => `${at} ${kind}${details.isSilent ? '' : '!'}`)

const ROWS: readonly (readonly [
  title: string,
  terms: Partial<Terms>,
  events: readonly AlarmEvent[],
  expected: readonly string[],
])[] = [
  ['a new alarm is notified at once', {}, [], ['0 opened!']],
  [
    'a delayed alarm is notified after its delay',
    { delayMs: 5 },
    [time(4), time(9)],
    ['0 opened', '5 unheld!'],
  ],
  [
    'an alarm that ends within its delay is never notified',
    { delayMs: 5 },
    [state(4, 'ok')],
    ['0 opened', '4 closed'],
  ],
  [
    'a comment changes nothing else',
    {},
    [{ kind: 'comment', at: 1, by: 1, text: 'x' }],
    ['0 opened!', '1 commented!'],
  ],
  [
    'an alarm that is assigned without an end is silent',
    {},
    [assign(1), time(99)],
    ['0 opened!', '1 assigned'],
  ],
  [
    'an assigned alarm is silent until the end of the assignment',
    {},
    [assign(1, 5), time(4)],
    ['0 opened!', '1 assigned'],
  ],
  [
    'an alarm is notified again at the end of its assignment',
    {},
    [assign(1, 5), time(9)],
    ['0 opened!', '1 assigned', '5 assignment_expired!'],
  ],
  [
    'an unassigned alarm is notified again',
    {},
    [assign(1), unassign(2)],
    ['0 opened!', '1 assigned', '2 unassigned!'],
  ],
  ['unassigning an unassigned alarm does nothing', {}, [unassign(2)], ['0 opened!']],
  [
    'an alarm that gets worse is unassigned',
    {},
    [assign(1), state(2, 'major')],
    ['0 opened!', '1 assigned', '2 worsened!'],
  ],
  [
    'a sticky assignment stays when the alarm gets worse',
    {},
    [assign(1, null, true), state(2, 'major')],
    ['0 opened!', '1 assigned', '2 worsened'],
  ],
  [
    'an assignment stays when the alarm gets better',
    {},
    [assign(1), state(2, 'warning')],
    ['0 opened!', '1 assigned', '2 eased'],
  ],
  ['an alarm closes with the recovery', {}, [state(2, 'ok')], ['0 opened!', '2 closed']],
  [
    'an assigned alarm closes with the recovery',
    {},
    [assign(1), state(2, 'ok')],
    ['0 opened!', '1 assigned', '2 closed'],
  ],
  [
    'an alarm closes after the recovery delay',
    { recoveryDelayMs: 5 },
    [state(2, 'ok'), time(9)],
    ['0 opened!', '2 recovering', '7 closed'],
  ],
  [
    'an alarm continues if its object gets bad within the recovery delay',
    { recoveryDelayMs: 5 },
    [state(2, 'ok'), state(4, 'minor'), time(9)],
    ['0 opened!', '2 recovering', '4 relapsed!'],
  ],
  [
    'an assignment that ends during the recovery is not notified',
    { recoveryDelayMs: 5 },
    [assign(1, 3), state(2, 'ok'), time(4)],
    ['0 opened!', '1 assigned', '2 recovering', '3 assignment_expired'],
  ],
  ['missing data leaves an alarm as it was', {}, [state(2, 'no_data'), state(3, 'minor')], ['0 opened!']],
  [
    'an alarm closes when its object is no longer monitored',
    { recoveryDelayMs: 5 },
    [state(2, 'undefined')],
    ['0 opened!', '2 closed'],
  ],
  [
    'maintenance holds an alarm, which is notified at its end',
    {},
    [state(2, 'maintenance_minor'), state(9, 'minor')],
    ['0 opened!', '2 held', '9 unheld!'],
  ],
  [
    'a worse state in maintenance is notified at its end',
    {},
    [state(2, 'maintenance_minor'), state(5, 'maintenance_major'), state(9, 'major')],
    ['0 opened!', '2 held', '5 worsened', '9 unheld!'],
  ],
  [
    'an alarm closes when its object recovers in maintenance',
    {},
    [state(2, 'maintenance_minor'), state(5, 'maintenance_ok')],
    ['0 opened!', '2 held', '5 closed'],
  ],
  [
    'a delay that ends in maintenance is over',
    { delayMs: 5 },
    [state(2, 'maintenance_minor'), time(6), state(9, 'minor')],
    ['0 opened', '2 held', '9 unheld!'],
  ],
  [
    'a delay that outlasts the maintenance continues',
    { delayMs: 5 },
    [state(2, 'maintenance_minor'), state(3, 'minor'), time(6)],
    ['0 opened', '2 held', '3 held', '5 unheld!'],
  ],
  [
    'flapping holds an alarm',
    {},
    [flap(2, true), state(3, 'ok'), state(4, 'minor'), flap(9, false)],
    ['0 opened!', '2 held', '3 recovering', '4 relapsed', '9 unheld!'],
  ],
  [
    'an alarm of a recovered object closes when the flapping ends',
    {},
    [flap(2, true), state(3, 'ok'), flap(9, false)],
    ['0 opened!', '2 held', '3 recovering', '9 unheld', '9 closed'],
  ],
  [
    'a suppressed alarm is silent until its cause has closed',
    {},
    [suppress(2, 5), suppress(4, 5), suppress(9, null)],
    ['0 opened!', '2 suppressed', '9 released!'],
  ],
  [
    'an alarm of a deleted assignee is unassigned',
    {},
    [assign(1), { kind: 'orphaned', at: 3 }],
    ['0 opened!', '1 assigned', '3 unassigned!'],
  ],
]

describe('the transition table', () => {
  for (const [title, terms, events, expected] of ROWS)
    test(title, () => expect(told(live(events, terms).changes)).toEqual([...expected]))

  test('an alarm ends when its object recovered, however long the recovery delay is', () => {
    const { alarm } = live([state(2, 'ok'), time(9)], { recoveryDelayMs: 5 })
    expect(alarm).toMatchObject({ status: 'closed', endAt: 2 })
  })

  test('an alarm remembers its worst state', () => {
    const { alarm } = live([state(1, 'major'), state(2, 'warning')])
    expect(alarm).toMatchObject({ state: 'warning', worstState: 'major' })
  })

  test('an alarm knows when time changes it next', () => {
    expect(dueAtOf(live([]).alarm, TERMS)).toBeNull()
    expect(dueAtOf(live([], { delayMs: 5 }).alarm, TERMS)).toBe(5)
    expect(dueAtOf(live([assign(1, 8)]).alarm, TERMS)).toBe(8)
    expect(dueAtOf(live([state(2, 'ok')], { recoveryDelayMs: 5 }).alarm, { recoveryDelayMs: 5 })).toBe(7)
    expect(dueAtOf(live([state(2, 'ok')]).alarm, TERMS)).toBeNull()
  })

  test('an alarm opens at the minimum state of its link or worse, and never in maintenance', () => {
    const opening = (minState: Level) => STATES.filter((one) => opens(one, { minState }))
    expect(opening('warning')).toEqual(['major', 'minor', 'warning'])
    expect(opening('minor')).toEqual(['major', 'minor'])
    expect(opening('major')).toEqual(['major'])
  })
})

const RANK: readonly State[] = ['major', 'minor', 'warning']

/** A plain model: a clock that ticks, and all rules evaluated at each tick. */
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

describe('random events', () => {
  test('an alarm agrees with a plain model', () => {
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

  test('the number and the time of calls do not matter', () => {
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

  test('every change is reported, and the last one has the current state', () => {
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
