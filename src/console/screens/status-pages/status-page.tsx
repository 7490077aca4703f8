import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { API_BASE, call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import type { Failure } from '../../api/failure.ts'
import { Button, IconButton, TextField } from '../../kit/controls.tsx'
import { Card, Code } from '../../kit/data.tsx'
import { NoRight, Note, Show } from '../../kit/feedback.tsx'
import { Confirm, FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { isNumber, numberOf } from '../levels/draft.ts'

const ROUTE = '/{parentType}/{parentId}/status-page'
const DAYS_DEFAULT = 30
/** A service or a group can have thousands of members; others are found by their names. */
const MEMBERS_MAX = 50
type Page = Answer<typeof ROUTE>
/** An object with a status page, or that can have one. */
export type Publishable = {
  readonly type: Found['type']
  readonly id: number
  readonly name: string
  readonly permissions: { readonly write: boolean }
}
/** Whether the objects below are found by their names as well. */
const isSearchable = ({ type }: Publishable): boolean => type === 'group' || type === 'device'
const pathOf = ({ type, id }: Publishable) => ({ parentType: type, parentId: id })

/** The public page and the badge of an object: published, changed, moved to new addresses, or taken away. */
export function StatusPage({ object }: { readonly object: Publishable }): JSX.Element {
  const { write } = object.permissions
  const page = useGet(ROUTE, write ? { path: pathOf(object) } : null)
  const [dialog, setDialog] = useState<'edit' | 'move' | 'unpublish' | null>(null)
  const { data, failure } = page
  const changed = (): void => invalidate(`/${object.type}/${object.id}/status-page`)
  const close = (): void => setDialog(null)
  const isUnpublished = failure?.status === 404
  const move = async (): Promise<void> => {
    await call('post', `${ROUTE}/move`, { path: pathOf(object) })
    changed()
    toast({ text: t('pages.page.moved') })
  }
  const unpublish = async (): Promise<void> => {
    await call('delete', ROUTE, { path: pathOf(object) })
    changed()
    toast({ text: t('pages.page.unpublished') })
  }
  if (!write) return <NoRight detail={t('pages.needsWrite', { name: object.name })} />
  return (
    <Card
      title={t('pages.page.heading')}
      note={t('pages.page.note')}
      actions={
        isUnpublished && (
          <Button small icon="plus" onClick={() => setDialog('edit')}>
            {t('pages.page.publish')}
          </Button>
        )
      }
    >
      {isUnpublished ? (
        <p class="pad quiet">{t('pages.page.none')}</p>
      ) : (
        <Show resource={page} what={t('pages.page.failed')}>
          {(published) => (
            <Published
              page={published}
              onEdit={() => setDialog('edit')}
              onMove={() => setDialog('move')}
              onUnpublish={() => setDialog('unpublish')}
            />
          )}
        </Show>
      )}
      {dialog === 'edit' && (
        <EditDialog
          object={object}
          page={isUnpublished ? undefined : data}
          onDone={changed}
          onClose={close}
        />
      )}
      {dialog === 'move' && (
        <Confirm
          title={t('pages.page.move')}
          submit={t('pages.page.move')}
          effect={t('pages.page.moveEffect')}
          onConfirm={move}
          onClose={close}
        />
      )}
      {dialog === 'unpublish' && (
        <Confirm
          title={t('pages.page.unpublish')}
          submit={t('pages.page.unpublish')}
          effect={t('pages.page.unpublishEffect', { count: data?.children.length ?? 0 })}
          onConfirm={unpublish}
          onClose={close}
        />
      )}
    </Card>
  )
}

const ORIGIN = new URL(API_BASE).origin

function Published({
  page,
  onEdit,
  onMove,
  onUnpublish,
}: {
  readonly page: Page
  readonly onEdit: () => void
  readonly onMove: () => void
  readonly onUnpublish: () => void
}): JSX.Element {
  return (
    <div class="pad col">
      <Note kind="info">{t('pages.page.public')}</Note>
      <span class="label">{t('pages.page.address')}</span>
      <Code label={t('pages.page.address')} text={ORIGIN + page.page} />
      <span class="label">{t('pages.page.badge')}</span>
      <Code label={t('pages.page.badge')} text={ORIGIN + page.badge} />
      <p class="quiet">
        {t('pages.page.contents', {
          days: page.days,
          count: page.children.length,
          names: page.children.map(({ name }) => name).join(', '),
        })}
      </p>
      <div class="row wrap">
        <a class="btn small" href={page.page} target="_blank" rel="noreferrer">
          {t('pages.page.preview')}
        </a>
        <Button small icon="edit" onClick={onEdit}>
          {t('pages.page.edit')}
        </Button>
        <Button small icon="link" onClick={onMove}>
          {t('pages.page.move')}
        </Button>
        <Button small icon="close" kind="danger" onClick={onUnpublish}>
          {t('pages.page.unpublish')}
        </Button>
      </div>
    </div>
  )
}

type Component = Pick<Page['children'][number], 'id' | 'name'>

function EditDialog({
  object,
  page,
  onDone,
  onClose,
}: {
  readonly object: Publishable
  readonly page: Page | undefined
  readonly onDone: () => void
  readonly onClose: () => void
}): JSX.Element {
  const [title, setTitle] = useState(page?.title ?? '')
  const [days, setDays] = useState(String(page?.days ?? DAYS_DEFAULT))
  const [children, setChildren] = useState<readonly Component[]>(page?.children ?? [])
  const save = async (): Promise<void> => {
    await call('put', ROUTE, {
      path: pathOf(object),
      body: {
        title: title.trim() === '' ? null : title.trim(),
        days: numberOf(days),
        children: children.map(({ id }) => id),
      },
    })
    onDone()
    toast({ text: t('pages.page.published') })
  }
  return (
    <FormDialog
      title={t(page ? 'pages.page.edit' : 'pages.page.publish')}
      submit={t(page ? 'edit.save' : 'pages.page.publish')}
      refused={isNumber(days) ? undefined : t('pages.badNumber')}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <Note kind="info">{t('pages.page.public')}</Note>
          <TextField
            label={t('pages.page.title')}
            hint={t('pages.page.titleHint', { name: object.name })}
            value={title}
            onValue={setTitle}
            error={failure?.at('/title')}
          />
          <TextField
            label={t('pages.page.days')}
            hint={t('pages.page.daysHint')}
            inputMode="numeric"
            value={days}
            onValue={setDays}
            error={failure?.at('/days')}
          />
          <Components object={object} components={children} failure={failure} onChange={setChildren} />
        </>
      )}
    </FormDialog>
  )
}

/** The objects that the page shows below its own, in order. */
function Components({
  object,
  components,
  failure,
  onChange,
}: {
  readonly object: Publishable
  readonly components: readonly Component[]
  readonly failure: Failure | null
  readonly onChange: (components: readonly Component[]) => void
}): JSX.Element {
  const [picks, setPicks] = useState(0)
  const add = ({ id, name }: Component): void => {
    if (components.every((one) => one.id !== id)) onChange([...components, { id, name }])
  }
  const raise = (at: number): void =>
    onChange([
      ...components.slice(0, at - 1),
      ...components.slice(at, at + 1),
      ...components.slice(at - 1, at),
      ...components.slice(at + 1),
    ])
  return (
    <fieldset class="col">
      <legend>{t('pages.page.components')}</legend>
      {components.map(({ id, name }, at) => (
        <div key={id} class="row">
          <span class="grow cut">{name}</span>
          {at > 0 && (
            <IconButton small icon="upArrow" label={t('pages.up', { name })} onClick={() => raise(at)} />
          )}
          <IconButton
            small
            icon="close"
            label={t('pages.remove', { name })}
            onClick={() => onChange(components.filter((one) => one.id !== id))}
          />
          {failure?.at(`/children/${at}`) && <span class="err">{failure.at(`/children/${at}`)}</span>}
        </div>
      ))}
      <Members object={object} components={components} onAdd={add} />
      {isSearchable(object) && (
        <ObjectPicker
          key={picks}
          label={t('pages.add')}
          value={null}
          onChange={(found) => {
            add(found)
            setPicks(picks + 1)
          }}
        />
      )}
    </fieldset>
  )
}

/** The objects directly below the object that are not on the page: the first of them where others are found by their names. */
function Members({
  object,
  components,
  onAdd,
}: {
  readonly object: Publishable
  readonly components: readonly Component[]
  readonly onAdd: (component: Component) => void
}): JSX.Element | null {
  const members = useGet(
    '/{parentType}/{parentId}/children',
    object.type === 'job'
      ? null
      : { path: pathOf(object), query: isSearchable(object) ? { limit: MEMBERS_MAX } : {} },
  )
  const isCut = isSearchable(object) && members.data?.items.length === MEMBERS_MAX
  const others = (members.data?.items ?? []).filter(({ id }) => components.every((one) => one.id !== id))
  if (others.length === 0)
    return components.length === 0 ? <p class="quiet">{t('pages.page.noComponents')}</p> : null
  return (
    <div class="row wrap">
      {others.map((one) => (
        <Button key={one.id} small icon="plus" onClick={() => onAdd(one)}>
          {one.name}
        </Button>
      ))}
      {isCut && <p class="quiet">{t('pages.page.firstMembers', { count: MEMBERS_MAX })}</p>}
    </div>
  )
}
