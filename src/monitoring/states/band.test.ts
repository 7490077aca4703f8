import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'

import { conditionWith } from '../../../test/engine/rules.ts'
import type { Adaptive, Condition, Thresholds } from '../../domain/job-rules.ts'
import type { Range } from '../../lib/range.ts'
import { bandOf, joinedBand, knownCellOf, shownBandOf, windowEdgesOf } from './band.ts'
import type { Band, Extremes } from './band.ts'
import { bucketBeginOf } from './seasons.ts'
import { bandsOf } from './shown-limits.ts'
import { count, uncountedSpan, uncountedUntil, withBands } from './thresholds.ts'
import type { Counter } from './thresholds.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A Monday, two days before the clocks of Zurich are changed. */
const BEGIN_AT = Date.UTC(2026, 2, 23)

const adaptiveWith = (part: Partial<Adaptive> = {}): Adaptive => ({
  windowMs: 28 * DAY_MS,
  season: 'day',
  bucketMs: HOUR_MS,
  timeZone: 'Europe/Zurich',
  factor: 3,
  side: 'both',
  minSamples: 3,
  minWidth: 0,
  offset: 0,
  learnsMaintenance: false,
  ...part,
})

type Sent = { readonly at: number; readonly value: number }

/** The extremes of samples, bucket by bucket. */
function extremesOf(samples: readonly Sent[], edges: readonly number[]): Extremes[] {
  return edges.slice(0, -1).map((at, index) => {
    const endAt = edges[index + 1] ?? 0
    const values = samples.flatMap((one) => (one.at >= at && one.at < endAt ? [one.value] : []))
    const [min, max] = [Math.min(...values), Math.max(...values)]
    return { at, endAt, min, max, count: values.length }
  })
}

function bandAt(
  adaptive: Adaptive,
  samples: readonly Sent[],
  now: number,
  spells: Counter['spells'] = [],
): Band {
  const buckets = extremesOf(samples, windowEdgesOf(adaptive, now))
  return bandOf(adaptive, { buckets, spells, maintenance: [] }, now)
}

/** Hourly values of some days: `valueOf` gives the value of an hour of a day. */
function hourly(days: number, valueOf: (hour: number, day: number) => number): Sent[] {
  return Array.from({ length: 24 * days }, (_, index) => {
    const value = valueOf(index % 24, Math.floor(index / 24))
    return { at: BEGIN_AT - days * DAY_MS + index * HOUR_MS + 1, value }
  })
}

const boundsAt = (band: Band, hour: number) => {
  const { lower, upper, unknown } = shownBandOf(band, BEGIN_AT + hour * HOUR_MS)
  return { lower, upper, unknown }
}
const utc = (part: Partial<Adaptive> = {}) => adaptiveWith({ timeZone: 'UTC', ...part })

describe('a band', () => {
  test('has medians and deviations of the extremes, for each time of the day', () => {
    const samples = hourly(5, (hour, day) => 10 * hour + day)
    const both = samples.flatMap(({ at, value }) => [
      { at, value },
      { at: at + 1, value: value + 100 },
    ])
    // Minima 30 to 34 at 3 o'clock, maxima 130 to 134: medians 32 and 132, deviations 1.
    expect(boundsAt(bandAt(utc({ factor: 2 }), both, BEGIN_AT), 3)).toEqual({
      lower: 32 - 2 * 1.4826,
      upper: 132 + 2 * 1.4826,
      unknown: null,
    })
  })

  test('knows weekdays with a season of a week', () => {
    const samples = hourly(28, (_, day) => 100 * (day % 7) + Math.floor(day / 7))
    const band = bandAt(utc({ season: 'week', minSamples: 4 }), samples, BEGIN_AT)
    expect(boundsAt(band, 1).upper).toBeCloseTo(1.5 + 3 * 1.4826, 9)
    expect(boundsAt(band, 25).upper).toBeCloseTo(101.5 + 3 * 1.4826, 9)
  })

  test('is not moved by one wild day', () => {
    const calm = bandAt(
      utc(),
      hourly(9, (_, day) => day % 3),
      BEGIN_AT,
    )
    const wild = bandAt(
      utc(),
      hourly(9, (_, day) => (day === 4 ? 1e9 : day % 3)),
      BEGIN_AT,
    )
    expect(boundsAt(wild, 5)).toEqual(boundsAt(calm, 5))
  })

  test('does not learn from the bucket of its instant', () => {
    const samples = hourly(9, (_, day) => day % 3)
    const now = BEGIN_AT + HOUR_MS / 2
    const later = [...samples, { at: BEGIN_AT, value: 1e9 }, { at: now - 1, value: -1e9 }]
    expect(bandAt(utc(), later, now).cells).toEqual(bandAt(utc(), samples, now).cells)
  })

  test.each([
    ['two buckets', 2, 1, 'too_few'],
    ['three buckets and too few samples', 3, 4, 'too_few'],
    ['three buckets and enough samples', 3, 3, null],
  ] as const)('of %s: unknown is %p', (_, days, minSamples, unknown) => {
    const far = hourly(days, (hour, day) => (hour === 12 ? day : Number.NaN)).filter(
      ({ value }) => value >= 0,
    )
    expect(boundsAt(bandAt(utc({ minSamples }), far, BEGIN_AT), 12).unknown).toBe(unknown)
  })

  test('takes the hours beside a cell that has too few samples', () => {
    const samples = hourly(3, (hour, day) => 10 * hour + day).filter(({ at }) => at % DAY_MS < 13 * HOUR_MS)
    const band = bandAt(utc({ minSamples: 3 }), samples, BEGIN_AT)
    expect(boundsAt(band, 12).lower).toBeCloseTo(121 - 3 * 1.4826, 9)
    // At 13 o'clock there is nothing: the values of 12 o'clock count.
    expect(boundsAt(band, 13)).toEqual(boundsAt(band, 12))
    expect(boundsAt(band, 14).unknown).toBe('too_few')
  })

  test.each([
    [0, { lower: null, upper: null, unknown: 'constant' }],
    [1, { lower: 6.5, upper: 7.5, unknown: null }],
  ] as const)('of values that do not vary, with a least width of %d', (minWidth, bounds) => {
    expect(
      boundsAt(
        bandAt(
          utc({ minWidth }),
          hourly(5, () => 7),
          BEGIN_AT,
        ),
        3,
      ),
    ).toEqual(bounds)
  })

  test.each([
    ['both', null],
    ['above', null],
    ['below', 'constant'],
  ] as const)(
    'of minima that do not vary has no lower bound; on the side %s unknown is %p',
    (side, unknown) => {
      const samples = hourly(5, (_, day) => day).flatMap(({ at, value }) => [
        { at, value: 0 },
        { at: at + 1, value: 100 + value },
      ])
      const { lower, unknown: found } = boundsAt(bandAt(utc({ side }), samples, BEGIN_AT), 3)
      expect([lower, found]).toEqual([null, unknown])
    },
  )

  test('leaves out times in which the condition held, unless half of the samples would be gone', () => {
    const spell = (days: number): Counter['spells'] => [[BEGIN_AT - days * DAY_MS, BEGIN_AT - 1]]
    const shifted = (days: number) => hourly(9, (_, day) => (day >= 9 - days ? 500 : 0) + (day % 3))
    const usual = boundsAt(bandAt(utc(), shifted(0), BEGIN_AT), 3)
    expect(boundsAt(bandAt(utc(), shifted(4), BEGIN_AT, spell(4)), 3).upper).toBeLessThan(100)
    expect(usual.upper).toBeLessThan(100)
    expect(boundsAt(bandAt(utc(), shifted(5), BEGIN_AT, spell(5)), 3).upper).toBeGreaterThan(500)
  })

  test('leaves out maintenance', () => {
    const samples = hourly(9, (_, day) => (day >= 2 ? 500 : 0) + (day % 3))
    const buckets = extremesOf(samples, windowEdgesOf(utc(), BEGIN_AT))
    const maintenance: Range[] = [{ beginAt: BEGIN_AT - 7 * DAY_MS, endAt: BEGIN_AT }]
    const boundsOf = (ranges: readonly Range[]) =>
      boundsAt(bandOf(utc({ minSamples: 2 }), { buckets, spells: [], maintenance: ranges }, BEGIN_AT), 3)
    expect(boundsOf([]).upper).toBeGreaterThan(500)
    expect(boundsOf(maintenance).upper).toBeLessThan(100)
  })

  test('reaches two days, keeps a day of the past, and is stale after its end', () => {
    const first = bandAt(
      utc(),
      hourly(5, (_, day) => day),
      BEGIN_AT,
    )
    expect(first.endAt).toBe(BEGIN_AT + 2 * DAY_MS)
    const next = joinedBand(
      first,
      bandAt(
        utc(),
        hourly(5, (_, day) => day),
        BEGIN_AT + 30 * HOUR_MS,
      ),
    )
    expect(next.cells[0]?.[0]).toBe(BEGIN_AT + 6 * HOUR_MS)
    expect(shownBandOf(next, next.endAt)).toMatchObject({ unknown: 'stale', lower: null })
    expect(shownBandOf(next, BEGIN_AT).unknown).toBe('too_few')
    expect(joinedBand(first, bandAt(utc(), [], BEGIN_AT + 3 * DAY_MS)).cells[0]?.[0]).toBe(
      BEGIN_AT + 3 * DAY_MS,
    )
    expect(bandAt(utc({ bucketMs: 300_000 }), [], BEGIN_AT).cells).toHaveLength(100)
  })
})

/** A condition as the documentation has it, without any thought for speed: for each value it looks at all values before. */
class NaiveCondition {
  readonly #condition: Condition
  readonly #adaptive: Adaptive
  readonly #all: (Sent & { readonly held: boolean })[] = []
  readonly #places = new Map<number, number>()
  /** Whether the limit of an hour is known, as of the last value at which that hour was not over. */
  readonly #known = new Map<number, boolean>()
  #bad = 0
  #good = 0
  held = false

  constructor(condition: Condition, adaptive: Adaptive) {
    this.#condition = condition
    this.#adaptive = adaptive
  }

  take(sent: Sent): boolean {
    this.#endUnknown(sent.at)
    const verdict = this.#judge(sent)
    if (verdict !== null) this.#countIt(verdict)
    this.#all.push({ ...sent, held: this.held })
    return this.held
  }

  #countIt(isBad: boolean): void {
    const { repetition, recovery } = this.#condition
    this.#bad = isBad ? this.#bad + 1 : 0
    if (this.#bad >= Math.max(1, repetition)) {
      this.held = true
      this.#good = 0
    } else if (this.held && !recovery) this.held = false
    else if (this.held && recovery) {
      this.#good = isBad ? 0 : this.#good + 1
      if (this.#good >= Math.max(1, recovery.repetition)) {
        this.held = false
        this.#good = 0
      }
    }
  }

  /** A condition that is met ends when all limits of the last day and of the next two are unknown. */
  #endUnknown(at: number): void {
    const hour = Math.floor(at / HOUR_MS)
    const isKnown = (coming: number) => this.#boundsOf(coming * HOUR_MS, at) !== null
    // No story skips more than an hour.
    for (const coming of [hour, hour + 1]) this.#known.set(coming, isKnown(coming))
    if (!this.held || [...this.#known].some(([one, known]) => known && one >= hour - 24)) return
    const next = Array.from({ length: 49 }, (_, index) => hour + index)
    if (next.some((coming) => coming * HOUR_MS < at + 2 * DAY_MS && isKnown(coming))) return
    ;[this.held, this.#bad, this.#good] = [false, 0, 0]
  }

  /** Null while the limit is unknown. */
  #judge({ at, value }: Sent): boolean | null {
    const bounds = this.#boundsOf(at, at)
    const { offset } = this.#adaptive
    return bounds && (value > bounds.upper + offset || value < bounds.lower - offset)
  }

  /** The limits of an instant by the values before the hour of `now`; null if they are unknown. */
  #boundsOf(at: number, now: number): { readonly lower: number; readonly upper: number } | null {
    const cell = this.#enough(at, now)
    if (cell === null) return null
    const { factor, side, minWidth } = this.#adaptive
    const least = spread(cell.map((hour) => Math.min(...hour.map((one) => one.value))))
    const greatest = spread(cell.map((hour) => Math.max(...hour.map((one) => one.value))))
    let [lower, upper] = [
      least.middle - factor * least.deviation,
      greatest.middle + factor * greatest.deviation,
    ]
    const missing = minWidth - (upper - lower)
    if (missing > 0) [lower, upper] = [lower - missing / 2, upper + missing / 2]
    const canBelow = side !== 'above' && (least.deviation > 0 || minWidth > 0)
    const canAbove = side !== 'below' && (greatest.deviation > 0 || minWidth > 0)
    if (!canBelow && !canAbove) return null
    return { lower: canBelow ? lower : -Infinity, upper: canAbove ? upper : Infinity }
  }

  #enough(at: number, now: number): readonly (readonly Sent[])[] | null {
    const { minSamples, season } = this.#adaptive
    const around = season === 'none' ? [0] : [0, 1, -1]
    const cells = [this.#cell([at, now], [0]), this.#cell([at, now], around)]
    return cells.find((hours) => hours.length >= 3 && hours.flat().length >= minSamples) ?? null
  }

  /** The values of the hours before `now` that are at the same time of the season as an instant, or that many hours off. */
  #cell([at, now]: readonly [number, number], offs: readonly number[]): readonly (readonly Sent[])[] {
    const { windowMs, timeZone, season } = this.#adaptive
    const hourOf = (instant: number) => Math.floor(instant / HOUR_MS)
    const placeOf = (hour: number) => {
      const known = this.#places.get(hour)
      if (known !== undefined) return known
      const place = newPlaceOf(hour)
      this.#places.set(hour, place)
      return place
    }
    const newPlaceOf = (hour: number) => {
      const local = Temporal.Instant.fromEpochMilliseconds(hour * HOUR_MS).toZonedDateTimeISO(timeZone)
      if (season === 'none') return 0
      return season === 'day' ? local.hour : 24 * (local.dayOfWeek - 1) + local.hour
    }
    const size = season === 'week' ? 168 : 24
    const own = placeOf(hourOf(at))
    const hours = Map.groupBy(
      this.#all.filter((one) => {
        const hour = hourOf(one.at)
        return hour < hourOf(now) && hour >= hourOf(bucketBeginOf(this.#adaptive, now) - windowMs)
      }),
      (one) => hourOf(one.at),
    )
    return offs.flatMap((off) => {
      const place = season === 'none' ? 0 : (own + off + size) % size
      const there = [...hours].flatMap(([hour, values]) =>
        placeOf(hour) === place ? [{ hour, values }] : [],
      )
      const calm = there.filter(({ hour }) => !this.#heldIn(hour))
      const total = (list: typeof there) => list.flatMap(({ values }) => values).length
      return (2 * total(calm) > total(there) ? calm : there).map(({ values }) => values)
    })
  }

  /** Whether the condition held at any time of an hour. */
  #heldIn(hour: number): boolean {
    const [fromAt, endAt] = [hour * HOUR_MS, (hour + 1) * HOUR_MS]
    return this.#all.some(({ at, held }, index) => {
      const until = this.#all[index + 1]?.at ?? Number.POSITIVE_INFINITY
      return held && at < endAt && until > fromAt && until > at
    })
  }
}

function spread(values: readonly number[]) {
  const middleOf = (all: readonly number[]) => {
    const sorted = all.toSorted((a, b) => a - b)
    return (
      ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) +
        (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) /
      2
    )
  }
  const middle = middleOf(values)
  return { middle, deviation: 1.4826 * middleOf(values.map((value) => Math.abs(value - middle))) }
}

describe('an adaptive condition', () => {
  const story = fc.record({
    season: fc.constantFrom('none' as const, 'day' as const, 'day' as const, 'week' as const),
    factor: fc.constantFrom(0.5, 1, 3),
    side: fc.constantFrom('both' as const, 'above' as const, 'below' as const),
    minSamples: fc.integer({ min: 1, max: 8 }),
    minWidth: fc.constantFrom(0, 0, 2),
    offset: fc.constantFrom(0, 1),
    windowMs: fc.constantFrom(3 * DAY_MS, 6 * DAY_MS, 15 * DAY_MS),
    repetition: fc.constantFrom(1, 1, 2),
    recovery: fc.constantFrom(null, { value: 0, repetition: 2 }),
    stepMinutes: fc.constantFrom(25, 60, 61),
    noises: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 5, maxLength: 40 }),
    leaps: fc.array(fc.nat({ max: 240 }), { maxLength: 6 }),
  })

  test('has the states of a naive one, and routine values change none', () => {
    let [judged, held, routine] = [0, 0, 0]
    const property = fc.property(story, ({ repetition, recovery, stepMinutes, noises, leaps, ...part }) => {
      const adaptive = adaptiveWith(part)
      const condition = conditionWith({ operator: '<>', predicted: true, repetition, recovery, adaptive })
      const thresholds: Thresholds = [{ level: 'major', mode: 'or', conditions: [condition] }]
      const naive = new NaiveCondition(condition, adaptive)
      const isLeaping = (index: number) => leaps.some((leap) => index >= leap && index < leap + 5)
      const valueOf = (index: number, at: number) =>
        5 * (Math.floor(at / HOUR_MS) % 24) +
        (noises[index % noises.length] ?? 0) +
        (isLeaping(index) ? 40 : 0)
      const samples: Sent[] = []
      let counters: readonly Counter[] = []
      let madeFor = 0
      for (let index = 0; index < 240; index++) {
        const at = BEGIN_AT + index * stepMinutes * 60_000
        const value = valueOf(index, at)
        if (bucketBeginOf(adaptive, at) !== madeFor) {
          madeFor = bucketBeginOf(adaptive, at)
          const band = bandAt(adaptive, samples, at, counters[0]?.spells)
          counters = withBands(thresholds, counters, [[0, band]])
        }
        const before = counters
        const { over, under } = uncountedSpan(thresholds, before, 'returnValue1', at)
        expect(uncountedUntil(thresholds, before, 'returnValue1', at)).toBeGreaterThan(at)
        counters = count(thresholds, before, { returnValue1: value }, at)
        if (value > over && value < under) {
          expect(counters).toBe(before)
          routine++
        }
        expect(counters[0]?.held).toBe(naive.take({ at, value }))
        samples.push({ at, value })
        if (knownCellOf(counters[0]?.band, at)) judged++
        if (counters[0]?.held === true) held++
      }
    })
    // Few random stories may have no value that leaves its band.
    let rounds = 0
    while (rounds === 0 || (rounds < 10 && Math.min(judged, held, routine) <= 100)) {
      fc.assert(property, { numRuns: 8 })
      rounds++
    }
    expect(Math.min(judged, held, routine)).toBeGreaterThan(100)
  })

  test('stays as it is while its limit is unknown, and ends when that lasts', () => {
    const adaptive = utc()
    const thresholds: Thresholds = [
      { level: 'major', mode: 'or', conditions: [conditionWith({ predicted: true, adaptive })] },
    ]
    const samples = hourly(5, (_, day) => day)
    const known = withBands(thresholds, [], [[0, bandAt(adaptive, samples, BEGIN_AT)]])
    const held = count(thresholds, known, { returnValue1: 1_000 }, BEGIN_AT)
    expect(held[0]).toMatchObject({ held: true, spells: [[BEGIN_AT, null]] })
    const afterEnd = BEGIN_AT + 2 * DAY_MS
    expect(count(thresholds, held, { returnValue1: 1 }, afterEnd)).toBe(held)
    expect(uncountedSpan(thresholds, held, 'returnValue1', afterEnd)).toEqual({
      over: -Infinity,
      under: Infinity,
    })
    expect(bandsOf(thresholds, held, afterEnd)[0]?.unknown).toBe('stale')
    const soon = withBands(thresholds, held, [[0, bandAt(adaptive, [], BEGIN_AT + HOUR_MS)]])
    expect(soon[0]?.held).toBe(true)
    const later = withBands(thresholds, soon, [[0, bandAt(adaptive, [], BEGIN_AT + 2 * DAY_MS)]])
    expect(later[0]).toMatchObject({ held: false, hits: 0, spells: [[BEGIN_AT, BEGIN_AT + 2 * DAY_MS]] })
  })
})
