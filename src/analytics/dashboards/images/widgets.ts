import { numberOfCell } from '../../../domain/table.ts'
import type { Cell } from '../../../domain/table.ts'
import type { State } from '../../../domain/state.ts'
import type { SeriesView } from '../../../monitoring/value-history/schema.ts'
import { toneOf } from '../../../monitoring/status-pages/shown.ts'
import type { WidgetData } from '../data/schema.ts'
import type { Widget, WidgetOf } from '../widgets.ts'
import { COLORS, FONT, fitted, imageOf, rounded, textAt } from './frame.ts'
import type { Area, Image, Look } from './frame.ts'
import { plotOf, shortNumber } from './lines.ts'
import type { Line } from './lines.ts'
import { predictedLine } from './predicted.ts'
import type { Predicted } from './predicted.ts'

type DataOf<Kind extends WidgetData['kind']> = Extract<WidgetData, { kind: Kind }>
type Texts = { readonly title: string }

/** The kinds of charts that images have. */
const CHARTS = { line: 'line', area: 'area', bar: 'bar' } as const
const LINES_MAX = 6

/** Whether there are images of a widget. */
export function hasImage(widget: Widget): boolean {
  return (
    widget.kind === 'value' ||
    widget.kind === 'history' ||
    widget.kind === 'slo' ||
    (widget.kind === 'chart' && Object.hasOwn(CHARTS, widget.type))
  )
}

/** An image of a widget with its data; null for other widgets. */
export function drawWidget(widget: Widget, data: WidgetData, look: Look): Image | null {
  if (widget.kind === 'value' && data.kind === 'value') return valueImage(widget, data, look)
  if (widget.kind === 'history' && data.kind === 'history') return historyImage(widget, data, look)
  if (widget.kind === 'slo' && data.kind === 'slo') return sloImage(widget, data, look)
  if (widget.kind === 'chart' && data.kind === 'rows' && hasImage(widget))
    return chartImage(widget, data, look)
  return null
}

function valueImage(texts: Texts, data: DataOf<'value'>, look: Look): Image {
  const { value, precision, unit, state, sparkline } = data
  const colors = COLORS[look.theme]
  const shown = typeof value === 'number' ? numberText(value, precision) : String(value ?? '–')
  const text = unit === '' || value === null ? shown : `${shown} ${unit}`
  const named = { title: texts.title || data.name, summary: state === null ? text : `${text}, ${state}` }
  return imageOf(look, named, (area) => {
    const size = Math.max(FONT, Math.min(40, area.height / 3))
    const lines = sparkline ? [lineOf(sparkline)] : []
    const below = { ...area, y: area.y + size + 24, height: area.height - size - 24 }
    return [
      textAt(fitted(text, area.width, size), { x: area.x, y: area.y + size, size, fill: colors.text }),
      ...(state === null
        ? []
        : [textAt(state, { x: area.x, y: area.y + size + 16, fill: colors.states[toneOf(state)] })]),
      ...(lines.length > 0 && below.height > 40
        ? plotOf(lines, below, { theme: look.theme, kind: 'line', ends: endsOf(sparkline) })
        : []),
    ]
  })
}

function historyImage(widget: WidgetOf<'history'>, data: DataOf<'history'>, look: Look): Image {
  const known = data.series.filter((one) => one !== null)
  const lines = data.series.flatMap((one, index) =>
    one ? [{ ...lineOf(one, widget.band), color: widget.series[index]?.color ?? null }] : [],
  )
  const [first] = known
  const span = first ? { begin: Date.parse(first.begin), end: Date.parse(first.end) } : null
  const predicted = predictedLine(data.forecast, lines[0], span)
  const ends = endsOf(first ?? null)
  const summary = [
    ...known.map(({ name, unit, aggregate }) =>
      `${name} ${lastText(aggregate?.last ?? null)} ${unit}`.trim(),
    ),
    ...predictedTexts(predicted),
  ].join(', ')
  return imageOf(look, { title: widget.title, summary: summary || '–' }, (area) =>
    plotOf(predicted ? [...lines, predicted] : lines, area, {
      theme: look.theme,
      kind: 'line',
      ends: predicted ? [ends[0], lastInstant(data.forecast, predicted)] : ends,
    }),
  )
}

/** Charts over times have their forecast behind the last value, other charts none. */
function chartImage(widget: WidgetOf<'chart'>, data: DataOf<'rows'>, look: Look): Image {
  const { columns, rows, forecast } = data
  const at = (name: string) => columns.findIndex((column) => column.name === name)
  const [x, kind] = [at(widget.x), CHARTS[widget.type as keyof typeof CHARTS]]
  const hasTimes = TIMES.has(columns[x]?.type ?? '')
  const isOverTimes = forecast && kind !== 'bar' && hasTimes
  const placeOf = (row: (typeof rows)[number], index: number) =>
    isOverTimes ? Date.parse(String(row[x] ?? null)) : index
  const lines = widget.y.slice(0, LINES_MAX).map((name): Line => {
    const y = at(name)
    const points = rows.map((row, index) => ({ x: placeOf(row, index), y: numberOfCell(row[y] ?? null) }))
    return { name, points: isOverTimes ? inOrder(points) : points }
  })
  const predicted = isOverTimes ? predictedLine(forecast, lines[0], null) : null
  const cells = rows.map((row) => row[x] ?? null)
  const sorted = isOverTimes ? cells.toSorted((a, b) => Date.parse(String(a)) - Date.parse(String(b))) : cells
  const endOf = (cell: Cell = null) => (hasTimes ? instantText(String(cell ?? '')) : cellText(cell))
  const last = predicted ? lastInstant(forecast, predicted) : endOf(sorted.at(-1))
  const summary = [`${widget.y.join(', ')}: ${rows.length}`, ...predictedTexts(predicted)].join(', ')
  return imageOf(look, { title: widget.title, summary }, (area) =>
    plotOf(predicted ? [...lines, predicted] : lines, area, {
      theme: look.theme,
      kind,
      ends: [endOf(sorted[0]), last],
    }),
  )
}

const TIMES: ReadonlySet<string> = new Set(['date', 'datetime'])

function inOrder(points: Line['points']): Line['points'] {
  return points.filter(({ x }) => Number.isFinite(x)).toSorted((a, b) => a.x - b.x)
}

/** The begin of the last predicted bucket that is drawn. */
function lastInstant(forecast: Predicted, { points }: Line): string {
  const end = points.at(-1)?.x ?? 0
  return instantText(forecast?.buckets.findLast(({ begin }) => Date.parse(begin) <= end)?.begin ?? '')
}

/** The last predicted value with its bounds. */
function predictedTexts(line: Line | null): string[] {
  const last = line?.band?.at(-1)
  return last ? [`→ ${shortNumber(last.y)} (${shortNumber(last.low)} – ${shortNumber(last.high)})`] : []
}

function sloImage(texts: Texts, data: DataOf<'slo'>, look: Look): Image {
  const colors = COLORS[look.theme]
  const percent =
    data.availability === null ? '–' : `${(Math.floor(data.availability * 1_000) / 1_000).toFixed(3)} %`
  const named = { title: texts.title || data.object.name, summary: `${percent}, ${data.object.state}` }
  return imageOf(look, named, (area) => [
    textAt(percent, { x: area.x, y: area.y + 28, size: 28, fill: colors.text }),
    textAt(data.object.state, { x: area.x, y: area.y + 46, fill: colors.states[toneOf(data.object.state)] }),
    ...timelineOf(
      data,
      { ...area, y: area.y + 56, height: Math.max(8, Math.min(40, area.height - 76)) },
      look,
    ),
  ])
}

function timelineOf({ begin, end, samples }: DataOf<'slo'>, area: Area, { theme }: Look): string[] {
  const colors = COLORS[theme]
  const [from, to] = [Date.parse(begin), Date.parse(end)]
  const at = (instant: string) =>
    area.x + ((Date.parse(instant) - from) / Math.max(1, to - from)) * area.width
  const fill = (state: State) => colors.states[toneOf(state)]
  return [
    ...samples.map(
      ({ begin: since, end: until, state }) =>
        `<rect x="${rounded(at(since))}" y="${rounded(area.y)}" width="${rounded(Math.max(0.5, at(until) - at(since)))}" height="${rounded(area.height)}" fill="${fill(state)}"/>`,
    ),
    textAt(instantText(begin), { x: area.x, y: area.y + area.height + FONT + 2, fill: colors.quiet }),
    textAt(instantText(end), {
      x: area.x + area.width,
      y: area.y + area.height + FONT + 2,
      fill: colors.quiet,
      anchor: 'end',
    }),
  ]
}

/** A series as a line; with the area between its smallest and largest values where these are drawn. */
function lineOf({ name, values = [] }: SeriesView, hasBand = false): Line {
  const points = values.map((one) => ({ x: Date.parse(one.timestamp), y: numberOfCell(one.value) }))
  const band = values.map((one, index) => {
    const { x = 0, y = null } = points[index] ?? {}
    const [low, high] = 'min' in one ? [one.min, one.max] : [y, y]
    return y === null || low === null || high === null ? null : { x, y, low, high }
  })
  return { name, points, ...(hasBand && { band }) }
}

function endsOf(series: SeriesView | null): readonly [string, string] {
  return series ? [instantText(series.begin), instantText(series.end)] : ['', '']
}

/** The local date and minute of an instant with an offset. */
function instantText(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ')
}

function cellText(cell: Cell): string {
  return cell === null ? '' : fitted(String(cell), 120)
}

function lastText(value: unknown): string {
  return typeof value === 'number' ? shortNumber(value) : '–'
}

function numberText(value: number, precision: number | null): string {
  return precision === null ? String(Math.round(value * 1e6) / 1e6) : value.toFixed(precision)
}
