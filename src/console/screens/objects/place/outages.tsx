import type { JSX } from 'preact'

import { useGet } from '../../../api/resource.ts'
import { Card, Table } from '../../../kit/data.tsx'
import { Show } from '../../../kit/feedback.tsx'
import { objectLink } from '../../../kit/location.ts'
import { State } from '../../../kit/state.tsx'
import { durationText, msOfDuration, now, Time } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'

const DAY_MS = 86_400_000
const DAYS = 30
const SHOWN_MAX = 8

/** The begin of the last days, at a full day: the same URL all day long. */
function beginOf(ms: number): string {
  return new Date(Math.floor(ms / DAY_MS - DAYS) * DAY_MS).toISOString()
}

/** The outages of a group or a device in the last 30 days, latest first. */
export function Outages({
  type,
  id,
}: {
  readonly type: 'group' | 'device'
  readonly id: number
}): JSX.Element {
  const outages = useGet(
    `/${type}s/{id}/outages`,
    {
      path: { id },
      query: {
        begin: beginOf(now.peek()),
        states: 'major,minor',
        minDuration: 'PT1M',
        recalc: true,
        sort: 'latest',
        limit: SHOWN_MAX,
      },
    },
    ['state'],
  )
  return (
    <Card title={t('objects.outages')} note={t('objects.outagesNote', { days: DAYS })}>
      <Show resource={outages} what={t('objects.outagesFailed')}>
        {(all) =>
          all.length === 0 ? (
            <p class="pad quiet">{t('objects.noOutages', { days: DAYS })}</p>
          ) : (
            <Table
              label={t('objects.outagesTable')}
              rows={all}
              keyOf={(outage) => outage.id}
              columns={[
                { key: 'begin', title: t('objects.began'), cell: ({ begin }) => <Time at={begin} /> },
                {
                  key: 'end',
                  title: t('objects.ended'),
                  cell: ({ end }) => (end === null ? <b>{t('objects.running')}</b> : <Time at={end} />),
                },
                {
                  key: 'state',
                  title: t('objects.state'),
                  cell: ({ state }) => <State state={state} look="plain" />,
                },
                {
                  key: 'lasted',
                  title: t('objects.lasted'),
                  figures: true,
                  cell: ({ duration, begin, end }) =>
                    durationText(
                      end === null ? now.value - Date.parse(begin) : (msOfDuration(duration) ?? 0),
                    ),
                },
                {
                  key: 'because',
                  title: t('objects.because'),
                  wide: true,
                  cell: ({ reasons }) => <Because reasons={reasons} />,
                },
              ]}
            />
          )
        }
      </Show>
    </Card>
  )
}

type Reason = { readonly type: string; readonly id: number; readonly name: string }

function Because({ reasons }: { readonly reasons: readonly Reason[] }): JSX.Element {
  const unique = [...new Map(reasons.map((reason) => [reason.id, reason])).values()]
  const [first] = unique
  if (first === undefined) return <span class="faint">–</span>
  return (
    <span class="quiet">
      <a href={objectLink(first.type, first.id)}>{first.name}</a>
      {unique.length > 1 && ` ${t('objects.andMore', { count: unique.length - 1 })}`}
    </span>
  )
}
