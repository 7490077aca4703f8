import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'

import type { Resource } from '../../api/resource.ts'
import { Empty, FailureNote, Skeleton } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { numberText } from '../../kit/numbers.ts'
import { t } from '../../language/t.ts'
import { costPoints, presentOf } from './cost.ts'
import type { Outage } from './cost.ts'
import { LevelChart } from './level-chart.tsx'
import type { Slo } from './rules.ts'

/** The service lists at most this many outages. */
const LISTED_MAX = 1_000

/** The cost of all outages of a service over a span, as it grew. */
export function CostCard({
  service,
  outages,
  begin,
}: {
  readonly service: Slo
  readonly outages: Resource<readonly Outage[]>
  /** The begin of the span of the outages. */
  readonly begin: string
}): JSX.Element {
  const { currency } = service.parameters
  const { data, readAt } = outages
  const whole = { begin: Date.parse(begin), end: presentOf(data ?? [], readAt ?? Date.now()) }
  const points = useMemo(() => data && costPoints(data, whole), [data, readAt])
  const isCostly = data?.some(({ cost }) => cost !== null) === true
  const isCut = (data?.length ?? 0) >= LISTED_MAX
  return (
    <LevelChart
      heading={t('levels.costOver')}
      note={t('levels.lastMonth')}
      footer={
        <span>
          {t('levels.costFooter')} {isCut && t('levels.costCut', { count: LISTED_MAX })}
        </span>
      }
      whole={whole}
      drawn={
        points && isCostly
          ? {
              title: t('levels.costOver'),
              unit: currency,
              points,
              axisValues: [0],
              valueText: (value) => numberText(value),
            }
          : null
      }
      instead={<Instead service={service} outages={outages} />}
    />
  )
}

function Instead({
  service: { id, parameters },
  outages: { data, failure, reload },
}: {
  readonly service: Slo
  readonly outages: Resource<readonly Outage[]>
}): JSX.Element {
  if (!data && failure)
    return <FailureNote failure={failure} what={t('levels.outagesFailed')} retry={reload} />
  if (!data) return <Skeleton lines={6} />
  if (parameters.costsPerMin > 0) return <Empty title={t('levels.noCost')} text={t('levels.noOutages')} />
  return (
    <Empty
      title={t('levels.noCostSet')}
      text={t('levels.noCostSetText')}
      action={
        <a class="btn" href={linkTo(`slo/${id}`, { tab: 'configuration' })}>
          {t('levels.tab.configuration')}
        </a>
      }
    />
  )
}
