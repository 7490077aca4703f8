import { describe, expect, test } from 'bun:test'

import { conditionWith } from './rules.ts'
import type { ForecastLimit, Thresholds } from '../../src/domain/job-rules.ts'
import type { ForecastBand } from '../../src/domain/forecast-band.ts'
import { forecastBandOf } from '../../src/monitoring/states/band.ts'
import {
  bandsOf,
  carryMemories,
  count,
  uncountedSpan,
  uncountedUntil,
  withBands,
} from '../../src/monitoring/states/thresholds.ts'
import type { Counter } from '../../src/monitoring/states/thresholds.ts'

const LIMIT: ForecastLimit = { forecastId: 1, level: 95, side: 'both', minWidth: 0, offset: 0 }
const BAND: ForecastBand = {
  forecastId: 1,
  key: 'returnValue1',
  madeAt: 500,
  begins: [1_000, 2_000],
  endAt: 3_000,
  levels: {
    '95': [
      [10, 20],
      [30, 30],
    ],
  },
}
const thresholdsWith = (part: Partial<ForecastLimit> = {}): Thresholds => [
  {
    level: 'minor',
    mode: 'or',
    conditions: [conditionWith({ key: 'returnValue1', predicted: true, forecast: { ...LIMIT, ...part } })],
  },
]
const thresholds = thresholdsWith()
const known = (part: Partial<ForecastLimit> = {}, limits = thresholds): readonly Counter[] =>
  withBands(limits, [], [[0, forecastBandOf(BAND, { ...LIMIT, ...part })]])
const isHeld = (counters: readonly Counter[], value: number, at: number, limits = thresholds) =>
  count(limits, counters, { returnValue1: value }, at)[0]?.held

describe('a limit by a forecast', () => {
  test('is met outside of the bounds of the bucket alone', () => {
    expect([9.9, 10, 20, 20.1].map((value) => isHeld(known(), value, 1_500))).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  test('is unknown without a band, before it, after it, without a width and without the level', () => {
    expect(isHeld([], 99, 1_500)).toBe(false)
    expect([999, 2_500, 3_000].map((at) => isHeld(known(), 99, at))).toEqual(
      [undefined, undefined, undefined].map(() => false),
    )
    expect(isHeld(known({ level: 80 }), 99, 1_500)).toBe(false)
    expect(bandsOf(thresholds, known(), 2_500)[0]?.unknown).toBe('constant')
    expect(bandsOf(thresholds, known(), 3_000)[0]?.unknown).toBe('stale')
  })

  test('has the least width, the offset and the side of its condition', () => {
    const wide = thresholdsWith({ minWidth: 10 })
    expect(
      [24, 26, 34, 36].map((value) => isHeld(known({ minWidth: 10 }, wide), value, 2_500, wide)),
    ).toEqual([true, false, false, true])
    const above = thresholdsWith({ side: 'above', offset: 5 })
    expect([1, 24, 26].map((value) => isHeld(known({}, above), value, 1_500, above))).toEqual([
      false,
      false,
      true,
    ])
  })

  test('leaves values within the bounds to the fast path until the bucket ends', () => {
    expect(uncountedSpan(thresholds, known(), 'returnValue1', 1_500)).toEqual({ over: 10, under: 20 })
    expect(uncountedUntil(thresholds, known(), 'returnValue1', 1_500)).toBe(2_000)
  })

  test('that was met ends when its band is over, and keeps its band when other limits change', () => {
    const met = count(thresholds, known(), { returnValue1: 99 }, 1_500)
    expect(met[0]?.held).toBe(true)
    expect(withBands(thresholds, met, [[0, { madeAt: 3_000, cells: [], endAt: 3_000 }]])[0]?.held).toBe(false)
    expect(carryMemories(thresholds, met, thresholds)[0]?.band).toEqual(met[0]?.band)
    expect(carryMemories(thresholds, met, thresholdsWith({ level: 80 }))[0]?.band).toBeUndefined()
  })
})
