import type { LookAhead } from '../../domain/job-rules.ts'
import { DEVIATIONS_PER_MAD, medianOf } from '../../lib/median.ts'

/** The number of cells in a window. */
const CELLS = 64
/** The least number of points of a line. */
const POINTS_MIN = 10
/** A new point that is further from the line, in robust deviations of the other points, begins a new line. */
const RESET_DEVIATIONS = 6
/** The least deviation as a share of the range of the points, so that a line without noise may bend. */
const DEVIATION_MIN = 0.01
/** The error of rounding as a share of the largest value. */
const ROUNDING = 1e-9

/** An instant and a value. */
type Point = readonly [at: number, value: number]

/** A least-squares line through recent values. `ends` are its values at the newest point and `withinMs` later; null
 * while there are too few points. */
export type Line = {
  readonly points: readonly Point[]
  readonly ends: readonly [now: number, later: number] | null
}

export const NO_LINE: Line = { points: [], ends: null }

/** The line after one more value in order. Only the first value in a cell of the window changes it; otherwise it is the given
 * line. */
export function lineAfter(line: Line, ahead: LookAhead, [at, value]: Point): Line {
  if (at < openUntil(line, ahead)) return line
  const cellMs = cellMsOf(ahead)
  const oldest = Math.floor(at / cellMs) - CELLS
  const recent = line.points.filter(([before]) => Math.floor(before / cellMs) > oldest)
  const points: Point[] = isFarFrom(recent, [at, value]) ? [[at, value]] : [...recent, [at, value]]
  return { points, ends: endsOf(points, at, ahead) }
}

/** The end of the cell of the newest point: values before it do not change the line. */
export function openUntil({ points }: Line, ahead: LookAhead): number {
  const newest = points.at(-1)
  if (!newest) return Number.NEGATIVE_INFINITY
  const cellMs = cellMsOf(ahead)
  return (Math.floor(newest[0] / cellMs) + 1) * cellMs
}

/** A whole number, so that a cell's end is exact. */
function cellMsOf({ windowMs }: LookAhead): number {
  return Math.ceil(windowMs / CELLS)
}

function endsOf(points: readonly Point[], at: number, { withinMs, windowMs }: LookAhead): Line['ends'] {
  const spanMs = at - (points[0]?.[0] ?? at)
  if (points.length < POINTS_MIN || spanMs < windowMs / 2) return null
  const predict = fitted(points)
  const now = predict(at)
  const later = predict(at + withinMs)
  return Number.isFinite(now) && Number.isFinite(later) ? [now, later] : null
}

/** The least-squares line through at least two points. */
function fitted(points: readonly Point[]): (at: number) => number {
  const [originAt] = points[0] ?? [0]
  let meanX = 0
  let meanY = 0
  for (const [at, value] of points) {
    meanX += (at - originAt) / points.length
    meanY += value / points.length
  }
  let covariance = 0
  let variance = 0
  for (const [at, value] of points) {
    const x = at - originAt - meanX
    covariance += x * (value - meanY)
    variance += x * x
  }
  const slope = covariance / variance
  return (at) => meanY + slope * (at - originAt - meanX)
}

/** Whether a new point is too far from the line through the others to continue it, as after a reset of a counter. */
function isFarFrom(points: readonly Point[], [at, value]: Point): boolean {
  if (points.length < POINTS_MIN) return false
  const predict = fitted(points)
  const residuals = points.map(([before, known]) => Math.abs(known - predict(before)))
  const values = points.map(([, known]) => known)
  const [least, greatest] = [Math.min(...values), Math.max(...values)]
  const deviation = Math.max(
    DEVIATIONS_PER_MAD * medianOf(residuals),
    DEVIATION_MIN * (greatest - least),
    ROUNDING * Math.max(Math.abs(least), Math.abs(greatest)),
  )
  return Math.abs(value - predict(at)) > RESET_DEVIATIONS * deviation
}
