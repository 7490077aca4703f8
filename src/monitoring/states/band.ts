import type { ForecastBand } from '../../domain/forecast-band.ts'
import type { Adaptive, ForecastLimit } from '../../domain/job-rules.ts'
import type { UnknownBand } from '../../domain/snapshot.ts'
import { DEVIATIONS_PER_MAD, medianOf } from '../../lib/median.ts'
import type { Range } from '../../lib/range.ts'
import { DAY_MS } from '../../lib/time.ts'
import { bucketBeginOf, bucketEdgesOf, cellCountOf, cellOf, neighboursOf } from './seasons.ts'

/** The least number of buckets of a cell. */
const BUCKETS_MIN = 3
/** How far a band reaches into the future, and how many cells it has at most. A newer band comes much earlier. */
const REACH_MS = 2 * DAY_MS
const CELLS_MAX = 100
/** Cells of the past that a newer band keeps. */
const PAST_CELLS_MAX = 24
/** Spans in which a condition held, and spans of maintenance: the newest of them. */
export const SPANS_MAX = 64

/** The bounds of usual values from an instant on, until the next cell begins. Null stands for a missing bound; without both, the limit is unknown. */
export type BandCell = readonly [
  fromAt: number,
  lower: number | null,
  upper: number | null,
  unknown?: 'too_few' | 'constant',
]

/** The usual values of coming buckets, as of `madeAt`. */
export type Band = {
  readonly madeAt: number
  /** Ascending, without gaps. */
  readonly cells: readonly BandCell[]
  /** The end of the last cell. */
  readonly endAt: number
}

/** The extremes of the samples of a bucket. */
export type Extremes = {
  readonly at: number
  readonly endAt: number
  readonly min: number
  readonly max: number
  readonly count: number
}

/** A span in which a condition held; it has no end while it holds. */
export type Spell = readonly [fromAt: number, endAt: number | null]

/** The data of a band: the buckets of the window, and the spans that are not usual. */
export type History = {
  readonly buckets: readonly Extremes[]
  readonly spells: readonly Spell[]
  readonly maintenance: readonly Range[]
}

/** The borders of the buckets whose samples make the band at an instant. The bucket of the instant is not among them: it
 * is not complete. */
export function windowEdgesOf(adaptive: Adaptive, now: number): number[] {
  const endAt = bucketBeginOf(adaptive, now)
  return bucketEdgesOf(adaptive, bucketBeginOf(adaptive, endAt - adaptive.windowMs), endAt)
}

/** The buckets that begin in a range. */
export function bucketsIn(buckets: readonly Extremes[], beginAt: number, endAt: number): readonly Extremes[] {
  const first = buckets.findIndex(({ at }) => at >= beginAt)
  const last = buckets.findLastIndex(({ at }) => at < endAt)
  return first < 0 ? [] : buckets.slice(first, last + 1)
}

/** The band for the bucket of an instant and those after it. */
export function bandOf(adaptive: Adaptive, history: History, now: number): Band {
  const edges = bucketEdgesOf(adaptive, bucketBeginOf(adaptive, now), now + REACH_MS).slice(0, CELLS_MAX + 1)
  const learned = new Learned(adaptive, history)
  const cells = edges
    .slice(0, -1)
    .map((fromAt): BandCell => [fromAt, ...learned.boundsOf(cellOf(adaptive, fromAt))])
  return { madeAt: now, cells, endAt: edges.at(-1) ?? now }
}

/** The band of a condition from a forecast: the bounds of its level; without that level nothing is known. */
export function forecastBandOf(
  { madeAt, begins, endAt, levels }: ForecastBand,
  { level, minWidth }: Pick<ForecastLimit, 'level' | 'minWidth'>,
): Band {
  const bounds = levels[String(level)]
  if (!bounds) return { madeAt, cells: [], endAt: madeAt }
  const cells = bounds.flatMap(([lower, upper], place): BandCell[] => {
    const fromAt = begins[place]
    if (fromAt === undefined) return []
    const missing = Math.max(0, minWidth - (upper - lower)) / 2
    // Without a width every value would be unusual.
    if (upper + missing <= lower - missing) return [[fromAt, null, null, 'constant']]
    return [[fromAt, lower - missing, upper + missing]]
  })
  return { madeAt, cells, endAt }
}

/** A newer band with the last cells of the one before, for values that come later than their instant. */
export function joinedBand(before: Band | undefined, band: Band): Band {
  const [first] = band.cells
  if (!before || !first || before.endAt < first[0]) return band
  const past = before.cells.filter(([fromAt]) => fromAt < first[0]).slice(-PAST_CELLS_MAX)
  return { ...band, cells: [...past, ...band.cells] }
}

/** The place of the cell of an instant; -1 before the first cell, and after the last. */
function placeOf({ cells, endAt }: Band, at: number): number {
  if (at >= endAt) return -1
  let [low, high] = [0, cells.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cells[middle]?.[0] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The cell of an instant; null outside of the band, and where the limit is unknown. */
export function knownCellOf(band: Band | undefined, at: number): BandCell | null {
  const cell = band?.cells[placeOf(band, at)]
  return cell && cell[3] === undefined ? cell : null
}

/** Until when the cell of an instant is valid, epoch ms. */
export function cellEndOf(band: Band | undefined, at: number): number {
  if (!band || at >= band.endAt) return Number.POSITIVE_INFINITY
  return band.cells[placeOf(band, at) + 1]?.[0] ?? band.endAt
}

/** The band at an instant, as it is shown. */
export function shownBandOf(band: Band | undefined, at: number) {
  const none = { lower: null, upper: null, fromAt: null, endAt: null }
  if (!band) return { ...none, unknown: 'too_few' as UnknownBand, madeAt: null }
  const { madeAt } = band
  const cell = band.cells[placeOf(band, at)]
  if (!cell) return { ...none, unknown: (at < band.endAt ? 'too_few' : 'stale') as UnknownBand, madeAt }
  const [fromAt, lower, upper, unknown = null] = cell
  return { lower, upper, fromAt, endAt: cellEndOf(band, at), unknown: unknown as UnknownBand | null, madeAt }
}

/** Whether a value breaches the bounds of a cell. */
export function isOutside(
  { side, offset }: Pick<Adaptive, 'side' | 'offset'>,
  [, lower, upper]: BandCell,
  value: number,
): boolean {
  if (side !== 'below' && upper !== null && value > upper + offset) return true
  return side !== 'above' && lower !== null && value < lower - offset
}

/** The history, by the cells of the season. */
class Learned {
  readonly #adaptive: Adaptive
  readonly #cells: readonly (readonly Extremes[])[]
  readonly #known = new Map<number, readonly [number | null, number | null, ('too_few' | 'constant')?]>()

  constructor(adaptive: Adaptive, { buckets, spells, maintenance }: History) {
    this.#adaptive = adaptive
    const held = spells.map(([beginAt, endAt]) => ({ beginAt, endAt: endAt ?? Number.POSITIVE_INFINITY }))
    const cells = Array.from({ length: cellCountOf(adaptive) }, (): Extremes[] => [])
    for (const bucket of buckets)
      if (bucket.count > 0 && !isWithin(bucket, maintenance)) cells[cellOf(adaptive, bucket.at)]?.push(bucket)
    this.#cells = cells.map((cell) => usualOf(cell, held))
  }

  boundsOf(cell: number): readonly [number | null, number | null, ('too_few' | 'constant')?] {
    let bounds = this.#known.get(cell)
    if (!bounds) this.#known.set(cell, (bounds = this.#boundsOf(cell)))
    return bounds
  }

  #boundsOf(cell: number): readonly [number | null, number | null, ('too_few' | 'constant')?] {
    const own = this.#cells[cell] ?? []
    if (this.#isEnough(own)) return boundsOf(this.#adaptive, own)
    const near = neighboursOf(this.#adaptive, cell).flatMap((neighbour) => this.#cells[neighbour] ?? [])
    const all = [...own, ...near]
    return this.#isEnough(all) ? boundsOf(this.#adaptive, all) : [null, null, 'too_few']
  }

  #isEnough(buckets: readonly Extremes[]): boolean {
    return buckets.length >= BUCKETS_MIN && countOf(buckets) >= this.#adaptive.minSamples
  }
}

/** The buckets of a cell without those in which the condition held, if more than half of the samples remain. */
function usualOf(buckets: readonly Extremes[], held: readonly Range[]): readonly Extremes[] {
  const left = buckets.filter((bucket) => !isWithin(bucket, held))
  return 2 * countOf(left) > countOf(buckets) ? left : buckets
}

function boundsOf(
  { factor, side, minWidth }: Adaptive,
  buckets: readonly Extremes[],
): readonly [number | null, number | null, ('too_few' | 'constant')?] {
  const reach = factor * DEVIATIONS_PER_MAD
  const least = spreadOf(buckets.map(({ min }) => min))
  const greatest = spreadOf(buckets.map(({ max }) => max))
  const lower = least.median - reach * least.mad
  const upper = greatest.median + reach * greatest.mad
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) return [null, null, 'constant']
  if (minWidth > 0) {
    const missing = Math.max(0, minWidth - (upper - lower)) / 2
    return [lower - missing, upper + missing]
  }
  // A bound without any spread would make an alarm of every other value.
  const bounds = [least.mad > 0 ? lower : null, greatest.mad > 0 ? upper : null] as const
  const looked = side === 'both' ? bounds : [side === 'below' ? bounds[0] : bounds[1]]
  return looked.every((bound) => bound === null) ? [null, null, 'constant'] : bounds
}

function countOf(buckets: readonly Extremes[]): number {
  return buckets.reduce((sum, { count }) => sum + count, 0)
}

function isWithin({ at, endAt }: Extremes, ranges: readonly Range[]): boolean {
  return ranges.some((range) => range.beginAt < endAt && range.endAt > at)
}

function spreadOf(values: readonly number[]): { readonly median: number; readonly mad: number } {
  const median = medianOf(values)
  return { median, mad: medianOf(values.map((value) => Math.abs(value - median))) }
}
