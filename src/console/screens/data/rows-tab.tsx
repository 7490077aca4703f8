import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { send, urlOf } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { Button, IconButton, Segments } from '../../kit/controls.tsx'
import { Empty, FailureNote, Progress, Skeleton, Undecided } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { Menu } from '../../kit/overlays.tsx'
import { saveFile } from '../../kit/save-file.ts'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { computedText } from './cells.ts'
import { ColumnsDialog } from './columns-dialog.tsx'
import { FilterDialog } from './filter-dialog.tsx'
import { FilterChips } from './filter-chips.tsx'
import { Grid } from './grid.tsx'
import { ResultChart } from './result-chart.tsx'
import { RowDialog } from './row-dialog.tsx'
import { nextSort, ROWS_MAX, selectBody, selectedInUrl, sortText } from './selection.ts'
import type { Selected } from './selection.ts'
import { isOwn } from './sources.ts'
import type { TableView } from './sources.ts'
import { SummaryDialog } from './summary-dialog.tsx'
import { summaryText } from './summary.ts'
import { useRows } from './use-rows.ts'
import type { Rows } from './use-rows.ts'

const EXPORTS = [
  { name: 'csv', type: 'text/csv', extension: 'csv', query: {} },
  { name: 'excel', type: 'text/csv', extension: 'csv', query: { safe: 'excel' } },
  { name: 'ndjson', type: 'application/x-ndjson', extension: 'ndjson', query: {} },
] as const

type DialogName = 'filter' | 'columns' | 'summary' | 'insert' | number

const VIEWS = ['rows', 'chart'] as const
type View = (typeof VIEWS)[number]

/** The rows of a table: filtered, sorted, summarised, drawn, exported; those of imported tables can be edited. */
export function RowsTab({ view }: { readonly view: TableView }): JSX.Element {
  const { source, info, columns } = view
  const path = { id: source.id, table: info.name }
  const chosen = useSelected(columns)
  const { selected } = chosen
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const own = isOwn(view)
  const read = useRows(path, {
    ...selectBody(selected),
    limit: ROWS_MAX,
    total: own && selected.summary === null ? 'exact' : 'none',
  })
  const changed = (): void => {
    invalidate(`/dataSources/${source.id}/`)
    read.reload()
  }
  const close = (): void => setDialog(null)
  return (
    <div class="rows-tab">
      <div class="row wrap toolbar">
        <Button small icon="filter" onClick={() => setDialog('filter')}>
          {t('data.filter')}
        </Button>
        <Button small icon="slo" onClick={() => setDialog('summary')}>
          {t('data.summary')}
        </Button>
        {selected.summary === null && (
          <Button small icon="table" onClick={() => setDialog('columns')}>
            {t('data.chooseColumns')}
          </Button>
        )}
        {own && selected.summary === null && (
          <Button small icon="plus" onClick={() => setDialog('insert')}>
            {t('data.insertRow')}
          </Button>
        )}
        {selected.summary && (
          <span class="chip">
            <span class="summary-text">{summaryText(selected.summary)}</span>
            <IconButton
              small
              icon="close"
              label={t('data.summary.clear')}
              onClick={() => chosen.summarise(null)}
            />
          </span>
        )}
        <FilterChips filter={selected.filter} onChange={chosen.filter} />
        <ReadingTools read={read} path={path} selected={selected} />
      </div>
      <Body
        read={read}
        view={view}
        selected={selected}
        onSort={chosen.sort}
        onClear={() => chosen.filter(null)}
        onOpen={setDialog}
      />
      {dialog === 'filter' && (
        <FilterDialog
          path={path}
          columns={columns}
          filter={selected.filter}
          onApply={chosen.filter}
          onClose={close}
        />
      )}
      {dialog === 'summary' && (
        <SummaryDialog
          path={path}
          columns={columns}
          filter={selected.filter}
          summary={selected.summary}
          onApply={chosen.summarise}
          onClose={close}
        />
      )}
      {dialog === 'columns' && (
        <ColumnsDialog
          columns={columns.map(({ name }) => name)}
          chosen={selected.columns}
          onApply={chosen.choose}
          onClose={close}
        />
      )}
      {read.data && (dialog === 'insert' || typeof dialog === 'number') && (
        <RowDialog
          key={String(dialog)}
          view={view}
          shown={dialog === 'insert' ? null : shownRow(read.data, dialog)}
          onDone={changed}
          onClose={close}
        />
      )}
    </div>
  )
}

type Selecting = {
  readonly selected: Selected
  readonly filter: (filter: Selected['filter']) => void
  readonly sort: (column: string) => void
  readonly choose: (columns: Selected['columns']) => void
  readonly summarise: (summary: Selected['summary']) => void
}

/** The rows that the address of the page selects, and functions that change the selection. */
function useSelected(columns: TableView['columns']): Selecting {
  const [filter, setFilter] = useQuery<string>('filter', '')
  const [sort, setSort] = useQuery<string>('sort', '')
  const [chosen, setChosen] = useQuery<string>('columns', '')
  const [summary, setSummary] = useQuery<string>('summary', '')
  const selected = useMemo(
    () => selectedInUrl({ filter, sort, columns: chosen, summary }, columns),
    [filter, sort, chosen, summary, columns],
  )
  const textOf = (value: unknown): string => (value === null ? '' : JSON.stringify(value))
  return {
    selected,
    filter: (value) => setFilter(textOf(value)),
    sort: (column) => setSort(sortText(nextSort(selected.sort, column))),
    choose: (value) => setChosen(textOf(value)),
    summarise: (value) => setSummary(textOf(value)),
  }
}

/** The number of rows, the choice of rows or chart, and the actions on all rows. */
function ReadingTools({
  read,
  path,
  selected,
}: {
  readonly read: ReturnType<typeof useRows>
  readonly path: { readonly id: number; readonly table: string }
  readonly selected: Selected
}): JSX.Element {
  const [shown, show] = useQuery<View>('view', 'rows')
  return (
    <span class="row wrap" style={{ flex: '1 1 25rem', justifyContent: 'end' }}>
      {read.data ? <Counted read={read.data} /> : read.isLoading && <Undecided />}
      <Segments
        small
        label={t('data.view')}
        value={shown}
        options={VIEWS.map((value) => ({ value, text: t(`data.view.${value}`) }))}
        onChange={(value) => show(value)}
      />
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
          action: () => exportRows(path, selected, { type, extension, query }),
        }))}
      />
    </span>
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
  const label = t('data.rowsOf', { name: view.info.name })
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
        <Found
          label={label}
          data={data}
          selected={selected}
          onSort={onSort}
          {...(selected.summary === null ? { onOpen } : {})}
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

type FoundProps = Pick<BodyProps, 'selected' | 'onSort'> &
  Partial<Pick<BodyProps, 'onOpen'>> & { readonly label: string; readonly data: Rows }

/** The rows as a grid or as a chart. */
function Found({ label, data, selected, ...handlers }: FoundProps): JSX.Element {
  const [shown] = useQuery<View>('view', 'rows')
  const columns = useMemo(() => columnsOf(data, selected), [data, selected])
  if (shown === 'chart') return <ResultChart label={label} columns={data.columns} rows={data.rows} />
  return (
    <Grid
      label={label}
      columns={columns}
      rows={data.rows}
      sort={selected.sort}
      order={JSON.stringify([selected.filter, selected.sort, selected.summary])}
      {...handlers}
    />
  )
}

/** The columns of the grid. The columns of aggregates have the texts of computed values. */
function columnsOf({ columns }: Rows, { summary }: Selected): Rows['columns'] {
  const keys = summary?.groupBy.length ?? columns.length
  return columns.map((column, at) => (at < keys ? column : { ...column, textOf: computedText }))
}

/** The number of all rows, and the number of rows in the grid. */
function Counted({ read }: { readonly read: Rows }): JSX.Element {
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
