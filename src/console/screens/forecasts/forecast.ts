import type { Answer } from '../../api/client.ts'
import type { ForecastPoint } from '../../kit/charts/plot.ts'
import type { Point } from '../../kit/charts/points.ts'
import { percentText } from '../../kit/numbers.ts'
import { t } from '../../language/t.ts'

export type Forecast = Answer<'/forecasts/{id}'>
export type Summary = Answer<'/forecasts'>['items'][number]
export type Band = Answer<'/forecasts/{id}/band'>
export type Preview = Exclude<Answer<'/forecasts/preview', 'post'>, Answer<'/operations/{id}'>>
export type Figures = NonNullable<Forecast['figures']>
export type Predicted = Pick<Band, 'levels' | 'past' | 'buckets'>

/** The widest interval: limits by it are crossed least often. */
export const widest = (levels: readonly number[]): number => Math.max(...levels)

/** The values that were learned from, as far as they are shown. */
export function pastPoints({ past }: Predicted): readonly Point[] {
  return past.flatMap(({ at, value }) =>
    value === null ? [] : [{ at: Date.parse(at), avg: value, min: value, max: value, count: 1 }],
  )
}

/** The predicted values between the bounds of a level, each in the middle of its bucket. */
export function forecastPoints(
  { buckets }: Pick<Predicted, 'buckets'>,
  level: number,
): readonly ForecastPoint[] {
  return buckets.flatMap(({ begin, end, mean, bounds }) => {
    if (mean === null) return []
    const { lower = null, upper = null } = bounds[String(level)] ?? {}
    return [
      { at: (Date.parse(begin) + Date.parse(end)) / 2, value: mean, low: lower ?? mean, high: upper ?? mean },
    ]
  })
}

/** The trials on the past as a sentence: the error beside the one of the naive forecast. */
export function figuresSentence(figures: Figures | null): string {
  if (figures === null || figures.smape === null) return t('forecasts.untested')
  const error = percentText(figures.smape / 100, 1)
  if (figures.naiveSmape === null) return t('forecasts.off', { error, count: figures.folds })
  const values = { error, naive: percentText(figures.naiveSmape / 100, 1), count: figures.folds }
  return t(figures.smape < figures.naiveSmape ? 'forecasts.better' : 'forecasts.worse', values)
}
