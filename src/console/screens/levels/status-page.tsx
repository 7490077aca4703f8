import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { API_BASE, call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import type { Failure } from '../../api/failure.ts'
import { Button, IconButton, TextField } from '../../kit/controls.tsx'
import { Card, Code } from '../../kit/data.tsx'
import { FailureNote, NoRight, Note, Skeleton } from '../../kit/feedback.tsx'
import { Confirm, FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import { isNumber, numberOf } from './draft.ts'
import type { LevelType } from './member.ts'

const ROUTE = '/{parentType}/{parentId}/status-page'
const DAYS_DEFAULT = 30
type Page = Answer<typeof ROUTE>
type Level = {
  readonly type: LevelType
  readonly id: number
  readonly name: string
  readonly permissions: { readonly write: boolean }
}
const pathOf = ({ type, id }: Level) => ({ parentType: type, parentId: id })

/** The public page and the badge of a service level: published, changed, moved to new addresses, or taken away. */
export function StatusPage({ level }: { readonly level: Level }): JSX.Element {
  const { write } = level.permissions
  const page = useGet(ROUTE, write ? { path: pathOf(level) } : null)
  const [dialog, setDialog] = useState<'edit' | 'move' | 'unpublish' | null>(null)
  const { data, failure, reload } = page
  const changed = (): void => invalidate(`/${level.type}/${level.id}/status-page`)
  const close = (): void => setDialog(null)
  const isUnpublished = failure?.status === 404
  const move = async (): Promise<void> => {
    await call('post', `${ROUTE}/move`, { path: pathOf(level) })
    changed()
    toast({ text: t('levels.page.moved') })
  }
  const unpublish = async (): Promise<void> => {
    await call('delete', ROUTE, { path: pathOf(level) })
    changed()
    toast({ text: t('levels.page.unpublished') })
  }
  if (!write) return <NoRight detail={t('levels.needsWrite', { name: level.name })} />
  return (
    <Card
      title={t('levels.tab.page')}
      note={t('levels.page.note')}
      actions={
        isUnpublished && (
          <Button small icon="plus" onClick={() => setDialog('edit')}>
            {t('levels.page.publish')}
          </Button>
        )
      }
    >
      {isUnpublished && <p class="pad quiet">{t('levels.page.none')}</p>}
      {failure && !isUnpublished && <FailureNote failure={failure} retry={reload} />}
      {data === undefined && failure === null && <Skeleton />}
      {data && !isUnpublished && (
        <Published
          page={data}
          onEdit={() => setDialog('edit')}
          onMove={() => setDialog('move')}
          onUnpublish={() => setDialog('unpublish')}
        />
      )}
      {dialog === 'edit' && (
        <EditDialog level={level} page={isUnpublished ? undefined : data} onDone={changed} onClose={close} />
      )}
      {dialog === 'move' && (
        <Confirm
          title={t('levels.page.move')}
          submit={t('levels.page.move')}
          effect={t('levels.page.moveEffect')}
          onConfirm={move}
          onClose={close}
        />
      )}
      {dialog === 'unpublish' && (
        <Confirm
          title={t('levels.page.unpublish')}
          submit={t('levels.page.unpublish')}
          effect={t('levels.page.unpublishEffect', { count: data?.children.length ?? 0 })}
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
      <Note kind="info">{t('levels.page.public')}</Note>
      <span class="label">{t('levels.page.address')}</span>
      <Code label={t('levels.page.address')} text={ORIGIN + page.page} />
      <span class="label">{t('levels.page.badge')}</span>
      <Code label={t('levels.page.badge')} text={ORIGIN + page.badge} />
      <p class="quiet">
        {t('levels.page.contents', { days: page.days, count: page.children.length })}{' '}
        {page.children.map(({ name }) => name).join(', ')}
      </p>
      <div class="row wrap">
        <a class="btn small" href={page.page} target="_blank" rel="noreferrer">
          {t('levels.page.preview')}
        </a>
        <Button small icon="edit" onClick={onEdit}>
          {t('levels.page.edit')}
        </Button>
        <Button small icon="link" onClick={onMove}>
          {t('levels.page.move')}
        </Button>
        <Button small icon="close" kind="danger" onClick={onUnpublish}>
          {t('levels.page.unpublish')}
        </Button>
      </div>
    </div>
  )
}

type Component = Pick<Page['children'][number], 'id' | 'name'>

function EditDialog({
  level,
  page,
  onDone,
  onClose,
}: {
  readonly level: Level
  readonly page: Page | undefined
  readonly onDone: () => void
  readonly onClose: () => void
}): JSX.Element {
  const [title, setTitle] = useState(page?.title ?? '')
  const [days, setDays] = useState(String(page?.days ?? DAYS_DEFAULT))
  const [children, setChildren] = useState<readonly Component[]>(page?.children ?? [])
  const save = async (): Promise<void> => {
    await call('put', ROUTE, {
      path: pathOf(level),
      body: {
        title: title.trim() === '' ? null : title.trim(),
        days: numberOf(days),
        children: children.map(({ id }) => id),
      },
    })
    onDone()
    toast({ text: t('levels.page.published') })
  }
  return (
    <FormDialog
      title={t(page ? 'levels.page.edit' : 'levels.page.publish')}
      submit={t(page ? 'edit.save' : 'levels.page.publish')}
      refused={isNumber(days) ? undefined : t('levels.badNumber')}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <Note kind="info">{t('levels.page.public')}</Note>
          <TextField
            label={t('levels.page.title')}
            hint={t('levels.page.titleHint', { name: level.name })}
            value={title}
            onValue={setTitle}
            error={failure?.at('/title')}
          />
          <TextField
            label={t('levels.page.days')}
            hint={t('levels.page.daysHint')}
            inputMode="numeric"
            value={days}
            onValue={setDays}
            error={failure?.at('/days')}
          />
          <Components level={level} components={children} failure={failure} onChange={setChildren} />
        </>
      )}
    </FormDialog>
  )
}

/** The objects that the page shows below its own, in order. */
function Components({
  level,
  components,
  failure,
  onChange,
}: {
  readonly level: Level
  readonly components: readonly Component[]
  readonly failure: Failure | null
  readonly onChange: (components: readonly Component[]) => void
}): JSX.Element {
  const members = useGet('/{parentType}/{parentId}/children', { path: pathOf(level) })
  const others = (members.data?.items ?? []).filter(({ id }) => components.every((one) => one.id !== id))
  return (
    <fieldset class="col">
      <legend>{t('levels.page.components')}</legend>
      {components.map(({ id, name }, at) => (
        <div key={id} class="row">
          <span class="grow cut">{name}</span>
          <IconButton
            small
            icon="close"
            label={t('levels.removeMember', { name })}
            onClick={() => onChange(components.filter((one) => one.id !== id))}
          />
          {failure?.at(`/children/${at}`) && <span class="err">{failure.at(`/children/${at}`)}</span>}
        </div>
      ))}
      {others.length > 0 && (
        <div class="row wrap">
          {others.map(({ id, name }) => (
            <Button key={id} small icon="plus" onClick={() => onChange([...components, { id, name }])}>
              {name}
            </Button>
          ))}
        </div>
      )}
      {others.length === 0 && components.length === 0 && <p class="quiet">{t('levels.page.noComponents')}</p>}
    </fieldset>
  )
}
