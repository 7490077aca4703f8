import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { State } from '../../ports/job-actors.ts'
import { joined } from '../revaluations/occurrences.ts'
import { stateOf } from '../states/propagation.ts'
import { shownInMaintenance, STATES } from '../states/state.ts'
import { coversOf, laidOver, parentSpans, spliced } from './recalc.ts'
import type { Overlay } from './recalc.ts'
import { spansOf } from './timeline.ts'
import type { Span } from './timeline.ts'

const END = 60
const WHOLE = { beginAt: 0, endAt: END }

const someRange = fc
  .tuple(fc.nat({ max: END - 1 }), fc.integer({ min: 1, max: 20 }))
  .map(([beginAt, length]) => ({ beginAt, endAt: Math.min(END, beginAt + length) }))
const someRanges = fc.array(someRange, { maxLength: 3 }).map((ranges) => joined(ranges))
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

/** Without gaps, neighbours differ, and nothing lasts no time. */
function expectWhole(spans: readonly Span[]): void {
  expect([spans[0]?.beginAt, spans.at(-1)?.endAt]).toEqual([0, END])
  for (const [index, { state, beginAt, endAt }] of spans.entries()) {
    const next = spans[index + 1]
    expect(endAt).toBeGreaterThan(beginAt)
    if (next) expect([next.beginAt, next.state === state]).toEqual([endAt, false])
  }
}

describe('instant by instant', () => {
  test('overlays apply one after the other, the later to what the earlier made', () => {
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

  test('a parent is what its children make it', () => {
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
        const result = parentSpans(rules, children, WHOLE)
        expectWhole(result)
        for (const at of everyInstant) {
          const ones = children.map((child) => ({
            ...child,
            spans: [{ ...WHOLE, state: stateAt(child.spans, at) ?? ('undefined' as const) }],
          }))
          expect(stateAt(result, at)).toBe(stateAt(parentSpans(rules, ones, WHOLE), 0) as State)
        }
      }),
      { numRuns: 300 },
    )
    const counted = (state: State) => ({ ...plain, spans: [{ ...WHOLE, state }] })
    const plain = { weight: 1, overrides: {}, push: 'any' } as const
    expect(parentSpans(null, [counted('ok'), counted('minor')], WHOLE)).toEqual([
      { ...WHOLE, state: 'minor' },
    ])
    expect(
      stateOf(
        null,
        STATES.map(() => 0),
      ),
    ).toBe('undefined')
  })

  test('one history takes the place of another within windows only', () => {
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
