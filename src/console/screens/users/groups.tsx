import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { background } from '../../kit/background.ts'
import { Button, IconButton, SelectField, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Empty, readKey, Show } from '../../kit/feedback.tsx'
import { Confirm, FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'

type UserGroup = Answer<'/userGroups'>[number]

/** The user groups with their members. */
export function Groups(): JSX.Element {
  const groups = useGet('/userGroups', {})
  const [edited, edit] = useState<UserGroup | 'new' | null>(null)
  const [doomed, doom] = useState<UserGroup | null>(null)
  const refused = user.value?.role === 'administrator' ? undefined : t('users.needsAdministrator')
  const addButton = (
    <Button icon="plus" refused={refused} onClick={() => edit('new')}>
      {t('users.newGroup')}
    </Button>
  )
  return (
    <Show resource={groups} what={t('users.groupsFailed')}>
      {(all) => (
        <>
          {all.length === 0 ? (
            <Card>
              <Empty title={t('users.noGroups')} text={t('users.noGroupsText')} action={addButton} />
            </Card>
          ) : (
            <>
              <div>{addButton}</div>
              <div class="two-up">
                {all.map((group) => (
                  <Group
                    key={group.id}
                    group={group}
                    refused={refused}
                    onEdit={() => edit(group)}
                    onDelete={() => doom(group)}
                  />
                ))}
              </div>
            </>
          )}
          {edited && (
            <GroupForm {...(edited === 'new' ? {} : { group: edited })} onClose={() => edit(null)} />
          )}
          {doomed && (
            <Confirm
              title={t('users.deleteGroup')}
              effect={t('users.deleteGroupEffect', { name: doomed.name })}
              submit={t('users.deleteGroup')}
              onConfirm={async () => {
                await call('delete', '/userGroups/{id}', { path: { id: doomed.id } })
                invalidate('/userGroups')
              }}
              onClose={() => doom(null)}
            />
          )}
        </>
      )}
    </Show>
  )
}

type GroupProps = {
  readonly group: UserGroup
  readonly refused: string | undefined
  readonly onEdit: () => void
  readonly onDelete: () => void
}

function Group({ group, refused, onEdit, onDelete }: GroupProps): JSX.Element {
  const members = useGet('/userGroups/{id}/users', { path: { id: group.id } })
  const change = async (mode: 'merge' | 'remove', userId: number): Promise<void> => {
    await call('put', '/userGroups/{id}/users', {
      path: { id: group.id },
      query: { mode },
      body: { userIds: [userId] },
    })
    invalidate('/userGroups/')
  }
  return (
    <Card
      key={readKey(members.data)}
      title={group.name}
      note={members.data && t('users.members', { count: members.data.length })}
      actions={
        <>
          <IconButton
            small
            icon="edit"
            label={t('users.renameName', group)}
            refused={refused}
            onClick={onEdit}
          />
          <IconButton
            small
            icon="close"
            label={t('users.deleteName', group)}
            refused={refused}
            onClick={onDelete}
          />
        </>
      }
    >
      <div class="pad col">
        <Show resource={members}>
          {(users) => (
            <>
              <ul class="row wrap">
                {users.map(({ id, username, fullname }) => (
                  <li key={id} class="chip">
                    {fullname || username}
                    <IconButton
                      small
                      icon="close"
                      label={t('users.removeMember', { name: username, group: group.name })}
                      refused={refused}
                      action={() => change('remove', id)}
                    />
                  </li>
                ))}
              </ul>
              <AddMember
                taken={new Set(users.map(({ id }) => id))}
                onAdd={(userId) => background(change('merge', userId))}
              />
            </>
          )}
        </Show>
      </div>
    </Card>
  )
}

function AddMember({
  taken,
  onAdd,
}: {
  readonly taken: ReadonlySet<number>
  readonly onAdd: (userId: number) => void
}): JSX.Element {
  const { data = [] } = useGet('/users', {})
  const free = data.filter(({ id }) => !taken.has(id))
  return (
    <SelectField
      label={t('users.addMember')}
      value=""
      disabled={free.length === 0}
      onValue={(value) => onAdd(Number(value))}
      options={[
        { value: '', text: free.length === 0 ? t('users.allIn') : t('users.choose') },
        ...free.map(({ id, username, fullname }) => ({ value: String(id), text: fullname || username })),
      ]}
    />
  )
}

function GroupForm({
  group,
  onClose,
}: {
  readonly group?: UserGroup
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState(group?.name ?? '')
  const save = async (): Promise<void> => {
    await (group
      ? call('put', '/userGroups/{id}', { path: { id: group.id }, body: { name } })
      : call('post', '/userGroups', { body: { name } }))
    invalidate('/userGroups')
  }
  return (
    <FormDialog
      title={group ? t('users.renameName', group) : t('users.newGroup')}
      submit={t('users.save')}
      refused={name === '' ? t('users.needsName') : undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <TextField
          label={t('users.groupName')}
          value={name}
          onValue={setName}
          error={failure?.at('/name')}
          autofocus
        />
      )}
    </FormDialog>
  )
}
