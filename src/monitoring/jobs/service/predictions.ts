import type { Value } from '../../../domain/delivery.ts'
import type { Prediction, ShownBand, Snapshot, UnknownBand } from '../../../domain/snapshot.ts'
import { SIDES } from '../../job-config/adaptive.ts'
import type { ThresholdsBody } from '../../job-config/schema.ts'
import { isOutside } from '../../states/band.ts'
import { limitMessage, RELATIONS } from '../../states/limit-news.ts'
import type { JobView } from '../schema.ts'

type Format = (at: number) => string

export function predictionView(
  { level, index, predicted }: Prediction,
  format: Format,
): NonNullable<JobView['predictions']>[number] {
  const place = { severity: level, condition: index }
  if (predicted === null) return { ...place, unknown: 'too_few', value: null, at: null, crossesAt: null }
  const { at, value, crossesAt } = predicted
  return {
    ...place,
    unknown: null,
    value,
    at: format(at),
    crossesAt: crossesAt === null ? null : format(crossesAt),
  }
}

export function bandView(
  { level, index, unknown, lower, upper, fromAt, endAt, madeAt }: ShownBand,
  format: Format,
): NonNullable<JobView['bands']>[number] {
  const shown = (at: number | null) => (at === null ? null : format(at))
  const bounds = { unknown, lower, upper, begin: shown(fromAt), end: shown(endAt) }
  return { severity: level, condition: index, ...bounds, madeAt: shown(madeAt) }
}

/** Why the first unknown limit is unknown. */
export function unknownLimitOf({
  bands,
  predictions,
}: Pick<Snapshot, 'bands' | 'predictions'>): UnknownBand | null {
  const unknown = bands.find((band) => band.unknown !== null)?.unknown
  return unknown ?? (predictions.some(({ predicted }) => predicted === null) ? 'too_few' : null)
}

/** The message of the worst predicted or adaptive condition that is met; null if none is.
 * @param valueOf the newest value of a key, in user units */
export function messageOfLimits(
  { predictions, bands }: Snapshot,
  { thresholds, valueOf }: { readonly thresholds: ThresholdsBody; readonly valueOf: NewestValue },
  format: Format,
): string | null {
  return predictedMessage(predictions, thresholds, format) ?? unusualMessage(bands, thresholds, valueOf)
}

type NewestValue = (key: string) => Value | undefined

function unusualMessage(
  bands: readonly ShownBand[],
  thresholds: ThresholdsBody,
  valueOf: NewestValue,
): string | null {
  for (const { level, index, lower, upper } of bands) {
    const condition = thresholds[level]?.conditions[index]
    const value = condition && valueOf(condition.key)
    const adaptive = condition?.adaptiveValues
    if (!adaptive || typeof value !== 'number') continue
    const { side = SIDES[condition.operator as keyof typeof SIDES], offset } = adaptive
    if (isOutside({ side, offset }, [0, lower, upper], value))
      return limitMessage({ kind: 'unusual', key: condition.key, value, lower, upper })
  }
  return null
}

function predictedMessage(
  predictions: readonly Prediction[],
  thresholds: ThresholdsBody,
  format: Format,
): string | null {
  for (const { level, index, predicted } of predictions) {
    const condition = thresholds[level]?.conditions[index]
    if (!condition || predicted === null || predicted.crossesAt === null) continue
    const { key, operator, value } = condition
    const relation = RELATIONS[operator]
    if (!relation || typeof value !== 'number') continue
    return limitMessage({ kind: 'predicted', key, relation, limit: value, at: predicted.crossesAt }, format)
  }
  return null
}
