import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { State } from '../../domain/state.ts'
import { STATES } from '../../domain/state.ts'
import { overlapMs, samplesOf, spansOf } from './timeline.ts'
import type { StateChange } from './timeline.ts'

const someChanges = fc
  .array(fc.record({ at: fc.integer({ min: 0, max: 1_200 }), to: fc.constantFrom(...STATES) }), {
    maxLength: 40,
  })
  .map((changes): StateChange[] => changes.toSorted((a, b) => a.at - b.at))

/** The state at every millisecond, the slow way. */
function naive(
  first: State,
  changes: readonly StateChange[],
  { beginAt, endAt }: { beginAt: number; endAt: number },
): State[] {
  return Array.from(
    { length: endAt - beginAt },
    (_, index) => changes.findLast(({ at }) => at <= beginAt + index && at >= beginAt)?.to ?? first,
  )
}

describe('spans', () => {
  test('a change takes effect at its instant, and a state of zero length is dropped', () => {
    const changes: StateChange[] = [
      { at: 10, to: 'major' },
      { at: 10, to: 'minor' },
      { at: 30, to: 'minor' },
      { at: 40, to: 'ok' },
    ]
    expect(spansOf('ok', changes, { beginAt: 0, endAt: 50 })).toEqual([
      { state: 'ok', beginAt: 0, endAt: 10 },
      { state: 'minor', beginAt: 10, endAt: 40 },
      { state: 'ok', beginAt: 40, endAt: 50 },
    ])
  })

  test('spans have the state of every millisecond', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATES), someChanges, (first, changes) => {
        const range = { beginAt: 0, endAt: 1_000 }
        const spans = spansOf(first, changes, range)
        const states = spans.flatMap(({ state, beginAt, endAt }) =>
          Array.from({ length: endAt - beginAt }, () => state),
        )
        expect(states).toEqual(naive(first, changes, range))
        expect(spans.every(({ state }, index) => state !== spans[index + 1]?.state)).toBe(true)
      }),
    )
  })
})

describe('samples', () => {
  test('shares are the parts of time in each state', () => {
    fc.assert(
      fc.property(someChanges, fc.integer({ min: 1, max: 400 }), (changes, lengthMs) => {
        const range = { beginAt: 0, endAt: 1_000 }
        const states = naive('ok', changes, range)
        for (const sample of samplesOf(spansOf('ok', changes, range), range, lengthMs)) {
          const part = states.slice(sample.beginAt, sample.endAt)
          const count = (state: State) => part.filter((one) => one === state).length
          const shares = Object.entries(sample.shares).map(([state, share]) => [
            state,
            Math.round(share * part.length),
          ])
          expect(Object.fromEntries(shares)).toEqual(
            Object.fromEntries([...new Set(part)].map((state) => [state, count(state)])),
          )
          expect(sample.worst).toBe(STATES.find((state) => part.includes(state)) ?? 'ok')
          expect(count(sample.mostFrequent)).toBe(Math.max(...STATES.map(count)))
        }
      }),
    )
  })

  test('samples cover the range, the last one may be shorter', () => {
    const samples = samplesOf(spansOf('ok', [], { beginAt: 5, endAt: 25 }), { beginAt: 5, endAt: 25 }, 8)
    expect(samples.map(({ beginAt, endAt }) => [beginAt, endAt])).toEqual([
      [5, 13],
      [13, 21],
      [21, 25],
    ])
  })
})

test('adjacent ranges do not overlap', () => {
  expect(overlapMs({ beginAt: 0, endAt: 10 }, { beginAt: 10, endAt: 20 })).toBe(0)
  expect(overlapMs({ beginAt: 0, endAt: 10 }, { beginAt: 4, endAt: 6 })).toBe(2)
})
