import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { conditionWith } from '../../../test/engine/rules.ts'
import type { LookAhead, Thresholds } from '../../domain/job-rules.ts'
import { lineAfter, NO_LINE, openUntil } from './line.ts'
import type { Line } from './line.ts'
import { predictionsOf } from './shown-limits.ts'
import { count, evaluate, uncountedSpan, uncountedUntil } from './thresholds.ts'
import type { Counter } from './thresholds.ts'

const MINUTE_MS = 60_000
const BEGIN_AT = Date.UTC(2026, 2, 2, 8)
const HOUR_AHEAD: LookAhead = { withinMs: 60 * MINUTE_MS, windowMs: 64 * MINUTE_MS }

const minute = (number: number) => BEGIN_AT + number * MINUTE_MS

function lineOf(values: readonly number[], ahead = HOUR_AHEAD): Line {
  return values.reduce<Line>((line, value, index) => lineAfter(line, ahead, [minute(index), value]), NO_LINE)
}

describe('a line', () => {
  test('needs 10 points', () => {
    const rare = (points: number) =>
      Array.from({ length: points }, (_, index) => [minute(index * 4), index] as const).reduce<Line>(
        (line, point) => lineAfter(line, HOUR_AHEAD, point),
        NO_LINE,
      )
    expect(rare(9).ends).toBeNull()
    expect(rare(10).ends).not.toBeNull()
  })

  test('needs points over half of its window', () => {
    expect(lineOf(Array.from({ length: 32 }, (_, index) => index)).ends).toBeNull()
    expect(lineOf(Array.from({ length: 33 }, (_, index) => index)).ends).not.toBeNull()
  })

  test('takes the first value of each cell', () => {
    const line = lineAfter(NO_LINE, HOUR_AHEAD, [minute(0) + 5, 1])
    expect(lineAfter(line, HOUR_AHEAD, [minute(1) - 1, 2])).toBe(line)
    expect(openUntil(line, HOUR_AHEAD)).toBe(minute(1))
    expect(lineAfter(line, HOUR_AHEAD, [minute(1), 3]).points).toEqual([
      [minute(0) + 5, 1],
      [minute(1), 3],
    ])
  })

  test('has at most 64 points, of its window', () => {
    const { points } = lineOf(Array.from({ length: 200 }, (_, index) => index))
    expect(points).toHaveLength(64)
    expect(points[0]).toEqual([minute(136), 136])
  })

  test('bends without noise, and begins anew at the first other value after a constant one', () => {
    const growing = Array.from({ length: 40 }, (_, index) => index)
    expect(lineOf([...growing, 39, 39]).points).toHaveLength(42)
    const constant = Array.from({ length: 40 }, () => 0.1)
    expect(lineOf(constant).points).toHaveLength(40)
    expect(lineOf([...constant, 0.2]).points).toHaveLength(1)
  })

  test('begins anew at a value far from it, and bears noise', () => {
    const noise = (index: number) => ((index * 7919) % 13) / 13
    const noisy = Array.from({ length: 60 }, (_, index) => index + noise(index))
    expect(lineOf(noisy).points).toHaveLength(60)
    expect(lineOf([...noisy, 3]).points).toEqual([[minute(60), 3]])
  })

  test('is unknown for values beyond the range of a double', () => {
    const values = Array.from({ length: 40 }, (_, index) => (index - 20) * 8e306)
    expect(lineOf(values, { ...HOUR_AHEAD, withinMs: 1e9 * MINUTE_MS }).ends).toBeNull()
  })
})

/** The same from all values, by the formula with sums. */
class NaiveLine {
  readonly #ahead: LookAhead
  readonly #all: (readonly [at: number, value: number])[] = []

  constructor(ahead: LookAhead) {
    this.#ahead = ahead
  }

  add(at: number, value: number): void {
    this.#all.push([at, value])
  }

  get ends(): readonly number[] | null {
    const { withinMs, windowMs } = this.#ahead
    let points: (readonly [at: number, value: number])[] = []
    const cellOf = (at: number) => Math.floor(at / Math.ceil(windowMs / 64))
    const cells = new Set<number>()
    for (const [at, value] of this.#all) {
      if (cells.has(cellOf(at))) continue
      cells.add(cellOf(at))
      points = points.filter(([before]) => cellOf(before) > cellOf(at) - 64)
      if (points.length >= 10) {
        if (Math.abs(value - this.#fit(points)(at)) > 6 * this.#deviation(points)) points = []
      }
      points.push([at, value])
    }
    const [firstAt, lastAt] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0]
    if (points.length < 10 || lastAt - firstAt < windowMs / 2) return null
    const lineAt = this.#fit(points)
    return [lineAt(lastAt), lineAt(lastAt + withinMs)]
  }

  #deviation(points: readonly (readonly [number, number])[]): number {
    const lineAt = this.#fit(points)
    const off = points.map(([x, y]) => Math.abs(y - lineAt(x))).toSorted((a, b) => a - b)
    const half = off.length / 2
    const median = ((off[Math.ceil(half) - 1] ?? 0) + (off[Math.floor(half)] ?? 0)) / 2
    const values = points.map(([, y]) => y)
    const range = Math.max(...values) - Math.min(...values)
    return Math.max(1.4826 * median, range / 100, Math.max(...values.map(Math.abs)) / 1e9)
  }

  #fit(points: readonly (readonly [number, number])[]) {
    const origin = points[0]?.[0] ?? 0
    let [n, x, y, xx, xy] = [0, 0, 0, 0, 0]
    for (const [at, value] of points) {
      const t = (at - origin) / 1_000
      ;[n, x, y, xx, xy] = [n + 1, x + t, y + value, xx + t * t, xy + t * value]
    }
    const slope = (n * xy - x * y) / (n * xx - x * x)
    return (at: number) => (y - slope * x) / n + (slope * (at - origin)) / 1_000
  }
}

const steps = fc.array(
  fc.record({
    afterMs: fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 0, max: 3_000 }) }, fc.constant(40_000)),
    noise: fc.oneof({ weight: 40, arbitrary: fc.integer({ min: -5, max: 5 }) }, fc.constant(-500)),
  }),
  { minLength: 20, maxLength: 150 },
)

describe('random values', () => {
  const ahead: LookAhead = { withinMs: 30_000, windowMs: 64_000 }

  test('have the line of a naive reference', () => {
    let known = 0
    fc.assert(
      fc.property(steps, fc.integer({ min: -3, max: 3 }), (arrivals, slope) => {
        const naive = new NaiveLine(ahead)
        let line = NO_LINE
        let at = BEGIN_AT
        for (const { afterMs, noise } of arrivals) {
          at += afterMs
          const value = (slope * (at - BEGIN_AT)) / 1_000 + noise + 0.1 * ((at * 31) % 7)
          naive.add(at, value)
          line = lineAfter(line, ahead, [at, value])
          const { ends } = naive
          expect(line.ends === null).toBe(ends === null)
          if (!line.ends || !ends) continue
          known++
          for (const side of [0, 1] as const) expect(line.ends[side]).toBeCloseTo(ends[side] ?? 0, 4)
        }
      }),
      { numRuns: 100 },
    )
    expect(known).toBeGreaterThan(100)
  })

  test('change no counter within the uncounted span, until its end', () => {
    let skipped = 0
    fc.assert(
      fc.property(steps, fc.integer({ min: -200, max: 200 }), (arrivals, limit) => {
        const conditions = [
          conditionWith({
            value: limit,
            predicted: true,
            ahead,
            recovery: { value: limit - 9, repetition: 2 },
          }),
          conditionWith({ operator: '<', value: limit, predicted: true, ahead, repetition: 3 }),
        ]
        const thresholds: Thresholds = [{ level: 'major', mode: 'or', conditions }]
        let counters: readonly Counter[] = []
        let at = BEGIN_AT
        for (const { afterMs, noise } of arrivals) {
          at += afterMs
          const returnValue1 = (at - BEGIN_AT) / 1_000 + noise
          const { over, under } = uncountedSpan(thresholds, counters, 'returnValue1', at)
          const isRoutine = returnValue1 > over && returnValue1 < under
          const isEarly = at < uncountedUntil(thresholds, counters, 'returnValue1', at)
          const after = count(thresholds, counters, { returnValue1 }, at)
          if (isRoutine && isEarly && counters.length > 0) {
            expect(after).toBe(counters)
            skipped++
          }
          counters = after
        }
      }),
      { numRuns: 200 },
    )
    expect(skipped).toBeGreaterThan(100)
  })
})

describe('a condition that looks ahead', () => {
  const of = (part: Parameters<typeof conditionWith>[0]): Thresholds => [
    {
      level: 'major',
      mode: 'or',
      conditions: [conditionWith({ value: 100, predicted: true, ahead: HOUR_AHEAD, ...part })],
    },
  ]

  /** The minutes at which the job was major. */
  function majorAt(thresholds: Thresholds, values: readonly number[]): number[] {
    let counters: readonly Counter[] = []
    return values.flatMap((returnValue1, index) => {
      counters = count(thresholds, counters, { returnValue1 }, minute(index))
      return evaluate(thresholds, counters, 0) === 'major' ? [index] : []
    })
  }

  const growing = Array.from({ length: 45 }, (_, index) => index)

  test('holds once the value at the end of the look-ahead is beyond the limit', () => {
    expect(majorAt(of({}), growing)).toEqual([41, 42, 43, 44])
    expect(majorAt(of({ operator: '>=', value: 101 }), growing)).toEqual([41, 42, 43, 44])
  })

  test('holds while the value is beyond the limit now, even if it is going back', () => {
    const falling = growing.map((value) => 150 - value)
    expect(majorAt(of({ value: 110 }), falling)).toEqual([32, 33, 34, 35, 36, 37, 38, 39])
  })

  test('counts repetitions', () => {
    expect(majorAt(of({ repetition: 3 }), growing)).toEqual([43, 44])
  })

  test('recovers when the prediction is below the recovery limit', () => {
    const values = Array.from({ length: 80 }, (_, index) => {
      const noise = ((index * 7919) % 13) / 1.6 - 4
      return Math.min(index, 45) + noise
    })
    const plain = majorAt(of({}), values)
    const recovering = majorAt(of({ recovery: { value: 60, repetition: 1 } }), values)
    expect(plain.length).toBeGreaterThanOrEqual(4)
    expect(recovering.length).toBeGreaterThan(plain.length)
  })

  test('ends when the value is reset, and stays when the line begins anew beyond the limit', () => {
    expect(majorAt(of({}), [...growing, 3, 3.1, 3.2])).toEqual([41, 42, 43, 44])
    expect(majorAt(of({}), [...growing, 500, 501])).toEqual([41, 42, 43, 44, 45, 46])
  })

  test('shows what it predicts, and when the limit is reached', () => {
    const thresholds = of({})
    const shown = (values: readonly number[]) => {
      const counters = values.reduce<readonly Counter[]>(
        (before, returnValue1, index) => count(thresholds, before, { returnValue1 }, minute(index)),
        [],
      )
      return predictionsOf(thresholds, counters, minute(values.length))
    }
    expect(shown([1])).toEqual([{ level: 'major', index: 0, predicted: null }])
    const [prediction] = shown(growing)
    expect(prediction?.predicted).toMatchObject({ at: minute(104), crossesAt: minute(100) })
    expect(prediction?.predicted?.value).toBeCloseTo(104, 9)
    expect(shown(growing.slice(0, 40))[0]?.predicted?.crossesAt).toBeNull()
    expect(shown(growing.map((value) => value + 100))[0]?.predicted?.crossesAt).toBe(minute(44))
  })
})
