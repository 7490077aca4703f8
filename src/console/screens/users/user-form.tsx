import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate } from '../../api/resource.ts'
import { readUser, user as signedIn } from '../../api/session.ts'
import { SelectField, TextField } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { FormDialog, Refusals } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { LANGUAGES, t } from '../../language/t.ts'
import type { User } from './rights.ts'

const ROLES = ['administrator', 'editor', 'Data_Editor', 'collector', 'dashboard_viewer'] as const
const FIELDS = ['username', 'fullname', 'email', 'phone'] as const
const DRAWN = new Set(['/username', '/fullname', '/email', '/phone', '/password', '/role', '/timeZone'])

type Draft = Pick<User, 'username' | 'fullname' | 'role' | 'type' | 'language' | 'timeZone'> & {
  readonly email: string
  readonly phone: string
  readonly password: string
}

/** Creates a user, or changes one. The directory keeps most fields of the users that come from it. */
export function UserForm({
  user,
  onClose,
}: {
  readonly user?: User
  readonly onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState<Draft>(() => draftOf(user))
  const isDirectory = user?.type === 'LDAP_MANAGED'
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part })
  return (
    <FormDialog
      title={user ? t('users.editName', { name: user.username }) : t('users.new')}
      submit={user ? t('users.save') : t('users.create')}
      refused={draft.username === '' ? t('users.needsName') : undefined}
      wide
      onSubmit={() => save(user, draft)}
      onClose={onClose}
    >
      {(failure) => (
        <div class="col">
          {isDirectory && (
            <Note icon="lock">{user.disabled ? t('users.directoryDisabled') : t('users.directory')}</Note>
          )}
          <Fields
            draft={draft}
            isNew={user === undefined}
            isDirectory={isDirectory}
            change={change}
            failure={failure}
          />
          {failure?.errors.some(({ pointer }) => !DRAWN.has(pointer)) && <Refusals failure={failure} />}
        </div>
      )}
    </FormDialog>
  )
}

type FieldsProps = {
  readonly draft: Draft
  readonly isNew: boolean
  readonly isDirectory: boolean
  readonly change: (part: Partial<Draft>) => void
  readonly failure: Failure | null
}

function Fields({ draft, isNew, isDirectory, change, failure }: FieldsProps): JSX.Element {
  return (
    <div class="form-grid">
      {FIELDS.map((name) => (
        <TextField
          key={name}
          label={t(`users.${name}`)}
          value={draft[name]}
          onValue={(value) => change({ [name]: value })}
          error={failure?.at(`/${name}`)}
          disabled={isDirectory}
          autocomplete="off"
        />
      ))}
      <SelectField
        label={t('users.role')}
        hint={t(`users.roleText.${draft.role}`)}
        value={draft.role}
        onValue={(role) => change({ role })}
        options={ROLES.map((value) => ({ value, text: t(`users.role.${value}`) }))}
        error={failure?.at('/role')}
        disabled={isDirectory}
      />
      {!isDirectory && (
        <TextField
          label={t('users.password')}
          hint={isNew ? t('setup.passwordHint') : t('users.passwordKept')}
          type="password"
          autocomplete="new-password"
          value={draft.password}
          onValue={(password) => change({ password })}
          error={failure?.at('/password')}
        />
      )}
      {!isDirectory && (
        <SelectField
          label={t('users.kind')}
          value={draft.type}
          onValue={(type) => change({ type })}
          options={(['local', 'shared'] as const).map((value) => ({ value, text: t(`users.type.${value}`) }))}
        />
      )}
      <SelectField
        label={t('setup.language')}
        value={draft.language}
        onValue={(language) => change({ language })}
        options={[...new Set<string>([...LANGUAGES, draft.language])].map((value) => ({
          value,
          text: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
        }))}
      />
      <TextField
        label={t('users.timeZone')}
        value={draft.timeZone}
        onValue={(timeZone) => change({ timeZone })}
        error={failure?.at('/timeZone')}
      />
    </div>
  )
}

function draftOf(user: User | undefined): Draft {
  return {
    username: user?.username ?? '',
    fullname: user?.fullname ?? '',
    email: user?.email ?? '',
    phone: user?.phone ?? '',
    role: user?.role ?? 'editor',
    type: user?.type ?? 'local',
    language: user?.language ?? 'en',
    timeZone: user?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    password: '',
  }
}

async function save(user: User | undefined, { password, ...fields }: Draft): Promise<void> {
  const secret = password === '' ? {} : { password }
  if (user === undefined) await call('post', '/users', { body: { ...fields, ...secret } })
  else {
    const { language, timeZone } = fields
    const body = user.type === 'LDAP_MANAGED' ? { language, timeZone } : { ...fields, ...secret }
    await call('patch', '/users/{id}', { path: { id: user.id }, body })
  }
  invalidate('/users', '/userGroups')
  if (user?.id === signedIn.value?.id) await readUser()
  toast({ text: t('users.saved', { name: fields.username }) })
}
