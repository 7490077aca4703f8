import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { useGet, useUrl } from '../../../api/resource.ts'
import type { Answer } from '../../../api/client.ts'
import { Button, Chip } from '../../../kit/controls.tsx'
import { Card, Table } from '../../../kit/data.tsx'
import { Empty, FailureNote, readKey, Skeleton } from '../../../kit/feedback.tsx'
import { linkTo } from '../../../kit/location.ts'
import { State } from '../../../kit/state.tsx'
import { Time } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { deliveriesOf, mergeDeliveries } from './deliveries.ts'
import type { Delivery } from './deliveries.ts'
import type { useLiveSamples } from './history.ts'
import { digitsText, silenceOf, valuesOf } from './job.ts'
import type { Job } from './job.ts'
import { RefusalText } from './refusal.tsx'
import type { Refusal } from './refusal.tsx'

type Live = ReturnType<typeof useLiveSamples>
type Series = Answer<'/jobs/{id}/value-history'>
const STORED_MAX = 50
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The deliveries of a job: stored ones as they arrive, and the latest refused ones. */
export function DeliveriesTab({ job, live }: { readonly job: Job; readonly live: Live }): JSX.Element {
  const [isRefusedOnly, setRefusedOnly] = useState(false)
  const [frozen, setFrozen] = useState<Live | null>(null)
  const refusals = useGet('/jobs/{id}/refusals', { path: { id: job.id } }, ['value', 'state'])
  const stored = useStored(job)
  const shown = frozen ?? live
  const rows = useMemo(
    () =>
      mergeDeliveries(
        isRefusedOnly ? [] : deliveriesOf([...(stored.samples ?? []), ...shown]),
        refusals.data?.items ?? [],
      ).slice(0, 200),
    [stored.samples, shown, refusals.data, isRefusedOnly],
  )
  const failure = stored.failure ?? refusals.failure
  const isLoading = failure === null && (stored.samples === undefined || refusals.data === undefined)
  return (
    <Card
      key={readKey(!isLoading)}
      title={t('job.deliveries')}
      note={t(frozen === null ? 'job.deliveries.live' : 'job.deliveries.paused')}
      actions={
        <>
          <Chip pressed={isRefusedOnly} onChange={setRefusedOnly}>
            {t('job.deliveries.onlyRefused')} <b>{refusals.data?.items.length ?? 0}</b>
          </Chip>
          <Button
            small
            icon={frozen === null ? 'pause' : 'play'}
            onClick={() => setFrozen(frozen === null ? live : null)}
          >
            {frozen === null
              ? t('job.deliveries.pause')
              : t('job.deliveries.resume', { count: deliveriesOf(live.slice(frozen.length)).length })}
          </Button>
        </>
      }
      footer={t('job.deliveries.footer')}
    >
      {failure && rows.length === 0 && <FailureNote failure={failure} />}
      {isLoading && <Skeleton lines={8} />}
      {!isLoading && rows.length === 0 && (
        <Nothing job={job} isRefusedOnly={isRefusedOnly} clear={() => setRefusedOnly(false)} />
      )}
      {!isLoading && rows.length > 0 && <Rows job={job} rows={rows} />}
    </Card>
  )
}

/** The stored samples of about the latest twenty deliveries, at most a day before the last one. */
function useStored(job: Job): {
  readonly samples:
    | readonly { readonly key: string; readonly at: number; readonly value: number | string }[]
    | undefined
  readonly failure: ReturnType<typeof useGet>['failure']
} {
  const values = valuesOf(job)
  const begin = useMemo(() => {
    const last = job.lastReceivedAt === null ? Date.now() : Date.parse(job.lastReceivedAt)
    const span = Math.min(DAY_MS, Math.max(HOUR_MS, (silenceOf(job) ?? HOUR_MS / 4) * 20))
    return new Date(last - span).toISOString()
  }, [job.id])
  const query = new URLSearchParams([
    ['begin', begin],
    ['scale', 'PT0S'],
    ['limit', '1000'],
  ])
  for (const { key } of values) query.append('key', key)
  const url = `/jobs/${job.id}/value-history?${query}`
  const { data, failure } = useUrl<Series>(values.length === 0 ? null : url)
  const samples = useMemo(() => {
    if (data === undefined) return values.length === 0 ? [] : undefined
    return (Array.isArray(data) ? data : [data]).flatMap((series) =>
      (series.values ?? [])
        .slice(-STORED_MAX)
        .flatMap(({ timestamp, value }) =>
          value === null ? [] : [{ key: series.key, at: Date.parse(timestamp), value }],
        ),
    )
  }, [data])
  return { samples, failure }
}

function Nothing({
  job,
  isRefusedOnly,
  clear,
}: {
  readonly job: Job
  readonly isRefusedOnly: boolean
  readonly clear: () => void
}): JSX.Element {
  if (isRefusedOnly)
    return (
      <Empty
        title={t('job.deliveries.noneRefused')}
        action={<Button onClick={clear}>{t('job.deliveries.all')}</Button>}
      />
    )
  return (
    <Empty
      title={t('job.deliveries.none')}
      action={
        <a class="btn primary" href={linkTo(`job/${job.id}`, { tab: 'send' })}>
          {t('job.tab.send')}
        </a>
      }
    />
  )
}

type Row = Delivery | Refusal

function Rows({ job, rows }: { readonly job: Job; readonly rows: readonly Row[] }): JSX.Element {
  const values = valuesOf(job)
  return (
    <Table<Row>
      label={t('job.deliveries.table')}
      rows={rows}
      keyOf={(row) => `${row.kind} ${row.at}`}
      columns={[
        { key: 'at', title: t('job.deliveries.time'), cell: ({ at }) => <Time at={at} seconds /> },
        {
          key: 'outcome',
          title: t('job.deliveries.outcome'),
          cell: (row) =>
            row.kind === 'stored' ? (
              <State look="plain" state="ok" text={t('job.deliveries.stored')} />
            ) : (
              <RefusalText job={job} row={row} />
            ),
        },
        ...values.map(({ key, name, unit, precision, isText }) => ({
          key,
          title: unit ? `${name}, ${unit}` : name,
          figures: !isText,
          cell: (row: Row): ComponentChildren => {
            const value = row.kind === 'stored' ? row.values[key] : undefined
            return value === undefined ? '' : digitsText(value, precision)
          },
        })),
      ]}
    />
  )
}
