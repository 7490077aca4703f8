import type { ComponentChildren, JSX } from 'preact'
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'

import { call } from '../../../api/client.ts'
import { asFailure } from '../../../api/failure.ts'
import type { Failure } from '../../../api/failure.ts'
import { background } from '../../../kit/background.ts'
import { Button, Check } from '../../../kit/controls.tsx'
import { linkTo } from '../../../kit/location.ts'
import { ObjectPicker } from '../../../kit/object-picker.tsx'
import type { Found } from '../../../kit/object-picker.tsx'
import { Confirm, Dialog, FormDialog, Refusals } from '../../../kit/overlays.tsx'
import { toast } from '../../../kit/toasts.ts'
import { t } from '../../../language/t.ts'
import { objectsChanged } from '../changed.ts'
import { nodesBelow } from '../place/below.ts'
import type { Node } from './branches.ts'

export type Marked = { readonly type: Node['type']; readonly id: number; readonly name: string }
type Refused = { readonly object: Marked; readonly failure: Failure }
type Props = {
  readonly objects: readonly Marked[]
  /** Called when nothing is left to do or to read. */
  readonly onDone: () => void
  readonly onClose: () => void
}
/** Of more objects their number must be typed. */
const TYPED_FROM = 10
const COPIED: ReadonlySet<string> = new Set(['device', 'slo', 'slc'])

/** Whether the API copies all of these objects. */
export const canCopy = (objects: readonly Marked[]): boolean => objects.every(({ type }) => COPIED.has(type))

/** Deletes objects with everything below them, one after the other; names the refused ones with their reasons. */
export function DeleteMarked({ objects, onDone, onClose }: Props): JSX.Element {
  const { route } = useLocation()
  const { params } = useRoute()
  const below = useBelow(objects)
  const [refused, setRefused] = useState<readonly Refused[]>([])
  /** A form closes when its work has ended; the refusals stay to be read. */
  const hasEnded = useRef(false)
  const close = (): void => {
    if (!hasEnded.current) onClose()
  }
  const tops = below ? objects.filter(({ id }) => ![...below.values()].some((ids) => ids.has(id))) : objects
  const total = tops.reduce((sum, { id }) => sum + 1 + (below?.get(id)?.size ?? 0), 0)
  const leave = (): void => {
    onDone()
    const shown = Number(params['id'])
    // The page of a deleted object is left first, so that it is not read again.
    if (objects.some(({ id }) => id === shown || below?.get(id)?.has(shown))) route(linkTo('objects'), true)
    setTimeout(objectsChanged)
  }
  const remove = async (doomed: readonly Marked[], forceDelete: boolean): Promise<void> => {
    const failed = await each(doomed, ({ type, id }) =>
      type === 'group' || type === 'device'
        ? call('delete', `/${type}s/{id}`, { path: { id }, query: { recursive: true, forceDelete } })
        : call('delete', `/${type}s/{id}`, { path: { id }, query: { forceDelete } }),
    )
    hasEnded.current = true
    setRefused(failed)
    if (failed.length > 0) return
    leave()
    toast({ text: t('objects.deletedMany', { count: tops.length }) })
  }
  if (refused.length > 0)
    return (
      <RefusedDialog
        title={t('objects.notDeleted', { count: refused.length, total: tops.length })}
        refused={refused}
        onForce={(used) => remove(used, true)}
        onClose={leave}
      />
    )
  return (
    <Confirm
      title={t('objects.deleteMany', { count: tops.length })}
      submit={t('objects.delete')}
      typed={below === null || total >= TYPED_FROM ? String(total) : undefined}
      onConfirm={() => remove(tops, false)}
      onClose={close}
      effect={
        <>
          <ul>
            {tops.map(({ id, name }) => (
              <li key={id}>
                <b>{name}</b>{' '}
                {!!below?.get(id)?.size && t('objects.withBelow', { count: below.get(id)?.size ?? 0 })}
              </li>
            ))}
          </ul>
          <p>{t('objects.deleteFinal')}</p>
        </>
      }
    />
  )
}

/** Copies devices with their jobs, services and containers; names the refused ones with their reasons. */
export function CopyMarked({ objects, onDone, onClose }: Props): JSX.Element {
  const [group, setGroup] = useState<Found | null>(null)
  const [stopped, setStopped] = useState(false)
  const [refused, setRefused] = useState<readonly Refused[]>([])
  /** A form closes when its work has ended; the refusals stay to be read. */
  const hasEnded = useRef(false)
  const close = (): void => {
    if (!hasEnded.current) onClose()
  }
  const leave = (): void => {
    onDone()
    objectsChanged()
  }
  const copy = async (): Promise<void> => {
    const failed = await each(objects, ({ type, id, name }) => {
      const query = {
        destinationName: t('objects.copyOf', { name }),
        destinationType: 'none' as const,
        ...(group === null ? {} : { parentId: group.id }),
      }
      return type === 'device'
        ? call('post', '/devices/{id}/copy', { path: { id }, query: { ...query, jobsStopped: stopped } })
        : call('post', type === 'slo' ? '/slos/{id}/copy' : '/slcs/{id}/copy', { path: { id }, query })
    })
    hasEnded.current = true
    setRefused(failed)
    if (failed.length > 0) return
    leave()
    toast({ text: t('objects.copiedMany', { count: objects.length }) })
  }
  if (refused.length > 0)
    return (
      <RefusedDialog
        title={t('objects.notCopied', { count: refused.length, total: objects.length })}
        refused={refused}
        onClose={leave}
      />
    )
  return (
    <FormDialog
      title={t('objects.copyMany', { count: objects.length })}
      submit={t('objects.copy')}
      onSubmit={copy}
      onClose={close}
    >
      {() => (
        <>
          <ul>
            {objects.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
          <ObjectPicker label={t('objects.copyGroup')} value={group} onChange={setGroup} type="group" />
          {objects.some(({ type }) => type === 'device') && (
            <Check label={t('objects.copyStopped')} checked={stopped} onChange={setStopped} />
          )}
        </>
      )}
    </FormDialog>
  )
}

function RefusedDialog({
  title,
  refused,
  onForce,
  onClose,
}: {
  readonly title: ComponentChildren
  readonly refused: readonly Refused[]
  /** Deletes the objects that others refer to. */
  readonly onForce?: (used: readonly Marked[]) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const used = refused.filter(({ failure }) => failure.code === 'has_dependents').map(({ object }) => object)
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <span class="grow" />
          {onForce && used.length > 0 && (
            <Button kind="danger" action={() => onForce(used)}>
              {t('kit.deleteAnyway')}
            </Button>
          )}
          <Button onClick={onClose}>{t('kit.close')}</Button>
        </>
      }
    >
      <div role="alert">
        <ul>
          {refused.map(({ object: { id, name }, failure }) => (
            <li key={id}>
              <b>{name}</b>:{' '}
              {failure.code === 'has_dependents' ? <Refusals failure={failure} /> : failure.message}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

/** Calls the function for each object, one after the other, and collects the refusals. */
async function each(
  objects: readonly Marked[],
  work: (object: Marked) => Promise<unknown>,
): Promise<readonly Refused[]> {
  const refused: Refused[] = []
  for (const object of objects)
    try {
      await work(object)
    } catch (error) {
      refused.push({ object, failure: asFailure(error) })
    }
  return refused
}

/** The ids of the objects below each object; null until they are read, and where there are too many to read. */
function useBelow(objects: readonly Marked[]): ReadonlyMap<number, ReadonlySet<number>> | null {
  const [below, setBelow] = useState<ReadonlyMap<number, ReadonlySet<number>> | null>(null)
  useEffect(() => {
    const places = objects.filter(({ type }) => type === 'group' || type === 'device')
    const read = Promise.all(
      places.map(async ({ type, id }) => {
        const tree = await call('get', '/root/tree/{parentType}/{parentId}/tree', {
          path: { parentType: type, parentId: id },
          query: { depth: 'all', fields: 'children' },
        })
        return [id, new Set(nodesBelow(tree).map((node) => node.id))] as const
      }),
    )
    background(read.then((all) => setBelow(new Map(all))))
  }, [])
  return below
}
