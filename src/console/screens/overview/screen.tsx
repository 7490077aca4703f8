import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { Answer } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Empty, Show, Skeleton, Water } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { StateChanges, useStateChanges } from '../../kit/state-changes.tsx'
import { t } from '../../language/t.ts'
import { Budgets } from './budgets.tsx'
import { Late } from './late.tsx'
import { headline, jobCount, restSentence } from './sentence.ts'
import { TideChart } from './tide-chart.tsx'
import { useLate } from './use-late.ts'
import { useTrouble } from './use-trouble.ts'
import { useContainers } from './worst-containers.ts'
import { WrongNow } from './wrong-now.tsx'

const LATE_MAX = 8
const ROOT = { type: 'group', id: 1 } as const
/** Cards that wait for a slow answer are shown without it after this time. */
const PATIENCE_MS = 3_000

/** The overview: a sentence, the tide of the last day, and the worst first. */
export function Screen(): JSX.Element {
  const { alarms, trouble, count } = useTrouble()
  const root = useGet(
    '/root/tree/{parentType}/{parentId}/tree',
    { path: { parentType: 'group', parentId: 1 }, query: { depth: '1', types: 'group', fields: 'counts' } },
    ['state'],
  )
  const counts = root.data?.counts ?? {}
  return (
    <div class="body">
      <section class="hero" aria-labelledby="headline">
        <div>
          <h1 id="headline">{trouble ? headline(trouble) : t('nav.overview')}</h1>
          {user.value?.startDashboardId != null && (
            <a class="start" href={linkTo('dashboards/start')}>
              {t('overview.start')}
            </a>
          )}
          {root.data && (alarms.data ?? alarms.failure) && <p>{restSentence(counts)}</p>}
        </div>
        <TideChart />
      </section>
      <Cards alarms={alarms} count={count} hasJobs={!root.data || jobCount(counts) > 0} />
    </div>
  )
}

/** The cards below the sentence. They appear together, because a late card would move the cards below it. */
function Cards({
  alarms,
  count,
  hasJobs,
}: {
  readonly alarms: Resource<Answer<'/alarms'>>
  readonly count: number
  readonly hasJobs: boolean
}): JSX.Element {
  const late = useLate(LATE_MAX)
  const others = [useStateChanges(ROOT), useContainers()]
  const isReady = useOnce(
    [alarms, late, ...others].every(({ data, failure }) => data !== undefined || failure !== null),
  )
  if (!isReady) return <Skeleton lines={8} height="24rem" />
  return (
    <div class="two">
      <div class="col spread">
        <Show resource={alarms} what={t('overview.alarmsFailed')} skeleton={<Skeleton lines={5} />}>
          {({ items }) =>
            items.length === 0 ? <Calm hasJobs={hasJobs} /> : <WrongNow alarms={items} count={count} />
          }
        </Show>
        <Late late={late} />
      </div>
      <div class="col spread">
        <StateChanges {...ROOT} />
        <Budgets />
      </div>
    </div>
  )
}

/** Whether a condition has held once, or the patience is over. */
function useOnce(isSo: boolean): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    if (isSo) return setOver(true)
    const timer = setTimeout(() => setOver(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isSo])
  return isSo || isOver
}

/** No alarm is open: calm water, or the way to a first value. */
function Calm({ hasJobs }: { readonly hasJobs: boolean }): JSX.Element {
  if (hasJobs || user.value?.role === 'dashboard_viewer')
    return (
      <section class="card calm">
        <Water />
        <h2>{t('overview.calm')}</h2>
        <p class="quiet">{t('overview.calmText')}</p>
      </section>
    )
  return (
    <section class="card">
      <Empty
        title={t('overview.empty')}
        text={t('overview.emptyText')}
        action={
          <a class="btn primary" href={linkTo('first-value')}>
            {t('overview.emptyAction')}
          </a>
        }
      />
    </section>
  )
}
