import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { maintainNow } from '../../../actions/maintain.ts'
import { user } from '../../../api/session.ts'
import { Button } from '../../../kit/controls.tsx'
import { copyText } from '../../../kit/data.tsx'
import { linkTo } from '../../../kit/location.ts'
import { Menu } from '../../../kit/overlays.tsx'
import { t } from '../../../language/t.ts'
import { CopyDialog } from '../copy-dialog.tsx'
import { DeleteDialog } from '../delete-dialog.tsx'
import { EditDialog } from '../edit-dialog.tsx'
import { MoveDialog } from '../move-dialog.tsx'
import { ROOT_ID } from '../tree/branches.ts'
import { AddDialog } from './add-dialog.tsx'
import type { PlaceObject } from './object.ts'

const MAINTAIN_MIN = 20

type Props = {
  readonly type: 'group' | 'device'
  readonly place: PlaceObject
  readonly etag: string | undefined
}

/** The actions of a group or a device. */
export function PlaceActions({ type, place, etag }: Props): JSX.Element {
  const { route } = useLocation()
  const [dialog, setDialog] = useState<'group' | 'edit' | 'move' | 'copy' | 'delete' | null>(null)
  const { id, name, parentId, permissions } = place
  const close = (): void => setDialog(null)
  // A copy goes to a group where the user may write, which these roles alone can have.
  const canCopy = user.value?.role === 'administrator' || user.value?.role === 'editor'
  const needsWrite = permissions.write ? undefined : t('objects.needsWrite', { name })
  const needsMaintain = permissions.maintain ? undefined : t('alarm.needsMaintain', { name })
  return (
    <>
      <AddButton type={type} place={place} />
      <Button
        icon="maintenance"
        refused={needsMaintain}
        action={() => maintainNow({ type, id, name }, MAINTAIN_MIN)}
      >
        {t('objects.maintain', { minutes: MAINTAIN_MIN })}
      </Button>
      <Menu
        label={t('objects.more', { name })}
        items={[
          ...(type === 'group'
            ? [
                {
                  text: t('objects.add.group'),
                  icon: 'group' as const,
                  refused: needsWrite,
                  run: () => setDialog('group'),
                },
              ]
            : []),
          { text: t('objects.edit'), icon: 'edit', refused: needsWrite, run: () => setDialog('edit') },
          {
            text: t('objects.moveMenu'),
            icon: 'right',
            refused: id === ROOT_ID ? t('objects.rootMoves') : needsWrite,
            run: () => setDialog('move'),
          },
          ...(type === 'device'
            ? [
                {
                  text: t('objects.copyMenu'),
                  icon: 'copy' as const,
                  refused: canCopy ? undefined : t('objects.copyNeedsEditor'),
                  run: () => setDialog('copy'),
                },
              ]
            : []),
          {
            text: t('objects.alarmLinks'),
            icon: 'mail',
            run: () => route(linkTo('notifications/links', { type, id })),
          },
          {
            text: t('objects.statusPage'),
            icon: 'screen',
            refused: needsWrite,
            run: () => route(linkTo(`status-pages/${type}/${id}`)),
          },
          { text: t('objects.copyLink'), icon: 'link', action: () => copyText(location.href) },
          {
            text: t('objects.delete'),
            icon: 'close',
            danger: true,
            refused: id === ROOT_ID ? t('objects.rootStays') : needsWrite,
            run: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'edit' && <EditDialog object={place} etag={etag} onClose={close} />}
      {dialog === 'move' && <MoveDialog objects={[{ type, id, name }]} onClose={close} />}
      {dialog === 'copy' && <CopyDialog device={place} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog place={{ type, id, name, parentId }} onClose={close} />}
      {dialog === 'group' && <AddDialog type="group" parent={{ id, name }} onClose={close} />}
    </>
  )
}

/** Adds what a place usually has: a device to a group, a job to a device. */
export function AddButton({ type, place }: Omit<Props, 'etag'>): JSX.Element {
  const [isOpen, setIsOpen] = useState(false)
  const { name, permissions } = place
  const added = type === 'group' ? 'device' : 'job'
  return (
    <>
      <Button
        kind="primary"
        icon="plus"
        refused={permissions.write ? undefined : t('objects.needsWrite', { name })}
        onClick={() => setIsOpen(true)}
      >
        {t(`objects.add.${added}`)}
      </Button>
      {isOpen && <AddDialog type={added} parent={place} onClose={() => setIsOpen(false)} />}
    </>
  )
}
