import type uPlot from 'uplot'

import { timeZone } from '../time.tsx'
import { inkOf } from './ink.ts'
import type { Ink } from './ink.ts'
import { paintGaps, paintLimits, paintMaintenance, paintNow, paintReference } from './paint.ts'
import type { Limit, Mark, Marked } from './paint.ts'
import { columnsOf, isolated } from './points.ts'
import type { Point, Span } from './points.ts'

/** Forecast values with the bounds between which they are expected. */
export type ForecastPoint = Mark & { readonly low: number; readonly high: number }

/** Right of the plot, where the last time of the axis ends. */
const EDGE_PX = 24

/** The content of a plot. Times are in ms since 1970. */
export type Drawing = Span & {
  readonly points: readonly Point[]
  readonly gaps: readonly Span[]
  readonly limits: readonly Limit[]
  readonly maintenance: readonly Marked[]
  readonly forecast: readonly ForecastPoint[]
  /** A line to compare the values with. */
  readonly reference: readonly Mark[]
  /** Values that the axis contains in any case. */
  readonly axisValues: readonly number[]
  readonly now: number
  readonly valueText: (value: number) => string
  readonly tickText: (at: number, stepMs: number) => string
}

export type PlotEvents = {
  /** The cursor is at a time, or left the plot. */
  readonly onCursor: (at: number | null) => void
  readonly onSpan: (span: Span) => void
  /** A limit is dragged to a value; absent: limits stay. */
  readonly onLimit?: ((index: number, value: number) => void) | undefined
}

export type Plot = {
  /** Draws again. */
  draw(): void
  resize(width: number, height: number): void
  /** Moves the cursor to a time. */
  point(at: number): void
  destroy(): void
}

const GRAB_PX = 6
const BRUSH_MIN_PX = 6

/** Makes a plot in an element. `drawing` is read at each draw. */
export function makePlot(
  Library: typeof uPlot,
  host: HTMLElement,
  drawing: () => Drawing,
  events: () => PlotEvents,
): Plot {
  let shown: Span | null = null
  let startedAt: number | null = performance.now()
  const { ink, stop } = inkOf(host, () => u.redraw(false))
  const span = (): Span => shown ?? drawing()
  const options = optionsOf({
    Library,
    ink,
    drawing,
    events,
    span,
    pan: (to) => (shown = to),
    drawn() {
      if (startedAt !== null) measure(startedAt)
      startedAt = null
    },
  })
  const u = new Library(
    { ...options, width: Math.max(200, host.clientWidth), height: host.clientHeight },
    dataOf(drawing()),
    host,
  )
  return {
    draw() {
      shown = null
      startedAt = performance.now()
      u.setData(dataOf(drawing()))
    },
    resize(width, height) {
      if (width !== u.width || height !== u.height) u.setSize({ width, height })
    },
    point: (at) => u.setCursor({ left: u.valToPos(at, 'x'), top: u.over.clientHeight / 2 }),
    destroy() {
      stop()
      u.destroy()
    },
  }
}

type Parts = {
  readonly Library: typeof uPlot
  readonly ink: Ink
  readonly drawing: () => Drawing
  readonly events: () => PlotEvents
  readonly span: () => Span
  readonly pan: (to: Span) => void
  readonly drawn: () => void
}

/** The name of the measure of a draw, which the test of its budget reads. */
const MEASURE = 'chart'

function measure(start: number): void {
  performance.clearMeasures(MEASURE)
  performance.measure(MEASURE, { start })
}

function optionsOf(parts: Parts): Omit<uPlot.Options, 'width' | 'height'> {
  const { Library, ink, drawing, events, span } = parts
  const isNarrow = innerWidth < 640
  const labelPx = isNarrow ? 60 : 88
  const ground = { stroke: () => ink('--ink-3'), font: '11px "Hanken Grotesk", system-ui, sans-serif' }
  return {
    ms: 1,
    padding: [16, () => (drawing().limits.length > 0 ? labelPx : EDGE_PX), 0, 0],
    legend: { show: false },
    tzDate: (at) => Library.tzDate(new Date(at), timeZone.value),
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 8, fill: () => ink('--series-1'), width: 0 },
      bind: { mousedown: (u, _target, brush) => (event) => press(parts, { u, brush }, event) },
    },
    scales: {
      x: { range: () => [span().begin, span().end] },
      y: { range: (_u, low, high) => heightOf(drawing(), low, high) },
    },
    axes: [
      {
        ...ground,
        space: isNarrow ? 64 : 80,
        grid: { show: false },
        ticks: { stroke: () => ink('--line-strong'), width: 1, size: 4 },
        border: { show: true, stroke: () => ink('--line-strong'), width: 1 },
        values: (_u, splits) =>
          splits.map((at) => drawing().tickText(at, (splits[1] ?? at) - (splits[0] ?? at))),
        size: 30,
      },
      {
        ...ground,
        space: 48,
        size: isNarrow ? 44 : 56,
        grid: { stroke: () => ink('--line'), width: 1 },
        ticks: { show: false },
        values: (_u, splits) => splits.map((value) => drawing().valueText(value)),
      },
    ],
    ...seriesOf(ink),
    hooks: {
      drawClear: [
        (u) => {
          paintGaps({ u, ink }, drawing().gaps)
          paintMaintenance({ u, ink }, drawing().maintenance)
        },
      ],
      draw: [
        (u) => {
          const { limits, now, points, reference } = drawing()
          paintReference({ u, ink }, reference)
          paintLimits({ u, ink }, limits)
          if (now <= span().end) paintNow({ u, ink }, now, points.at(-1))
          parts.drawn()
        },
      ],
      setCursor: [
        (u) => {
          const { left = -1 } = u.cursor
          events().onCursor(left < 0 ? null : u.posToVal(left, 'x'))
        },
      ],
      setSelect: [
        (u) => {
          const { left, width } = u.select
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          if (width < BRUSH_MIN_PX) return
          events().onSpan({ begin: u.posToVal(left, 'x'), end: u.posToVal(left + width, 'x') })
        },
      ],
    },
  }
}

function seriesOf(ink: Ink): Pick<uPlot.Options, 'series' | 'bands'> {
  const edge: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false } }
  const soft = (): string => `color-mix(in oklab, ${ink('--series-1')} 22%, transparent)`
  // A point between two gaps has no line.
  const alone: uPlot.Series.Points = {
    show: true,
    size: 4,
    width: 0,
    fill: () => ink('--series-1'),
    filter: (u, series) => isolated(u.data[series] ?? []),
  }
  return {
    series: [
      {},
      { stroke: () => ink('--series-1'), width: 1.75, points: alone },
      edge,
      edge,
      { stroke: () => ink('--series-1'), width: 1.75, dash: [2, 4], points: { show: false } },
      edge,
      edge,
    ],
    bands: [
      { series: [3, 2], fill: soft },
      { series: [6, 5], fill: soft },
    ],
  }
}

function dataOf({ points, gaps, forecast }: Drawing): uPlot.AlignedData {
  const { at, avg, min, max } = columnsOf(points, gaps)
  const none = at.map(() => null)
  const later = forecast.map(() => null)
  return [
    [...at, ...forecast.map((one) => one.at)],
    [...avg, ...later],
    [...min, ...later],
    [...max, ...later],
    [...none, ...forecast.map(({ value }) => value)],
    [...none, ...forecast.map(({ low }) => low)],
    [...none, ...forecast.map(({ high }) => high)],
  ]
}

/** The range of the values that is shown: all of them, and limits that are not far away. */
export function heightOf(
  { limits, axisValues }: Pick<Drawing, 'limits' | 'axisValues'>,
  low: number | null,
  high: number | null,
): [low: number, high: number] {
  const values = limits.map(({ value }) => value)
  const least = Math.min(low ?? Math.min(0, ...values), ...axisValues)
  const greatest = Math.max(high ?? Math.max(1, ...values), ...axisValues)
  const size = greatest - least || Math.abs(greatest) || 1
  const near = values.filter((value) => value > least - size * 1.5 && value < greatest + size * 1.5)
  const [bottom, top] = [Math.min(least, ...near), Math.max(greatest, ...near)]
  const margin = (top - bottom || size) * 0.08
  return [bottom >= 0 && bottom - margin < 0 ? Math.min(0, bottom) : bottom - margin, top + margin]
}

/** Begins a drag: with Shift it moves the span, at a limit it moves the limit, elsewhere it marks a span. */
function press(
  { drawing, events, span, pan }: Parts,
  { u, brush }: { readonly u: uPlot; readonly brush: (event: MouseEvent) => void },
  event: MouseEvent,
): null {
  const { onLimit, onSpan } = events()
  const top = event.clientY - u.rect.top
  const limit = drawing().limits.findIndex(({ value }) => Math.abs(u.valToPos(value, 'y') - top) < GRAB_PX)
  if (onLimit && limit >= 0) {
    follow((move) => onLimit(limit, u.posToVal(move.clientY - u.rect.top, 'y')))
  } else if (event.shiftKey) {
    const { begin, end } = span()
    const perPx = (end - begin) / u.over.clientWidth
    const moved = (move: MouseEvent): Span => {
      const by = (event.clientX - move.clientX) * perPx
      return { begin: begin + by, end: end + by }
    }
    follow(
      (move) => {
        pan(moved(move))
        u.setScale('x', { min: 0, max: 0 })
      },
      (move) => onSpan(moved(move)),
    )
  } else brush(event)
  return null
}

/** Follows the pointer until its button is released. */
function follow(move: (event: MouseEvent) => void, done: (event: MouseEvent) => void = () => {}): void {
  const release = (event: MouseEvent): void => {
    removeEventListener('mousemove', move)
    removeEventListener('mouseup', release)
    done(event)
  }
  addEventListener('mousemove', move)
  addEventListener('mouseup', release)
}
