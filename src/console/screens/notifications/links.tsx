import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, together, useGet, useUrl } from '../../api/resource.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Note, Show } from '../../kit/feedback.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { nameOf, ROOT_ID } from '../../kit/object-name.ts'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { Confirm } from '../../kit/overlays.tsx'
import { State, stateWord } from '../../kit/state.tsx'
import { durationText, msOfDuration } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { LinkForm, recipientText } from './link-form.tsx'
import type { Names, NewLink } from './link-form.tsx'
import type { AlarmLink } from './recipients.ts'

/** The alarm links of an object: rules that open alarms and send them to recipients. */
export function Links(): JSX.Element {
  const { query, route } = useLocation()
  const type = (query['type'] ?? 'group') as Found['type']
  const id = Number(query['id'] ?? ROOT_ID)
  const object = useUrl<Found & { readonly permissions: { readonly write: boolean } }>(`/${type}s/${id}`)
  const name = object.data ? nameOf(object.data) : ''
  return (
    <>
      <div class="row wrap">
        <div class="grow">
          <ObjectPicker
            label={t('notifications.linksOf')}
            value={null}
            onChange={(found) => route(linkTo('notifications/links', { type: found.type, id: found.id }))}
          />
        </div>
        {id !== ROOT_ID && (
          <>
            <a class="btn" href={objectLink(type, id)}>
              {t('notifications.openObject')}
            </a>
            <a class="btn" href={linkTo('notifications/links')}>
              {t('kit.root')}
            </a>
          </>
        )}
      </div>
      <LinksOf
        key={`${type} ${id}`}
        type={type}
        id={id}
        name={name}
        refused={
          object.data?.permissions.write === false ? t('notifications.needsWrite', { name }) : undefined
        }
      />
    </>
  )
}

type PlaceProps = {
  readonly type: Found['type']
  readonly id: number
  readonly name: string
  readonly refused: string | undefined
}

function LinksOf({ type, id, name, refused }: PlaceProps): JSX.Element {
  const path = { parentType: type, parentId: id }
  const links = useGet('/{parentType}/{parentId}/alarmLinks', { path })
  const recipients = useGet('/alarmrecipients', {})
  const [edited, edit] = useState<AlarmLink | 'new' | null>(null)
  const [doomed, doom] = useState<AlarmLink | null>(null)
  const names = new Map(recipients.data?.items.map((one) => [one.id, one.name]))
  const current = links.data?.links ?? []
  const replace = async (next: readonly NewLink[]): Promise<void> => {
    const { warnings } = await call('put', '/{parentType}/{parentId}/alarmLinks', {
      path,
      body: { links: [...next] },
      ifMatch: links.etag,
    })
    for (const { message } of warnings) toast({ text: message })
    links.reload()
    invalidate('/alarmrecipients')
  }
  const add = (
    <Button small icon="plus" refused={refused} onClick={() => edit('new')}>
      {t('notifications.newLink')}
    </Button>
  )
  return (
    <Card title={t('notifications.links')} note={name} actions={add}>
      <Show resource={together(links, recipients)} what={t('notifications.linksFailed')}>
        {({ warnings }) => (
          <>
            {warnings.map(({ code, message }) => (
              <Note key={code} kind="warning">
                {message}
              </Note>
            ))}
            {current.length === 0 ? (
              <Empty
                title={t('notifications.noLinks')}
                text={t(id === ROOT_ID ? 'notifications.noLinksText' : 'notifications.noOwnLinksText')}
                action={add}
              />
            ) : (
              <LinkTable links={current} names={names} refused={refused} onEdit={edit} onRemove={doom} />
            )}
          </>
        )}
      </Show>
      {edited && (
        <LinkForm
          {...(edited === 'new' ? {} : { link: edited })}
          names={names}
          onSave={(link) =>
            replace(
              edited === 'new'
                ? [...current, link]
                : current.map((one) => (one.id === edited.id ? { ...link, id: one.id } : one)),
            )
          }
          onClose={() => edit(null)}
        />
      )}
      {doomed && (
        <Confirm
          title={t('notifications.removeLink', { name: recipientText(doomed, names) })}
          effect={t('notifications.removeEffect')}
          submit={t('notifications.delete')}
          onConfirm={async () => {
            await replace(current.filter((one) => one.id !== doomed.id))
            toast({ text: t('notifications.linkRemoved') })
          }}
          onClose={() => doom(null)}
        />
      )}
    </Card>
  )
}

type TableProps = {
  readonly links: readonly AlarmLink[]
  readonly names: Names
  readonly refused: string | undefined
  readonly onEdit: (link: AlarmLink) => void
  readonly onRemove: (link: AlarmLink) => void
}

function LinkTable({ links, names, refused, onEdit, onRemove }: TableProps): JSX.Element {
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
        { key: 'to', title: t('notifications.to'), cell: (link) => recipientText(link, names) },
        {
          key: 'covers',
          title: t('notifications.covers'),
          wide: true,
          cell: ({ covers }) => t(`notifications.covers.${covers}`),
        },
        {
          key: 'delay',
          title: t('notifications.delay'),
          wide: true,
          cell: ({ delay }) => delayText(delay),
        },
        {
          key: 'recovery',
          title: t('notifications.recoveryDelay'),
          wide: true,
          cell: ({ recoveryDelay }) => delayText(recoveryDelay),
        },
        {
          key: 'events',
          title: t('notifications.events'),
          wide: true,
          cell: ({ events }) => events.map((event) => t(`notifications.event.${event}`)).join(', '),
        },
        {
          key: 'more',
          title: <span class="vh">{t('notifications.actions')}</span>,
          figures: true,
          cell: (link) => (
            <>
              <IconButton
                small
                icon="edit"
                label={t('notifications.editLink', { name: recipientText(link, names) })}
                refused={refused}
                onClick={() => onEdit(link)}
              />
              <IconButton
                small
                icon="close"
                label={t('notifications.removeLink', { name: recipientText(link, names) })}
                refused={refused}
                onClick={() => onRemove(link)}
              />
            </>
          ),
        },
      ]}
    />
  )
}

function delayText(delay: string): string {
  const ms = msOfDuration(delay)
  if (ms === null) return delay
  return ms === 0 ? t('notifications.atOnce') : durationText(ms)
}
