import type { ForecastBand } from '../../domain/forecast-band.ts'
import type { Foresight } from '../../domain/job-rules.ts'
import { cellEndOf } from './band.ts'
import type { Band, BandCell } from './band.ts'

/** The values of a forecast that a condition compares, as a band whose cells have no width. */
export function foreseenBandOf(
  { madeAt, begins, endAt, means, levels }: ForecastBand,
  level: number,
  { bound }: Foresight,
): Band {
  const bounds = levels[String(level)]
  const values =
    bound === 'mean' ? means : bounds?.map(([lower, upper]) => (bound === 'lower' ? lower : upper))
  if (!values) return { madeAt, cells: [], endAt: madeAt }
  const cells = begins.map((fromAt, place): BandCell => {
    const value = values[place] ?? null
    return value === null ? [fromAt, null, null, 'too_few'] : [fromAt, value, value]
  })
  return { madeAt, cells, endAt }
}

/** A predicted value, and the instant from which on it applies. */
type Foreseen = { readonly at: number; readonly value: number }

/** The predicted values of the buckets between an instant and the end of the look-ahead; none while they are unknown. */
export function foreseenWithin(
  band: Band | undefined,
  at: number,
  { withinMs }: Foresight,
): readonly Foreseen[] {
  if (!band || at >= band.endAt) return []
  const { cells, endAt } = band
  return cells.flatMap(([fromAt, value], place) => {
    const isOver = (cells[place + 1]?.[0] ?? endAt) <= at
    return isOver || fromAt > at + withinMs || value === null ? [] : [{ at: Math.max(at, fromAt), value }]
  })
}

/** When `foreseenWithin` changes next: a bucket ends, or one comes within the look-ahead. */
export function foreseenUntil(band: Band | undefined, at: number, { withinMs }: Foresight): number {
  const comesAt = band?.cells.find(([fromAt]) => fromAt > at + withinMs)?.[0] ?? Number.POSITIVE_INFINITY
  return Math.min(cellEndOf(band, at), comesAt - withinMs)
}
