import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { acknowledge, refusedBy } from '../../actions/alarms.ts'
import type { Alarm } from '../../actions/alarms.ts'
import { user } from '../../api/session.ts'
import { Button } from '../../kit/controls.tsx'
import { useGet } from '../../api/resource.ts'
import { Spark } from '../../kit/charts/spark.tsx'
import type { Point } from '../../kit/charts/points.ts'
import { Card } from '../../kit/data.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { rankOf, State } from '../../kit/state.tsx'
import { durationText, now, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { initialsOf } from '../../shell/user-menu.tsx'
import { heldRows } from './held.ts'

const SHOWN_MAX = 12
const SCALE = 'PT30M'
/** Points further apart are not connected. */
const GAP_MS = 45 * 60_000

/** The way to an object without its own name: `/Plant/Pump/Heat` is `Plant / Pump`. */
export function placeOf(path: string): string {
  return path.split('/').slice(1, -1).join(' / ')
}

/** The open alarms that no other one holds back: worst first, then the oldest. */
export function worstFirst(alarms: readonly Alarm[]): readonly Alarm[] {
  return alarms
    .filter(({ suppressedBy }) => suppressedBy === null)
    .toSorted((a, b) => rankOf(b.state) - rankOf(a.state) || a.begin.localeCompare(b.begin))
}

/** The values of the last day of the jobs among the alarms, by job, in one request. */
function useLines(alarms: readonly Alarm[]): ReadonlyMap<number, readonly Point[]> {
  const jobId = alarms.filter(({ object }) => object.type === 'job').map(({ object }) => object.id)
  const { data } = useGet('/value-history', jobId.length === 0 ? null : { query: { jobId, scale: SCALE } }, [
    'state',
  ])
  return new Map(data?.map((series) => [series.jobId, pointsOf(series.values ?? [])]))
}

type Bucket = { readonly timestamp: string; readonly value: number | string | null; readonly count?: number }

function pointsOf(buckets: readonly Bucket[]): readonly Point[] {
  return buckets.flatMap(({ timestamp, value, count = 1 }) =>
    typeof value === 'number'
      ? [{ at: Date.parse(timestamp), avg: value, min: value, max: value, count }]
      : [],
  )
}

/** The worst of the open alarms. @param count the number of all alarms that no other alarm explains */
export function WrongNow({
  alarms,
  count,
}: {
  readonly alarms: readonly Alarm[]
  readonly count: number
}): JSX.Element {
  const all = worstFirst(alarms)
  const { shown, waiting, place } = useHeld(all)
  const lines = useLines(shown.slice(0, SHOWN_MAX))
  return (
    <Card
      title={t('overview.wrongNow')}
      note={t('overview.wrongNowNote')}
      actions={
        <>
          <span role="status">
            {waiting > 0 && <span class="chip">{t('overview.waiting', { count: waiting })}</span>}
          </span>
          <a class="btn small ghost" href={linkTo('alarms')}>
            {t('overview.openInbox')} <Icon name="right" />
          </a>
        </>
      }
      footer={
        count > SHOWN_MAX && <a href={linkTo('alarms')}>{t('overview.more', { count: count - SHOWN_MAX })}</a>
      }
    >
      <ul class="wrong" {...place}>
        {shown.slice(0, SHOWN_MAX).map((alarm) => (
          <Row
            key={alarm.id}
            alarm={alarm}
            points={lines.get(alarm.object.id) ?? []}
            held={alarms.filter(({ suppressedBy }) => suppressedBy === alarm.object.id).length}
          />
        ))}
      </ul>
    </Card>
  )
}

/** Keeps the order of the rows while the pointer or the focus is in the list: a row does not move from below a click. */
function useHeld(all: readonly Alarm[]) {
  const [held, setHeld] = useState<readonly number[] | null>(null)
  const hold = (): void => setHeld((before) => before ?? all.slice(0, SHOWN_MAX).map(({ id }) => id))
  const release = (): void => setHeld(null)
  const { shown, waiting } = heldRows(all.slice(0, SHOWN_MAX), held)
  const leave = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    const isInside = relatedTarget instanceof Node && (currentTarget as Node).contains(relatedTarget)
    if (!isInside) release()
  }
  const place = { onPointerEnter: hold, onPointerLeave: release, onFocusIn: hold, onFocusOut: leave }
  return { shown, waiting, place }
}

type RowProps = { readonly alarm: Alarm; readonly held: number; readonly points: readonly Point[] }

function Row({ alarm, held, points }: RowProps): JSX.Element {
  const { object, state, begin, message, reason } = alarm
  return (
    <li>
      <State state={state} />
      <div class="col tight">
        <a href={objectLink(object.type, object.id)}>{object.name}</a>
        <span class="why cut">{message ?? t(`reason.${reason}`)}</span>
        <span class="label cut">{placeOf(object.path)}</span>
      </div>
      <span class="line-cell">
        <Spark points={points} gapMs={GAP_MS} width={112} height={32} />
      </span>
      <span class="nowrap">
        {durationText(now.value - Date.parse(begin))}
        <br />
        <span class="label">{t('overview.since', { time: timeText(begin) })}</span>
      </span>
      <span class="row owner">
        <Owner alarm={alarm} />
      </span>
      {held > 0 && (
        <span class="sub">
          <Icon name="link" />
          {t('overview.heldBack', { count: held, name: object.name })}
        </span>
      )}
    </li>
  )
}

function Owner({ alarm }: { readonly alarm: Alarm }): JSX.Element {
  const { assignee, assignedUntil, object } = alarm
  if (assignee === null)
    return (
      <Button
        small
        kind="primary"
        refused={refusedBy(alarm)}
        aria-label={t('overview.acknowledgeName', { name: object.name })}
        action={() => acknowledge([alarm])}
      >
        {t('alarm.acknowledge')}
      </Button>
    )
  const name = assignee.userId === user.value?.id ? t('alarm.you') : assignee.name
  return (
    <>
      <span class="avatar" aria-hidden="true">
        {initialsOf(assignee.name)}
      </span>
      <span class="cut">
        {assignedUntil === null
          ? t('overview.ownerUntilOk', { name })
          : t('overview.ownerUntil', { name, time: timeText(assignedUntil) })}
      </span>
    </>
  )
}
