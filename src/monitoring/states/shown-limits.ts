import type { Condition, Foresight, LookAhead, Thresholds } from '../../domain/job-rules.ts'
import type { Prediction, ShownBand } from '../../domain/snapshot.ts'
import { shownBandOf } from './band.ts'
import type { Band } from './band.ts'
import { compare } from './comparison.ts'
import { foreseenWithin } from './foreseen.ts'
import { foresightOf, sidesOf } from './limit-kinds.ts'
import { NO_LINE } from './line.ts'
import type { Line } from './line.ts'
import { ZERO } from './thresholds.ts'
import type { Counter } from './thresholds.ts'

/** The bands of the adaptive conditions at an instant, level by level. */
export function bandsOf(
  thresholds: Thresholds,
  counters: readonly Counter[],
  at: number,
): readonly ShownBand[] {
  let place = 0
  return thresholds.flatMap(({ level, conditions }) =>
    conditions.flatMap((condition, index) => {
      const { band } = counters[place++] ?? ZERO
      return sidesOf(condition)
        ? [{ level, index, ...shownBandOf(band, Math.max(at, band?.madeAt ?? at)) }]
        : []
    }),
  )
}

/** The predictions of the conditions that look ahead, level by level, at an instant. */
export function predictionsOf(
  thresholds: Thresholds,
  counters: readonly Counter[],
  at: number,
): readonly Prediction[] {
  let place = 0
  return thresholds.flatMap(({ level, conditions }) =>
    conditions.flatMap((condition, index) => {
      const { line = NO_LINE, band } = counters[place++] ?? ZERO
      const foresees = foresightOf(condition)
      if (foresees) return [{ level, index, predicted: foreseenBy(condition, foresees, band, at) }]
      return condition.ahead
        ? [{ level, index, predicted: predictedBy(condition, condition.ahead, line) }]
        : []
    }),
  )
}

function foreseenBy(
  { operator, value }: Condition,
  foresees: Foresight,
  band: Band | undefined,
  at: number,
): Prediction['predicted'] {
  const foreseen = foreseenWithin(band, at, foresees)
  const last = foreseen.at(-1)
  if (!last) return null
  const crossing = foreseen.find((one) => compare(operator, one.value, value))
  return { ...last, crossesAt: crossing?.at ?? null }
}

function predictedBy(
  { operator, value }: Condition,
  { withinMs }: LookAhead,
  { points, ends }: Line,
): Prediction['predicted'] {
  const newestAt = points.at(-1)?.[0]
  if (newestAt === undefined || ends === null || typeof value === 'string') return null
  const [now, later] = ends
  const shown = { at: newestAt + withinMs, value: later }
  if (compare(operator, now, value)) return { ...shown, crossesAt: newestAt }
  const isCrossed = compare(operator, later, value)
  const afterMs = Math.round((withinMs * (value - now)) / (later - now))
  return { ...shown, crossesAt: isCrossed ? newestAt + afterMs : null }
}
