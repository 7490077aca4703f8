import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, Check, IconButton, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Note, Show } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { State, stateWord } from '../../kit/state.tsx'
import { durationText, msOfDuration } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import { STATES } from './recipient-form.tsx'
import type { AlarmLink } from './recipients.ts'

const PATH = { parentType: 'group', parentId: 1 } as const
const EVENTS = ['opened', 'worsened', 'flapping', 'closed'] as const
type Event = (typeof EVENTS)[number]
type NewLink = Omit<AlarmLink, 'id' | 'recoveryDelay'>

/** The alarm links of the root group: rules that send alarms to recipients. */
export function Links(): JSX.Element {
  const links = useGet('/{parentType}/{parentId}/alarmLinks', { path: PATH })
  const recipients = useGet('/alarmrecipients', {})
  const [isNew, setNew] = useState(false)
  const names = new Map(recipients.data?.items.map(({ id, name }) => [id, name]))
  const current = links.data?.links ?? []
  const replace = async (next: readonly (AlarmLink | NewLink)[]): Promise<void> => {
    await call('put', '/{parentType}/{parentId}/alarmLinks', {
      path: PATH,
      body: { links: [...next] },
      ifMatch: links.etag,
    })
    links.reload()
    invalidate('/alarmrecipients')
  }
  const remove = async (link: AlarmLink): Promise<void> => {
    await replace(current.filter(({ id }) => id !== link.id))
    toast({ text: t('notifications.linkRemoved') })
  }
  const add = (
    <Button small icon="plus" onClick={() => setNew(true)}>
      {t('notifications.newLink')}
    </Button>
  )
  return (
    <Card title={t('notifications.links')} note={t('notifications.linksNote')} actions={add}>
      <Show resource={links} what={t('notifications.linksFailed')}>
        {({ warnings }) => (
          <>
            {warnings.map(({ code, message }) => (
              <Note key={code} kind="warning">
                {message}
              </Note>
            ))}
            {current.length === 0 ? (
              <Empty title={t('notifications.noLinks')} text={t('notifications.noLinksText')} action={add} />
            ) : (
              <LinkTable links={current} names={names} onRemove={(link) => background(remove(link))} />
            )}
          </>
        )}
      </Show>
      {isNew && (
        <LinkForm
          names={names}
          onSave={(link) => replace([...current, link])}
          onClose={() => setNew(false)}
        />
      )}
    </Card>
  )
}

type Names = ReadonlyMap<number, string>
type TableProps = {
  readonly links: readonly AlarmLink[]
  readonly names: Names
  readonly onRemove: (link: AlarmLink) => void
}

function LinkTable({ links, names, onRemove }: TableProps): JSX.Element {
  const nameOf = ({ recipientId }: AlarmLink): string =>
    recipientId === null ? t('notifications.noRecipient') : (names.get(recipientId) ?? `#${recipientId}`)
  return (
    <Table<AlarmLink>
      label={t('notifications.links')}
      rows={links}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'from',
          title: t('notifications.from'),
          cell: ({ minState }) => <State state={minState} look="plain" text={stateWord(minState)} />,
        },
        { key: 'to', title: t('notifications.to'), cell: nameOf },
        {
          key: 'covers',
          title: t('notifications.covers'),
          wide: true,
          cell: ({ covers }) => t(`notifications.covers.${covers}`),
        },
        {
          key: 'delay',
          title: t('notifications.delay'),
          cell: ({ delay }) => delayText(msOfDuration(delay) ?? 0),
        },
        {
          key: 'events',
          title: t('notifications.events'),
          wide: true,
          cell: ({ events }) => events.map((event) => t(`notifications.event.${event}`)).join(', '),
        },
        {
          key: 'remove',
          title: <span class="vh">{t('notifications.actions')}</span>,
          figures: true,
          cell: (link) => (
            <IconButton
              small
              icon="close"
              label={t('notifications.removeLink', { name: nameOf(link) })}
              onClick={() => onRemove(link)}
            />
          ),
        },
      ]}
    />
  )
}

const delayText = (ms: number): string => (ms === 0 ? t('notifications.atOnce') : durationText(ms))

type FormProps = {
  readonly names: Names
  readonly onSave: (link: NewLink) => Promise<void>
  readonly onClose: () => void
}

function LinkForm({ names, onSave, onClose }: FormProps): JSX.Element {
  const [recipient, setRecipient] = useState('')
  const [minState, setMinState] = useState<(typeof STATES)[number]>('warning')
  const [minutes, setMinutes] = useState('0')
  const [events, setEvents] = useState<readonly Event[]>(EVENTS)
  const isReady = recipient !== '' && events.length > 0 && /^\d+$/.test(minutes)
  return (
    <FormDialog
      title={t('notifications.newLink')}
      submit={t('notifications.save')}
      refused={isReady ? undefined : t('notifications.incomplete')}
      onSubmit={() =>
        onSave({
          covers: 'below',
          minState,
          recipientId: Number(recipient),
          delay: `PT${Number(minutes)}M`,
          events: [...events],
        })
      }
      onClose={onClose}
    >
      {() => (
        <div class="col">
          <SelectField
            label={t('notifications.to')}
            value={recipient}
            onValue={setRecipient}
            options={[
              { value: '', text: t('notifications.choose') },
              ...[...names].map(([id, text]) => ({ value: String(id), text })),
            ]}
          />
          <SelectField
            label={t('notifications.from')}
            value={minState}
            onValue={setMinState}
            options={STATES.map((value) => ({ value, text: stateWord(value) }))}
          />
          <TextField
            label={t('notifications.delay')}
            hint={t('notifications.delayHint')}
            inputMode="numeric"
            unit="min"
            value={minutes}
            onValue={setMinutes}
          />
          <fieldset>
            <legend>{t('notifications.events')}</legend>
            {EVENTS.map((event) => (
              <Check
                key={event}
                label={t(`notifications.event.${event}`)}
                checked={events.includes(event)}
                onChange={(on) =>
                  setEvents(EVENTS.filter((one) => (one === event ? on : events.includes(one))))
                }
              />
            ))}
          </fieldset>
        </div>
      )}
    </FormDialog>
  )
}
