import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { Card, PageHead, Tabs } from '../../kit/data.tsx'
import { FailureNote, Show, Skeleton, StaleOf } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Menu } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { CommentDialog } from './comment-dialog.tsx'
import { ColumnsTab } from './columns-tab.tsx'
import { RefreshTab } from './refresh-tab.tsx'
import { RowsTab } from './rows-tab.tsx'
import { hasFiles, importLink, isOwn, refusedToChange, rowsText, sourceLink } from './sources.ts'
import type { TableView } from './sources.ts'
import { DeleteTable, RenameTable } from './table-dialogs.tsx'

const TABS = ['rows', 'columns', 'refresh'] as const
type TabName = (typeof TABS)[number]
type DialogName = 'rename' | 'delete' | 'comment'

/** A table: its rows, and its columns. */
export function TablePage({ id, table }: { readonly id: number; readonly table: string }): JSX.Element {
  const source = useGet('/dataSources/{id}', { path: { id } })
  const tables = useGet('/dataSources/{id}/tables', { path: { id } })
  const all = useGet('/dataSources/{id}/columns', { path: { id } })
  const info = tables.data?.find(({ name }) => name === table)
  const columns = all.data?.filter((column) => column.table === table)
  const reads = [source, tables, all]
  const failure = source.failure ?? tables.failure ?? all.failure
  if (source.data && info && columns && !failure?.isGone)
    return <Loaded view={{ source: source.data, info, columns }} stale={<StaleOf resources={reads} />} />
  return (
    <>
      <PageHead crumbs={crumbsOf(id, source.data?.name)} title={table} sentence="" />
      <div class="body">
        {failure ? (
          <FailureNote
            failure={failure}
            what={t('data.failedTable')}
            retry={() => reads.forEach(({ reload }) => reload())}
          />
        ) : (
          <Missing tables={tables} table={table} />
        )}
      </div>
    </>
  )
}

const crumbsOf = (id: number, source: string | undefined) => [
  { text: t('data.title'), href: linkTo('data') },
  ...(source === undefined ? [] : [{ text: source, href: sourceLink(id) }]),
]

function Loaded({ view, stale }: { readonly view: TableView; readonly stale: JSX.Element }): JSX.Element {
  const { source, info } = view
  const [asked, setTab] = useQuery<TabName>('tab', 'rows')
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const { route } = useLocation()
  const tabs = TABS.filter((one) => one !== 'refresh' || info.refresh !== null)
  const tab = tabs.find((one) => one === asked) ?? 'rows'
  const close = (): void => setDialog(null)
  return (
    <>
      <PageHead
        crumbs={crumbsOf(source.id, source.name)}
        title={info.name}
        badge={info.kind === 'view' && <span class="chip">{t('data.kind.view')}</span>}
        sentence={sentenceOf(view)}
        actions={<Actions view={view} onDialog={setDialog} onRoute={route} />}
      />
      <div class="body">
        {stale}
        <Card>
          <Tabs
            label={info.name}
            value={tab}
            onChange={(value) => setTab(value)}
            tabs={tabs.map((value) => ({ value, text: t(`data.tab.${value}`) }))}
          >
            {tab === 'rows' && <RowsTab view={view} />}
            {tab === 'columns' && <ColumnsTab view={view} />}
            {tab === 'refresh' && <RefreshTab view={view} />}
          </Tabs>
        </Card>
      </div>
      {dialog === 'rename' && <RenameTable view={view} onClose={close} />}
      {dialog === 'delete' && <DeleteTable view={view} onClose={close} />}
      {dialog === 'comment' && (
        <CommentDialog source={source} table={info.name} comment={info.comment} onClose={close} />
      )}
    </>
  )
}

function Missing({
  tables,
  table,
}: {
  readonly tables: ReturnType<typeof useGet<'/dataSources/{id}/tables'>>
  readonly table: string
}): JSX.Element {
  return (
    <Show resource={tables} what={t('data.failedTables')} skeleton={<Skeleton lines={12} />}>
      {(all) =>
        all.some(({ name }) => name === table) ? (
          <Skeleton lines={12} />
        ) : (
          <p>{t('data.noTable', { table })}</p>
        )
      }
    </Show>
  )
}

function sentenceOf({ source, info, columns }: TableView): string {
  const { comment, approximateRows } = info
  const count = t('data.say.columns', { count: columns.length })
  const rows = approximateRows === null ? '' : `${rowsText(approximateRows, source)}, `
  return `${comment ? `${comment} · ` : ''}${rows}${count}`
}

type ActionsProps = {
  readonly view: TableView
  readonly onDialog: (dialog: DialogName) => void
  readonly onRoute: (url: string) => void
}

function Actions({ view, onDialog, onRoute }: ActionsProps): JSX.Element {
  const { source, info } = view
  const refused = refusedToChange()
  return (
    <>
      <a class="btn" href={linkTo('queries/new', { source: source.id, table: info.name })}>
        <Icon name="plus" />
        {t('palette.newQuery')}
      </a>
      <Menu
        label={t('data.moreOf', { name: info.name })}
        items={[
          { text: t('data.comment'), icon: 'comment', refused, run: () => onDialog('comment') },
          ...(isOwn(view)
            ? [
                {
                  text: t('data.importInto'),
                  icon: 'file' as const,
                  refused,
                  run: () => onRoute(importLink(source.id, { table: info.name, mode: 'append' })),
                },
              ]
            : []),
          ...(hasFiles(source)
            ? ([
                { text: t('data.renameTable'), icon: 'edit', refused, run: () => onDialog('rename') },
                {
                  text: t('data.deleteTable'),
                  icon: 'close',
                  danger: true,
                  refused,
                  run: () => onDialog('delete'),
                },
              ] as const)
            : []),
        ]}
      />
    </>
  )
}
