import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import type { Alarm } from '../../actions/alarms.ts'
import { user } from '../../api/session.ts'
import { Icon } from '../../kit/icons.tsx'
import { State } from '../../kit/state.tsx'
import { durationText, now, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { initialsOf } from '../../shell/user-menu.tsx'
import { isTyping, singleKeys } from '../../shell/keys.ts'
import type { Group } from './list.ts'

type Props = {
  readonly groups: readonly Group[]
  readonly chosenId: number
  readonly marked: ReadonlySet<number>
  readonly onMark: (marked: ReadonlySet<number>) => void
  readonly onChoose: (alarm: Alarm) => void
  /** Acts on the marked alarms or the chosen one. @returns whether the key means an action */
  readonly onKey: (key: string) => boolean
}

/** The alarms as a grid with one tab stop: j, k and arrows choose, x marks, Shift extends. */
export function Inbox({ groups, chosenId, marked, onMark, onChoose, onKey }: Props): JSX.Element {
  const grid = useRef<HTMLDivElement>(null)
  const alarms = groups.flatMap((group) => group.alarms)
  const at = alarms.findIndex(({ id }) => id === chosenId)
  useEffect(() => {
    grid.current?.querySelector(`#alarm-${chosenId}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosenId])
  const toggle = (id: number): void => {
    const next = new Set(marked)
    if (!next.delete(id)) next.add(id)
    onMark(next)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = STEPS[event.key]?.(at, alarms.length)
    const alarm = target === undefined ? undefined : alarms[Math.max(0, Math.min(alarms.length - 1, target))]
    if (alarm) {
      if (event.shiftKey) onMark(new Set([...marked, chosenId, alarm.id]))
      onChoose(alarm)
    } else if (event.key === 'x' || event.key === ' ') toggle(chosenId)
    else if (!onKey(event.key === 'Enter' ? 'e' : event.key)) return
    event.preventDefault()
  }
  useEffect(() => {
    const anywhere = (event: KeyboardEvent): void => {
      const inGrid = grid.current?.contains(document.activeElement) ?? false
      const isControl = (event.target as Element | null)?.closest('button, a, [role="menu"]')
      if (!inGrid && singleKeys.value && !isTyping(event) && !isControl && event.key.length === 1)
        press(event)
    }
    addEventListener('keydown', anywhere)
    return () => removeEventListener('keydown', anywhere)
  })
  return (
    <div
      ref={grid}
      class="list grow"
      role="grid"
      aria-label={t('alarms.list')}
      aria-multiselectable="true"
      aria-activedescendant={`alarm-${chosenId}`}
      tabIndex={0}
      onKeyDown={press}
    >
      {groups.map(({ place, alarms: inside }) => (
        <div key={place} role="rowgroup" aria-label={place}>
          <div class="grp" role="row">
            <span role="gridcell" class="row">
              <Icon name="device" />
              <b>{place}</b>
            </span>
          </div>
          {inside.map((alarm) => (
            <Row
              key={alarm.id}
              alarm={alarm}
              isChosen={alarm.id === chosenId}
              isMarked={marked.has(alarm.id)}
              onChoose={() => onChoose(alarm)}
              onMark={() => toggle(alarm.id)}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  j: (at) => at + 1,
  J: (at) => at + 1,
  ArrowDown: (at) => at + 1,
  k: (at) => at - 1,
  K: (at) => at - 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

type RowProps = {
  readonly alarm: Alarm
  readonly isChosen: boolean
  readonly isMarked: boolean
  readonly onChoose: () => void
  readonly onMark: () => void
}

function Row({ alarm, isChosen, isMarked, onChoose, onMark }: RowProps): JSX.Element {
  const { id, object, state, begin, end, message, reason } = alarm
  const duration = (end === null ? now.value : Date.parse(end)) - Date.parse(begin)
  return (
    <div class="al" role="row" id={`alarm-${id}`} aria-selected={isChosen} onClick={onChoose}>
      <span role="gridcell">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isMarked}
          aria-label={t('alarms.mark', { name: object.name })}
          onClick={(event) => event.stopPropagation()}
          onChange={onMark}
        />
      </span>
      <span role="gridcell">
        <State state={state} />
      </span>
      <div role="gridcell" class="col tight">
        <span class="t cut">{object.name}</span>
        <span class="quiet cut">{message ?? t(`reason.${reason}`)}</span>
      </div>
      <span role="gridcell">
        {durationText(duration)}
        <br />
        <span class="label">{timeText(begin)}</span>
      </span>
      <span role="gridcell" class="row">
        <Assignee alarm={alarm} />
      </span>
    </div>
  )
}

/** The user that an alarm belongs to, and until when. */
export function Assignee({ alarm: { assignee, assignedUntil } }: { readonly alarm: Alarm }): JSX.Element {
  if (assignee === null)
    return (
      <span class="row faint">
        <Icon name="user" />
        {t('alarms.unassigned')}
      </span>
    )
  return (
    <>
      <span class="avatar" aria-hidden="true">
        {initialsOf(assignee.name)}
      </span>
      <span class="col tight cut">
        <span class="cut">{assignee.userId === user.value?.id ? t('alarm.you') : assignee.name}</span>
        <span class="label cut">
          {assignedUntil === null ? t('alarm.untilOk') : t('alarm.until', { time: timeText(assignedUntil) })}
        </span>
      </span>
    </>
  )
}
