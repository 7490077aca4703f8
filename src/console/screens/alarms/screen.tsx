import type { JSX } from 'preact'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { acknowledge } from '../../actions/alarms.ts'
import type { Alarm } from '../../actions/alarms.ts'
import { maintainNow } from '../../actions/maintain.ts'
import { useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { once } from '../../kit/background.ts'
import { Button, Chip, Kbd, Segments } from '../../kit/controls.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { AssignDialog, CommentDialog } from './dialogs.tsx'
import { Detail } from './detail.tsx'
import { groupsOf, shownOf } from './list.ts'
import type { Status } from './list.ts'
import { Inbox } from './inbox.tsx'

const LIMIT = 500
const MAINTAIN_MIN = 20

/** The inbox of alarms: one list for the keyboard, the marked alarms, and the chosen one beside it. */
export function Screen(): JSX.Element {
  const { params } = useRoute()
  const { route } = useLocation()
  const [status, setStatus] = useQuery<Status>('status', 'open')
  const [owner, setOwner] = useQuery<'all' | 'none' | 'mine'>('assignee', 'all')
  const [text, setText] = useQuery<string>('filter', '')
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set())
  const [dialog, setDialog] = useState<'assign' | 'comment' | null>(null)
  const alarms = useGet(
    '/alarms',
    { query: { limit: LIMIT, ...(status === 'closed' ? { state: 'closed' } : {}) } },
    ['alarm'],
  )
  const shown = shownOf(alarms.data?.items ?? [], { status, owner, userId: user.value?.id, text })
  const groups = groupsOf(shown)
  const ordered = groups.flatMap((group) => group.alarms)
  const chosenId = Number(params['id'] ?? ordered[0]?.id ?? 0)
  const chosen = ordered.find(({ id }) => id === chosenId)
  const targets =
    marked.size > 0 ? ordered.filter(({ id }) => marked.has(id)) : ordered.filter(({ id }) => id === chosenId)
  // Back leads from the first chosen alarm to the list, which narrow screens show alone.
  const choose = (alarm: Alarm): void =>
    route(linkTo(`alarms/${alarm.id}`) + location.search, params['id'] !== undefined)

  const act = (key: string): boolean => {
    const [first] = targets
    if (first === undefined) return false
    if (key === 'a') once(`acknowledge ${targets.map(({ id }) => id).join()}`, () => acknowledge(targets))
    else if (key === 'A') setDialog('assign')
    else if (key === 'c') setDialog('comment')
    else if (key === 'm') once(`maintain ${first.object.id}`, () => maintainNow(first.object, MAINTAIN_MIN))
    else if (key === 'e') route(linkTo(`${first.object.type}/${first.object.id}`))
    else return false
    return true
  }
  return (
    <div class="alarms fixed">
      <header class="head">
        <h1>{t('alarms.title')}</h1>
        <Segments
          label={t('alarms.status')}
          value={status}
          onChange={(value) => setStatus(value)}
          options={(['open', 'held', 'closed'] as const).map((value) => ({
            value,
            text: t(`alarms.status.${value}`),
          }))}
        />
        <span class="row">
          <Chip pressed={owner === 'none'} onChange={(on) => setOwner(on ? 'none' : 'all')}>
            {t('alarms.unacknowledged')}
          </Chip>
          <Chip pressed={owner === 'mine'} onChange={(on) => setOwner(on ? 'mine' : 'all')}>
            {t('alarms.mine')}
          </Chip>
        </span>
        <input
          class="input"
          style={{ width: '16rem' }}
          type="search"
          aria-label={t('alarms.filter')}
          placeholder={t('alarms.filter')}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {marked.size > 0 && <Marked count={marked.size} onKey={act} onUnmark={() => setMarked(new Set())} />}
      </header>
      <div class={['inbox', !chosen && 'alone', chosen && params['id'] && 'one'].filter(Boolean).join(' ')}>
        <div class="col tight list-side">
          <Show resource={alarms} what={t('alarms.failed')} skeleton={<Skeleton lines={8} />}>
            {() =>
              ordered.length === 0 ? (
                <Nothing status={status} isFiltered={`${owner}${text}` !== 'all'} />
              ) : (
                <Inbox
                  groups={groups}
                  chosenId={chosenId}
                  marked={marked}
                  onMark={setMarked}
                  onChoose={choose}
                  onKey={act}
                />
              )
            }
          </Show>
          {alarms.data?.nextCursor && <p class="label pad">{t('alarms.cut', { count: LIMIT })}</p>}
          <Keys />
        </div>
        {chosen && <Detail alarm={chosen} onAssign={() => setDialog('assign')} onMaintain={() => act('m')} />}
      </div>
      {dialog === 'assign' && <AssignDialog alarms={targets} onClose={() => setDialog(null)} />}
      {dialog === 'comment' && <CommentDialog alarms={targets} onClose={() => setDialog(null)} />}
    </div>
  )
}

/** The list without an alarm: none is there, or none matches the filter. */
function Nothing({
  status,
  isFiltered,
}: {
  readonly status: Status
  readonly isFiltered: boolean
}): JSX.Element {
  const { route } = useLocation()
  if (!isFiltered) return <Empty title={t(`alarms.empty.${status}`)} />
  const clear = (): void => route(linkTo('alarms', { status: status === 'open' ? null : status }))
  return (
    <Empty title={t('alarms.noMatch')} action={<Button onClick={clear}>{t('alarms.clearFilter')}</Button>} />
  )
}

type MarkedProps = {
  readonly count: number
  readonly onKey: (key: string) => boolean
  readonly onUnmark: () => void
}

/** The actions on the marked alarms. */
function Marked({ count, onKey, onUnmark }: MarkedProps): JSX.Element {
  return (
    <span class="end row wrap">
      <b>{t('alarms.marked', { count })}</b>
      <Button small kind="primary" onClick={() => onKey('a')}>
        {t('alarm.acknowledge')}
      </Button>
      <Button small onClick={() => onKey('A')}>
        {t('alarms.assign')}
      </Button>
      <Button small onClick={() => onKey('c')}>
        {t('alarms.comment')}
      </Button>
      <Button small kind="ghost" onClick={onUnmark}>
        {t('alarms.unmark')}
      </Button>
    </span>
  )
}

/** The keys of the inbox, below the list. */
function Keys(): JSX.Element {
  return (
    <p class="keys" aria-label={t('alarms.keys')}>
      {(['jk', 'a', 'shiftA', 'c', 'm', 'x', 'e'] as const).map((key) => (
        <span key={key}>
          <Kbd>{t(`alarms.key.${key}`)}</Kbd> {t(`alarms.keyText.${key}`)}
        </span>
      ))}
    </p>
  )
}
