import { expect, test } from 'bun:test'

import fc from 'fast-check'

import type { State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { crossing } from '../../../test/flow/transition.ts'
import { slaSpans } from '../state-history/recalc.ts'
import { spansOf } from '../state-history/timeline.ts'
import { SlaView } from './sla-view.ts'
import type { SlaTransition, SlaReview } from './sla-view.ts'
import { Propagation } from './propagation.ts'
import type { StateChange, Node } from './propagation.ts'
import { STATES } from '../../domain/state.ts'
import { isMaintained } from './state.ts'

/** A group with a device of two jobs; a service level object elsewhere over both jobs and another one. */
const [GROUP, DEVICE, SLO] = [1, 2, 3]
const JOBS = [10, 11, 12]
const ALL = [GROUP, DEVICE, SLO, ...JOBS]
const PARENT_OF = new Map([
  [10, DEVICE],
  [11, DEVICE],
  [DEVICE, GROUP],
])

const COUNTERS = { major: 2, minor: 0, warning: 1, minorMinor: 2, minorWarning: 0, warningWarning: 0 }
const RULES = { operation: 'count', counters: COUNTERS, ignoreMaintenance: false } as const

function nodes(): Node[] {
  const well = {
    state: 'ok',
    sinceAt: 0,
    seq: 0,
    maintained: false,
    flapping: false,
    push: 'any',
    moment: null,
    slaState: null,
  } as const
  const tallyOf = (count: number) => STATES.map((state) => (state === 'ok' ? count : 0))
  const to = (parentId: number) => ({ parentId, weight: 1, overrides: {} })
  const parent = { ...well, heard: null, rules: null, links: [] }
  return [
    { ...parent, id: GROUP, parentId: null, tally: tallyOf(1) },
    { ...parent, id: DEVICE, parentId: GROUP, tally: tallyOf(2), links: [to(GROUP)] },
    { ...parent, id: SLO, parentId: null, tally: tallyOf(3), rules: RULES },
    ...JOBS.map((id): Node => {
      const device = PARENT_OF.get(id) ?? null
      const links = [...(device === null ? [] : [to(device)]), to(SLO)]
      const heard = { seq: 0, state: 'ok' } as const
      return { ...well, id, parentId: device, tally: null, rules: null, heard, links }
    }),
  ]
}

const change = (objectId: number, seq: number, to: State) => crossing(objectId, { seq, at: seq, to })

const someEvents = fc.array(
  fc.oneof(
    fc.record({
      job: fc.constantFrom(...JOBS),
      to: fc.constantFrom(...STATES.filter((one) => !isMaintained(one))),
    }),
    fc.record({
      maintained: fc.constantFrom(...ALL),
      kind: fc.constantFrom('plain' as const, 'relevant' as const),
      on: fc.boolean(),
    }),
  ),
  { maxLength: 40 },
)

/** Objects after a series of events, with their stored changes. */
class World<P extends SlaView | Propagation> {
  kept = nodes()
  readonly changes: StateChange[] = []
  readonly slaChanges: SlaTransition[] = []
  readonly #make: (nodes: readonly Node[], reviews: readonly SlaReview[]) => P

  constructor(make: (nodes: readonly Node[], reviews: readonly SlaReview[]) => P) {
    this.#make = make
  }

  follow(transitions: readonly Transition[]): void {
    const propagation = this.#make(this.kept, [])
    for (const transition of transitions) propagation.follow(transition)
    this.#keep(propagation)
  }

  review(asked: readonly SlaReview[]): void {
    const propagation = this.#make(this.kept, asked)
    const changed = propagation.maintain(asked, 0).map(({ objectId }) => objectId)
    this.#keep(propagation)
    const own = { own: false, ownSla: false }
    const inside = ALL.filter((id) => changed.includes(PARENT_OF.get(id) ?? 0))
    const at = asked[0]?.at ?? 0
    if (inside.length > 0)
      this.review(inside.map((objectId) => ({ objectId, at, ...(this.running(objectId) ?? own) })))
  }

  running: (id: number) => Pick<SlaReview, 'own' | 'ownSla'> | undefined = () => undefined

  #keep(propagation: P): void {
    this.kept = this.kept.map((node) => propagation.touched.find(({ id }) => id === node.id) ?? node)
    this.changes.push(...propagation.changes)
    if (propagation instanceof SlaView) this.slaChanges.push(...propagation.slaChanges)
  }
}

test('containers use the states without slaRelevant maintenance at every instant', () => {
  fc.assert(
    fc.property(someEvents, fc.integer({ min: 1, max: 3 }), (events, atOnce) => {
      const running = { plain: new Set<number>(), relevant: new Set<number>() }
      const both = new World(
        (some, reviews) =>
          new SlaView(
            some,
            reviews.some(({ own, ownSla }) => own !== ownSla),
          ),
      )
      both.running = (id) => ({
        own: running.plain.has(id) || running.relevant.has(id),
        ownSla: running.plain.has(id),
      })
      // The states that would exist without the other maintenance.
      const without = new World((some) => new Propagation(some))
      without.running = (id) => ({ own: running.plain.has(id), ownSla: false })
      let waiting: Transition[] = []
      const tell = () => {
        both.follow(waiting)
        without.follow(waiting)
        waiting = []
      }
      for (const [index, event] of events.entries()) {
        const at = index + 1
        if ('job' in event) waiting.push(change(event.job, at, event.to))
        if (!('job' in event) || waiting.length === atOnce) tell()
        if ('job' in event) continue
        running[event.kind][event.on ? 'add' : 'delete'](event.maintained)
        for (const world of [both, without]) {
          const own = world.running(event.maintained) ?? { own: false, ownSla: false }
          world.review([{ objectId: event.maintained, at, ...own }])
        }
      }
      tell()
      const range = { beginAt: 0, endAt: events.length + 2 }
      for (const id of ALL) {
        const spans = (changes: readonly StateChange[]) =>
          spansOf(
            'ok',
            changes.filter(({ objectId }) => objectId === id),
            range,
          )
        const slaChanges = both.slaChanges.filter(({ objectId }) => objectId === id)
        expect(slaSpans(spans(both.changes), slaChanges)).toEqual(spans(without.changes))
        expect(slaChanges.map(({ at }) => at)).toEqual(
          slaChanges.map(({ at }) => at).toSorted((a, b) => a - b),
        )
      }
      if (running.relevant.size > 0) return
      // No difference is stored once none applies any more.
      for (const { slaState, ...shown } of both.kept)
        expect(shown).toMatchObject({ ...slaState, sinceAt: shown.sinceAt, moment: shown.moment })
    }),
    { numRuns: 2_000 },
  )
})

test('without slaRelevant maintenance containers store no states of their own', () => {
  const slaView = new SlaView(nodes())
  slaView.follow(change(10, 1, 'major'))
  slaView.maintain([{ objectId: GROUP, at: 2, own: true, ownSla: true }], 2)
  slaView.follow(change(10, 3, 'minor'))
  expect(slaView.slaChanges).toEqual([])
  expect(slaView.touched.every(({ slaState }) => slaState === null)).toBe(true)
})
