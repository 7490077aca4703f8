import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { Confirm } from '../../kit/overlays.tsx'
import { State, stateWord } from '../../kit/state.tsx'
import { Ago } from '../../kit/time.tsx'
import { faultText } from '../../language/problems.ts'
import { t } from '../../language/t.ts'
import { RecipientForm } from './recipient-form.tsx'
import { TargetText } from './recipient-target.tsx'
import type { Recipient } from './recipients.ts'

/** The recipients with the result of their latest message and a test. */
export function Recipients(): JSX.Element {
  const recipients = useGet('/alarmrecipients', {})
  const [edited, edit] = useState<Recipient | 'new' | null>(null)
  const [doomed, doom] = useState<Recipient | null>(null)
  const add = (
    <Button small icon="plus" refused={refusedToChange()} onClick={() => edit('new')}>
      {t('notifications.new')}
    </Button>
  )
  return (
    <Card title={t('notifications.recipients')} actions={add}>
      <Show resource={recipients} what={t('notifications.failed')}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('notifications.empty')} text={t('notifications.emptyText')} action={add} />
          ) : (
            <RecipientTable recipients={items} onEdit={edit} onDelete={doom} />
          )
        }
      </Show>
      {edited && (
        <RecipientForm {...(edited === 'new' ? {} : { recipient: edited })} onClose={() => edit(null)} />
      )}
      {doomed && (
        <Confirm
          title={t('notifications.deleteName', { name: doomed.name })}
          effect={t('notifications.deleteEffect', { count: doomed.usedBy.length })}
          submit={t('notifications.delete')}
          onConfirm={async () => {
            await call('delete', '/alarmrecipients/{id}', { path: { id: doomed.id } })
            invalidate('/alarmrecipients', '/group/1/alarmLinks')
          }}
          onClose={() => doom(null)}
        />
      )}
    </Card>
  )
}

type TableProps = {
  readonly recipients: readonly Recipient[]
  readonly onEdit: (recipient: Recipient) => void
  readonly onDelete: (recipient: Recipient) => void
}

function RecipientTable({ recipients, onEdit, onDelete }: TableProps): JSX.Element {
  return (
    <Table<Recipient>
      label={t('notifications.recipients')}
      rows={recipients}
      keyOf={({ id }) => id}
      columns={[
        { key: 'name', title: t('notifications.name'), cell: (one) => <NameCell recipient={one} /> },
        {
          key: 'from',
          title: t('notifications.from'),
          wide: true,
          cell: ({ minState }) => <State state={minState} look="plain" text={stateWord(minState)} />,
        },
        {
          key: 'links',
          title: t('notifications.usedBy'),
          wide: true,
          figures: true,
          cell: ({ usedBy }) => usedBy.length,
        },
        { key: 'test', title: t('notifications.latest'), cell: (one) => <Test recipient={one} /> },
        {
          key: 'more',
          title: <span class="vh">{t('notifications.actions')}</span>,
          figures: true,
          cell: (one) => (
            <>
              <IconButton
                small
                icon="edit"
                label={t('notifications.editName', { name: one.name })}
                refused={refusedToChange()}
                onClick={() => onEdit(one)}
              />
              <IconButton
                small
                icon="close"
                label={t('notifications.deleteName', { name: one.name })}
                refused={refusedToChange()}
                onClick={() => onDelete(one)}
              />
            </>
          ),
        },
      ]}
    />
  )
}

function NameCell({ recipient }: { readonly recipient: Recipient }): JSX.Element {
  const { name, type, warnings } = recipient
  return (
    <>
      <b>{name}</b>
      <div class="path">
        {t(`notifications.kind.${type}`)} · <TargetText recipient={recipient} />
      </div>
      {warnings.map(({ code }) => (
        <div key={code} class="row small">
          <Icon name="info" />
          <span class="wrapped">{t(`notifications.warning.${code}`)}</span>
        </div>
      ))}
    </>
  )
}

/** Why the caller may not change recipients; undefined for administrators. */
function refusedToChange(): string | undefined {
  return user.value?.role === 'administrator' ? undefined : t('notifications.needsAdministrator')
}

type Result = Answer<'/alarmrecipients/{id}/test', 'post'>

/** Sends a test message and shows the answer of the receiver. */
function Test({ recipient }: { readonly recipient: Recipient }): JSX.Element {
  const [result, setResult] = useState<Result | null>(null)
  const send = async (): Promise<void> => {
    setResult(await call('post', '/alarmrecipients/{id}/test', { path: { id: recipient.id } }))
    invalidate('/alarmrecipients')
  }
  const latest = result ?? recipient.lastResult
  return (
    <div class="row wrap">
      <Button
        small
        icon="mail"
        refused={refusedToChange()}
        aria-label={t('notifications.testName', { name: recipient.name })}
        action={send}
      >
        {t('notifications.test')}
      </Button>
      <span role="status" class="row wrap">
        {latest && (
          <>
            <State
              state={latest.status === 'ok' ? 'ok' : 'major'}
              text={t(`notifications.result.${latest.status}`)}
            />
            <span class="wrapped">{faultText(latest.detail)}</span>
            {!result && recipient.lastResult && <Ago at={recipient.lastResult.at} />}
          </>
        )}
      </span>
    </div>
  )
}
