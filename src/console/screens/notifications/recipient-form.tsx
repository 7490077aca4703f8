import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Check, SelectField, TextField } from '../../kit/controls.tsx'
import { Code } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { Dialog, FormDialog } from '../../kit/overlays.tsx'
import { stateWord } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { KINDS, TARGETS, targetOf } from './recipients.ts'
import type { Kind, Recipient } from './recipients.ts'

export const STATES = ['warning', 'minor', 'major'] as const
type NewBody = Call<'/alarmrecipients', 'post'>['body']

type Props = { readonly recipient?: Recipient; readonly onClose: () => void }

/** Creates a recipient, or changes its name, its least state, its recovery messages and its vacation. */
export function RecipientForm({ recipient, onClose }: Props): JSX.Element {
  const [name, setName] = useState(recipient?.name ?? '')
  const [kind, setKind] = useState<Kind>(recipient?.type ?? 'email')
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [minState, setMinState] = useState(recipient?.minState ?? 'warning')
  const [recovery, setRecovery] = useState(recipient?.recovery ?? true)
  const [secret, setSecret] = useState<string | null>(null)
  const target = targetOf(kind, texts)
  const isReady = name !== '' && (recipient !== undefined || target !== null)
  const save = async (): Promise<void> => {
    const fields = { name, minState, recovery }
    if (recipient) await call('patch', '/alarmrecipients/{id}', { path: { id: recipient.id }, body: fields })
    const created = recipient
      ? undefined
      : await call('post', '/alarmrecipients', { body: { ...fields, type: kind, target } as NewBody })
    invalidate('/alarmrecipients')
    if (typeof created?.secret === 'string') setSecret(created.secret)
    else onClose()
  }
  if (secret !== null)
    return (
      <Dialog title={t('notifications.secret')} onClose={onClose}>
        <div class="col">
          <Note kind="warning">{t('notifications.secretOnce')}</Note>
          <Code text={secret} label={t('notifications.secret')} />
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={recipient ? t('notifications.editName', { name: recipient.name }) : t('notifications.new')}
      submit={t('notifications.save')}
      refused={isReady ? undefined : t('notifications.incomplete')}
      onSubmit={save}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {(failure) => (
        <div class="col">
          <TextField
            label={t('notifications.name')}
            value={name}
            onValue={setName}
            error={failure?.at('/name')}
          />
          {!recipient && (
            <>
              <SelectField
                label={t('notifications.by')}
                value={kind}
                onValue={setKind}
                options={KINDS.map((value) => ({ value, text: t(`notifications.kind.${value}`) }))}
              />
              {TARGETS[kind].map((field) => (
                <TargetField
                  key={field}
                  field={field}
                  value={texts[field] ?? ''}
                  failure={failure}
                  onValue={(value) => setTexts({ ...texts, [field]: value })}
                />
              ))}
            </>
          )}
          <SelectField
            label={t('notifications.from')}
            value={minState}
            onValue={setMinState}
            options={STATES.map((value) => ({ value, text: stateWord(value) }))}
          />
          <Check label={t('notifications.recovery')} checked={recovery} onChange={setRecovery} />
        </div>
      )}
    </FormDialog>
  )
}

type FieldProps = {
  readonly field: string
  readonly value: string
  readonly failure: Failure | null
  readonly onValue: (value: string) => void
}

/** A field of a target: a choice of users, groups or scripts, else a text. */
function TargetField({ field, value, failure, onValue }: FieldProps): JSX.Element {
  const users = useGet('/users', field === 'userId' ? {} : null)
  const groups = useGet('/userGroups', field === 'userGroupId' ? {} : null)
  const label = t(`notifications.target.${field}`)
  const error = failure?.at(`/target/${field}`)
  if (field === 'userId' || field === 'userGroupId')
    return (
      <SelectField
        label={label}
        value={value}
        error={error}
        onValue={onValue}
        options={[
          { value: '', text: t('notifications.choose') },
          ...((field === 'userId' ? users.data : groups.data) ?? []).map(({ id, name }) => ({
            value: String(id),
            text: name,
          })),
        ]}
      />
    )
  return <TextField label={label} value={value} error={error} onValue={onValue} autocomplete="off" />
}
