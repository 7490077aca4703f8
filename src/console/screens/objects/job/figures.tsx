import type { ComponentChildren, JSX } from 'preact'

import { useGet } from '../../../api/resource.ts'
import { Card } from '../../../kit/data.tsx'
import { availabilityText, unitText } from '../../../kit/numbers.ts'
import { Time } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { digitsText } from './job.ts'
import type { Job, JobValue } from './job.ts'

const HOUR_MS = 3_600_000
const MONTH_MS = 30 * 24 * HOUR_MS

/** The figures below the chart: extent, availability, and when the next delivery is due. */
export function Figures({
  job,
  value,
  extent,
}: {
  readonly job: Job
  readonly value: JobValue
  readonly extent: { readonly min: number; readonly mean: number; readonly max: number } | null
}): JSX.Element {
  const begin = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - MONTH_MS).toISOString()
  const { data } = useGet('/jobs/{id}/state-history', { path: { id: job.id }, query: { begin } })
  const text = (number: number | undefined): string =>
    number === undefined ? '–' : unitText(digitsText(number, value.precision), value.unit)
  return (
    <Card>
      <div class="stats">
        <Figure label={t('job.lowest')}>{text(extent?.min)}</Figure>
        <Figure label={t('job.mean')}>{text(extent?.mean)}</Figure>
        <Figure label={t('job.highest')}>{text(extent?.max)}</Figure>
        <Figure label={t('job.available')}>{availabilityText(data?.availability.percent ?? null)}</Figure>
        <Figure label={t('job.lastDelivery')}>
          {job.lastReceivedAt === null ? '–' : <Time at={job.lastReceivedAt} seconds />}
        </Figure>
        <Figure label={t('job.silentAt')}>
          {job.nextTimeoutAt === null ? t('job.noTimeout') : <Time at={job.nextTimeoutAt} seconds />}
        </Figure>
      </div>
    </Card>
  )
}

function Figure({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class="stat">
      <span class="label">{label}</span>
      <b>{children}</b>
    </div>
  )
}
