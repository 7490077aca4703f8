import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { assign, commentOn } from '../../actions/alarms.ts'
import type { Alarm } from '../../actions/alarms.ts'
import { useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Field, SelectField, TextField } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'

type Props = { readonly alarms: readonly Alarm[]; readonly onClose: () => void }
const UNASSIGNED = '0'
const HOUR_MS = 3_600_000
const ENDS = ['ok', '1', '4', '24', '72'] as const

/** Assigns alarms to a user, until they are ok or for some hours. */
export function AssignDialog({ alarms, onClose }: Props): JSX.Element {
  const me = user.value
  const isAdministrator = me?.role === 'administrator'
  const { data: users } = useGet('/users', isAdministrator ? {} : null)
  const [userId, setUserId] = useState(String(me?.id ?? UNASSIGNED))
  const [hours, setHours] = useState<(typeof ENDS)[number]>('ok')
  const [text, setText] = useState('')
  const people = users ?? (me ? [me] : [])
  const submit = async (): Promise<void> => {
    const person = people.find(({ id }) => String(id) === userId)
    await assign(alarms, {
      userId: person?.id ?? null,
      name: person ? person.fullname || person.username : '',
      until: hours === 'ok' || !person ? null : new Date(Date.now() + Number(hours) * HOUR_MS).toISOString(),
      comment: text.trim(),
    })
  }
  return (
    <FormDialog
      title={t('alarms.assignTitle', { count: alarms.length, name: alarms[0]?.object.name ?? '' })}
      submit={t('alarms.assign')}
      onSubmit={submit}
      onClose={onClose}
    >
      {() => (
        <>
          <SelectField
            label={t('alarms.assignTo')}
            value={userId}
            onValue={setUserId}
            hint={isAdministrator ? undefined : t('alarms.assignSelf')}
            options={[
              ...people.map(({ id, fullname, username }) => ({
                value: String(id),
                text: fullname || username,
              })),
              { value: UNASSIGNED, text: t('alarms.unassigned') },
            ]}
          />
          <SelectField
            label={t('alarms.assignUntil')}
            value={hours}
            onValue={setHours}
            options={ENDS.map((end) => ({
              value: end,
              text: end === 'ok' ? t('alarm.untilOk') : t('alarms.forHours', { hours: Number(end) }),
            }))}
          />
          <TextField label={t('alarms.comment')} value={text} onValue={setText} maxLength={10000} />
        </>
      )}
    </FormDialog>
  )
}

/** Comments on alarms. */
export function CommentDialog({ alarms, onClose }: Props): JSX.Element {
  const [text, setText] = useState('')
  return (
    <FormDialog
      title={t('alarms.commentTitle', { count: alarms.length, name: alarms[0]?.object.name ?? '' })}
      submit={t('alarms.send')}
      refused={text.trim() === '' ? t('alarms.commentEmpty') : undefined}
      onSubmit={() => commentOn(alarms, text.trim())}
      onClose={onClose}
    >
      {(failure) => (
        <Field label={t('alarms.comment')} error={failure?.at('/text')}>
          {(attributes) => (
            <textarea
              class="input"
              rows={4}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              {...attributes}
            />
          )}
        </Field>
      )}
    </FormDialog>
  )
}
