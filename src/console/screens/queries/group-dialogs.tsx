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
import { groupOptions, idsBelow, itemsIn } from './groups.ts'
import type { Group } from './groups.ts'
import type { Summary } from './query.ts'

/** Creates a group, or renames, describes and moves one. */
export function GroupDialog({
  group,
  groups,
  parentId,
  onClose,
}: {
  /** Null for a new one. */
  readonly group: Group | null
  readonly groups: readonly Group[]
  /** The group around a new one. */
  readonly parentId: number | null
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState(group?.name ?? '')
  const [description, setDescription] = useState(group?.description ?? '')
  const [parent, setParent] = useState<number | null>(group === null ? parentId : group.parentId)
  const save = async (): Promise<void> => {
    const body = { name: name.trim(), description, parentId: parent }
    if (group === null) await call('post', '/dataQueries/groups', { body })
    else await call('put', '/dataQueries/groups/{id}', { path: { id: group.id }, body })
    invalidate('/dataQueries')
    toast({ text: t('data.saved', { name: body.name }) })
  }
  return (
    <FormDialog
      title={group === null ? t('queries.newGroup') : t('data.editName', { name: group.name })}
      submit={t('data.save')}
      refused={name.trim() === '' ? t('queries.groupName') : undefined}
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
          <TextField
            label={t('data.description')}
            value={description}
            onValue={setDescription}
            error={failure?.at('/description')}
          />
          <SelectField
            label={t('queries.inGroup')}
            value={parent === null ? '' : String(parent)}
            options={groupOptions(groups, t('queries.noGroup'), group?.id ?? null)}
            onValue={(value) => setParent(value === '' ? null : Number(value))}
            error={failure?.at('/parentId')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Deletes a group with all that is in it. While others refer to a data query in it, that must be asked for. */
export function DeleteGroupDialog({
  group,
  groups,
  queries,
  onClose,
}: {
  readonly group: Group
  readonly groups: readonly Group[]
  readonly queries: readonly Summary[]
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const below = idsBelow(groups, group.id)
  return (
    <DeleteUsedDialog
      name={group.name}
      effect={t('queries.deleteGroupEffect', {
        groups: below.size - 1,
        count: itemsIn(below, queries).length,
      })}
      usedBy={(count) => t('queries.deleteUsed', { count })}
      forceFirst={t('queries.usedByFirst')}
      onDelete={(forceDelete) =>
        call('delete', '/dataQueries/groups/{id}', { path: { id: group.id }, query: { forceDelete } })
      }
      onDeleted={() => {
        route(linkTo('queries', { group: group.parentId }))
        invalidate('/dataQueries')
      }}
      onClose={onClose}
    />
  )
}
