import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { crossing } from '../../../test/flow/transition.ts'
import { Propagation, shownState, worstOf } from './propagation.ts'
import { NO_CHILDREN } from './tally.ts'
import type { Node } from './propagation.ts'
import { sloStateOf } from './slo-state.ts'
import { STATES } from '../../domain/state.ts'
import { shownInMaintenance } from './state.ts'

const tallyOf = (...states: State[]) => STATES.map((state) => states.filter((one) => one === state).length)

describe('the state of a parent', () => {
  const rows: readonly [children: State[], parent: State][] = [
    [[], 'undefined'],
    [['undefined'], 'undefined'],
    [['no_data'], 'no_data'],
    [['no_data', 'undefined'], 'no_data'],
    [['ok', 'no_data', 'undefined'], 'ok'],
    [['ok', 'warning'], 'warning'],
    [['minor', 'warning', 'ok'], 'minor'],
    [['major', 'minor'], 'major'],
    [['maintenance_ok', 'ok'], 'maintenance_ok'],
    [['maintenance_major', 'ok'], 'maintenance_major'],
    [['maintenance_major', 'warning'], 'warning'],
    [['maintenance_warning', 'maintenance_minor'], 'maintenance_minor'],
  ]
  test.each(rows)('of %j is %s', (children, parent) => {
    expect(worstOf(tallyOf(...children))).toBe(parent)
  })
})

const GROUP = 1
const DEVICES = [2, 3]
const JOBS = [10, 11, 12, 13]
const deviceOf = (job: number) => DEVICES[job % 2] ?? 0

const under = (parentId: number) => ({ parentId, weight: 1, overrides: {} })

/** An object in ok that has never changed. */
const OK = {
  state: 'ok',
  sinceAt: 0,
  seq: 0,
  heard: null,
  maintained: false,
  flapping: false,
  parentId: null,
  moment: null,
  slaState: null,
} as const
const JOB = { heard: { seq: 0, state: 'ok' }, tally: null } as const

/** A group with two devices of two jobs each, all in ok. */
function nodes(): Node[] {
  const well = { ...OK, rules: null, push: 'any' } as const
  const below = (parentId: number) => ({ parentId, links: [under(parentId)] })
  return [
    ...JOBS.map((id) => ({ ...well, id, ...below(deviceOf(id)), ...JOB })),
    { ...well, id: GROUP, links: [], tally: tallyOf('ok', 'ok') },
    ...DEVICES.map((id) => ({ ...well, id, ...below(GROUP), tally: tallyOf('ok', 'ok') })),
  ]
}

const change = (objectId: number, seq: number, to: State, at = seq) =>
  crossing(objectId, { seq, at, detectedAt: at + 1, to })

describe('a change goes up', () => {
  test('reaches every object above, with its own date and its cause', () => {
    const propagation = new Propagation(nodes())
    propagation.follow(change(10, 1, 'major', 500))
    expect(
      propagation.changes.map(({ objectId, to, at, reason, causeId }) => [objectId, to, at, reason, causeId]),
    ).toEqual([
      [10, 'major', 500, 'threshold', null],
      [2, 'major', 500, 'child', 10],
      [GROUP, 'major', 500, 'child', 2],
    ])
  })

  test('stops at the first parent whose state stays the same', () => {
    const propagation = new Propagation(nodes())
    propagation.follow(change(10, 1, 'major'))
    propagation.follow(change(12, 1, 'minor'))
    expect(propagation.changes.map(({ objectId }) => objectId)).toEqual([10, 2, GROUP, 12])
    expect(propagation.touched.find(({ id }) => id === 2)?.tally).toEqual(tallyOf('major', 'minor'))
  })

  test('is never dated before the one that it follows', () => {
    const propagation = new Propagation(nodes())
    propagation.follow(change(10, 1, 'major', 900))
    propagation.follow(change(11, 1, 'warning', 300))
    propagation.follow(change(10, 2, 'ok', 400))
    const group = propagation.changes.filter(({ objectId }) => objectId === GROUP)
    expect(group.map(({ seq, from, to, at }) => [seq, from, to, at])).toEqual([
      [1, 'ok', 'major', 900],
      [2, 'major', 'warning', 900],
    ])
  })

  test('is applied once, and ignored for deleted objects', () => {
    const propagation = new Propagation(nodes())
    propagation.follow(change(10, 2, 'major'))
    propagation.follow(change(10, 2, 'major'))
    propagation.follow(change(10, 1, 'minor'))
    propagation.follow(change(99, 1, 'major'))
    expect(propagation.changes.map(({ objectId }) => objectId)).toEqual([10, 2, GROUP])
  })

  test('of recounted parents is evaluated from below', () => {
    const [, ...others] = nodes()
    const propagation = new Propagation(others.map((node) => ({ ...node, tally: node.tally && NO_CHILDREN })))
    propagation.recount(
      new Map([
        [2, tallyOf('minor', 'ok')],
        [3, tallyOf('ok')],
        [GROUP, tallyOf('ok', 'ok')],
      ]),
      70,
    )
    expect(propagation.changes.map(({ objectId, to, at, causeId }) => [objectId, to, at, causeId])).toEqual([
      [2, 'minor', 70, null],
      [GROUP, 'minor', 70, 2],
    ])
  })
})

const PARENT_OF = new Map(nodes().map(({ id, parentId }) => [id, parentId]))
const someEvents = fc.array(
  fc.oneof(
    fc.record({ job: fc.constantFrom(...JOBS), to: fc.constantFrom(...STATES) }),
    fc.record({ maintained: fc.constantFrom(...JOBS, ...DEVICES, GROUP), on: fc.boolean() }),
  ),
  { maxLength: 40 },
)

describe('maintenance', () => {
  test('marks all states below as maintained, exactly while an object above is in maintenance', () => {
    fc.assert(
      fc.property(someEvents, (events) => {
        const running = new Set<number>()
        const last = new Map<number, State>()
        let kept = nodes()
        let seq = 0
        const then = (act: (propagation: Propagation) => void) => {
          const propagation = new Propagation(kept)
          act(propagation)
          kept = kept.map((node) => propagation.touched.find(({ id }) => id === node.id) ?? node)
        }
        const review = (ids: readonly number[]): void => {
          let inside: number[] = []
          then((propagation) => {
            const asked = ids.map((objectId) => ({ objectId, at: seq, own: running.has(objectId) }))
            const changed = propagation.maintain(asked, seq).map(({ objectId }) => objectId)
            // A repetition changes nothing.
            expect(propagation.maintain(asked, seq)).toEqual([])
            inside = [...PARENT_OF].flatMap(([id, parent]) => (changed.includes(parent ?? 0) ? [id] : []))
          })
          if (inside.length > 0) review(inside)
        }
        for (const event of events) {
          seq++
          if ('job' in event) {
            then((propagation) => propagation.follow(change(event.job, seq, event.to)))
            last.set(event.job, event.to)
          } else {
            if (event.on) running.add(event.maintained)
            else running.delete(event.maintained)
            review([event.maintained])
          }
        }
        const isMaintainedAt = (id: number | null): boolean =>
          id !== null && (running.has(id) || isMaintainedAt(PARENT_OF.get(id) ?? null))
        const shown = (id: number, state: State) => (isMaintainedAt(id) ? shownInMaintenance(state) : state)
        const job = (id: number) => shown(id, last.get(id) ?? 'ok')
        const device = (id: number) =>
          shown(id, worstOf(tallyOf(...JOBS.filter((one) => deviceOf(one) === id).map(job))))
        const group = shown(GROUP, worstOf(tallyOf(...DEVICES.map(device))))
        expect(kept.map(({ id, state }) => [id, state])).toEqual([
          ...JOBS.map((id): [number, State] => [id, job(id)]),
          [GROUP, group],
          ...DEVICES.map((id): [number, State] => [id, device(id)]),
        ])
      }),
      { numRuns: 1_000 },
    )
  })

  test('changes the objects that enter it and the objects above them, at the planned instant', () => {
    const propagation = new Propagation(nodes())
    propagation.follow(change(10, 1, 'major', 500))
    expect(propagation.maintain([{ objectId: 2, at: 700, own: true }], 900)).toHaveLength(1)
    propagation.maintain([{ objectId: 10, at: 700, own: false }], 900)
    propagation.follow(change(10, 2, 'minor', 800))
    expect(
      propagation.changes
        .slice(3)
        .map(({ objectId, to, at, detectedAt, reason, causeId }) => [
          objectId,
          to,
          at,
          detectedAt,
          reason,
          causeId,
        ]),
    ).toEqual([
      [2, 'maintenance_major', 700, 900, 'maintenance', null],
      [GROUP, 'maintenance_major', 700, 900, 'maintenance', 2],
      [10, 'maintenance_major', 700, 900, 'maintenance', null],
      [10, 'maintenance_minor', 800, 801, 'threshold', null],
      [2, 'maintenance_minor', 800, 801, 'child', 10],
      [GROUP, 'maintenance_minor', 800, 801, 'child', 2],
    ])
  })
})

const NO_COUNTERS = { major: 0, minor: 0, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }

/** The two transitions of a job that could not deliver for a while because of our downtime. */
const gap = (objectId: number, seq: number, state: State): Transition[] => [
  { ...change(objectId, seq, 'no_data'), from: state, reason: 'platform' },
  { ...change(objectId, seq + 1, state), from: 'no_data', reason: 'platform' },
]

describe('a child that cannot deliver because of our downtime', () => {
  const either = { operation: 'or', counters: NO_COUNTERS, ignoreMaintenance: false } as const
  const one = { operation: 'xor', counters: NO_COUNTERS, ignoreMaintenance: false } as const
  const slo = (id: number, rules: Node['rules'], above: number[], tally: Node['tally']): Node => ({
    ...OK,
    id,
    rules,
    push: 'any',
    tally,
    links: above.map(under),
  })

  test('makes no parent worse: parents have no data and then their former state', () => {
    // Either job is enough for 20, of 20 and another exactly one must be well for 21; 10 is major.
    const family = [
      slo(10, null, [20], null),
      slo(11, null, [20], null),
      slo(20, either, [21, 22], tallyOf('major', 'ok')),
      slo(21, one, [], tallyOf('ok', 'major')),
      slo(22, null, [], tallyOf('ok')),
    ]
    const propagation = new Propagation(family)
    for (const transition of gap(11, 1, 'ok')) propagation.follow(transition)
    expect(propagation.changes.map(({ objectId, from, to, reason }) => [objectId, from, to, reason])).toEqual(
      [
        [11, 'ok', 'no_data', 'platform'],
        [20, 'ok', 'no_data', 'platform'],
        [21, 'ok', 'no_data', 'platform'],
        [22, 'ok', 'no_data', 'platform'],
        [11, 'no_data', 'ok', 'platform'],
        [20, 'no_data', 'ok', 'platform'],
        [21, 'no_data', 'ok', 'platform'],
        [22, 'no_data', 'ok', 'platform'],
      ],
    )
  })

  test('makes a parent worse by its own silence', () => {
    const family = [
      slo(10, null, [20], null),
      slo(11, null, [20], null),
      slo(20, either, [], tallyOf('major', 'ok')),
    ]
    const propagation = new Propagation(family)
    propagation.follow(change(11, 1, 'no_data'))
    expect(propagation.changes.at(-1)).toMatchObject({ objectId: 20, to: 'major', reason: 'child' })
  })
})

type ToldState = { readonly job: number; readonly to: State }

const someTold = fc.array(fc.record({ job: fc.constantFrom(...JOBS), to: fc.constantFrom(...STATES) }), {
  maxLength: 60,
})

describe('children that change in any order', () => {
  test('result in the same tallies and states, with repetitions and restarts in between', () => {
    fc.assert(
      fc.property(someTold, fc.infiniteStream(fc.nat()), (all, chance) => {
        const next = (max: number) => (chance.next().value ?? 0) % max
        let kept = nodes()
        for (const transition of interleaved(all, next)) {
          // A restart after each event: only stored data is known.
          const propagation = new Propagation(kept)
          for (let times = 1 + next(2); times > 0; times--) propagation.follow(transition)
          kept = kept.map((node) => propagation.touched.find(({ id }) => id === node.id) ?? node)
        }
        expect(kept.map(({ id, state, tally }): unknown[] => [id, state, tally])).toEqual(naive(all))
      }),
      { numRuns: 2_000 },
    )
  })
})

/** The transitions of each job in order; transitions of different jobs are in any order. */
function* interleaved(all: readonly ToldState[], next: (max: number) => number): Generator<Transition> {
  const queues = JOBS.map((job) =>
    all.filter((told) => told.job === job).map(({ to }, index) => change(job, index + 1, to)),
  )
  for (let waiting = queues.filter(({ length }) => length > 0); waiting.length > 0;) {
    const transition = waiting[next(waiting.length)]?.shift()
    if (transition) yield transition
    waiting = waiting.filter(({ length }) => length > 0)
  }
}

/** The last state of every job, and the full count of every parent. */
function naive(all: readonly ToldState[]): unknown[][] {
  const stateOf = (job: number) => all.findLast((told) => told.job === job)?.to ?? 'ok'
  const device = (id: number) => tallyOf(...JOBS.filter((job) => deviceOf(job) === id).map(stateOf))
  const group = tallyOf(...DEVICES.map((id) => worstOf(device(id))))
  return [
    ...JOBS.map((id) => [id, stateOf(id), null]),
    [GROUP, worstOf(group), group],
    ...DEVICES.map((id) => [id, worstOf(device(id)), device(id)]),
  ]
}

const SLOS = [20, 21, 22, 23]

/** Service level objects over jobs and over each other, each over earlier ones, linked at random. */
const someSlos = fc.array(
  fc.record({
    operation: fc.constantFrom('and', 'or', 'count', 'xor', 'degraded'),
    major: fc.nat({ max: 3 }),
    ignoreMaintenance: fc.boolean(),
    push: fc.constantFrom('any', 'minor', 'major', 'none'),
    children: fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 6 }),
    weight: fc.integer({ min: 1, max: 3 }),
    override: fc.constantFrom(...STATES),
  }),
  { minLength: SLOS.length, maxLength: SLOS.length },
)

type SomeSlo = typeof someSlos extends fc.Arbitrary<readonly (infer One)[]> ? One : never

/** How bad a down state is; 0 for all others. */
const badness = (state: State | undefined) => ['warning', 'minor', 'major'].indexOf(state ?? 'ok') + 1

/** The children of a service level object: jobs, and earlier ones. */
function childrenOf(place: number, { children }: SomeSlo): number[] {
  return [...JOBS, ...SLOS.slice(0, place)].filter((_, index) => children.includes(index))
}

/** After everything else. */
const LATER = 1_000

describe('nested service level objects', () => {
  test('have the states of their children in the end, with one change for each change below', () => {
    fc.assert(
      fc.property(someSlos, someTold, fc.infiniteStream(fc.nat()), (slos, all, chance) => {
        const next = (max: number) => (chance.next().value ?? 0) % max
        let kept = sloNodes(slos)
        for (const transition of interleaved(all, next)) {
          const propagation = new Propagation(kept)
          propagation.follow(transition)
          const changed = propagation.changes.map(({ objectId }) => objectId)
          expect(new Set(changed).size).toBe(changed.length)
          kept = kept.map((node) => propagation.touched.find(({ id }) => id === node.id) ?? node)
        }
        const stateOf = new Map(kept.map(({ id, state }) => [id, state]))
        for (const node of kept) {
          const tally = countedAnew(node.id, kept)
          if (node.rules)
            expect([node.id, node.state, node.tally]).toEqual([node.id, sloStateOf(node.rules, tally), tally])
        }
        for (const job of JOBS)
          expect(stateOf.get(job)).toBe(all.findLast((told) => told.job === job)?.to ?? 'ok')
      }),
      { numRuns: 1_000 },
    )
  })

  test('get no worse while a job cannot deliver, and are as before afterwards', () => {
    fc.assert(
      fc.property(someSlos, someTold, fc.constantFrom(...JOBS), (slos, all, job) => {
        let kept = sloNodes(slos)
        const follow = (transition: Transition) => {
          const propagation = new Propagation(kept)
          propagation.follow(transition)
          kept = kept.map((node) => propagation.touched.find(({ id }) => id === node.id) ?? node)
          return propagation.changes
        }
        for (const transition of interleaved(all, () => 0)) follow(transition)
        const states = () => kept.map(({ id, state, tally }) => [id, state, tally])
        const before = states()
        const { state, seq } = kept.find(({ id }) => id === job) ?? { state: 'ok', seq: 0 }
        // If something else happens at the same instant, only the common result is as before or better.
        for (const told of gap(job, seq + 1, state)) {
          const transition = { ...told, at: told.at + LATER }
          for (const { from, to } of follow(transition)) {
            if (transition.to === 'no_data') expect(badness(to)).toBeLessThanOrEqual(badness(from))
          }
        }
        expect(states()).toEqual(before)
      }),
      { numRuns: 1_000 },
    )
  })
})

/** Jobs in ok, with service level objects that count them from below. */
function sloNodes(slos: readonly SomeSlo[]): Node[] {
  const links = (id: number) =>
    slos.flatMap((slo, place) =>
      childrenOf(place, slo).includes(id)
        ? [{ parentId: SLOS[place] ?? 0, weight: slo.weight, overrides: { warning: slo.override } }]
        : [],
    )
  const all: Node[] = JOBS.map((id) => ({
    ...OK,
    ...JOB,
    id,
    links: links(id),
    rules: null,
    push: 'any',
  }))
  for (const [place, { operation, major, ignoreMaintenance, push }] of slos.entries()) {
    const counters = { ...NO_COUNTERS, major }
    const rules = { operation, counters, ignoreMaintenance }
    const id = SLOS[place] ?? 0
    const tally = countedAnew(id, all)
    all.push({
      ...OK,
      id,
      links: links(id),
      state: sloStateOf(rules, tally),
      tally,
      rules,
      push,
    })
  }
  return all
}

function countedAnew(id: number, all: readonly Node[]): number[] {
  const tally = STATES.map(() => 0)
  for (const { state, push, links } of all) {
    for (const { parentId, weight, overrides } of links) {
      if (parentId !== id) continue
      const place = STATES.indexOf(shownState(state, push, overrides))
      tally[place] = (tally[place] ?? 0) + weight
    }
  }
  return tally
}

describe('the state that parents see', () => {
  test.each([
    ['any', 'warning', 'warning'],
    ['minor', 'warning', 'ok'],
    ['minor', 'minor', 'minor'],
    ['minor', 'maintenance_warning', 'maintenance_ok'],
    ['minor', 'maintenance_minor', 'maintenance_minor'],
    ['major', 'minor', 'ok'],
    ['major', 'major', 'major'],
    ['major', 'no_data', 'no_data'],
    ['none', 'major', 'undefined'],
  ] as const)('pushing %s, %s is %s', (push, state, shown) => {
    expect(shownState(state, push, {})).toBe(shown)
  })

  test('is overridden for each link', () => {
    expect(shownState('major', 'any', { major: 'warning' })).toBe('warning')
    expect(shownState('warning', 'minor', { ok: 'major' })).toBe('major')
  })
})
