import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { conditionWith } from './rules.ts'
import type { Condition, ForecastLimit, Foresight, Thresholds } from '../../src/domain/job-rules.ts'
import type { ForecastBand } from '../../src/domain/forecast-band.ts'
import { forecastBandOf } from '../../src/monitoring/states/band.ts'
import { foreseenBandOf } from '../../src/monitoring/states/foreseen.ts'
import { bandsOf, predictionsOf } from '../../src/monitoring/states/shown-limits.ts'
import {
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

/** A limit that looks ahead into a forecast of four buckets of 1,000. */
const ahead = (foresees: Foresight, part: Partial<Condition> = {}): Thresholds => [
  {
    level: 'minor',
    mode: 'or',
    conditions: [conditionWith({ value: 90, predicted: true, forecast: { ...LIMIT, foresees }, ...part })],
  },
]
const MEAN: Foresight = { withinMs: 1_000, bound: 'mean' }
const COMING: ForecastBand = {
  ...BAND,
  begins: [1_000, 2_000, 3_000, 4_000],
  endAt: 5_000,
  means: [10, 50, 95, null],
  levels: { '95': [10, 50, 95, 0].map((mean) => [mean - 10, mean + 45] as const) },
}
const looking = (limits: Thresholds, foresees = MEAN, band = COMING): readonly Counter[] =>
  withBands(limits, [], [[0, foreseenBandOf(band, 95, foresees)]])

describe('a limit that looks ahead into a forecast', () => {
  test('is met while a bucket of the time ahead is beyond it, whatever value comes', () => {
    const limits = ahead(MEAN)
    const held = (at: number) => isHeld(looking(limits), 0, at, limits)
    expect([1_000, 1_999, 2_000, 3_999].map(held)).toEqual([false, false, true, true])
    // Of the last bucket nothing is known, and after it there is none: the condition stays as it is.
    const before = count(limits, looking(limits), { returnValue1: 0 }, 3_500)
    expect([4_000, 5_000].map((at) => isHeld(before, 0, at, limits))).toEqual([true, true])
    expect([4_000, 5_000].map(held)).toEqual([false, false])
  })

  test('compares the bound that is asked for, with repetition and recovery', () => {
    const upper: Foresight = { ...MEAN, bound: 'upper' }
    const limits = ahead(upper, { repetition: 2 })
    const once = count(limits, looking(limits, upper), { returnValue1: 0 }, 1_500)
    expect(once[0]).toMatchObject({ hits: 1, held: false })
    expect(isHeld(once, 0, 1_600, limits)).toBe(true)
    const lower: Foresight = { ...MEAN, bound: 'lower' }
    expect(isHeld(looking(ahead(lower), lower), 0, 2_500, ahead(lower))).toBe(false)
    const { means: _, ...old } = COMING
    expect(isHeld(looking(ahead(MEAN), MEAN, old), 0, 2_500, ahead(MEAN))).toBe(false)
  })

  test('shows when the limit is passed, and the last value', () => {
    const limits = ahead(MEAN)
    expect(predictionsOf(limits, looking(limits), 2_500)[0]?.predicted).toEqual({
      at: 3_000,
      value: 95,
      crossesAt: 3_000,
    })
    expect(predictionsOf(limits, looking(limits), 1_500)[0]?.predicted?.crossesAt).toBeNull()
    expect(predictionsOf(limits, looking(limits), 4_000)[0]?.predicted).toBeNull()
  })

  test('counts as a naive reference does, and is routine exactly while nothing changes', () => {
    const bands = fc.array(fc.option(fc.integer({ min: 0, max: 4 }), { nil: null }), {
      minLength: 1,
      maxLength: 6,
    })
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(bands, times, fc.integer({ min: 1, max: 40 }), (means, instants, withinMs) => {
        const begins = means.map((_, place) => 10 + place * 10)
        const endAt = 10 + means.length * 10
        const foresees: Foresight = { withinMs, bound: 'mean' }
        const limits = ahead(foresees, { value: 2 })
        let counters = looking(limits, foresees, { ...COMING, begins, endAt, means })
        let held = false
        for (const at of instants.toSorted((one, other) => one - other)) {
          const seen = means.filter((mean, place) => {
            const begin = begins[place] ?? 0
            return at < endAt && mean !== null && begin <= at + withinMs && begin + 10 > at
          })
          const isBad: boolean = seen.length === 0 ? held : seen.some((mean) => (mean ?? 0) > 2)
          const { over, under } = uncountedSpan(limits, counters, 'returnValue1', at)
          const untilAt = uncountedUntil(limits, counters, 'returnValue1', at)
          expect(untilAt).toBeGreaterThan(at)
          for (let later = at; later < Math.min(untilAt, 90); later++)
            if (over < 0 && under > 0)
              expect(count(limits, counters, { returnValue1: 0 }, later)).toBe(counters)
          counters = count(limits, counters, { returnValue1: 0 }, at)
          expect(counters[0]?.held).toBe(isBad)
          held = isBad
        }
      }),
    )
  })
})
