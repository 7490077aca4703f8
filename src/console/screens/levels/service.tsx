import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import type { Answer } from '../../api/client.ts'
import { Card, PageHead, Stat, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { numberText } from '../../kit/numbers.ts'
import { State, stateWord } from '../../kit/state.tsx'
import { durationText, msOfDuration, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { Members } from './members.tsx'

const MONTH_MS = 30 * 86_400_000
type Slo = Answer<'/slos/{id}'>
type Outage = Answer<'/slos/{id}/outages'>[number]

/** A service: why it is in its state, what makes it up, and what its outages cost. */
export function ServicePage({ id }: { readonly id: number }): JSX.Element {
  const slo = useGet('/slos/{id}', { path: { id } }, ['state'])
  const begin = useMemo(() => new Date(Date.now() - MONTH_MS).toISOString(), [id])
  const outages = useGet(
    '/slos/{id}/outages',
    { path: { id }, query: { begin, states: 'major,minor', minDuration: 'PT1M' } },
    ['state'],
  )
  const reasons = new Set(slo.data?.reasons.map((reason) => reason.id))
  return (
    <>
      <PageHead
        crumbs={[{ text: t('nav.slos'), href: linkTo('slos') }]}
        title={slo.data?.name ?? t('levels.service')}
        badge={slo.data && <State state={slo.data.currentState} />}
        sentence={slo.data ? sentenceOf(slo.data) : ''}
      />
      <div class="body">
        <Show resource={slo} what={t('levels.failed')}>
          {({ parameters, stateOperation }) => (
            <Card>
              <div class="stats">
                <Stat label={t('levels.rule')} value={t(`levels.operation.${stateOperation}`)} />
                <Stat
                  label={t('levels.costPerMin')}
                  value={numberText(parameters.costsPerMin)}
                  unit={parameters.currency}
                />
                <Stat
                  label={t('levels.costMonth')}
                  value={numberText(costOf(outages.data ?? []))}
                  unit={parameters.currency}
                  note={t('levels.costNote')}
                />
              </div>
            </Card>
          )}
        </Show>
        <Members type="slo" id={id} reasons={reasons} />
        <Card title={t('levels.outages')} note={t('levels.lastMonth')}>
          <Show resource={outages}>
            {(items) =>
              items.length === 0 ? (
                <Empty title={t('levels.noOutages')} />
              ) : (
                <Table<Outage>
                  label={t('levels.outages')}
                  rows={items.toReversed()}
                  keyOf={(outage) => outage.id}
                  columns={[
                    { key: 'begin', title: t('levels.since'), cell: (outage) => <Time at={outage.begin} /> },
                    {
                      key: 'state',
                      title: t('levels.state'),
                      cell: (outage) => <State state={outage.state} />,
                    },
                    {
                      key: 'duration',
                      title: t('levels.duration'),
                      figures: true,
                      cell: (outage) =>
                        durationText(msOfDuration(outage.duration) ?? 0) +
                        (outage.active ? ` ${t('levels.running')}` : ''),
                    },
                    {
                      key: 'reasons',
                      title: t('levels.reasons'),
                      wide: true,
                      cell: (outage) => outage.reasons.map(({ name }) => name).join(', '),
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
      </div>
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

function costOf(outages: readonly Outage[]): number {
  return outages.reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0)
}
