import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { callVersioned } from '../../../api/client.ts'
import type { Call } from '../../../api/client.ts'
import { invalidate, useGet } from '../../../api/resource.ts'
import { Button, Segments } from '../../../kit/controls.tsx'
import { PageHead } from '../../../kit/data.tsx'
import { Unsaved, useEditing } from '../../../kit/editing.tsx'
import type { Editing } from '../../../kit/editing.tsx'
import { Note } from '../../../kit/feedback.tsx'
import { linkTo } from '../../../kit/location.ts'
import { Dialog } from '../../../kit/overlays.tsx'
import { toast } from '../../../kit/toasts.ts'
import { Unread } from '../../../kit/unread.tsx'
import { t } from '../../../language/t.ts'
import type { Dashboard, Definition, Nested, Page, WidgetAnswer } from '../dashboard.ts'
import { useData } from '../use-data.ts'
import {
  draftOf,
  NEW_KINDS,
  withFormer,
  withItems,
  withNewWidget,
  withoutWidget,
  withWidget,
} from './draft.ts'
import type { BoardDraft, NewKind } from './draft.ts'
import { EditBoard } from './edit-board.tsx'
import { queryOf } from './guessed-columns.ts'
import { placed } from './layout.ts'
import { SettingsDialog } from './settings-dialog.tsx'
import { WidgetDialog } from './widget-dialog.tsx'
import type { Shown } from './widget-dialog.tsx'

type Edited = Editing<Dashboard, BoardDraft>

/** Changes a dashboard: its original texts, its widgets and their places. Nothing is stored before it is saved. */
export function EditPage({ nested }: { readonly nested: Nested }): JSX.Element {
  const path = { id: String(nested.dashboard.id) }
  const raw = useGet('/dashboards/{id}', { path, query: { raw: true } })
  if (raw.data) return <Editor nested={nested} dashboard={raw.data} etag={raw.etag} />
  return <Unread resource={raw} what={t('boards.failedOne')} />
}

function howToEdit(id: number) {
  const path = { id: String(id) }
  return {
    draftOf,
    read: async () => {
      const { data, etag } = await callVersioned('get', '/dashboards/{id}', { path, query: { raw: true } })
      return { object: data, etag }
    },
    send: async ({ etag: ifMatch }: { readonly etag: string | undefined }, body: BoardDraft) => {
      const request = { path, body, ifMatch } as unknown as Call<'/dashboards/{id}', 'put'>
      await callVersioned('put', '/dashboards/{id}', request)
      invalidate('/dashboards')
      const { data, etag } = await callVersioned('get', '/dashboards/{id}', { path, query: { raw: true } })
      return { object: data, etag }
    },
  }
}

type EditorProps = {
  readonly nested: Nested
  readonly dashboard: Dashboard
  readonly etag: string | undefined
}

function Editor({ nested, dashboard, etag }: EditorProps): JSX.Element {
  const editing: Edited = useEditing({ object: dashboard, etag }, howToEdit(dashboard.id))
  const { route } = useLocation()
  const { draft, change, base, isChanged } = editing
  const { definition } = draft
  const [pageId, setPageId] = useState(definition.pages[0]?.id ?? 'main')
  const [opened, open] = useState<Opened | null>(null)
  const page = definition.pages.find(({ id }) => id === pageId) ?? definition.pages[0] ?? FIRST_PAGE
  const stored = base.object.definition
  const data = useData({ id: dashboard.id, values: {}, timeRange: null, page: null, width: {} })
  const put = (next: Definition): void => change({ definition: next })
  const withPage = definition.pages.length > 0 ? definition : { ...definition, pages: [FIRST_PAGE] }
  const add = (kind: NewKind): void => {
    const made = withNewWidget(withPage, page, kind)
    put(made.definition)
    open({ widget: made.id })
  }
  const remove = (id: string): void => {
    put(withoutWidget(definition, id))
    const undo = (): void => change((now) => ({ definition: withFormer(now.definition, definition, id) }))
    toast({ text: t('boards.removed', { id }), undo })
  }
  const widgetId = opened && 'widget' in opened ? opened.widget : null
  const widget = widgetId === null ? undefined : definition.widgets[widgetId]
  const storedWidget = widgetId === null ? undefined : stored.widgets[widgetId]
  return (
    <>
      <Head
        editing={editing}
        onAdd={() => open({ kinds: true })}
        onSettings={() => open({ settings: true })}
        onDone={() => route(linkTo(`dashboards/${base.object.urlName}`))}
      />
      <div class="body">
        <Notes editing={editing} isPublic={nested.dashboard.public} />
        <div class="board-fields">
          <Pages pages={definition.pages} value={page.id} onValue={setPageId} />
          <p class="label">{t('boards.editHint')}</p>
        </div>
        <EditBoard
          page={page}
          definition={definition}
          nested={nested}
          data={data}
          isStored={(id) => JSON.stringify(stored.widgets[id]) === JSON.stringify(definition.widgets[id])}
          onItems={(items) => put(withItems(withPage, page.id, items))}
          onConfigure={(id) => open({ widget: id })}
          onRemove={remove}
        />
        {isChanged && <p class="label">{t('boards.notStored')}</p>}
      </div>
      {opened && 'settings' in opened && (
        <SettingsDialog draft={draft} onChange={change} onClose={() => open(null)} />
      )}
      {opened && 'kinds' in opened && <KindsDialog onKind={add} onClose={() => open(null)} />}
      {widgetId !== null && widget && (
        <WidgetDialog
          key={widgetId}
          widget={widget}
          item={page.items.find((one) => one.widget === widgetId)}
          parameters={definition.parameters}
          nested={nested}
          shown={{
            queryId: storedWidget === undefined ? null : queryOf(storedWidget),
            columns: columnsOf(data.widgets[widgetId]),
          }}
          onChange={(next, place) => {
            const changed = withWidget(definition, widgetId, next)
            put(place ? withItems(changed, page.id, placed(page.items, widgetId, place)) : changed)
          }}
          onClose={() => open(null)}
        />
      )}
    </>
  )
}

const columnsOf = (answer: WidgetAnswer | undefined): Shown['columns'] =>
  answer?.data?.kind === 'rows' ? answer.data.columns : null

type Opened = { readonly settings: true } | { readonly kinds: true } | { readonly widget: string }

const FIRST_PAGE: Page = { id: 'main', title: '', items: [], small: [] }

function Pages({
  pages,
  value,
  onValue,
}: {
  readonly pages: readonly Page[]
  readonly value: string
  readonly onValue: (id: string) => void
}): JSX.Element | null {
  if (pages.length < 2) return null
  return (
    <Segments
      label={t('boards.pages')}
      value={value}
      options={pages.map(({ id, title }) => ({ value: id, text: title || id }))}
      onChange={onValue}
    />
  )
}

/** The kinds of widgets, one of which is added. */
function KindsDialog({
  onKind,
  onClose,
}: {
  readonly onKind: (kind: NewKind) => void
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog title={t('boards.addWidget')} onClose={onClose}>
      <div class="kinds">
        {NEW_KINDS.map((kind) => (
          <Button key={kind} onClick={() => onKind(kind)}>
            {t(`boards.kind.${kind}`)}
          </Button>
        ))}
      </div>
    </Dialog>
  )
}

function Head({
  editing: { draft, isChanged, isBusy, save },
  onAdd,
  onSettings,
  onDone,
}: {
  readonly editing: Edited
  readonly onAdd: () => void
  readonly onSettings: () => void
  readonly onDone: () => void
}): JSX.Element {
  return (
    <PageHead
      crumbs={[{ text: t('boards.title'), href: linkTo('dashboards') }]}
      title={t('boards.editing', { name: draft.name })}
      actions={
        <>
          <Button icon="plus" onClick={onAdd}>
            {t('boards.addWidget')}
          </Button>
          <Button icon="settings" onClick={onSettings}>
            {t('boards.settings')}
          </Button>
          <Button onClick={onDone}>{t(isChanged ? 'boards.discard' : 'boards.done')}</Button>
          <Button
            kind="primary"
            busy={isBusy}
            refused={isChanged ? undefined : t('edit.unchanged')}
            onClick={save}
          >
            {t('edit.save')}
          </Button>
        </>
      }
    />
  )
}

function Notes({ editing, isPublic }: { readonly editing: Edited; readonly isPublic: boolean }): JSX.Element {
  return (
    <>
      <Unsaved editing={editing} />
      {isPublic && <Note kind="warning">{t('boards.savesPublic')}</Note>}
    </>
  )
}
