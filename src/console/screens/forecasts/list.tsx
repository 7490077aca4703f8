import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo } from '../../kit/location.ts'
import { State } from '../../kit/state.tsx'
import type { ApiState } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { figuresSentence } from './forecast.ts'
import type { Summary } from './forecast.ts'

const STATES: Readonly<Record<Summary['state'], ApiState>> = {
  never: 'undefined',
  running: 'undefined',
  ready: 'ok',
  stale: 'warning',
  failed: 'major',
}

/** Whether a forecast has results, and how old they are. */
export function ForecastState({ state }: { readonly state: Summary['state'] }): JSX.Element {
  return <State state={STATES[state]} text={t(`forecasts.state.${state}`)} />
}

/** The forecasts, with the error of each beside the one of the naive forecast. */
export function ForecastList(): JSX.Element {
  const forecasts = useGet('/forecasts', {})
  const items = forecasts.data?.items ?? []
  const failed = items.filter(({ state }) => state === 'failed' || state === 'stale').length
  return (
    <>
      <PageHead
        title={t('nav.forecasts')}
        sentence={items.length > 0 ? t('forecasts.say', { count: items.length, failed }) : undefined}
        actions={<NewForecast />}
      />
      <div class="body">
        <Card>
          <Show resource={forecasts} what={t('forecasts.failed')} skeleton={<Skeleton lines={8} />}>
            {() =>
              items.length === 0 ? (
                <Empty title={t('forecasts.none')} text={t('forecasts.noneText')} />
              ) : (
                <Table
                  label={t('nav.forecasts')}
                  rows={items}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      key: 'name',
                      title: t('forecasts.name'),
                      cell: ({ id, name, figures }) => (
                        <>
                          <a href={linkTo(`forecasts/${id}`)}>{name}</a>
                          <div class="path">{figuresSentence(figures)}</div>
                        </>
                      ),
                    },
                    {
                      key: 'state',
                      title: t('forecasts.state'),
                      cell: ({ state }) => <ForecastState state={state} />,
                    },
                    {
                      key: 'refreshed',
                      title: t('forecasts.refreshedAt'),
                      cell: ({ refreshedAt }) => (refreshedAt === null ? '–' : <Time at={refreshedAt} />),
                    },
                    {
                      key: 'next',
                      title: t('forecasts.nextRunAt'),
                      wide: true,
                      cell: ({ nextRunAt }) => (nextRunAt === null ? '–' : <Time at={nextRunAt} />),
                    },
                  ]}
                />
              )
            }
          </Show>
        </Card>
      </div>
    </>
  )
}

function NewForecast(): JSX.Element {
  return (
    <a class="btn primary" href={linkTo('forecasts/new')}>
      <Icon name="plus" />
      {t('forecasts.new')}
    </a>
  )
}
