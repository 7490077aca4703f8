import { t } from '../../language/t.ts'
import type { Cell } from '../data/cells.ts'
import { chartedOf } from '../data/charted.ts'
import type { Charted } from '../data/charted.ts'
import type { GridColumn } from '../data/grid.tsx'
import type { Look } from '../data/result-plot.ts'
import type { DataOf, WidgetOf } from './dashboard.ts'

type Rows = { readonly columns: readonly GridColumn[]; readonly rows: readonly (readonly Cell[])[] }
type Chart = Pick<WidgetOf<'chart'>, 'type' | 'x' | 'split' | 'sort'> & { readonly y: readonly string[] }
type Series = NonNullable<DataOf<'history'>['series'][number]>

type DrawnLook = Look | 'stacked' | 'heatmap'

const SERIES_MAX = 20
const BINS = 12
/** Kinds of charts that have bars, also over times. */
const OVER_TEXTS: ReadonlySet<Chart['type']> = new Set(['bar', 'stacked', 'pie', 'histogram', 'heatmap'])

const LOOKS: readonly string[] = ['area', 'scatter', 'stacked', 'heatmap']

export const lookOf = (type: Chart['type']): DrawnLook =>
  LOOKS.includes(type) ? (type as DrawnLook) : 'line'

/** The columns of a chart that the rows do not have. */
export function missingColumns({ columns }: Rows, { x, y, split }: Chart): readonly string[] {
  const names = new Set(columns.map(({ name }) => name))
  return [x, ...y, ...(split === null ? [] : [split])].filter((name) => !names.has(name))
}

type Predicted = Pick<NonNullable<DataOf<'rows'>['forecast']>, 'buckets'>

/** A chart over times with the predicted values behind its last one, as a series of its own. Other charts stay as they are. */
export function withForecast(
  charted: Charted,
  forecast: Predicted | null | undefined,
  name: string,
): Charted {
  if (charted.kind !== 'time' || !forecast) return charted
  const last = charted.at.at(-1) ?? Number.NEGATIVE_INFINITY
  const ahead = forecast.buckets
    .map(({ begin, mean }) => ({ at: Date.parse(begin), mean }))
    .filter(({ at }) => at > last)
  if (ahead.length === 0) return charted
  const none = <Value>(list: readonly Value[]): null[] => list.map(() => null)
  return {
    ...charted,
    at: [...charted.at, ...ahead.map(({ at }) => at)],
    series: [
      ...charted.series.map((one) => ({ ...one, values: [...one.values, ...none(ahead)] })),
      { name, values: [...none(charted.at), ...ahead.map(({ mean }) => mean)] },
    ],
  }
}

/** The rows of a data query as the chart of a widget. A pie has the shares of its parts, a histogram the number of values in
 * each of 12 spans. */
export function chartedOfWidget(result: Rows, chart: Chart): Charted {
  if (chart.type === 'histogram') return histogramOf(result, chart)
  const { rows, axes } = chart.split === null ? plain(result, chart) : spread(result, chart, chart.split)
  const sorted = sortedRows(rows, chart.sort)
  const charted = chartedOf(sorted, axes)
  return chart.type === 'pie' ? shared(charted) : charted
}

type Plain = { readonly rows: Rows; readonly axes: { readonly x: string; readonly y: readonly string[] } }

/** Bars stand over texts; values of other types become texts. */
function textColumn(column: GridColumn | undefined, type: Chart['type'], x: string): GridColumn {
  return { name: x, type: OVER_TEXTS.has(type) ? 'string' : (column?.type ?? 'string') }
}

/** The columns of the chart alone, the one of the axis first. */
function plain({ columns, rows }: Rows, { type, x, y }: Chart): Plain {
  const places = [x, ...y].map((name) => columns.findIndex((column) => column.name === name))
  const figures = places.slice(1).flatMap((at) => columns[at] ?? [])
  return {
    rows: {
      columns: [textColumn(columns[places[0] ?? -1], type, x), ...figures],
      rows: rows.map((row) => places.map((at) => row[at] ?? null)),
    },
    axes: { x, y },
  }
}

/** Each value of a column becomes a series of its own. */
function spread({ columns, rows }: Rows, { type, x, y }: Chart, split: string): Plain {
  const placeOf = (name: string): number => columns.findIndex((column) => column.name === name)
  const [xAt, splitAt] = [placeOf(x), placeOf(split)]
  const names = [...new Set(rows.map((row) => String(row[splitAt] ?? '')))].slice(0, SERIES_MAX)
  const series = names.flatMap((name) =>
    y.map((column) => ({ name, column, title: y.length === 1 ? name : `${name} ${column}` })),
  )
  const byX = new Map<Cell, Cell[]>()
  for (const row of rows) {
    const key = row[xAt] ?? null
    const cells = byX.get(key) ?? [key, ...series.map(() => null)]
    byX.set(key, cells)
    for (const [at, one] of series.entries())
      if (one.name === String(row[splitAt] ?? '')) cells[at + 1] = row[placeOf(one.column)] ?? null
  }
  const figures = series.map(({ title }): GridColumn => ({ name: title, type: 'number' }))
  return {
    rows: { columns: [textColumn(columns[xAt], type, x), ...figures], rows: [...byX.values()] },
    axes: { x, y: series.map(({ title }) => title) },
  }
}

function sortedRows({ columns, rows }: Rows, sort: Chart['sort']): Rows {
  if (sort === 'none') return { columns, rows }
  if (sort === 'x') return { columns, rows: rows.toSorted(([a = ''], [b = '']) => compared(a, b)) }
  // The row with the greatest figure comes first.
  return { columns, rows: rows.toSorted((a, b) => compared(b[1] ?? null, a[1] ?? null)) }
}

function compared(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b))
}

/** The values of each series as shares of their sum, in percent. */
function shared(charted: Charted): Charted {
  return {
    ...charted,
    series: charted.series.map(({ name, values }) => {
      const sum = values.reduce<number>((all, value) => all + Math.max(0, value ?? 0), 0)
      return {
        name: `${name}, %`,
        values: values.map((value) => (value === null || sum === 0 ? null : (value / sum) * 100)),
      }
    }),
  }
}

function histogramOf({ columns, rows }: Rows, { x }: Chart): Charted {
  const at = columns.findIndex(({ name }) => name === x)
  const values = rows.flatMap((row) => {
    const value = row[at] ?? null
    return value === null || value === '' || !Number.isFinite(Number(value)) ? [] : [Number(value)]
  })
  const [low, high] = values.reduce(
    ([a, b], one) => [Math.min(a, one), Math.max(b, one)],
    [Infinity, -Infinity],
  )
  const width = (high - low) / BINS || 1
  const counts = Array.from({ length: BINS }, () => 0)
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.floor((value - low) / width))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const used = values.length === 0 ? [] : counts
  const edge = (bin: number): string => String(Number((low + bin * width).toPrecision(4)))
  return {
    kind: 'text',
    x,
    at: used.map((_, bin) => bin),
    labels: used.map((_, bin) => `${edge(bin)} – ${edge(bin + 1)}`),
    series: [{ name: x, values: used }],
    leftOut: rows.length - values.length,
  }
}

/** The names of lines: the name of the job, or of the value where the page has no jobs. Lines of the same name also have what
 * differs among them: the name of the value, then the mode, then a number. */
function namesOf(
  series: readonly Series[],
  nameOf: (jobId: number) => string | undefined,
): readonly string[] {
  const parts = series.map((one) => [
    nameOf(one.jobId) ?? one.name,
    one.name,
    t(`boards.seriesMode.${one.mode}`),
  ])
  let names = parts.map(([first = '']) => first)
  const alike = (at: number): readonly number[] =>
    names.flatMap((name, other) => (name === names[at] ? [other] : []))
  for (const level of [1, 2])
    names = names.map((name, at) => {
      const own = parts[at]?.[level] ?? ''
      return alike(at).some((other) => parts[other]?.[level] !== own) ? `${name}, ${own}` : name
    })
  return names.map((name, at) => (alike(at).length > 1 ? `${name} ${alike(at).indexOf(at) + 1}` : name))
}

/** Histories of several jobs as lines over the same times. */
export function chartedOfHistory(
  series: readonly (Series | null)[],
  nameOf: (jobId: number) => string | undefined,
): Charted {
  const present = series.filter((one) => one !== null)
  const byTime = new Map<number, (number | null)[]>()
  for (const [place, { values = [] }] of present.entries())
    for (const { timestamp, value } of values) {
      const time = Date.parse(timestamp)
      const row = byTime.get(time) ?? present.map(() => null)
      byTime.set(time, row)
      row[place] = typeof value === 'number' ? value : null
    }
  const rows = [...byTime].toSorted(([a], [b]) => a - b)
  const names = namesOf(present, nameOf)
  return {
    kind: 'time',
    x: '',
    at: rows.map(([time]) => time),
    labels: [],
    series: present.map(({ unit }, place) => ({
      name: [names[place], unit].filter(Boolean).join(', '),
      values: rows.map(([, row]) => row[place] ?? null),
    })),
    leftOut: 0,
  }
}
