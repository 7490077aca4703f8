import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { State } from '../../domain/state.ts'
import type { Range } from '../../lib/range.ts'
import { unionOf } from '../../lib/range.ts'
import { Propagation, stateOf } from '../states/propagation.ts'
import { NO_CHILDREN } from '../states/tally.ts'
import type { Link, Node } from '../states/propagation.ts'
import type { SloRules } from '../states/slo-state.ts'
import { STATES } from '../../domain/state.ts'
import { shownInMaintenance } from '../states/state.ts'
import { coversOf, laidOver, parentSpans, spliced } from './recalc.ts'
import type { Overlay } from './recalc.ts'
import { spansOf } from './timeline.ts'
import type { Span } from './timeline.ts'

const END = 60
const WHOLE = { beginAt: 0, endAt: END }
const ALL_HEARD = { ranges: [], was: 'undefined' } as const

const someRange = fc
  .tuple(fc.nat({ max: END - 1 }), fc.integer({ min: 1, max: 20 }))
  .map(([beginAt, length]) => ({ beginAt, endAt: Math.min(END, beginAt + length) }))
const someRanges = fc.array(someRange, { maxLength: 3 }).map((ranges) => unionOf(ranges))
const someSpans = fc
  .record({
    first: fc.constantFrom(...STATES),
    changes: fc.array(fc.record({ at: fc.nat({ max: END }), to: fc.constantFrom(...STATES) }), {
      maxLength: 8,
    }),
  })
  .map(({ first, changes }) =>
    spansOf(
      first,
      changes.toSorted((a, b) => a.at - b.at),
      WHOLE,
    ),
  )
const someOverlays = fc.array(
  fc.record<Overlay>({
    type: fc.constantFrom('maintenance', 'adjustment'),
    adjustTo: fc.constantFrom('ok', 'warning', 'minor', 'major'),
    ranges: someRanges,
  }),
  { maxLength: 5 },
)

const stateAt = (spans: readonly Span[], at: number): State | undefined =>
  spans.find(({ beginAt, endAt }) => beginAt <= at && at < endAt)?.state
const everyInstant = Array.from({ length: END }, (_, at) => at)
const isIn = (ranges: Overlay['ranges'], at: number) =>
  ranges.some(({ beginAt, endAt }) => beginAt <= at && at < endAt)

/** Spans have no gaps, neighbours differ, and none has zero length. */
function expectWhole(spans: readonly Span[]): void {
  expect([spans[0]?.beginAt, spans.at(-1)?.endAt]).toEqual([0, END])
  for (const [index, { state, beginAt, endAt }] of spans.entries()) {
    const next = spans[index + 1]
    expect(endAt).toBeGreaterThan(beginAt)
    if (next) expect([next.beginAt, next.state === state]).toEqual([endAt, false])
  }
}

describe('instant by instant', () => {
  test('overlays apply in order, each to the result of the earlier ones', () => {
    fc.assert(
      fc.property(someSpans, someOverlays, (spans, overlays) => {
        const result = laidOver(spans, coversOf(overlays))
        expectWhole(result)
        const wanted = everyInstant.map((at) =>
          overlays
            .filter(({ ranges }) => isIn(ranges, at))
            .reduce(
              (state, { type, adjustTo }) => (type === 'maintenance' ? shownInMaintenance(state) : adjustTo),
              stateAt(spans, at) ?? 'undefined',
            ),
        )
        expect(everyInstant.map((at) => stateAt(result, at))).toEqual(wanted)
      }),
      { numRuns: 1_000 },
    )
  })

  test('the states of a parent follow from its children', () => {
    const someChild = fc.record({
      spans: fc.tuple(someSpans, fc.nat({ max: 3 })).map(([spans, absent]) => spans.slice(absent)),
      weight: fc.integer({ min: 1, max: 3 }),
      overrides: fc.constantFrom({}, { warning: 'major' } as const),
      push: fc.constantFrom('any', 'minor', 'major', 'none'),
    })
    const counters = { major: 2, minor: 1, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }
    const someRules = fc.constantFrom(null, {
      operation: 'count',
      counters,
      ignoreMaintenance: false,
    } as const)
    fc.assert(
      fc.property(fc.array(someChild, { maxLength: 5 }), someRules, (children, rules) => {
        const result = parentSpans({ rules, children }, WHOLE, ALL_HEARD)
        expectWhole(result)
        for (const at of everyInstant) {
          const ones = children.map((child) => ({
            ...child,
            spans: [{ ...WHOLE, state: stateAt(child.spans, at) ?? ('undefined' as const) }],
          }))
          expect(stateAt(result, at)).toBe(
            stateAt(parentSpans({ rules, children: ones }, WHOLE, ALL_HEARD), 0) as State,
          )
        }
      }),
      { numRuns: 300 },
    )
    const counted = (state: State) => ({ ...plain, spans: [{ ...WHOLE, state }] })
    const plain = { weight: 1, overrides: {}, push: 'any' } as const
    expect(
      parentSpans({ rules: null, children: [counted('ok'), counted('minor')] }, WHOLE, ALL_HEARD),
    ).toEqual([{ ...WHOLE, state: 'minor' }])
    expect(
      stateOf(
        null,
        STATES.map(() => 0),
      ),
    ).toBe('undefined')
  })

  test('a history replaces another one within windows only', () => {
    fc.assert(
      fc.property(someSpans, someSpans, someRanges, (spans, others, windows) => {
        const result = spliced(spans, others, windows)
        expectWhole(result)
        expect(everyInstant.map((at) => stateAt(result, at))).toEqual(
          everyInstant.map((at) => stateAt(isIn(windows, at) ? others : spans, at)),
        )
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a recomputed parent', () => {
  const JOBS = [1, 2, 3]
  const SLO = 9
  /** Events at each instant: a job changes, cannot deliver, or can deliver again. */
  const someHappenings = fc.array(
    fc.record({
      job: fc.constantFrom(...JOBS),
      to: fc.constantFrom<State>('ok', 'warning', 'minor', 'major', 'maintenance_major'),
      kind: fc.constantFrom('change', 'gap'),
    }),
    { maxLength: 12 },
  )
  const someOperation = fc.constantFrom('and', 'or', 'xor', 'degraded', null)
  const counters = { major: 0, minor: 0, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }

  test('has the states that were recorded, also with children that could not deliver, from any begin', () => {
    fc.assert(
      fc.property(
        someHappenings,
        someOperation,
        fc.record({
          overrides: fc.constantFrom<Link['overrides']>({}, { no_data: 'minor' }, { no_data: 'major' }),
          atOnce: fc.integer({ min: 1, max: 3 }),
        }),
        fc.nat({ max: END - 1 }),
        (happenings, operation, linked, beginAt) => {
          const rules = operation && { operation, counters, ignoreMaintenance: false }
          const { spans, children, gaps } = lived(happenings, rules, linked)
          const range = { beginAt, endAt: END }
          const was = stateAt(spans, beginAt) ?? 'undefined'
          const anew = parentSpans({ rules, children }, range, { ranges: gaps, was })
          const instants = everyInstant.slice(beginAt)
          expect(instants.map((at) => stateAt(anew, at))).toEqual(instants.map((at) => stateAt(spans, at)))
        },
      ),
      { numRuns: 5_000 },
    )
  })

  /** The propagation of events, some at the same instant and the others four apart; at one instant a job changes once,
   * and a job that cannot deliver and changes can deliver again. */
  function lived(
    happenings: readonly { readonly job: number; readonly to: State; readonly kind: 'change' | 'gap' }[],
    rules: SloRules | null,
    { overrides, atOnce }: { readonly overrides: Link['overrides']; readonly atOnce: number },
  ) {
    const plain = {
      sinceAt: 0,
      seq: 0,
      maintained: false,
      flapping: false,
      parentId: null,
      push: 'any',
      moment: null,
      slaState: null,
    } as const
    const linkOf = (id: number) => ({ parentId: SLO, weight: 1, overrides: id === JOBS[0] ? overrides : {} })
    const propagation = new Propagation([
      ...JOBS.map((id): Node => ({
        ...plain,
        id,
        state: 'undefined',
        heard: null,
        tally: null,
        rules: null,
        links: [linkOf(id)],
      })),
      { ...plain, id: SLO, state: 'undefined', heard: null, tally: undefinedTally, rules, links: [] },
    ])
    const states = new Map<number, State>(JOBS.map((id) => [id, 'undefined']))
    const gaps: Range[] = []
    const silentSince = new Map<number, number>()
    const changedAt = new Map<number, number>()
    for (const [index, { job, to: wanted, kind }] of happenings.entries()) {
      const at = 1 + Math.floor(index / atOnce) * 4
      if (changedAt.get(job) === at) continue
      changedAt.set(job, at)
      const from = states.get(job) ?? 'undefined'
      const since = silentSince.get(job)
      silentSince.delete(job)
      if (since !== undefined) gaps.push({ beginAt: since, endAt: at })
      else if (kind === 'gap') silentSince.set(job, at)
      const to = kind === 'gap' && since === undefined ? 'no_data' : wanted
      const reason = since !== undefined || kind === 'gap' ? 'platform' : 'threshold'
      states.set(job, to)
      const rest = { errorCode: 0, message: null, silentSinceAt: null }
      propagation.follow({ objectId: job, seq: index + 1, at, detectedAt: at, from, to, reason, ...rest })
    }
    const endless = [...silentSince.values()].map((beginAt) => ({ beginAt, endAt: END }))
    const spansFor = (id: number) =>
      spansOf(
        'undefined',
        propagation.changes.filter(({ objectId }) => objectId === id),
        WHOLE,
      )
    return {
      spans: spansFor(SLO),
      children: JOBS.map((id) => ({ ...linkOf(id), push: 'any' as const, spans: spansFor(id) })),
      gaps: unionOf([...gaps, ...endless]),
    }
  }

  const undefinedTally = NO_CHILDREN.map((_, place) => (STATES[place] === 'undefined' ? JOBS.length : 0))
})
