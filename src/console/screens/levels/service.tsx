import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'

import { together, useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { Card, PageHead, Stat, Table, Tabs } from '../../kit/data.tsx'
import { Empty, readKey, Show, Skeleton } from '../../kit/feedback.tsx'
import { linkTo, objectLink, useQuery } from '../../kit/location.ts'
import { numberText } from '../../kit/numbers.ts'
import { State, stateWord } from '../../kit/state.tsx'
import { durationText, msOfDuration, Time } from '../../kit/time.tsx'
import { useLive } from '../../kit/use-live.ts'
import { t } from '../../language/t.ts'
import { LevelActions } from './actions.tsx'
import { costOf } from './cost.ts'
import type { Outage } from './cost.ts'
import { CostCard } from './cost-card.tsx'
import { Members } from './members.tsx'
import { membersCounted } from './member.ts'
import { ruleSentence } from './rules.ts'
import type { Slo } from './rules.ts'
import { ServiceConfig } from './service-config.tsx'
import { StatusPage } from '../status-pages/status-page.tsx'

const MONTH_MS = 30 * 86_400_000
const TABS = ['overview', 'configuration', 'page'] as const

/** A service: why it is in its state, what makes it up, what its outages cost, and its configuration. */
export function ServicePage({ id }: { readonly id: number }): JSX.Element {
  const slo = useGet('/slos/{id}', { path: { id } }, ['state'])
  const begin = useMemo(() => new Date(Date.now() - MONTH_MS).toISOString(), [id])
  const outages = useGet(
    '/slos/{id}/outages',
    { path: { id }, query: { begin, states: 'major,minor', minDuration: 'PT1M' } },
    ['state'],
  )
  const [tab, setTab] = useQuery<(typeof TABS)[number]>('tab', 'overview')
  const members = useMembers(id)
  const { data, etag } = slo
  // Parts that come one after the other would move each other.
  const whole = together(slo, members, outages)
  // An outage that lasts costs more each minute, without an event.
  useLive(outages.reload, data?.currentState === 'major' || data?.currentState === 'minor')
  return (
    <>
      <PageHead
        crumbs={[{ text: t('nav.slos'), href: linkTo('slos') }]}
        title={data?.name ?? t('levels.service')}
        badge={data && <State state={data.currentState} />}
        sentence={data ? sentenceOf(data) : ''}
        actions={data && <LevelActions level={{ ...data, type: 'slo' }} />}
      />
      <div key={readKey(whole.data)} class="body">
        <Show
          isPage
          resource={whole}
          what={t('levels.failed')}
          skeleton={<Skeleton lines={8} height="24rem" />}
        >
          {(service) => (
            <Tabs
              label={t('levels.tabs')}
              value={tab}
              onChange={(to) => setTab(to, true)}
              tabs={TABS.map((value) => ({ value, text: t(`levels.tab.${value}`) }))}
            >
              {tab === 'page' && <StatusPage object={{ ...service, type: 'slo' }} />}
              {tab === 'configuration' && <ServiceConfig object={service} etag={etag} />}
              {tab === 'overview' && (
                <div class="col spread">
                  <Summary service={service} outages={outages.data ?? (outages.failure ? [] : undefined)} />
                  <Members
                    level={{ type: 'slo', id, name: service.name }}
                    etag={etag}
                    order={service.sortMode}
                    reasons={new Set(service.reasons.map((reason) => reason.id))}
                    refused={
                      service.permissions.write ? undefined : t('levels.needsWrite', { name: service.name })
                    }
                  />
                  <CostCard service={service} outages={outages} begin={begin} />
                  <Outages outages={outages} />
                </div>
              )}
            </Tabs>
          )}
        </Show>
      </div>
    </>
  )
}

const useMembers = (id: number) =>
  useGet('/{parentType}/{parentId}/children', { path: { parentType: 'slo', parentId: id } }, ['state'])

/** The rule in words, and what outages cost. */
function Summary({
  service,
  outages,
}: {
  readonly service: Slo
  /** Undefined until they are read. */
  readonly outages: readonly Outage[] | undefined
}): JSX.Element {
  const { id, parameters, stateOperation } = service
  const members = useMembers(id)
  return (
    <Card>
      {members.data && outages ? (
        <p class="pad">{ruleSentence(stateOperation, service, membersCounted(members.data.items))}</p>
      ) : (
        !members.failure && <Skeleton lines={1} />
      )}
      <div class="stats">
        <Stat label={t('levels.membersStat')} value={numberText(parameters.children)} />
        <Stat
          label={t('levels.costPerMin')}
          value={numberText(parameters.costsPerMin)}
          unit={parameters.currency}
        />
        <Stat
          label={t('levels.costMonth')}
          value={outages ? numberText(costOf(outages)) : '\u00A0'}
          unit={outages && parameters.currency}
          note={t('levels.costNote')}
        />
      </div>
    </Card>
  )
}

function Outages({ outages }: { readonly outages: Resource<readonly Outage[]> }): JSX.Element {
  return (
    <Card title={t('levels.outages')} note={t('levels.lastMonth')}>
      <Show resource={outages} what={t('levels.outagesFailed')}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('levels.noOutages')} />
          ) : (
            <Table<Outage>
              label={t('levels.outages')}
              rows={items.toReversed()}
              keyOf={(outage) => outage.id}
              columns={[
                { key: 'begin', title: t('levels.since'), cell: ({ begin }) => <Since at={begin} /> },
                { key: 'state', title: t('levels.state'), cell: ({ state }) => <State state={state} /> },
                {
                  key: 'duration',
                  title: t('levels.duration'),
                  figures: true,
                  cell: ({ duration, active }) =>
                    durationText(msOfDuration(duration) ?? 0) + (active ? ` ${t('levels.running')}` : ''),
                },
                {
                  key: 'reasons',
                  title: t('levels.reasons'),
                  wide: true,
                  cell: ({ reasons }) => <Because reasons={reasons} />,
                },
                {
                  key: 'cost',
                  title: t('levels.cost'),
                  figures: true,
                  cell: ({ cost }) =>
                    cost === null ? '–' : `${numberText(cost.amount)}\u00a0${cost.currency}`,
                },
              ]}
            />
          )
        }
      </Show>
    </Card>
  )
}

function Since({ at }: { readonly at: string }): JSX.Element {
  return (
    <span class="nowrap">
      <Time at={at} />
    </span>
  )
}

function Because({ reasons }: Pick<Outage, 'reasons'>): JSX.Element {
  const unique = [...new Map(reasons.map((reason) => [reason.id, reason])).values()]
  return (
    <>
      {unique.map(({ id, type, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <a href={objectLink(type, id)}>{name}</a>
        </span>
      ))}
    </>
  )
}

/** The state of the service and the objects that decided it. */
function sentenceOf({ currentState, reasons }: Slo): string {
  const names = reasons
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ')
  if (names === '') return t('levels.serviceState', { state: stateWord(currentState).toLowerCase() })
  return t('levels.serviceReason', { state: stateWord(currentState).toLowerCase(), names })
}
