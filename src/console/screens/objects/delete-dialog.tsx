import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'

import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { Show } from '../../kit/feedback.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { objectsChanged } from './changed.ts'
import { countBelow } from './place/below.ts'

type Deletable = {
  readonly type: 'group' | 'device' | 'job'
  readonly id: number
  readonly name: string
  readonly parentId: number | null
}
/** Of more objects the name must be typed. */
const TYPED_FROM = 10

/** Deletes an object with everything below it: counted before. */
export function DeleteDialog({
  place,
  onClose,
}: {
  readonly place: Deletable
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const { type, id, name, parentId } = place
  const path = { parentType: type, parentId: id }
  const tree = useGet('/root/tree/{parentType}/{parentId}/tree', {
    path,
    query: { depth: 'all', fields: 'children' },
  })
  const counts = countBelow(tree.data)
  // More objects than the tree answers are many.
  const isLarge = type !== 'job' && (counts.total >= TYPED_FROM || tree.data === undefined)
  const remove = async (forceDelete: boolean): Promise<void> => {
    if (type === 'job') await call('delete', '/jobs/{id}', { path: { id }, query: { forceDelete } })
    else await call('delete', `/${type}s/{id}`, { path: { id }, query: { recursive: true, forceDelete } })
    const above = type === 'job' ? 'device' : 'group'
    route(parentId === null ? linkTo('objects') : objectLink(above, parentId), true)
    toast({ text: t('objects.deleted', { name }) })
    // The page of the deleted object is left first, so that it is not read again.
    setTimeout(objectsChanged)
  }
  return (
    <Confirm
      title={t('objects.deleteName', { name })}
      submit={t('objects.delete')}
      typed={isLarge ? name : undefined}
      canForce
      onConfirm={remove}
      onClose={onClose}
      effect={
        <Show resource={tree} what={t('objects.countFailed')}>
          {() => (
            <p>
              {counts.total === 0
                ? t(type === 'job' ? 'objects.deleteJob' : 'objects.deleteAlone')
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
