import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { intersectionOf, lengthMs, unionOf } from '../../lib/range.ts'
import { judge } from './verdict.ts'
import type { SlcChange, SlcState } from './verdict.ts'

const PERIOD = { beginAt: 0, fromAt: 0, endAt: 100 }
const credit = (creditMs: number, minorMs: number) => ({ creditMs, minorMs, majorMs: creditMs + 1 })
const bad = (...spans: readonly (readonly [number, number])[]) => ({
  fromAt: 0,
  beforeMs: 0,
  spans: spans.map(([beginAt, endAt]) => ({ beginAt, endAt })),
})
const FRESH = { state: 'ok', judgedAt: 0, floorAt: 0 } as const

describe('a container', () => {
  test('is minor once enough of the credit is used, major once it is exceeded, and stays so while its children recover', () => {
    const terms = { period: PERIOD, credit: credit(10, 8), used: bad([20, 40]) }
    expect(judge(FRESH, terms, 15)).toEqual({ changes: [], nextAt: 28, untilAt: 15 })
    expect(judge(FRESH, terms, 28).changes).toEqual([{ at: 28, from: 'ok', to: 'minor', reason: 'child' }])
    const breached = judge({ state: 'minor', judgedAt: 28, floorAt: 28 }, terms, 60)
    expect(breached).toEqual({
      changes: [{ at: 31, from: 'minor', to: 'major', reason: 'child' }],
      nextAt: 100,
      untilAt: 60,
    })
  })

  test('that uses exactly its credit is not major', () => {
    const terms = { period: PERIOD, credit: credit(10, 8), used: bad([20, 30]) }
    expect(judge(FRESH, terms, 99).changes.map(({ to }) => to)).toEqual(['minor'])
  })

  test('is not major if it would exceed its credit exactly at the end of the period', () => {
    const terms = { period: PERIOD, credit: credit(10, 8), used: bad([89, 100]) }
    expect(judge(FRESH, terms, 100)).toEqual({
      changes: [{ at: 97, from: 'ok', to: 'minor', reason: 'child' }],
      nextAt: 100,
      untilAt: 100,
    })
  })

  test('without a credit is major at the first bad moment', () => {
    const terms = { period: PERIOD, credit: credit(0, 1), used: bad([20, 30]) }
    expect(judge(FRESH, terms, 21).changes).toEqual([{ at: 21, from: 'ok', to: 'major', reason: 'child' }])
  })

  test('is ok again when a period begins', () => {
    const next = { beginAt: 100, fromAt: 100, endAt: 200 }
    const terms = { period: next, credit: credit(10, 8), used: { fromAt: 100, beforeMs: 0, spans: [] } }
    expect(judge({ state: 'major', judgedAt: 100, floorAt: 31 }, terms, 150)).toEqual({
      changes: [{ at: 100, from: 'major', to: 'ok', reason: 'period' }],
      nextAt: 200,
      untilAt: 150,
    })
  })

  test('with overlapping periods begins a period with the downtime of its past', () => {
    const next = { beginAt: 10, fromAt: 100, endAt: 110 }
    const terms = { period: next, credit: credit(10, 8), used: bad([20, 29]) }
    const verdict = judge({ state: 'major', judgedAt: 100, floorAt: 31 }, terms, 105)
    expect(verdict.changes).toEqual([{ at: 100, from: 'major', to: 'minor', reason: 'period' }])
    // A continuing bad time is not a new change.
    const later = judge({ state: 'minor', judgedAt: 105, floorAt: 100 }, terms, 106)
    expect(later.changes).toEqual([])
  })

  test('with new terms can recover before the period ends, unless it exceeds its credit', () => {
    const terms = { period: PERIOD, credit: credit(50, 40), used: bad([20, 40]) }
    const anew = (state: SlcState) => judge({ state, judgedAt: 60, floorAt: 60 }, terms, 60).changes
    expect(anew('minor')).toEqual([{ at: 60, from: 'minor', to: 'ok', reason: 'child' }])
    expect(anew('major')).toEqual([])
  })

  test('dates no change before a recorded one', () => {
    const terms = { period: PERIOD, credit: credit(10, 8), used: bad([20, 40]) }
    expect(judge({ state: 'ok', judgedAt: 70, floorAt: 70 }, terms, 70).changes).toEqual([
      { at: 70, from: 'ok', to: 'major', reason: 'child' },
    ])
  })
})

test('has the same states for any times of assessment', () => {
  const span = fc.record({ beginAt: fc.nat(99), endAt: fc.nat(99) })
  fc.assert(
    fc.property(
      fc.array(span, { maxLength: 8 }),
      fc.nat(30),
      fc.integer({ min: 1, max: 30 }),
      fc.uniqueArray(fc.nat(99), { minLength: 1, maxLength: 10 }),
      (some, creditMs, minorMs, instants) => {
        const spans = unionOf(some)
        const terms = credit(creditMs, Math.min(minorMs, creditMs + 1))
        const lookedAt = [...instants.toSorted((a, b) => a - b), 99]
        const states = replay(run(spans, terms, lookedAt))
        for (let at = 0; at < 100; at++) {
          const used = lengthMs(intersectionOf(spans, at === 0 ? [] : [{ beginAt: 0, endAt: at }]))
          const warned = used >= terms.minorMs ? 'minor' : 'ok'
          expect(states(at)).toBe(used >= terms.majorMs ? 'major' : warned)
        }
      },
    ),
    { numRuns: 300 },
  )
})

/** Assesses at some instants, twice each, always from the last stored result. */
function run(
  spans: ReturnType<typeof unionOf>,
  terms: ReturnType<typeof credit>,
  instants: readonly number[],
) {
  const changes: SlcChange[] = []
  let standing: Parameters<typeof judge>[0] = FRESH
  for (const now of instants) {
    for (let again = 0; again < 2; again++) {
      const settledAt = Math.max(0, standing.judgedAt - 5)
      const before = intersectionOf(spans, settledAt === 0 ? [] : [{ beginAt: 0, endAt: settledAt }])
      const used = {
        fromAt: settledAt,
        beforeMs: lengthMs(before),
        spans: intersectionOf(spans, [{ beginAt: settledAt, endAt: 100 }]),
      }
      const verdict = judge(standing, { period: PERIOD, credit: terms, used }, now)
      if (again === 1) expect(verdict.changes).toEqual([])
      changes.push(...verdict.changes)
      const last = changes.at(-1)
      standing = { state: last?.to ?? 'ok', judgedAt: verdict.untilAt, floorAt: last?.at ?? 0 }
    }
  }
  return changes
}

function replay(changes: readonly SlcChange[]): (at: number) => SlcState {
  return (at) => changes.findLast((change) => change.at <= at)?.to ?? 'ok'
}
