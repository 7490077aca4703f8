import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { moveAll } from '../../actions/move.ts'
import type { Movable } from '../../actions/move.ts'
import { Field, Segments } from '../../kit/controls.tsx'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { objectsChanged } from './changed.ts'
import { ROOT_ID, setOpen } from './tree/branches.ts'

const PLACES = ['inside', 'top'] as const

/** Moves objects: jobs to another device, all others to another group or to the top of the tree. */
export function MoveDialog({
  objects,
  onClose,
}: {
  readonly objects: readonly Movable[]
  readonly onClose: () => void
}): JSX.Element {
  const [place, setPlace] = useState<(typeof PLACES)[number]>('inside')
  const [found, setFound] = useState<Found | null>(null)
  const areJobs = objects.every(({ type }) => type === 'job')
  const root = { id: ROOT_ID, name: t('kit.root') }
  const target = place === 'top' && !areJobs ? root : found
  const move = async (): Promise<void> => {
    if (target === null) return
    await moveAll(objects, target, objectsChanged)
    setOpen([target.id], true)
  }
  const names = { count: objects.length, name: objects[0]?.name ?? '' }
  return (
    <FormDialog
      title={t('objects.moveName', names)}
      submit={t('objects.move')}
      refused={refusalOf(objects) ?? (target === null ? t('objects.moveChoose') : undefined)}
      onSubmit={move}
      onClose={onClose}
    >
      {(failure) => (
        <>
          {refusalOf(objects) !== undefined && <p>{refusalOf(objects)}</p>}
          {!areJobs && (
            <Field label={t('objects.moveTo')}>
              {() => (
                <Segments
                  label={t('objects.moveTo')}
                  value={place}
                  onChange={setPlace}
                  options={PLACES.map((value) => ({ value, text: t(`objects.moveTo.${value}`) }))}
                />
              )}
            </Field>
          )}
          {(areJobs || place === 'inside') && (
            <ObjectPicker
              label={t(areJobs ? 'objects.type.device' : 'objects.type.group')}
              value={found}
              onChange={setFound}
              type={areJobs ? 'device' : 'group'}
              error={failure?.at('/parentId')}
            />
          )}
          <p class="quiet">{t('objects.moveText')}</p>
        </>
      )}
    </FormDialog>
  )
}

/** Why objects cannot be moved together. */
function refusalOf(objects: readonly Movable[]): string | undefined {
  if (objects.some(({ id }) => id === ROOT_ID)) return t('objects.rootMoves')
  const jobs = objects.filter(({ type }) => type === 'job').length
  return jobs > 0 && jobs < objects.length ? t('objects.moveMixed') : undefined
}
