import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'

import { Icon } from '../../kit/icons.tsx'
import { useMedia } from '../../kit/use-media.ts'
import { Windowed } from '../../kit/windowed.tsx'
import { t } from '../../language/t.ts'
import { cellText, isFigure, widthsOf } from './cells.ts'
import type { Cell } from './cells.ts'
import type { ColumnType } from './filter.ts'

/** @property textOf writes the values of the column; `cellText` if absent */
export type GridColumn = {
  readonly name: string
  readonly type: ColumnType
  readonly textOf?: typeof cellText
}
export type Sort = { readonly column: string; readonly dir: 'asc' | 'desc' }

type Props = {
  readonly label: string
  readonly columns: readonly GridColumn[]
  readonly rows: readonly (readonly Cell[])[]
  readonly sort?: Sort | null
  /** Other rows begin at the top: with another order or another filter. */
  readonly order?: string
  /** Absent: the rows cannot be sorted. */
  readonly onSort?: (column: string) => void
  /** Opens a row, by `Enter` or a double-click; absent: rows cannot be opened. */
  readonly onOpen?: (at: number) => void
}

const ROW_PX = 28
const COARSE_ROW_PX = 44
const PAGE_ROWS = 20

/** Rows of a table, of which only those near the view are in the page. One tab stop; arrows move between cells. */
export function Grid({ label, columns, rows, sort = null, order = '', onSort, onOpen }: Props): JSX.Element {
  const id = useId()
  const rowPx = useMedia('(pointer: coarse)') ? COARSE_ROW_PX : ROW_PX
  const [active, setActive] = useState<readonly [row: number, column: number]>([0, 0])
  useEffect(() => setActive([0, 0]), [order])
  const widths = useMemo(() => widthsOf(columns, rows), [columns, rows])
  const numbers = String(rows.length).length + 2
  const template = [`${numbers}ch`, ...widths.map((width) => `calc(${width}ch + 1.375rem)`)].join(' ')
  const [row, column] = [Math.min(active[0], rows.length - 1), Math.min(active[1], columns.length - 1)]
  const press = (event: KeyboardEvent): void => {
    // Alt and an arrow go back in the browser.
    if (event.altKey) return
    const next = moved(event, { row, column, rows: rows.length, columns: columns.length })
    if (next) setActive(next)
    else if (event.key === 'Enter' && row >= 0) onOpen?.(row)
    else if (event.key === 's' && onSort) onSort(columns[column]?.name ?? '')
    else return
    event.preventDefault()
  }
  return (
    <Windowed
      class="data-grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      {...(row < 0 ? {} : { 'aria-activedescendant': `${id}-${row}-${column}` })}
      style={{ '--columns': template, '--row-px': `${rowPx}px` }}
      count={rows.length}
      rowPx={rowPx}
      headPx={rowPx}
      focusAt={row < 0 ? null : row}
      focusId={`${order} ${row}`}
      onKeyDown={press}
      head={<Head columns={columns} sort={sort} {...(onSort ? { onSort } : {})} />}
      row={(at) => (
        <div
          key={at}
          role="row"
          aria-rowindex={at + 2}
          class={at === row ? 'grid-row current' : 'grid-row'}
          onDblClick={() => onOpen?.(at)}
        >
          <span class="row-number" aria-hidden="true">
            {at + 1}
          </span>
          {columns.map((one, place) => (
            <GridCell
              key={one.name}
              id={`${id}-${at}-${place}`}
              value={rows[at]?.[place] ?? null}
              column={one}
              isActive={at === row && place === column}
              onPick={() => setActive([at, place])}
            />
          ))}
        </div>
      )}
    />
  )
}

type CellProps = {
  readonly id: string
  readonly value: Cell
  readonly column: GridColumn
  readonly isActive: boolean
  readonly onPick: () => void
}

function GridCell({ id, value, column, isActive, onPick }: CellProps): JSX.Element {
  const { type, textOf = cellText } = column
  return (
    <span
      id={id}
      role="gridcell"
      class={['cut', isFigure(type) && 'num', isActive && 'active'].filter(Boolean).join(' ')}
      title={cellText(value, type)}
      onClick={onPick}
    >
      {value === null ? <span class="faint">{t('data.null')}</span> : textOf(value, type)}
    </span>
  )
}

function Head({
  columns,
  sort,
  onSort,
}: {
  readonly columns: readonly GridColumn[]
  readonly sort: Sort | null
  readonly onSort?: (column: string) => void
}): JSX.Element {
  return (
    <div role="row" aria-rowindex={1} class="grid-row grid-head">
      <span class="row-number" aria-hidden="true" />
      {columns.map(({ name, type }) => {
        const dir = sort?.column === name ? sort.dir : null
        const text: ComponentChildren = (
          <>
            <span class="cut">{name}</span>
            {dir && <Icon name={dir === 'asc' ? 'upArrow' : 'downArrow'} />}
          </>
        )
        return (
          <span
            key={name}
            role="columnheader"
            class={isFigure(type) ? 'num' : ''}
            title={`${name} · ${t(`data.columnType.${type}`)}`}
            {...(dir
              ? { 'aria-sort': dir === 'asc' ? ('ascending' as const) : ('descending' as const) }
              : {})}
          >
            {onSort ? (
              <button type="button" tabIndex={-1} onClick={() => onSort(name)}>
                {text}
              </button>
            ) : (
              text
            )}
          </span>
        )
      })}
    </div>
  )
}

/** The cell to which a key leads; null for a key that moves nothing. */
function moved(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  at: { readonly row: number; readonly column: number; readonly rows: number; readonly columns: number },
): readonly [row: number, column: number] | null {
  const { row, column, rows, columns } = at
  const toRow = (next: number): number => Math.max(0, Math.min(rows - 1, next))
  const toColumn = (next: number): number => Math.max(0, Math.min(columns - 1, next))
  const far = ctrlKey || metaKey
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return [toRow(row + 1), column]
    case 'ArrowUp':
    case 'k':
      return [toRow(row - 1), column]
    case 'ArrowRight':
      return [row, toColumn(column + 1)]
    case 'ArrowLeft':
      return [row, toColumn(column - 1)]
    case 'PageDown':
      return [toRow(row + PAGE_ROWS), column]
    case 'PageUp':
      return [toRow(row - PAGE_ROWS), column]
    case 'Home':
      return [far ? 0 : row, 0]
    case 'End':
      return [far ? rows - 1 : row, columns - 1]
    default:
      return null
  }
}
