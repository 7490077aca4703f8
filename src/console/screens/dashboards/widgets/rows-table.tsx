import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Button } from '../../../kit/controls.tsx'
import { Table } from '../../../kit/data.tsx'
import { t } from '../../../language/t.ts'
import { cellText, isFigure, resultText } from '../../data/cells.ts'
import type { Cell } from '../../data/cells.ts'
import type { DataOf, WidgetOf } from '../dashboard.ts'
import { csvOf } from '../csv.ts'

type Shown = {
  readonly name: string
  readonly label: string
  readonly at: number
  readonly bar: boolean
  readonly most: number
}

/** The rows of a data query, a page of them at a time. */
export function RowsTable({
  widget,
  data,
  title,
}: {
  readonly widget: WidgetOf<'table'>
  readonly data: DataOf<'rows'>
  readonly title: string
}): JSX.Element {
  const [page, setPage] = useState(0)
  const { rows, truncated } = data
  const size = widget.pageSize
  const last = Math.max(0, Math.ceil(rows.length / size) - 1)
  const at = Math.min(page, last)
  const columns = shownColumns(widget, data)
  if (rows.length === 0) return <p class="quiet pad">{t('boards.noRows')}</p>
  return (
    <>
      <Table
        label={title}
        rows={rows.slice(at * size, at * size + size).map((row, place) => ({ row, place }))}
        keyOf={({ place }) => place}
        columns={columns.map((column) => ({
          key: column.name,
          title: column.label,
          figures: isFigure(data.columns[column.at]?.type ?? 'string'),
          cell: ({ row }: { readonly row: readonly Cell[] }) => (
            <CellText
              value={row[column.at] ?? null}
              column={column}
              type={data.columns[column.at]?.type ?? 'string'}
            />
          ),
        }))}
      />
      <div class="row wrap table-foot">
        <span class="label">
          {t(truncated ? 'boards.rowsTruncated' : 'boards.rows', {
            from: at * size + 1,
            to: Math.min(rows.length, at * size + size),
            count: rows.length,
          })}
        </span>
        {last > 0 && (
          <span class="row end">
            <Button
              small
              refused={at === 0 ? t('boards.firstPage') : undefined}
              onClick={() => setPage(at - 1)}
            >
              {t('boards.previous')}
            </Button>
            <Button
              small
              refused={at === last ? t('boards.lastPage') : undefined}
              onClick={() => setPage(at + 1)}
            >
              {t('boards.next')}
            </Button>
          </span>
        )}
        {widget.download && <Download title={title} columns={columns} rows={rows} />}
      </div>
    </>
  )
}

function CellText({
  value,
  column,
  type,
}: {
  readonly value: Cell
  readonly column: Shown
  readonly type: DataOf<'rows'>['columns'][number]['type']
}): JSX.Element {
  const [text, full] = [resultText(value, type), cellText(value, type)]
  if (!column.bar || typeof value !== 'number' || column.most <= 0)
    return text === full ? <>{text}</> : <span title={full}>{text}</span>
  return (
    <span class="cell-bar" title={full} style={{ '--share': `${Math.max(0, (value / column.most) * 100)}%` }}>
      {text}
    </span>
  )
}

/** The columns of the widget that the rows have; all if it names none. */
function shownColumns(
  { columns: wanted }: WidgetOf<'table'>,
  { columns, rows }: DataOf<'rows'>,
): readonly Shown[] {
  const all = wanted.length > 0 ? wanted : columns.map(({ name }) => ({ name, label: '', bar: false }))
  return all.flatMap(({ name, label, bar }) => {
    const at = columns.findIndex((column) => column.name === name)
    if (at < 0) return []
    const most = bar ? rows.reduce((most_, row) => Math.max(most_, Number(row[at] ?? 0)), 0) : 0
    return [{ name, label: label === '' ? name : label, at, bar, most }]
  })
}

function Download({
  title,
  columns,
  rows,
}: {
  readonly title: string
  readonly columns: readonly Shown[]
  readonly rows: readonly (readonly Cell[])[]
}): JSX.Element {
  const save = (): void => {
    const text = csvOf(
      columns.map(({ label }) => label),
      rows.map((row) => columns.map(({ at }) => row[at] ?? null)),
    )
    const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
    Object.assign(document.createElement('a'), { href: url, download: `${title}.csv` }).click()
    URL.revokeObjectURL(url)
  }
  return (
    <Button small icon="download" onClick={save}>
      {t('boards.download')}
    </Button>
  )
}
