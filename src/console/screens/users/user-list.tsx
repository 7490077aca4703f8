import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Item } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import type { User } from './rights.ts'
import { UserForm } from './user-form.tsx'

/** The users, searched by name. */
export function Users(): JSX.Element {
  const users = useGet('/users', {})
  const mfa = useGet('/mfa', user.value?.role === 'administrator' ? {} : null)
  const [sought, seek] = useQuery<string>('q', '')
  const [edited, edit] = useState<User | null>(null)
  const [doomed, doom] = useState<User | null>(null)
  const matches = ({ username, fullname, email = '' }: User): boolean =>
    `${username} ${fullname} ${email}`.toLowerCase().includes(sought.toLowerCase())
  return (
    <Card
      title={t('users.section.list')}
      actions={
        <input
          class="input"
          type="search"
          aria-label={t('users.search')}
          placeholder={t('users.search')}
          value={sought}
          onInput={(event) => seek(event.currentTarget.value)}
        />
      }
    >
      <Show resource={users} what={t('users.failed')}>
        {(all) => {
          const shown = all.filter(matches)
          if (shown.length === 0)
            return (
              <Empty
                title={t('users.noMatch')}
                action={<Button onClick={() => seek('')}>{t('users.clear')}</Button>}
              />
            )
          return <UserTable users={shown} mfa={mfa.data?.items ?? []} onEdit={edit} onDelete={doom} />
        }}
      </Show>
      {edited && <UserForm user={edited} onClose={() => edit(null)} />}
      {doomed && (
        <Confirm
          title={t('users.delete')}
          effect={t('users.deleteEffect', { name: doomed.username })}
          submit={t('users.delete')}
          onConfirm={async () => {
            await call('delete', '/users/{id}', { path: { id: doomed.id } })
            invalidate('/users', '/userGroups')
            toast({ text: t('users.deleted', { name: doomed.username }) })
          }}
          onClose={() => doom(null)}
        />
      )}
    </Card>
  )
}

type TableProps = {
  readonly users: readonly User[]
  readonly mfa: readonly Item<'/mfa'>[]
  readonly onEdit: (user: User) => void
  readonly onDelete: (user: User) => void
}

function UserTable({ users, mfa, onEdit, onDelete }: TableProps): JSX.Element {
  const me = user.value
  const factors = new Map(mfa.map((one) => [one.userId, one]))
  const refused = me?.role === 'administrator' ? undefined : t('users.needsAdministrator')
  return (
    <Table<User>
      label={t('users.section.list')}
      rows={users}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t('users.name'),
          cell: (one) => (
            <>
              <a class="linklike" href={linkTo(`users/user/${one.id}`)}>
                {one.fullname || one.username}
              </a>
              {one.fullname !== '' && <div class="path">{one.username}</div>}
              {one.disabled && (
                <span class="chip">
                  <Icon name="lock" />
                  {t('users.disabled')}
                </span>
              )}
            </>
          ),
        },
        { key: 'role', title: t('users.role'), cell: ({ role }) => t(`users.role.${role}`) },
        {
          key: 'type',
          title: t('users.kind'),
          wide: true,
          cell: ({ type }) => t(`users.type.${type}`),
        },
        ...(me?.role === 'administrator'
          ? [
              {
                key: 'mfa',
                title: t('users.mfa'),
                wide: true,
                cell: ({ id }: User) => factorText(factors.get(id)),
              },
            ]
          : []),
        { key: 'email', title: t('users.email'), wide: true, cell: ({ email }) => email || t('users.none') },
        { key: 'zone', title: t('users.timeZone'), wide: true, cell: ({ timeZone }) => timeZone },
        {
          key: 'rights',
          title: t('users.rights'),
          cell: ({ id }) => <a href={linkTo('users/explain', { userId: id })}>{t('users.why')}</a>,
        },
        {
          key: 'more',
          title: <span class="vh">{t('users.actions')}</span>,
          figures: true,
          cell: (one) => (
            <>
              <IconButton
                small
                icon="edit"
                label={t('users.editName', { name: one.username })}
                refused={refused}
                onClick={() => onEdit(one)}
              />
              <IconButton
                small
                icon="close"
                label={t('users.deleteName', { name: one.username })}
                refused={one.id === me?.id ? t('users.notYourself') : refused}
                onClick={() => onDelete(one)}
              />
            </>
          ),
        },
      ]}
    />
  )
}

function factorText(factor: Item<'/mfa'> | undefined): string {
  if (factor === undefined) return t('users.mfaNone')
  if (factor.isActive) return t(factor.isEnforced ? 'users.mfaActiveEnforced' : 'users.mfaActive')
  return t('users.mfaOwed')
}
