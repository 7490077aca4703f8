import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import type { Item } from '../../api/client.ts'
import { shareLeft, steadyShare } from '../../kit/charts/budget.ts'
import { Staff } from '../../kit/charts/staff.tsx'
import { Card, KeyValues, PageHead, Stat, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { numberText, percentText } from '../../kit/numbers.ts'
import { State } from '../../kit/state.tsx'
import { dayText, durationText, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { Members } from './members.tsx'
import { budgetSentence, SECOND_MS } from './sentence.ts'

/** A container: what is left of its budget, how fast it burns, and the periods before. */
export function ContainerPage({ id }: { readonly id: number }): JSX.Element {
  const slc = useGet('/slcs/{id}', { path: { id } }, ['state'])
  const { data } = slc
  return (
    <>
      <PageHead
        crumbs={[{ text: t('nav.slos'), href: linkTo('slos') }]}
        title={data?.name ?? t('levels.container')}
        badge={data && <State state={data.currentState} />}
        sentence={data ? budgetSentence(data.values) : ''}
      />
      <div class="body">
        <Show resource={slc} what={t('levels.failed')}>
          {({ values, timezone, target, duration }) => (
            <Card
              title={t('levels.budget')}
              note={`${dayText(values.period.begin)} – ${dayText(values.period.end)}, ${timezone}`}
            >
              <div class="pad">
                <Staff
                  left={shareLeft(values) ?? 0}
                  ideal={steadyShare(values.period)}
                  name={t('kit.budgetName', {
                    name: data?.name ?? '',
                    left: percentText(shareLeft(values) ?? 0),
                  })}
                />
              </div>
              <div class="stats">
                <Stat
                  label={t('levels.statLeft')}
                  value={percentText(shareLeft(values) ?? 0)}
                  note={durationText(values.creditLeft * SECOND_MS)}
                />
                <Stat
                  label={t('levels.statUsed')}
                  value={durationText(values.creditUsed * SECOND_MS)}
                  note={t('levels.of', { total: durationText(values.creditTotal * SECOND_MS) })}
                />
                <Stat
                  label={t('levels.available')}
                  value={values.percent === null ? '–' : numberText(values.percent, 3)}
                  unit="%"
                  note={target === null ? '' : t('levels.target', { target: numberText(target, 3) })}
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
                <KeyValues rows={[[t('levels.period'), t(`levels.duration.${duration}`)]]} />
              </footer>
            </Card>
          )}
        </Show>
        <Members type="slc" id={id} />
        <Periods id={id} />
      </div>
    </>
  )
}

type Period = Item<'/slcs/{id}/periods'>

/** The periods that are over: each with its last revision. */
function Periods({ id }: { readonly id: number }): JSX.Element {
  const periods = useGet('/slcs/{id}/periods', { path: { id }, query: { limit: 24 } })
  return (
    <Card title={t('levels.periods')} note={t('levels.periodsNote')}>
      <Show resource={periods}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('levels.noPeriods')} />
          ) : (
            <Table<Period>
              label={t('levels.periods')}
              rows={items}
              keyOf={({ period }) => period.begin}
              columns={[
                { key: 'begin', title: t('levels.period'), cell: ({ period }) => dayText(period.begin) },
                {
                  key: 'state',
                  title: t('levels.state'),
                  cell: ({ revisions }) => <State state={revisions.at(-1)?.state} />,
                },
                {
                  key: 'percent',
                  title: t('levels.available'),
                  figures: true,
                  cell: ({ revisions }) => percentOf(revisions.at(-1)?.percent),
                },
                {
                  key: 'used',
                  title: t('levels.statUsed'),
                  figures: true,
                  cell: ({ revisions }) => durationText((revisions.at(-1)?.creditUsed ?? 0) * SECOND_MS),
                },
                {
                  key: 'revision',
                  title: t('levels.revision'),
                  wide: true,
                  cell: ({ revisions }) => {
                    const last = revisions.at(-1)
                    return (
                      last && (
                        <>
                          {t('levels.final', { revision: last.revision })} <Time at={last.created} />
                        </>
                      )
                    )
                  },
                },
              ]}
            />
          )
        }
      </Show>
    </Card>
  )
}

function percentOf(percent: number | null | undefined): string {
  return percent === null || percent === undefined ? '–' : `${numberText(percent, 3)}\u00a0%`
}
