import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../../api/client.ts'
import { useGet } from '../../../api/resource.ts'
import { TextField } from '../../../kit/controls.tsx'
import { Show } from '../../../kit/feedback.tsx'
import { linkTo, objectLink } from '../../../kit/location.ts'
import { Confirm, FormDialog } from '../../../kit/overlays.tsx'
import { toast } from '../../../kit/toasts.tsx'
import { t } from '../../../language/t.ts'
import { objectsChanged } from '../changed.ts'
import { countBelow } from './below.ts'

type Changeable = {
  readonly type: 'group' | 'device'
  readonly id: number
  readonly name: string
  readonly parentId: number | null
}
type Props = { readonly place: Changeable; readonly onClose: () => void }

/** Renames a place, unless it was changed since it was read. */
export function RenameDialog({
  place,
  etag,
  onClose,
}: Props & { readonly etag: string | undefined }): JSX.Element {
  const [name, setName] = useState(place.name)
  const rename = async (): Promise<void> => {
    const path = { id: place.id }
    await call('patch', `/${place.type}s/{id}`, { path, body: { name: name.trim() }, ifMatch: etag })
    objectsChanged()
  }
  return (
    <FormDialog
      title={t('objects.renameName', { name: place.name })}
      submit={t('objects.rename')}
      onSubmit={rename}
      onClose={onClose}
    >
      {(failure) => (
        <TextField
          label={t('objects.name')}
          value={name}
          onValue={setName}
          error={failure?.at('/name')}
          maxLength={255}
          autofocus
          required
        />
      )}
    </FormDialog>
  )
}

/** Of more objects the name must be typed. */
const TYPED_FROM = 10

/** Deletes a place with everything below it: counted before. */
export function DeleteDialog({ place, onClose }: Props): JSX.Element {
  const { route } = useLocation()
  const { type, id, name, parentId } = place
  const tree = useGet('/root/tree/{parentType}/{parentId}/tree', {
    path: { parentType: type, parentId: id },
    query: { depth: 'all', fields: 'children' },
  })
  const counts = countBelow(tree.data)
  // More objects than the tree answers are many.
  const isLarge = counts.total >= TYPED_FROM || tree.data === undefined
  const remove = async (): Promise<void> => {
    await call('delete', `/${type}s/{id}`, { path: { id }, query: { recursive: true } })
    route(parentId === null ? linkTo('objects') : objectLink('group', parentId), true)
    toast({ text: t('objects.deleted', { name }) })
    // The page of the deleted object is left first, so that it is not read again.
    setTimeout(objectsChanged)
  }
  return (
    <Confirm
      title={t('objects.deleteName', { name })}
      submit={t('objects.delete')}
      typed={isLarge ? name : undefined}
      onConfirm={remove}
      onClose={onClose}
      effect={
        <Show resource={tree} what={t('objects.countFailed')}>
          {() => (
            <p>
              {counts.total === 0
                ? t('objects.deleteAlone')
                : t('objects.deleteEffect', {
                    groups: t('objects.groups', { count: counts.group }),
                    devices: t('objects.devices', { count: counts.device }),
                    jobs: t('objects.jobs', { count: counts.job }),
                  })}{' '}
              <b>{t('objects.deleteFinal')}</b>
            </p>
          )}
        </Show>
      }
    />
  )
}
