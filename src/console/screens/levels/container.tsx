import type { JSX } from 'preact'

import { isUnread, useGet } from '../../api/resource.ts'
import { shareLeft, steadyShare } from '../../kit/charts/budget.ts'
import { Staff } from '../../kit/charts/staff.tsx'
import { Card, KeyValues, PageHead, Stat, Tabs } from '../../kit/data.tsx'
import { readKey, Show, Skeleton, Undecided } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { agreedText, availabilityText, numberText, percentText } from '../../kit/numbers.ts'
import { rankOf, State } from '../../kit/state.tsx'
import { dayText, durationText } from '../../kit/time.tsx'
import { useLive } from '../../kit/use-live.ts'
import { t } from '../../language/t.ts'
import { LevelActions } from './actions.tsx'
import { BurnCard } from './burn-card.tsx'
import { ContainerConfig } from './container-config.tsx'
import { Members } from './members.tsx'
import { Periods } from './periods.tsx'
import { budgetSentence, SECOND_MS } from './sentence.ts'
import { hoursText } from './slc-draft.ts'
import type { Slc } from './slc-draft.ts'
import { StatusPage } from '../status-pages/status-page.tsx'

const TABS = ['overview', 'configuration', 'page'] as const

/** A container: the rest of its budget, its burn rate, its past periods, and its configuration. */
export function ContainerPage({ id }: { readonly id: number }): JSX.Element {
  const slc = useGet('/slcs/{id}', { path: { id } }, ['state'])
  const members = useGet('/{parentType}/{parentId}/children', { path: { parentType: 'slc', parentId: id } }, [
    'state',
  ])
  const [tab, setTab] = useQuery<(typeof TABS)[number]>('tab', 'overview')
  // The budget moves while a member is bad, without an event.
  useLive(slc.reload, members.data?.items.some(({ state }) => rankOf(state) > 0) === true)
  const worst = members.data?.items.toSorted((a, b) => rankOf(b.state) - rankOf(a.state))[0]
  const decides = useGet('/slos/{id}', worst?.type === 'slo' ? { path: { id: worst.id } } : null, ['state'])
  const { data, etag } = slc
  return (
    <>
      <PageHead
        crumbs={[{ text: t('nav.slos'), href: linkTo('slos') }]}
        title={data?.name ?? t('levels.container')}
        badge={data && <State state={data.currentState} />}
        sentence={data ? budgetSentence(data.values) : ''}
        actions={data && <LevelActions level={{ ...data, type: 'slc' }} />}
      />
      <div key={readKey(data)} class="body">
        <Show
          isPage
          resource={slc}
          what={t('levels.failed')}
          skeleton={<Skeleton lines={8} height="24rem" />}
        >
          {(container) => (
            <Tabs
              label={t('levels.tabs')}
              value={tab}
              onChange={(to) => setTab(to, true)}
              tabs={TABS.map((value) => ({ value, text: t(`levels.tab.${value}`) }))}
            >
              {tab === 'page' && <StatusPage object={{ ...container, type: 'slc' }} />}
              {tab === 'configuration' && <ContainerConfig object={container} etag={etag} />}
              {tab === 'overview' && (
                <div class="col spread">
                  <Budget container={container} />
                  <BurnCard container={container} readAt={slc.readAt} />
                  {isUnread(decides) && <Undecided />}
                  <Members
                    level={{ type: 'slc', id, name: container.name }}
                    etag={etag}
                    reasons={new Set(decides.data?.reasons.map((reason) => reason.id))}
                    refused={
                      container.permissions.write
                        ? undefined
                        : t('levels.needsWrite', { name: container.name })
                    }
                  />
                  <Periods container={container} />
                </div>
              )}
            </Tabs>
          )}
        </Show>
      </div>
    </>
  )
}

function Budget({ container }: { readonly container: Slc }): JSX.Element {
  const { name, values, timezone, target, limit, duration, activeTime, warnAt } = container
  const left = shareLeft(values)
  return (
    <Card
      title={t('levels.budget')}
      note={`${dayText(values.period.begin, timezone)} – ${dayText(Date.parse(values.period.end) - 1, timezone)}, ${timezone}`}
    >
      {left !== null && (
        <div class="pad">
          <Staff
            left={left}
            ideal={steadyShare(values.period)}
            name={t('kit.budgetName', { name, left: percentText(left) })}
          />
        </div>
      )}
      <div class="stats">
        <Stat
          label={t('levels.statLeft')}
          value={left === null ? '–' : percentText(left)}
          note={durationText(values.creditLeft * SECOND_MS)}
        />
        <Stat
          label={t('levels.statUsed')}
          value={durationText(values.creditUsed * SECOND_MS)}
          note={t('levels.of', { total: durationText(values.creditTotal * SECOND_MS) })}
        />
        <Stat
          label={t('levels.available')}
          value={availabilityText(values.percent)}
          note={target === null ? '' : t('levels.target', { target: availabilityText(target) })}
        />
        <Stat
          label={t('levels.burn')}
          value={values.burnRate1h === null ? '–' : numberText(values.burnRate1h, 1)}
          unit="×"
          note={t('levels.burn6h', {
            rate: values.burnRate6h === null ? '–' : numberText(values.burnRate6h, 1),
          })}
        />
      </div>
      <footer>
        <KeyValues
          rows={[
            [t('levels.field.limit'), availabilityText(limit)],
            [t('levels.period'), t(`levels.duration.${duration}`)],
            [t('levels.field.activeTime'), hoursText(activeTime)],
            [t('levels.field.warnAt'), agreedText(warnAt)],
          ]}
        />
      </footer>
    </Card>
  )
}
