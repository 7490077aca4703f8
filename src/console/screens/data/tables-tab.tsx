import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Resource } from '../../api/resource.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { numberText } from '../../kit/numbers.ts'
import { t } from '../../language/t.ts'
import { CommentDialog } from './comment-dialog.tsx'
import { CourseText } from './refresh-state.tsx'
import { hasFiles, refusedToChange, tableLink } from './sources.ts'
import type { Source, TableInfo } from './sources.ts'

/** From this many tables on they can be searched. */
const SEARCHED_FROM = 8

type Props = { readonly source: Source; readonly tables: Resource<TableInfo[]> }

/** The tables and views of a source, with comments and estimates of their rows. */
export function TablesTab({ source, tables }: Props): JSX.Element {
  const [search, setSearch] = useQuery<string>('table', '')
  const [noted, note] = useState<TableInfo | null>(null)
  return (
    <Show resource={tables} what={t('data.failedTables')} skeleton={<Skeleton lines={8} />}>
      {(all) => {
        if (all.length === 0)
          return (
            <Empty
              title={t('data.noTables')}
              text={t(hasFiles(source) ? 'data.noTablesFiles' : 'data.noTablesDatabase')}
            />
          )
        const shown = all.filter(({ name, comment }) =>
          `${name} ${comment ?? ''}`.toLowerCase().includes(search.toLowerCase()),
        )
        return (
          <>
            {(all.length >= SEARCHED_FROM || search !== '') && (
              <div class="pad">
                <input
                  class="input search-box"
                  type="search"
                  aria-label={t('data.searchTables')}
                  placeholder={t('data.searchTables')}
                  value={search}
                  onInput={(event) => setSearch(event.currentTarget.value)}
                />
              </div>
            )}
            {shown.length === 0 ? (
              <Empty
                title={t('data.noMatch')}
                action={<Button onClick={() => setSearch('')}>{t('data.clearSearch')}</Button>}
              />
            ) : (
              <TableList source={source} tables={shown} onNote={note} />
            )}
            {noted && (
              <CommentDialog
                source={source}
                table={noted.name}
                comment={noted.comment}
                onClose={() => note(null)}
              />
            )}
          </>
        )
      }}
    </Show>
  )
}

function TableList({
  source,
  tables,
  onNote,
}: {
  readonly source: Source
  readonly tables: readonly TableInfo[]
  readonly onNote: (table: TableInfo) => void
}): JSX.Element {
  return (
    <Table<TableInfo>
      label={t('data.tab.tables')}
      rows={tables}
      keyOf={({ name }) => name}
      columns={[
        {
          key: 'name',
          title: t('data.table'),
          cell: ({ name, comment }) => (
            <>
              <a href={tableLink(source.id, name)}>{name}</a>
              {comment && <div class="path">{comment}</div>}
            </>
          ),
        },
        ...(tables.some(({ refresh }) => refresh !== null)
          ? [
              {
                key: 'refresh',
                title: t('data.refresh.course'),
                cell: ({ refresh }: TableInfo) =>
                  refresh === null ? (
                    <span class="faint">{t('data.refresh.ofFiles')}</span>
                  ) : (
                    <CourseText state={refresh} />
                  ),
              },
            ]
          : []),
        { key: 'kind', title: t('data.kind'), wide: true, cell: ({ kind }) => t(`data.kind.${kind}`) },
        {
          key: 'rows',
          title: t(hasFiles(source) ? 'data.tab.rows' : 'data.rows'),
          figures: true,
          cell: ({ approximateRows }) => (approximateRows === null ? '–' : numberText(approximateRows)),
        },
        {
          key: 'columns',
          title: t('data.columns'),
          figures: true,
          wide: true,
          cell: ({ columns }) => numberText(columns),
        },
        {
          key: 'more',
          title: <span class="vh">{t('data.actions')}</span>,
          figures: true,
          cell: (table) => (
            <IconButton
              small
              icon="comment"
              label={t('data.commentOn', { name: table.name })}
              refused={refusedToChange()}
              onClick={() => onNote(table)}
            />
          ),
        },
      ]}
    />
  )
}
