import type { JSX } from 'preact'

import type { Alarm } from '../../actions/alarms.ts'
import { useGet } from '../../api/resource.ts'
import type { Item } from '../../api/client.ts'
import { shareLeft, steadyShare } from '../../kit/charts/budget.ts'
import { Staff } from '../../kit/charts/staff.tsx'
import { Skeleton, Water } from '../../kit/feedback.tsx'
import { percentText } from '../../kit/numbers.ts'
import { rankOf, shapeOf, State } from '../../kit/state.tsx'
import type { ApiState } from '../../kit/state.tsx'
import { durationText, now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { jobCount } from '../overview/sentence.ts'
import type { Counts } from '../overview/sentence.ts'
import { placeOf, worstFirst } from '../overview/wrong-now.tsx'

/** Rows that a screen of 1080 lines has room for. */
export const ROWS_MAX = 8
const PLATES_MAX = 12

/** The open alarms, worst first. @param count the number of all alarms that no other alarm explains */
export function WrongNow({
  alarms,
  count,
}: {
  readonly alarms: readonly Alarm[] | undefined
  readonly count: number
}): JSX.Element {
  if (alarms === undefined) return <Skeleton lines={5} height="18rem" />
  const open = worstFirst(alarms)
  if (open.length === 0)
    return (
      <section class="card calm">
        <Water />
        <p>{t('overview.calm')}</p>
      </section>
    )
  return (
    <ul class="card lines">
      {open.slice(0, ROWS_MAX).map(({ id, state, object, begin, assignee, message, reason }) => (
        <li key={id}>
          <State state={state} look="plain" />
          <Named name={object.name} text={`${message ?? t(`reason.${reason}`)} · ${placeOf(object.path)}`} />
          <span class="num">
            {durationText(now.value - Date.parse(begin))}
            <span class="quiet cut">{assignee?.name ?? t('wall.nobody')}</span>
          </span>
        </li>
      ))}
      {count > ROWS_MAX && <li class="quiet">{t('overview.more', { count: count - ROWS_MAX })}</li>}
    </ul>
  )
}

/** The jobs that wait longer than usual for a delivery. */
export function LateJobs({
  jobs,
}: {
  readonly jobs: readonly Item<'/{parentType}/{parentId}/late-jobs'>[]
}): JSX.Element {
  return (
    <ul class="card lines two-columns">
      {jobs.map(({ object, nextTimeoutAt }) => (
        <li key={object.id}>
          <Named name={object.name} text={placeOf(object.path)} />
          <span class="num">
            {durationText(Date.parse(nextTimeoutAt) - now.value)}
            <span class="quiet">{t('wall.untilSilent')}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The error budgets of the present period. */
export function Budgets({ slcs }: { readonly slcs: readonly Item<'/slcs'>[] }): JSX.Element {
  return (
    <ul class="card budgets">
      {slcs.map(({ id, name }) => (
        <Budget key={id} id={id} name={name} />
      ))}
    </ul>
  )
}

function Budget({ id, name }: { readonly id: number; readonly name: string }): JSX.Element {
  const { data } = useGet('/slcs/{id}', { path: { id } }, ['state'])
  const left = data ? shareLeft(data.values) : null
  return (
    <li>
      <b class="cut">{name}</b>
      <span class="num">{left === null ? '–' : percentText(left)}</span>
      {left !== null && data && (
        <Staff
          left={left}
          ideal={steadyShare(data.values.period)}
          name={t('kit.budgetName', { name, left: percentText(left) })}
        />
      )}
    </li>
  )
}

type Group = {
  readonly id: number
  readonly name?: string
  readonly state?: ApiState
  readonly counts?: Counts
  readonly children?: readonly Group[]
}

/** The groups at the top of the tree: where it has one group alone, the groups in that one. */
export function topGroups(root: { readonly children?: readonly Group[] } | undefined): readonly Group[] {
  const top = root?.children ?? []
  const below = top.length === 1 ? top[0]?.children : undefined
  return below !== undefined && below.length > 0 ? below : top
}

/** Groups, worst first. */
export function Groups({ groups }: { readonly groups: readonly Group[] }): JSX.Element {
  const sorted = groups.toSorted((a, b) => rankOf(b.state) - rankOf(a.state))
  return (
    <ul class="plates" aria-label={t('wall.groups')}>
      {sorted.slice(0, PLATES_MAX).map(({ id, name, state, counts = {} }) => (
        <li key={id} class="card" data-s={shapeOf(state)}>
          <State state={state} look="plain" />
          <b class="cut">{name}</b>
          <span class="label">
            {t('wall.jobs', { count: jobCount(counts), maintained: maintainedIn(counts) })}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The number of jobs in maintenance, of all states. */
function maintainedIn(counts: Counts): number {
  return jobCount(
    Object.fromEntries(Object.entries(counts).filter(([state]) => shapeOf(state as ApiState) === 'maint')),
  )
}

function Named({ name, text }: { readonly name: string; readonly text: string }): JSX.Element {
  return (
    <span class="col tight">
      <b class="cut">{name}</b>
      <span class="quiet cut">{text}</span>
    </span>
  )
}
