import { isFigure } from '../../data/cells.ts'
import { axesOf } from '../../data/charted.ts'
import type { GridColumn } from '../../data/grid.tsx'
import { guessed } from '../../map/source.ts'
import type { Widget, WidgetOf } from '../dashboard.ts'

type Columns = readonly GridColumn[]

/** The data query whose rows a widget shows; null without one. */
export function queryOf(widget: Widget): number | null {
  if (widget.kind === 'chart' || widget.kind === 'table') return widget.dataQueryId
  if (widget.kind === 'value') return widget.source.type === 'dataQuery' ? widget.source.dataQueryId : null
  return widget.kind === 'map' && widget.points.type === 'dataQuery' ? widget.points.dataQueryId : null
}

/** A widget of which no column is in the result, with columns that probably fit; others stay as they are. */
export function withGuessedColumns(widget: Widget, columns: Columns): Widget {
  const has = (name: string): boolean => columns.some((column) => column.name === name)
  switch (widget.kind) {
    case 'chart':
      return [widget.x, ...widget.y].some(has) ? widget : { ...widget, ...axes(columns) }
    case 'value':
      return withValueColumn(widget, columns, has)
    case 'map':
      return withPlaceColumns(widget, columns, has)
    default:
      return widget
  }
}

/** One number alone: numbers of different kinds, such as a level and degrees, have no axis in common. */
function axes(columns: Columns): Partial<Pick<WidgetOf<'chart'>, 'x' | 'y'>> {
  const found = axesOf(columns)
  return found === null ? {} : { x: found.x, y: found.y.slice(0, 1) }
}

function withValueColumn(
  widget: WidgetOf<'value'>,
  columns: Columns,
  has: (name: string) => boolean,
): Widget {
  const { source } = widget
  const column = columns.find(({ type }) => isFigure(type)) ?? columns[0]
  if (source.type !== 'dataQuery' || has(source.column) || column === undefined) return widget
  return { ...widget, source: { ...source, column: column.name } }
}

function withPlaceColumns(widget: WidgetOf<'map'>, columns: Columns, has: (name: string) => boolean): Widget {
  const { points } = widget
  if (points.type !== 'dataQuery' || has(points.lat) || has(points.lon)) return widget
  const { lat, lon, key, state } = guessed(columns.map(({ name }) => name))
  if (lat === '' || lon === '') return widget
  return { ...widget, points: { ...points, lat, lon, state: state || null, label: key || null } }
}
