import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Resource } from '../../api/resource.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { Empty, FailureNote, Show, Skeleton } from '../../kit/feedback.tsx'
import { t } from '../../language/t.ts'
import { RefreshDialog } from './refresh-dialog.tsx'
import { CourseText, NextRefresh } from './refresh-state.tsx'
import { copiesSentence } from './refresh.ts'
import type { RefreshState } from './refresh.ts'
import { refusedToChange, tableLink } from './sources.ts'
import type { Source, TableInfo } from './sources.ts'
import { useRefresh } from './use-refresh.ts'

type Copy = { readonly name: string; readonly state: RefreshState }

/** The tables of a source whose rows come from databases: their age, the next refresh and the latest failure. */
export function RefreshesTab({
  source,
  tables,
}: {
  readonly source: Source
  readonly tables: Resource<TableInfo[]>
}): JSX.Element {
  const [edited, edit] = useState<{ readonly table: string | null } | null>(null)
  const refused = refusedToChange()
  const add = (
    <Button small icon="plus" refused={refused} onClick={() => edit({ table: null })}>
      {t('data.refresh.new')}
    </Button>
  )
  return (
    <>
      <Show resource={tables} what={t('data.failedTables')} skeleton={<Skeleton lines={8} />}>
        {(all) => {
          const copies = all.flatMap(({ name, refresh }): readonly Copy[] =>
            refresh === null ? [] : [{ name, state: refresh }],
          )
          if (copies.length === 0)
            return <Empty title={t('data.refresh.none')} text={t('data.refresh.noneText')} action={add} />
          return (
            <>
              <div class="row wrap toolbar">
                <span class="grow">{copiesSentence(copies.map(({ state }) => state))}</span>
                {add}
              </div>
              <Copies source={source} copies={copies} onEdit={(table) => edit({ table })} />
            </>
          )
        }}
      </Show>
      {edited !== null && <RefreshDialog source={source} table={edited.table} onClose={() => edit(null)} />}
    </>
  )
}

function Copies({
  source,
  copies,
  onEdit,
}: {
  readonly source: Source
  readonly copies: readonly Copy[]
  readonly onEdit: (table: string) => void
}): JSX.Element {
  const refreshing = useRefresh(source.id)
  const refused = refusedToChange()
  return (
    <>
      {refreshing.failure && (
        <div class="pad">
          <FailureNote failure={refreshing.failure} what={t('data.refresh.failed')} />
        </div>
      )}
      <Table<Copy>
        label={t('data.tab.refreshes')}
        rows={copies}
        keyOf={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t('data.table'),
            cell: ({ name }) => <a href={`${tableLink(source.id, name)}?tab=refresh`}>{name}</a>,
          },
          {
            key: 'course',
            title: t('data.refresh.course'),
            cell: ({ state }) => <CourseText state={state} />,
          },
          {
            key: 'next',
            title: t('data.refresh.next'),
            wide: true,
            cell: ({ state }) => <NextRefresh state={state} />,
          },
          {
            key: 'actions',
            title: <span class="vh">{t('data.actions')}</span>,
            figures: true,
            cell: ({ name, state }) => (
              <>
                <IconButton
                  small
                  icon="refresh"
                  label={t('data.refresh.nowName', { name })}
                  refused={refused}
                  busy={refreshing.table === name || state.isRefreshing}
                  action={() => refreshing.start(name)}
                />
                <IconButton
                  small
                  icon="edit"
                  label={t('data.editName', { name })}
                  refused={refused}
                  onClick={() => onEdit(name)}
                />
              </>
            ),
          },
        ]}
      />
    </>
  )
}
