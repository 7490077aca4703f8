import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Item } from '../../api/client.ts'
import { usePages } from '../../api/pages.ts'
import { Button, TextField } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { linkTo } from '../../kit/location.ts'
import { availabilityText } from '../../kit/numbers.ts'
import { State } from '../../kit/state.tsx'
import { dayText, durationText, Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { SECOND_MS } from './sentence.ts'
import type { Slc } from './slc-draft.ts'

type Period = Item<'/slcs/{id}/periods'>
type Revision = Period['revisions'][number]
const PAGE = 24

/** The periods that are over, each with its last revision, and how a period is recalculated. */
export function Periods({ container }: { readonly container: Slc }): JSX.Element {
  const { id, name, permissions, timezone } = container
  const periods = usePages('/slcs/{id}/periods', { path: { id }, query: { limit: PAGE } })
  const [chosen, setChosen] = useState<Period | null>(null)
  const refused = permissions.write ? undefined : t('levels.needsWrite', { name })
  return (
    <Card
      title={t('levels.periods')}
      note={t('levels.periodsNote')}
      footer={
        periods.more && (
          <Button small onClick={periods.more}>
            {t('levels.morePeriods')}
          </Button>
        )
      }
    >
      <Show resource={periods} what={t('levels.periodsFailed')}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('levels.noPeriods')} text={t('levels.noPeriodsText')} />
          ) : (
            <Table<Period>
              label={t('levels.periods')}
              rows={items}
              keyOf={({ period }) => period.begin}
              columns={[
                {
                  key: 'begin',
                  title: t('levels.period'),
                  cell: ({ period }) => (
                    <a class="nowrap" href={periodLink(id, period)}>
                      {dayText(period.begin, timezone)}
                    </a>
                  ),
                },
                {
                  key: 'state',
                  title: t('levels.state'),
                  cell: ({ revisions }) => <State state={revisions.at(-1)?.state} />,
                },
                {
                  key: 'percent',
                  title: t('levels.available'),
                  figures: true,
                  cell: ({ revisions }) => percentOf(revisions.at(-1)),
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
                  cell: ({ revisions }) => <Revisions revisions={revisions} />,
                },
                {
                  key: 'recalculate',
                  title: <span class="vh">{t('levels.recalculate')}</span>,
                  figures: true,
                  cell: (period) => (
                    <Button
                      small
                      icon="refresh"
                      aria-label={t('levels.recalculateOf', {
                        period: dayText(period.period.begin, timezone),
                      })}
                      refused={refused}
                      onClick={() => setChosen(period)}
                    >
                      {t('levels.recalculate')}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Show>
      {chosen && (
        <Recalculate
          id={id}
          zone={timezone}
          period={chosen}
          onDone={periods.reload}
          onClose={() => setChosen(null)}
        />
      )}
    </Card>
  )
}

/** The page with the chart of a period: its last second is in no period after it. */
function periodLink(id: number, { end }: Period['period']): string {
  const at = new Date(Date.parse(end) - SECOND_MS).toISOString().replace('.000', '')
  return linkTo(`slc/${id}`, { period: at })
}

function percentOf(revision: Revision | undefined): string {
  return availabilityText(revision?.percent ?? null)
}

/** The last revision, and those that it replaced. */
function Revisions({ revisions }: { readonly revisions: readonly Revision[] }): JSX.Element | null {
  const last = revisions.at(-1)
  if (last === undefined) return null
  const summary = (
    <>
      {t('levels.final', { revision: last.revision })} <Time at={last.created} />
    </>
  )
  if (revisions.length === 1) return summary
  return (
    <details class="revisions">
      <summary>{summary}</summary>
      <ul>
        {revisions.map((one) => (
          <li key={one.revision}>
            {t('levels.revisionText', {
              revision: one.revision,
              percent: percentOf(one),
              author: one.author ?? t('levels.service'),
              reason: one.reason ?? t('levels.periodEnd'),
            })}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Recalculate({
  id,
  zone,
  period: { period },
  onDone,
  onClose,
}: {
  readonly id: number
  readonly zone: string
  readonly period: Period
  readonly onDone: () => void
  readonly onClose: () => void
}): JSX.Element {
  const [reason, setReason] = useState('')
  const recalculate = async (): Promise<void> => {
    // The range takes the periods that end in it: this one alone.
    const end = new Date(Date.parse(period.end) + SECOND_MS).toISOString()
    await call('post', '/slcs/{id}/periods/recalculate', {
      path: { id },
      body: { begin: new Date(Date.parse(period.end) - SECOND_MS).toISOString(), end, reason: reason.trim() },
    })
    onDone()
    toast({ text: t('levels.recalculated') })
  }
  return (
    <FormDialog
      title={t('levels.recalculateOf', { period: dayText(period.begin, zone) })}
      submit={t('levels.recalculate')}
      refused={reason.trim() === '' ? t('levels.noReason') : undefined}
      onSubmit={recalculate}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <p>{t('levels.recalculateText')}</p>
          <TextField
            label={t('levels.recalculateReason')}
            value={reason}
            onValue={setReason}
            error={failure?.at('/reason')}
            maxLength={4000}
            autofocus
            required
          />
        </>
      )}
    </FormDialog>
  )
}
