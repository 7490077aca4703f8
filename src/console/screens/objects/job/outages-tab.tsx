import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'

import { useGet } from '../../../api/resource.ts'
import type { Answer } from '../../../api/client.ts'
import { Segments, SelectField } from '../../../kit/controls.tsx'
import { Card, Table } from '../../../kit/data.tsx'
import { Empty, readKey, Show, Skeleton } from '../../../kit/feedback.tsx'
import { useQuery } from '../../../kit/location.ts'
import { State } from '../../../kit/state.tsx'
import { durationText, msOfDuration, now, Time } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import type { Job } from './job.ts'
import { RANGES, spanOf } from './range.ts'

type Outage = Answer<'/jobs/{id}/outages'>[number]
const MINUTE_MS = 60_000
/** The service lists at most this many outages. */
const LISTED_MAX = 1_000
const STATES = ['major', 'major,minor', 'major,minor,warning'] as const
const DURATIONS = ['PT0S', 'PT1M', 'PT10M', 'PT1H'] as const

/** The outages of a job: from when to when, the cause and the cost. */
export function OutagesTab({ job }: { readonly job: Job }): JSX.Element {
  const [range, setRange] = useQuery<string>('range', 'P30D')
  const [states, setStates] = useQuery<(typeof STATES)[number]>('states', 'major,minor')
  const [minDuration, setMin] = useQuery<(typeof DURATIONS)[number]>('least', 'PT0S')
  const span = spanOf(range, Math.floor(now.value / MINUTE_MS) * MINUTE_MS)
  const query = {
    begin: new Date(Math.floor(span.begin / 3_600_000) * 3_600_000).toISOString(),
    ...(span.isFixed ? { end: new Date(span.end).toISOString() } : {}),
    states,
    minDuration,
    sort: 'latest' as const,
    limit: LISTED_MAX,
  }
  const outages = useGet('/jobs/{id}/outages', { path: { id: job.id }, query }, ['state'])
  // With the sum the head can be higher: the first one comes with the card.
  const hasSum = useRef(false)
  hasSum.current ||= outages.data !== undefined
  return (
    <Card
      key={readKey(hasSum.current)}
      title={t('job.outages')}
      note={outages.data && outages.data.length > 0 && sumText(outages.data)}
      actions={
        <Segments
          small
          label={t('job.range')}
          value={range}
          onChange={setRange}
          options={RANGES.map((one) => ({ value: one as string, text: t(`job.range.${one}`) }))}
        />
      }
      footer={[isCut(outages.data) && t('job.outages.cut', { count: LISTED_MAX }), t('job.outages.footer')]
        .filter(Boolean)
        .join(' ')}
    >
      <div class="pad formgrid">
        <SelectField
          label={t('job.outages.states')}
          value={states}
          onValue={setStates}
          options={STATES.map((value) => ({ value, text: t(`job.outages.states.${value}`) }))}
        />
        <SelectField
          label={t('job.outages.min')}
          value={minDuration}
          onValue={setMin}
          options={DURATIONS.map((value) => ({
            value,
            text: value === 'PT0S' ? t('job.outages.min.any') : durationText(msOfDuration(value) ?? 0),
          }))}
        />
      </div>
      <Show resource={outages} skeleton={<Skeleton lines={6} />}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('job.outages.none')} text={t('job.outages.noneText')} />
          ) : (
            <Rows items={items} />
          )
        }
      </Show>
    </Card>
  )
}

const lengthOf = ({ begin, end }: Outage): number =>
  (end === null ? now.value : Date.parse(end)) - Date.parse(begin)

/** Whether there can be more outages than the list has. */
const isCut = (items: readonly Outage[] | undefined): boolean => (items?.length ?? 0) >= LISTED_MAX

function sumText(items: readonly Outage[]): string {
  const ms = items.reduce((sum, one) => sum + lengthOf(one), 0)
  const values = { count: items.length, duration: durationText(ms) }
  return t(isCut(items) ? 'job.outages.sumLeast' : 'job.outages.sum', values)
}

function Rows({ items }: { readonly items: readonly Outage[] }): JSX.Element {
  const hasCost = items.some(({ cost }) => cost !== null)
  const money = ({ cost }: Outage): string => (cost === null ? '–' : `${cost.amount}\u00a0${cost.currency}`)
  return (
    <Table
      label={t('job.outages.table')}
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'state',
          title: t('job.outages.state'),
          cell: ({ state }) => <State look="plain" state={state} />,
        },
        { key: 'begin', title: t('job.outages.began'), cell: ({ begin }) => <Time at={begin} /> },
        {
          key: 'end',
          title: t('job.outages.ended'),
          cell: ({ end }) => (end === null ? <b>{t('job.outages.running')}</b> : <Time at={end} />),
        },
        {
          key: 'lasted',
          title: t('job.outages.lasted'),
          figures: true,
          cell: (outage) => durationText(lengthOf(outage)),
        },
        { key: 'because', title: t('job.outages.because'), cell: causeText, wide: true },
        ...(hasCost ? [{ key: 'cost', title: t('job.outages.cost'), figures: true, cell: money }] : []),
      ]}
    />
  )
}

/** The reasons of an outage, and the revaluations that corrected it. */
function causeText({ reasons, revaluations }: Outage): string {
  const [first] = reasons
  const cause =
    first === undefined || first.errorCode === 0
      ? t('job.outages.limit')
      : t('job.outages.code', { code: first.errorCode })
  return [cause, ...revaluations.map(({ name }) => name)].join(' · ')
}
