import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { flappingAfter, flappingPercent, STEADY } from './flapping.ts'
import type { Flapping } from './flapping.ts'

const LIMITS = { startPercent: 30, endPercent: 25 }

/** After results, the oldest first; `x` changed the state. */
const after = (results: string, limits = LIMITS, from: Flapping = STEADY) =>
  Array.from(results).reduce((state, result) => flappingAfter(state, result === 'x', limits), from)

describe('the share of results that changed the state', () => {
  test.each([
    ['.'.repeat(20), 0],
    ['x', 5.9],
    [`x${'.'.repeat(19)}`, 4],
    ['x'.repeat(20), 99],
    ['x'.repeat(40), 99],
    [`x${'.'.repeat(20)}`, 0],
  ])('of %s is %p per cent', (results, percent) => {
    expect(flappingPercent(after(results).flips)).toBe(percent)
  })
})

describe('a job', () => {
  test('begins above the start limit, and not before', () => {
    // 5.9 + 5.8 + 5.7 + 5.6 + 5.5 is 28.5, and 5.4 more is 33.9.
    expect(after('xxxxx').isFlapping).toBe(false)
    expect(after('xxxxxx').isFlapping).toBe(true)
    expect(after('xxxxx', { startPercent: 28.5, endPercent: 25 }).isFlapping).toBe(false)
    expect(after('xxxxx', { startPercent: 28.4, endPercent: 25 }).isFlapping).toBe(true)
  })

  test('lasts until the share is below the end limit', () => {
    // Six changes weigh 33.9, and 0.6 less after each steady result.
    const steady = (count: number) => after('.'.repeat(count), LIMITS, after('xxxxxx'))
    expect(flappingPercent(steady(14).flips)).toBe(25.5)
    expect([steady(14), steady(15)].map(({ isFlapping }) => isFlapping)).toEqual([true, false])
    expect(after('.'.repeat(14), { startPercent: 30, endPercent: 25.5 }, after('xxxxxx')).isFlapping).toBe(
      true,
    )
    expect(steady(40)).toEqual(STEADY)
  })

  test('costs nothing for an object without changes', () => {
    expect(flappingAfter(STEADY, false, LIMITS)).toBe(STEADY)
  })

  test('agrees with the formula for any results', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 80 }), (results) => {
        let state = STEADY
        let isFlapping = false
        results.forEach((isFlip, index) => {
          state = flappingAfter(state, isFlip, LIMITS)
          const last = [...Array<boolean>(20).fill(false), ...results.slice(0, index + 1)].slice(-20)
          const hundredths = last.reduce((sum, flip, place) => sum + (flip ? 80 + 2 * place : 0), 0)
          isFlapping = isFlapping ? hundredths >= 500 : hundredths > 600
          expect(state.isFlapping).toBe(isFlapping)
        })
      }),
    )
  })
})
