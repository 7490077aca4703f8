import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer, Item } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { Check, TextField } from '../../kit/controls.tsx'
import { Empty, Note, Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { Dialog, FormDialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import type { Nested, TimeRange, Values } from './dashboard.ts'
import { drawnWidgets, isMailed, MAILED_MAX, RECIPIENTS_MAX } from './mail.ts'
import { titleOf } from './widget-title.ts'

type Recipient = Item<'/alarmrecipients'>
type Outcome = Answer<'/dashboards/{id}/mail', 'post'>
/** What the page shows: the chosen values of parameters, and the chosen range. */
export type ShownData = { readonly values: Values; readonly timeRange: TimeRange | null }

/** Sends images of widgets, with the data that the page shows, to alarm recipients that get mails. */
export function MailDialog({
  nested,
  shown,
  onClose,
}: {
  readonly nested: Nested
  readonly shown: ShownData
  readonly onClose: () => void
}): JSX.Element {
  const { dashboard } = nested
  const recipients = useGet('/alarmrecipients', {})
  const drawn = drawnWidgets(dashboard.definition)
  const [widgets, setWidgets] = useState<readonly string[]>(drawn.slice(0, MAILED_MAX))
  const [chosen, setChosen] = useState<readonly number[]>([])
  const [subject, setSubject] = useState('')
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const send = async (): Promise<void> => {
    const { values: params, timeRange } = shown
    const body = {
      recipientIds: [...chosen],
      widgets: [...widgets],
      params,
      ...(timeRange && { timeRange }),
      ...(subject.trim() !== '' && { subject }),
    }
    setOutcome(await call('post', '/dashboards/{id}/mail', { path: { id: String(dashboard.id) }, body }))
  }
  const mailed = recipients.data?.items.filter(({ type }) => isMailed(type)) ?? []
  if (outcome) return <Answers outcome={outcome} recipients={mailed} onClose={onClose} />
  return (
    <FormDialog
      title={t('boards.mailOf', { name: dashboard.name })}
      submit={t('boards.mailNow')}
      refused={refusedMail(chosen.length, widgets.length)}
      onSubmit={send}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {(failure) => (
        <>
          <p>{t('boards.mailText')}</p>
          <Show resource={recipients} what={t('boards.failedRecipients')}>
            {() =>
              mailed.length === 0 ? (
                <Empty
                  title={t('boards.noRecipients')}
                  text={t('boards.noRecipientsText')}
                  action={<a href={linkTo('notifications')}>{t('nav.notifications')}</a>}
                />
              ) : (
                <Choices
                  legend={t('boards.recipients')}
                  items={mailed.map(({ id, name }) => ({ id, text: name }))}
                  chosen={chosen}
                  onChange={setChosen}
                />
              )
            }
          </Show>
          {drawn.length === 0 ? (
            <Note kind="warning">{t('boards.noDrawn')}</Note>
          ) : (
            <Choices
              legend={t('boards.mailedWidgets')}
              items={drawn.flatMap((id) => {
                const widget = dashboard.definition.widgets[id]
                return widget ? [{ id, text: titleOf(widget, nested) }] : []
              })}
              chosen={widgets}
              onChange={setWidgets}
            />
          )}
          <TextField
            label={t('boards.subject')}
            hint={t('boards.subjectHint', { name: dashboard.name })}
            value={subject}
            onValue={setSubject}
            error={failure?.at('/subject')}
          />
        </>
      )}
    </FormDialog>
  )
}

function refusedMail(recipients: number, widgets: number): string | undefined {
  if (recipients === 0) return t('boards.recipientFirst')
  if (recipients > RECIPIENTS_MAX) return t('boards.recipientsMost', { count: RECIPIENTS_MAX })
  if (widgets === 0) return t('boards.widgetFirst')
  return widgets > MAILED_MAX ? t('boards.widgetsMost', { count: MAILED_MAX }) : undefined
}

function Choices<Id extends string | number>({
  legend,
  items,
  chosen,
  onChange,
}: {
  readonly legend: string
  readonly items: readonly { readonly id: Id; readonly text: string }[]
  readonly chosen: readonly Id[]
  readonly onChange: (chosen: readonly Id[]) => void
}): JSX.Element {
  return (
    <fieldset class="col">
      <legend>{legend}</legend>
      {items.map(({ id, text }) => (
        <Check
          key={id}
          label={text}
          checked={chosen.includes(id)}
          onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
    </fieldset>
  )
}

/** The answer of the mail server for each recipient. */
function Answers({
  outcome: { items },
  recipients,
  onClose,
}: {
  readonly outcome: Outcome
  readonly recipients: readonly Recipient[]
  readonly onClose: () => void
}): JSX.Element {
  const failed = items.filter(({ status }) => status === 'failed').length
  return (
    <Dialog title={t('boards.mail')} onClose={onClose}>
      <div class="col">
        <Note kind={failed > 0 ? 'major' : 'ok'} icon={failed > 0 ? 'info' : 'check'} role="status">
          {t('boards.mailed', { count: items.length - failed, failed })}
        </Note>
        <ul class="col">
          {items.map(({ recipientId, status, detail }) => (
            <li key={recipientId} class="row wrap">
              <State state={status === 'ok' ? 'ok' : 'major'} text={t(`boards.mailed.${status}`)} />
              <b>{recipients.find(({ id }) => id === recipientId)?.name ?? recipientId}</b>
              <span class="wrapped" lang="en">
                {detail}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
