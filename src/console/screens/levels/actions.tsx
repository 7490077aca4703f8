import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { maintainNow } from '../../actions/maintain.ts'
import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { copyText } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { Confirm, Menu } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { levelsChanged } from './changed.ts'
import type { LevelType } from './member.ts'

const MAINTAIN_MIN = 20

type Level = {
  readonly type: LevelType
  readonly id: number
  readonly name: string
  readonly permissions: { readonly write: boolean; readonly maintain: boolean }
}

/** The actions on a service or a container. */
export function LevelActions({ level }: { readonly level: Level }): JSX.Element {
  const [isDeleting, setDeleting] = useState(false)
  const { type, id, name, permissions } = level
  return (
    <>
      <Menu
        label={t('levels.more', { name })}
        items={[
          {
            text: t('levels.maintain', { minutes: MAINTAIN_MIN }),
            icon: 'maintenance',
            refused: permissions.maintain ? undefined : t('alarm.needsMaintain', { name }),
            action: () => maintainNow({ type, id, name }, MAINTAIN_MIN),
          },
          { text: t('levels.copyLink'), icon: 'link', action: () => copyText(location.href) },
          {
            text: t('levels.delete'),
            icon: 'close',
            danger: true,
            refused: permissions.write ? undefined : t('levels.needsWrite', { name }),
            run: () => setDeleting(true),
          },
        ]}
      />
      {isDeleting && <DeleteDialog level={level} onClose={() => setDeleting(false)} />}
    </>
  )
}

const COUNTED_MAX = 100
/** Of more frozen periods the name must be typed. */
const TYPED_FROM = 3

/** Deletes a service level. Its members stay; the frozen periods of a container are lost. */
function DeleteDialog({
  level: { type, id, name },
  onClose,
}: {
  readonly level: Level
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const members = useGet('/{parentType}/{parentId}/children', { path: { parentType: type, parentId: id } })
  const periods = useGet(
    '/slcs/{id}/periods',
    type === 'slc' ? { path: { id }, query: { limit: COUNTED_MAX } } : null,
  )
  const lost = periods.data?.items.length ?? 0
  const remove = async (forceDelete: boolean): Promise<void> => {
    await call('delete', `/${type}s/{id}`, { path: { id }, query: { forceDelete } })
    route(linkTo('slos'), true)
    toast({ text: t('levels.deleted', { name }) })
    // The page of the deleted object is left first, so that it is not read again.
    setTimeout(levelsChanged)
  }
  return (
    <Confirm
      title={t('levels.deleteName', { name })}
      submit={t('levels.delete')}
      typed={lost >= TYPED_FROM ? name : undefined}
      canForce
      onConfirm={remove}
      onClose={onClose}
      effect={
        <Show resource={members} what={t('levels.membersFailed')}>
          {({ items }) => (
            <>
              <p>{t('levels.deleteMembers', { count: items.length })}</p>
              {type === 'slo' ? (
                <p>{t('levels.deleteUsed')}</p>
              ) : (
                <p>
                  {lost < COUNTED_MAX
                    ? t('levels.deletePeriods', { count: lost })
                    : t('levels.deletePeriodsMany', { count: COUNTED_MAX })}
                </p>
              )}
              <b>{t('levels.deleteFinal')}</b>
            </>
          )}
        </Show>
      }
    />
  )
}
