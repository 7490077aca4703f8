import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { State } from '../../domain/state.ts'
import { spansOf } from '../state-history/timeline.ts'
import { STATES } from '../../domain/state.ts'
import { outagesOf } from './outages.ts'
import type { OutageRules } from './outages.ts'

const RULES: OutageRules = { states: ['major'], minDurationMs: 10, mergeGapMs: 0, split: false }
const DAY = { beginAt: 0, endAt: 1_440 }

const day = (...changes: readonly [minute: number, to: State][]) =>
  spansOf(
    'ok',
    changes.map(([at, to]) => ({ at, to })),
    DAY,
  )

const rangesOf = (spans: ReturnType<typeof day>, rules: Partial<OutageRules> = {}) =>
  outagesOf(spans, { ...RULES, ...rules }).map(({ beginAt, endAt, state }) => [beginAt, endAt, state])

/** Minutes: major 02:00 to 02:30, minor to 02:45, major to 03:00. */
const EXAMPLE = day([120, 'major'], [150, 'minor'], [165, 'major'], [180, 'ok'])

describe('the worked example', () => {
  test('has two outages for major', () => {
    expect(rangesOf(EXAMPLE)).toEqual([
      [120, 150, 'major'],
      [165, 180, 'major'],
    ])
  })

  test('has one outage for major and minor, with the worst state', () => {
    const [outage] = outagesOf(EXAMPLE, { ...RULES, states: ['major', 'minor'] })
    expect(outage).toEqual({
      beginAt: 120,
      endAt: 180,
      state: 'major',
      segments: [
        { state: 'major', beginAt: 120, endAt: 150 },
        { state: 'minor', beginAt: 150, endAt: 165 },
        { state: 'major', beginAt: 165, endAt: 180 },
      ],
    })
  })

  test('with maintenance from 02:20 to 02:50 has outages on both sides, each of the minimum duration', () => {
    const spans = day([120, 'major'], [140, 'maintenance_major'], [170, 'major'], [180, 'ok'])
    expect(rangesOf(spans)).toEqual([
      [120, 140, 'major'],
      [170, 180, 'major'],
    ])
    expect(rangesOf(spans, { minDurationMs: 11 })).toEqual([[120, 140, 'major']])
    expect(rangesOf(spans, { mergeGapMs: 60 })).toHaveLength(2)
  })
})

describe('outages', () => {
  test.each(['no_data', 'undefined', 'maintenance_ok'] as const)(
    'outages are not merged over time in which an object was %s',
    (state) => {
      const spans = day([100, 'major'], [120, state], [125, 'major'], [140, 'ok'])
      expect(rangesOf(spans, { mergeGapMs: 60 })).toEqual([
        [100, 120, 'major'],
        [125, 140, 'major'],
      ])
    },
  )

  test('outages of exactly the minimum duration are kept, shorter ones are not', () => {
    const spans = day([10, 'major'], [20, 'ok'], [30, 'major'], [39, 'ok'])
    expect(rangesOf(spans)).toEqual([[10, 20, 'major']])
  })

  test('outages within the merge gap are merged, unless each state is separate', () => {
    const spans = day([10, 'major'], [30, 'ok'], [35, 'minor'], [50, 'ok'])
    const both = { states: ['major', 'minor'] } as const
    expect(rangesOf(spans, { ...both, mergeGapMs: 5 })).toEqual([[10, 50, 'major']])
    expect(rangesOf(spans, { ...both, mergeGapMs: 4 })).toEqual([
      [10, 30, 'major'],
      [35, 50, 'minor'],
    ])
    expect(rangesOf(EXAMPLE, { ...both, split: true })).toHaveLength(3)
  })

  test('outages cover exactly the bad time of any history', () => {
    const someChanges = fc.array(fc.tuple(fc.nat({ max: 1_440 }), fc.constantFrom(...STATES)), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(someChanges, fc.boolean(), (changes, split) => {
        const spans = day(...changes.toSorted(([a], [b]) => a - b))
        const outages = outagesOf(spans, {
          states: ['major', 'warning'],
          minDurationMs: 0,
          mergeGapMs: 0,
          split,
        })
        const segments = outages.flatMap((outage) => outage.segments)
        const bad = spans.filter(({ state }) => state === 'major' || state === 'warning')
        expect(segments.map(({ beginAt, endAt }) => [beginAt, endAt])).toEqual(
          bad.map(({ beginAt, endAt }) => [beginAt, endAt]),
        )
      }),
    )
  })
})
