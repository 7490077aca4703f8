import type { Prediction } from '../../../domain/snapshot.ts'
import type { ThresholdsBody } from '../../job-config/schema.ts'
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

const WORDS: Readonly<Record<string, string>> = {
  '>': 'above',
  '>=': 'at least',
  '<': 'below',
  '<=': 'at most',
}

/** The message of the worst condition that is predicted to be met; null if none is. */
export function predictedMessage(
  predictions: readonly Prediction[],
  thresholds: ThresholdsBody,
  format: Format,
): string | null {
  for (const { level, index, predicted } of predictions) {
    const condition = thresholds[level]?.conditions[index]
    if (!condition || predicted === null || predicted.crossesAt === null) continue
    const { key, operator, value } = condition
    return `${key} is predicted to be ${WORDS[operator] ?? operator} ${value} at ${format(predicted.crossesAt)}`
  }
  return null
}
