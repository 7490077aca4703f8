import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { send, urlOf } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button } from '../../kit/controls.tsx'
import { Empty, FailureNote, Progress, Skeleton } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { Menu } from '../../kit/overlays.tsx'
import { saveFile } from '../../kit/save-file.ts'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import { ColumnsDialog } from './columns-dialog.tsx'
import { FilterDialog } from './filter-dialog.tsx'
import { FilterChips } from './filter-chips.tsx'
import { Grid } from './grid.tsx'
import { RowDialog } from './row-dialog.tsx'
import { nextSort, ROWS_MAX, selectBody, selectedInUrl, sortText } from './selection.ts'
import type { Selected } from './selection.ts'
import { hasFiles } from './sources.ts'
import type { TableView } from './sources.ts'
import { useRows } from './use-rows.ts'
import type { Rows } from './use-rows.ts'

const EXPORTS = [
  { name: 'csv', type: 'text/csv', extension: 'csv', query: {} },
  { name: 'excel', type: 'text/csv', extension: 'csv', query: { safe: 'excel' } },
  { name: 'ndjson', type: 'application/x-ndjson', extension: 'ndjson', query: {} },
] as const

type DialogName = 'filter' | 'columns' | 'insert' | number

/** The rows of a table: filtered, sorted, exported; those of imported tables can be edited. */
export function RowsTab({ view }: { readonly view: TableView }): JSX.Element {
  const { source, info, columns } = view
  const path = { id: source.id, table: info.name }
  const [filterText, setFilter] = useQuery<string>('filter', '')
  const [sort, setSort] = useQuery<string>('sort', '')
  const [chosen, setChosen] = useQuery<string>('columns', '')
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const selected = useMemo(
    () =>
      selectedInUrl(
        { filter: filterText, sort, columns: chosen },
        columns.map(({ name }) => name),
      ),
    [filterText, sort, chosen, columns],
  )
  const own = hasFiles(source)
  const read = useRows(path, {
    ...selectBody(selected),
    limit: ROWS_MAX,
    total: own ? 'exact' : 'none',
  })
  const apply = (filter: Selected['filter']): void => setFilter(filter === null ? '' : JSON.stringify(filter))
  const changed = (): void => {
    invalidate(`/dataSources/${source.id}/`)
    read.reload()
  }
  return (
    <div class="rows-tab">
      <div class="row wrap toolbar">
        <Button small icon="filter" onClick={() => setDialog('filter')}>
          {t('data.filter')}
        </Button>
        <Button small icon="table" onClick={() => setDialog('columns')}>
          {t('data.chooseColumns')}
        </Button>
        {own && (
          <Button small icon="plus" onClick={() => setDialog('insert')}>
            {t('data.insertRow')}
          </Button>
        )}
        <FilterChips filter={selected.filter} onChange={apply} />
        <span class="end row">
          <Counted read={read.data} />
          <Button
            small
            kind="ghost"
            icon="refresh"
            aria-label={t('data.readAgain')}
            title={t('data.readAgain')}
            onClick={read.reload}
          />
          <Menu
            label={t('data.export')}
            icon="download"
            items={EXPORTS.map(({ name, type, extension, query }) => ({
              text: t(`data.export.${name}`),
              icon: 'download' as const,
              run: () => background(exportRows(path, selected, { type, extension, query })),
            }))}
          />
        </span>
      </div>
      <Body
        read={read}
        view={view}
        selected={selected}
        onSort={(column) => setSort(sortText(nextSort(selected.sort, column)))}
        onClear={() => apply(null)}
        onOpen={setDialog}
      />
      {dialog === 'filter' && (
        <FilterDialog
          path={path}
          columns={columns}
          filter={selected.filter}
          onApply={apply}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'columns' && (
        <ColumnsDialog
          columns={columns.map(({ name }) => name)}
          chosen={selected.columns}
          onApply={(next) => setChosen(next === null ? '' : JSON.stringify(next))}
          onClose={() => setDialog(null)}
        />
      )}
      {read.data && dialog !== null && dialog !== 'filter' && dialog !== 'columns' && (
        <RowDialog
          key={String(dialog)}
          view={view}
          shown={dialog === 'insert' ? null : shownRow(read.data, dialog)}
          onDone={changed}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  )
}

function shownRow({ columns, rows }: Rows, at: number) {
  return columns.map(({ name, type }, place) => ({ name, type, value: rows[at]?.[place] ?? null }))
}

type BodyProps = {
  readonly read: ReturnType<typeof useRows>
  readonly view: TableView
  readonly selected: Selected
  readonly onSort: (column: string) => void
  readonly onClear: () => void
  readonly onOpen: (at: number) => void
}

function Body({ read, view, selected, onSort, onClear, onOpen }: BodyProps): JSX.Element {
  const { data, failure, isLoading, cancel, reload } = read
  return (
    <>
      {isLoading && data && (
        <div class="row pad-x" role="status">
          <Progress value={null} label={t('data.readingRows')} />
          <Button small onClick={cancel}>
            {t('kit.cancel')}
          </Button>
        </div>
      )}
      {failure && (
        <div class="pad">
          <FailureNote failure={failure} what={t('data.failedRows')} retry={reload} />
        </div>
      )}
      {!data && isLoading && <Skeleton lines={12} />}
      {data && data.rows.length > 0 && (
        <Grid
          label={t('data.rowsOf', { name: view.info.name })}
          columns={data.columns}
          rows={data.rows}
          sort={selected.sort}
          order={JSON.stringify([selected.filter, selected.sort])}
          onSort={onSort}
          onOpen={onOpen}
        />
      )}
      {data && data.rows.length === 0 && !failure && (
        <Empty
          title={t(selected.filter ? 'data.noRowsMatch' : 'data.noRows')}
          action={selected.filter && <Button onClick={onClear}>{t('data.clearFilter')}</Button>}
        />
      )}
    </>
  )
}

/** How many rows there are, and how many of them are here. */
function Counted({ read }: { readonly read: Rows | null }): JSX.Element | null {
  if (read === null) return null
  const count = read.rows.length
  const text = (): string => {
    if (!read.truncated) return t('data.count.all', { count })
    return read.total === null
      ? t('data.count.first', { count })
      : t('data.count.of', { count, total: read.total })
  }
  return (
    <span class="label" role="status">
      {text()} · {t('data.ms', { ms: read.durationMs })}
    </span>
  )
}

async function exportRows(
  path: { readonly id: number; readonly table: string },
  selected: Selected,
  { type, extension, query }: { readonly type: string; readonly extension: string; readonly query: object },
): Promise<void> {
  const name = `${path.table}.${extension}`
  const url = urlOf('/dataSources/{id}/tables/{table}/select', { path, query })
  const headers = { 'content-type': 'application/json', accept: type }
  toast({ text: t('data.exporting', { name }) })
  await saveFile(() => send('POST', url, { headers, body: JSON.stringify(selectBody(selected)) }), name)
  toast({ text: t('data.exported', { name }) })
}
