import { useMemo } from 'preact/hooks'

import { useGet } from '../../../api/resource.ts'
import { user } from '../../../api/session.ts'
import type { ForecastPoint } from '../../../kit/charts/plot.ts'
import { forecastPoints } from '../../forecasts/forecast.ts'
import type { Job } from './job.ts'
import { forecastOf } from './job-forecast.ts'

/** Roles that may read forecasts. */
const READERS: ReadonlySet<string> = new Set(['administrator', 'editor', 'Data_Editor'])
const NONE: readonly ForecastPoint[] = []

/** The predicted values of the forecast by which a job limits a value; none without one. */
export function useForecast(job: Job, key: string): readonly ForecastPoint[] {
  const used = forecastOf(job, key)
  const isReadable = used !== null && READERS.has(user.value?.role ?? '')
  const band = useGet('/forecasts/{id}/band', isReadable ? { path: { id: used.id } } : null)
  const level = used?.level ?? 0
  return useMemo(() => (band.data ? forecastPoints(band.data, level) : NONE), [band.data, level])
}
