import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { SelectField, TextField } from '../../kit/controls.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { DeleteUsedDialog } from '../data/delete-used-dialog.tsx'
import { groupOptions, idsBelow, itemsIn } from '../queries/groups.ts'
import type { Group, Summary, Value } from './dashboard.ts'
import { defaultsOf, textOfDefaults } from './defaults.ts'

/** Creates an empty dashboard and opens it for editing. */
export function NewDialog({
  groups,
  groupId,
  onClose,
}: {
  readonly groups: readonly Group[]
  readonly groupId: number | null
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const [group, setGroup] = useState(groupId)
  const create = async (): Promise<void> => {
    const pages = [{ id: 'main', title: '', items: [], small: [] }]
    const body = { name: name.trim(), groupId: group, definition: { pages } } as never
    const made = await call('post', '/dashboards', { body })
    invalidate('/dashboards')
    route(linkTo(`dashboards/${made.urlName}`, { edit: 'true' }))
  }
  return (
    <FormDialog
      title={t('boards.new')}
      submit={t('boards.create')}
      refused={name.trim() === '' ? t('boards.nameFirst') : undefined}
      onSubmit={create}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('data.name')}
            value={name}
            onValue={setName}
            error={failure?.at('/name')}
            autofocus
          />
          <GroupField groups={groups} value={group} onValue={setGroup} error={failure?.at('/groupId')} />
        </>
      )}
    </FormDialog>
  )
}

/** A choice of a group of dashboards, or of none. */
export function GroupField({
  groups,
  value,
  onValue,
  error,
  without = null,
}: {
  readonly groups: readonly Group[]
  readonly value: number | null
  readonly onValue: (id: number | null) => void
  readonly error?: string | undefined
  readonly without?: number | null
}): JSX.Element {
  return (
    <SelectField
      label={t('boards.inGroup')}
      value={value === null ? '' : String(value)}
      options={groupOptions(groups, t('boards.noGroup'), without)}
      onValue={(text) => onValue(text === '' ? null : Number(text))}
      error={error}
    />
  )
}

/** Creates a group, or renames and moves one; its values of parameters hold for all dashboards below it. */
export function GroupDialog({
  group,
  groups,
  parentId,
  onClose,
}: {
  /** Null for a new one. */
  readonly group: Group | null
  readonly groups: readonly Group[]
  readonly parentId: number | null
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState(group?.name ?? '')
  const [parent, setParent] = useState(group === null ? parentId : group.parentId)
  const [defaults, setDefaults] = useState(textOfDefaults(group?.defaultParams ?? {}))
  const values = defaultsOf(defaults)
  const save = async (): Promise<void> => {
    const defaultParams = (values ?? {}) as Record<string, Exclude<Value, readonly unknown[]>>
    const body = { name: name.trim(), parentId: parent, position: group?.position ?? 0, defaultParams }
    if (group === null) await call('post', '/dashboards/groups', { body })
    else await call('put', '/dashboards/groups/{id}', { path: { id: group.id }, body })
    invalidate('/dashboards')
    toast({ text: t('data.saved', { name: body.name }) })
  }
  const refused = (): string | undefined => {
    if (name.trim() === '') return t('boards.nameFirst')
    return values === null ? t('boards.defaultsHint') : undefined
  }
  return (
    <FormDialog
      title={group === null ? t('boards.newGroup') : t('data.editName', { name: group.name })}
      submit={t('data.save')}
      refused={refused()}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('data.name')}
            value={name}
            onValue={setName}
            error={failure?.at('/name')}
            autofocus
          />
          <GroupField
            groups={groups}
            value={parent}
            onValue={setParent}
            without={group?.id ?? null}
            error={failure?.at('/parentId')}
          />
          <TextField
            label={t('boards.defaults')}
            hint={t('boards.defaultsHint')}
            value={defaults}
            onValue={setDefaults}
            error={failure?.at('/defaultParams')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Deletes a group with all that is in it. While others refer to a dashboard in it, that must be asked for. */
export function DeleteGroupDialog({
  group,
  groups,
  dashboards,
  onClose,
}: {
  readonly group: Group
  readonly groups: readonly Group[]
  readonly dashboards: readonly Summary[]
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const below = idsBelow(groups, group.id)
  return (
    <DeleteUsedDialog
      name={group.name}
      effect={t('boards.deleteGroupEffect', {
        groups: below.size - 1,
        count: itemsIn(below, dashboards).length,
      })}
      forceFirst={t('boards.usedFirst')}
      onDelete={(forceDelete) =>
        call('delete', '/dashboards/groups/{id}', {
          path: { id: group.id },
          query: { recursive: true, forceDelete },
        })
      }
      onDeleted={() => {
        route(linkTo('dashboards', { group: group.parentId }))
        invalidate('/dashboards')
      }}
      onClose={onClose}
    />
  )
}
