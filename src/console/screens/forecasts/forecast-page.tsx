import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { forget, invalidate, useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { useAction } from '../../kit/background.ts'
import { Button, SelectField } from '../../kit/controls.tsx'
import { Card, KeyValues, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Note, Show, StoredReason } from '../../kit/feedback.tsx'
import { linkTo, objectLink, useQuery } from '../../kit/location.ts'
import { Confirm, Menu } from '../../kit/overlays.tsx'
import { Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { useLive } from '../../kit/use-live.ts'
import { Unread } from '../../kit/unread.tsx'
import { t } from '../../language/t.ts'
import { RunStateBadge } from '../scripts/run-state.tsx'
import { figuresSentence } from './forecast.ts'
import type { Forecast } from './forecast.ts'
import { ForecastForm } from './forecast-form.tsx'
import { LimitDialog } from './limit-dialog.tsx'
import { ForecastState } from './list.tsx'
import { PredictedCard, TrialsCard } from './predicted-card.tsx'

/** While a run goes on, the page is read again at this pace. */
const RUNNING_MS = 3_000
const RUNS_SHOWN = 10
/** A forecast has at most this many series. */
const GROUPS_MAX = 1_000

/** A forecast: its predicted values, its trials on the past, its runs, and the limits by it. */
export function ForecastPage({ id }: { readonly id: number }): JSX.Element {
  const forecast = useGet('/forecasts/{id}', { path: { id } }, ['script'])
  const [edit] = useQuery<string>('edit', '')
  if (forecast.data && edit === 'true') return <ForecastForm forecast={forecast.data} etag={forecast.etag} />
  if (forecast.data && !forecast.failure?.isGone)
    return <Shown forecast={forecast.data} resource={forecast} />
  return <Unread resource={forecast} what={t('forecasts.failedOne')} />
}

function Shown({
  forecast,
  resource,
}: {
  readonly forecast: Forecast
  readonly resource: Resource<Forecast>
}): JSX.Element {
  const { id, name, state, figures, failure } = forecast
  const [dialog, setDialog] = useState<'limit' | 'delete' | null>(null)
  useLive(() => invalidate(`/forecasts/${id}`), state === 'running', RUNNING_MS)
  return (
    <>
      <PageHead
        crumbs={[{ text: t('nav.forecasts'), href: linkTo('forecasts') }]}
        title={name}
        badge={<ForecastState state={state} />}
        sentence={figuresSentence(figures)}
        actions={<Actions forecast={forecast} onDialog={setDialog} />}
      />
      <div class="body">
        {failure && (
          <Note kind="minor" role="status">
            <b>{t('forecasts.lastFailed')}</b>
            <StoredReason reason={failure.detail} />
          </Note>
        )}
        <Show resource={resource}>{(shown) => <Parts forecast={shown} />}</Show>
      </div>
      {dialog === 'limit' && <LimitDialog forecast={forecast} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <DeleteDialog forecast={forecast} onClose={() => setDialog(null)} />}
    </>
  )
}

/** The parts of the page, of which one note gives the age while reads fail. */
function Parts({ forecast }: { readonly forecast: Forecast }): JSX.Element {
  const { id, name, figures, refreshedAt, nextRunAt, publishedRun, owner } = forecast
  return (
    <div class="forecast">
      <div class="col spread">
        {publishedRun === null ? (
          <Card>
            <Empty title={t('forecasts.noResults')} text={t('forecasts.noResultsText')} />
          </Card>
        ) : (
          <Groups id={id} name={name} />
        )}
        <RunsCard id={id} />
      </div>
      <div class="col spread">
        <TrialsCard figures={figures} />
        <Card title={t('forecasts.results')}>
          <div class="pad">
            <KeyValues
              rows={[
                [t('forecasts.refreshedAt'), refreshedAt === null ? '–' : <Time at={refreshedAt} />],
                [t('forecasts.nextRunAt'), nextRunAt === null ? '–' : <Time at={nextRunAt} />],
                [t('forecasts.owner'), owner.name ?? `#${owner.id}`],
              ]}
            />
          </div>
        </Card>
        <DependentsCard id={id} />
      </div>
    </div>
  )
}

function Actions({
  forecast: { id, name, source, state, publishedRun },
  onDialog,
}: {
  readonly forecast: Forecast
  readonly onDialog: (dialog: 'limit' | 'delete') => void
}): JSX.Element {
  const { route } = useLocation()
  const run = useAction(async () => {
    await call('post', '/forecasts/{id}/run', { path: { id } })
    invalidate(`/forecasts/${id}`)
    toast({ text: t('forecasts.ordered') })
  })
  const refusedLimit = (): string | undefined => {
    if (source.type !== 'job') return t('forecasts.limitOfJob')
    return publishedRun === null ? t('forecasts.noResults') : undefined
  }
  return (
    <>
      <Button refused={refusedLimit()} onClick={() => onDialog('limit')}>
        {t('forecasts.makeLimit')}
      </Button>
      <Button
        kind="primary"
        icon="play"
        busy={run.isBusy}
        refused={state === 'running' ? t('forecasts.isRunning') : undefined}
        onClick={() => run.start()}
      >
        {t('forecasts.run')}
      </Button>
      <Menu
        label={t('forecasts.more', { name })}
        items={[
          {
            text: t('forecasts.edit'),
            icon: 'edit',
            run: () => route(linkTo(`forecasts/${id}`, { edit: 'true' })),
          },
          { text: t('forecasts.delete'), icon: 'close', danger: true, run: () => onDialog('delete') },
        ]}
      />
    </>
  )
}

/** The series of the published run, one of which is drawn. */
function Groups({ id, name }: { readonly id: number; readonly name: string }): JSX.Element {
  const groups = useGet('/forecasts/{id}/groups', { path: { id }, query: { limit: GROUPS_MAX } })
  const [group, setGroup] = useQuery<string>('group', '0')
  const band = useGet('/forecasts/{id}/band', { path: { id }, query: { group: Number(group) } })
  const items = groups.data?.items ?? []
  const chosen = items.find(({ number }) => String(number) === group)
  const textOf = (values: Readonly<Record<string, unknown>>): string =>
    Object.values(values).join(', ') || name
  return (
    <>
      {items.length > 1 && (
        <SelectField
          label={t('forecasts.series')}
          value={group}
          options={items.map((one) => ({ value: String(one.number), text: textOf(one.group) }))}
          onValue={setGroup}
        />
      )}
      {chosen?.error ? (
        <Note kind="warning">
          <b>{t('forecasts.seriesFailed')}</b>
          <StoredReason reason={chosen.error.detail} />
        </Note>
      ) : (
        <Show resource={band} what={t('forecasts.failedBand')}>
          {(data) => <PredictedCard key={group} title={textOf(data.group)} predicted={data} />}
        </Show>
      )}
    </>
  )
}

function RunsCard({ id }: { readonly id: number }): JSX.Element {
  const runs = useGet('/forecasts/{id}/jobs', { path: { id }, query: { limit: RUNS_SHOWN } }, ['script'])
  const isCut = runs.data?.items.length === RUNS_SHOWN
  return (
    <Card title={t('forecasts.runs')} note={isCut && t('forecasts.latestRuns', { count: RUNS_SHOWN })}>
      <Show resource={runs}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet pad">{t('forecasts.noRuns')}</p>
          ) : (
            <Table
              label={t('forecasts.runs')}
              rows={items}
              keyOf={(run) => run.id}
              columns={[
                {
                  key: 'state',
                  title: t('forecasts.state'),
                  cell: ({ state }) => <RunStateBadge state={state} />,
                },
                {
                  key: 'at',
                  title: t('forecasts.orderedAt'),
                  cell: ({ queuedAt }) => <Time at={queuedAt} />,
                },
                {
                  key: 'error',
                  title: t('forecasts.outcome'),
                  cell: ({ published, error }) =>
                    published ? t('forecasts.published') : error !== null && <StoredReason reason={error} />,
                },
              ]}
            />
          )
        }
      </Show>
    </Card>
  )
}

function DependentsCard({ id }: { readonly id: number }): JSX.Element {
  const dependents = useGet('/forecasts/{id}/dependents', { path: { id } })
  return (
    <Card title={t('forecasts.limits')}>
      <div class="pad">
        <Show resource={dependents}>
          {({ jobs }) =>
            jobs.length === 0 ? (
              <p class="quiet">{t('forecasts.noLimits')}</p>
            ) : (
              <ul class="col">
                {jobs.map((job) => (
                  <li key={job.id}>
                    <a href={objectLink('job', job.id)}>{job.name}</a>
                  </li>
                ))}
              </ul>
            )
          }
        </Show>
      </div>
    </Card>
  )
}

function DeleteDialog({
  forecast: { id, name },
  onClose,
}: {
  readonly forecast: Forecast
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const dependents = useGet('/forecasts/{id}/dependents', { path: { id } })
  const { jobs = [], widgets = [] } = dependents.data ?? {}
  const isForced = jobs.length + widgets.length > 0
  const remove = async (): Promise<void> => {
    await call('delete', '/forecasts/{id}', { path: { id }, query: { forceDelete: isForced } })
    forget(`/forecasts/${id}`)
    invalidate('/forecasts')
    toast({ text: t('forecasts.deleted', { name }) })
    route(linkTo('forecasts'))
  }
  return (
    <Confirm
      title={t('forecasts.deleteName', { name })}
      effect={t('forecasts.deleteEffect', { count: jobs.length, widgets: widgets.length })}
      submit={t('forecasts.delete')}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
