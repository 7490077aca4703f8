import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { Check, SelectField } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { RIGHTS } from './rights.ts'
import type { Place } from './rights.ts'

type SubjectType = 'user' | 'userGroup' | 'everyone'
const EVERYONE = 'everyone 0'

/** Grants a user, a user group or everyone rights on an object and the objects below it. */
export function GrantForm({
  place,
  userId,
  onDone,
  onClose,
}: {
  readonly place: Place
  readonly userId: number
  readonly onDone: () => void
  readonly onClose: () => void
}): JSX.Element {
  const users = useGet('/users', {})
  const groups = useGet('/userGroups', {})
  const [subject, setSubject] = useState(`user ${userId}`)
  const [rights, setRights] = useState({ write: false, maintain: true, execute: false })
  const save = async (): Promise<void> => {
    const [subjectType, subjectId] = subject.split(' ') as [SubjectType, string]
    await call('put', '/{objectType}/{objectId}/permissions/{subjectType}/{subjectId}', {
      path: { objectType: place.type, objectId: place.id, subjectType, subjectId: Number(subjectId) },
      body: rights,
    })
    onDone()
  }
  return (
    <FormDialog
      title={t('users.grantOn', { object: place.name })}
      submit={t('users.grant')}
      onSubmit={save}
      onClose={onClose}
    >
      {() => (
        <div class="col">
          <SelectField
            label={t('users.who')}
            hint={t('users.grantReplaces')}
            value={subject}
            onValue={setSubject}
            options={[
              { value: EVERYONE, text: t('users.subject.everyone') },
              ...(groups.data ?? []).map(({ id, name }) => ({
                value: `userGroup ${id}`,
                text: t('users.subject.userGroup', { name }),
              })),
              ...(users.data ?? []).map(({ id, username, fullname }) => ({
                value: `user ${id}`,
                text: fullname ? `${fullname} (${username})` : username,
              })),
            ]}
          />
          <fieldset>
            <legend>{t('users.rights')}</legend>
            {RIGHTS.map((right) => (
              <Check
                key={right}
                label={t(`users.right.${right}`)}
                checked={right === 'read' || rights[right]}
                disabled={right === 'read'}
                onChange={(on) => setRights({ ...rights, [right]: on })}
              />
            ))}
          </fieldset>
        </div>
      )}
    </FormDialog>
  )
}
