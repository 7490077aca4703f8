import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { acknowledge, commentOn, refusedBy } from '../../actions/alarms.ts'
import type { Alarm } from '../../actions/alarms.ts'
import { useGet } from '../../api/resource.ts'
import { useAction } from '../../kit/background.ts'
import { Button, Field, IconButton } from '../../kit/controls.tsx'
import { KeyValues } from '../../kit/data.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { State, stateWord } from '../../kit/state.tsx'
import { Time, timeText } from '../../kit/time.tsx'
import { faultText } from '../../language/problems.ts'
import { t } from '../../language/t.ts'
import { initialsOf } from '../../shell/user-menu.tsx'
import { Assignee } from './inbox.tsx'

type Props = { readonly alarm: Alarm; readonly onAssign: () => void; readonly onMaintain: () => void }

/** The chosen alarm: its sentence, the actions, the facts, and the thread. */
export function Detail({ alarm, onAssign, onMaintain }: Props): JSX.Element {
  const { object, state, reasons, notifications, suppressedBy, heldReason } = alarm
  const refused = refusedBy(alarm)
  const [first] = reasons
  return (
    <section class="detail" aria-labelledby="alarm-title">
      <a class="to-list" href={linkTo('alarms') + location.search}>
        <Icon name="alarms" />
        {t('alarms.toList')}
      </a>
      <div class="col">
        <span class="label">{object.path.split('/').slice(1, -1).join(' / ')}</span>
        <div class="row">
          <h2 id="alarm-title">{object.name}</h2>
          <State state={state} />
          <a class="btn small end" href={objectLink(object.type, object.id)}>
            {t('alarms.open')} <Icon name="right" />
          </a>
        </div>
        <p class="quiet">{sentenceOf(alarm)}</p>
      </div>
      {alarm.status !== 'closed' && (
        <div class="row wrap">
          {alarm.assignee === null && (
            <Button kind="primary" refused={refused} action={() => acknowledge([alarm])}>
              {t('alarm.acknowledge')}
            </Button>
          )}
          <Button refused={refused} onClick={onAssign}>
            {t('alarms.assign')}
          </Button>
          <IconButton
            icon="maintenance"
            label={t('alarms.maintain')}
            refused={refused}
            onClick={onMaintain}
          />
        </div>
      )}
      <KeyValues
        rows={[
          [
            t('alarms.assignee'),
            <span key="who" class="row">
              <Assignee alarm={alarm} />
            </span>,
          ],
          ...(first
            ? [
                [
                  t('alarms.cause'),
                  <a key="cause" href={objectLink(first.type, first.id)}>
                    {first.name}
                  </a>,
                ] as const,
              ]
            : []),
          ...(suppressedBy === null && heldReason === null
            ? []
            : [[t('alarms.held'), t(`alarms.heldBy.${heldReason ?? 'dependency'}`)] as const]),
          [
            t('alarms.told'),
            <Told key="told" alarm={alarm} sent={notifications.sent} failed={notifications.failed} />,
          ],
        ]}
      />
      <Thread key={alarm.id} alarm={alarm} />
    </section>
  )
}

/** Since when and why the object is in trouble. */
function sentenceOf({ begin, end, worstState, state, message, reason }: Alarm): string {
  const why = message ?? t(`reason.${reason}`)
  const parts = [
    t(end === null ? 'alarms.sentence' : 'alarms.sentenceClosed', {
      why,
      since: timeText(begin),
      end: end === null ? '' : timeText(end),
    }),
  ]
  if (worstState !== state)
    parts.push(t('alarms.sentenceWorst', { state: stateWord(worstState).toLowerCase() }))
  return parts.join(' ')
}

function Told({
  alarm,
  sent,
  failed,
}: {
  readonly alarm: Alarm
  readonly sent: number
  readonly failed: number
}): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const { data } = useGet('/notifications', isOpen ? { query: { alarmId: alarm.id, limit: 20 } } : null)
  return (
    <div class="col tight">
      <span>
        {t('alarms.toldCount', { sent, failed })}{' '}
        {sent + failed > 0 && (
          <Button small kind="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t('alarms.details')}
          </Button>
        )}
      </span>
      {isOpen &&
        data?.items.map(({ id, recipient, status, created, detail }) => (
          <span key={id} class="label">
            <Time at={created} /> {recipient.name}: {t(`alarms.notification.${status}`)}{' '}
            {status === 'sent' ? '' : faultText(detail)}
          </span>
        ))}
    </div>
  )
}

function Thread({ alarm }: { readonly alarm: Alarm }): JSX.Element {
  const [text, setText] = useState('')
  const { isBusy, start: send } = useAction(async () => {
    if (text.trim() === '') return
    await commentOn([alarm], text.trim())
    setText((now) => (now === text ? '' : now))
  })
  return (
    <div class="col">
      <h3>{t('alarms.thread')}</h3>
      <ul class="thread">
        <li>
          <span class="label">
            <Time at={alarm.begin} />
          </span>
          <span class="row">
            <State state={alarm.worstState} /> {t('alarms.opened')}
          </span>
        </li>
        {alarm.comments.map(({ id, name, text: words, created }) => (
          <li key={id}>
            <span class="avatar" aria-hidden="true">
              {initialsOf(name ?? '?')}
            </span>
            <div>
              <b>{name}</b>{' '}
              <span class="label">
                <Time at={created} />
              </span>
              <br />
              {words}
            </div>
          </li>
        ))}
      </ul>
      <form
        class="col"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <Field label={t('alarms.comment')} hint={t('alarms.commentHint')}>
          {(attributes) => (
            <textarea
              class="input"
              rows={2}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
              }}
              {...attributes}
            />
          )}
        </Field>
        <Button
          small
          type="submit"
          busy={isBusy}
          refused={text.trim() === '' ? t('alarms.commentEmpty') : undefined}
        >
          {t('alarms.send')}
        </Button>
      </form>
    </div>
  )
}
