import type { JSX } from 'preact'

import type { Resource } from '../../api/resource.ts'
import { Card, Table } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { objectLink } from '../../kit/location.ts'
import { durationText, msOfDuration, now, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import type { LateJobs } from './use-late.ts'
import { placeOf } from './wrong-now.tsx'

/** Jobs that wait longer than usual for their next delivery; empty without such jobs, and until they are read. */
export function Late({ late }: { readonly late: Resource<LateJobs> }): JSX.Element | null {
  if (late.failure === null && !late.data?.items.length) return null
  return (
    <Card
      title={t('overview.late')}
      note={t('overview.lateNote')}
      footer={late.data?.nextCursor && t('overview.lateCut')}
    >
      <Show resource={late} what={t('overview.lateFailed')}>
        {({ items }) => <Jobs items={items} />}
      </Show>
    </Card>
  )
}

function Jobs({ items }: Pick<LateJobs, 'items'>): JSX.Element {
  return (
    <Table
      label={t('overview.late')}
      rows={items}
      keyOf={({ object }) => object.id}
      columns={[
        {
          key: 'job',
          title: t('overview.job'),
          cell: ({ object }) => <a href={objectLink('job', object.id)}>{object.name}</a>,
        },
        {
          key: 'place',
          title: t('overview.place'),
          wide: true,
          cell: ({ object }) => <span class="quiet">{placeOf(object.path)}</span>,
        },
        {
          key: 'usual',
          title: t('overview.usual'),
          wide: true,
          cell: ({ usualInterval }) => usual(usualInterval),
        },
        {
          key: 'last',
          title: t('overview.lastValue'),
          cell: ({ lastReceivedAt }) =>
            lastReceivedAt === null ? '–' : <Time at={lastReceivedAt} seconds />,
        },
        {
          key: 'silent',
          title: t('overview.silentIn'),
          figures: true,
          cell: ({ nextTimeoutAt }) => durationText(Date.parse(nextTimeoutAt) - now.value),
        },
      ]}
    />
  )
}

function usual(interval: string): string {
  const ms = msOfDuration(interval)
  return ms === null ? '–' : t('overview.every', { duration: durationText(ms) })
}
