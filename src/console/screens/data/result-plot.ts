import type uPlot from 'uplot'

import { axisText } from '../../kit/charts/chart-text.ts'
import { inkOf } from '../../kit/charts/ink.ts'
import type { Ink } from '../../kit/charts/ink.ts'
import { isolated } from '../../kit/charts/points.ts'
import { numberText } from '../../kit/numbers.ts'
import { timeZone } from '../../kit/time.tsx'
import type { Charted } from './charted.ts'
import { DASHES } from './dashes.ts'

export type ResultPlot = {
  readonly resize: (width: number, height: number) => void
  /** Moves the cursor to a point. */
  readonly point: (index: number) => void
  readonly close: () => void
}

const DIGITS = 3
const COLOURS = 5

/** Lines, lines above filled areas, or points alone. */
export type Look = 'line' | 'area' | 'scatter'

type Parts = {
  readonly Library: typeof uPlot
  readonly charted: Charted
  readonly look: Look
  /** The height of the plot in pixels. */
  readonly height: number
  /** Called with the point under the pointer. */
  readonly onCursor: (index: number | null) => void
}

/** Draws lines over times or numbers. */
export function openPlot({ host, ...parts }: Parts & { readonly host: HTMLElement }): ResultPlot {
  const { Library, charted, height } = parts
  const { ink, stop } = inkOf(host, () => plot.redraw(false))
  const data = [charted.at, ...charted.series.map(({ values }) => values)] as uPlot.AlignedData
  const plot = new Library(
    {
      ...optionsOf(parts, ink),
      width: Math.max(200, host.clientWidth),
      height,
    },
    data,
    host,
  )
  return {
    resize: (width, high) =>
      (width !== plot.width || high !== plot.height) && plot.setSize({ width, height: high }),
    point: (index) =>
      plot.setCursor({ left: plot.valToPos(charted.at[index] ?? 0, 'x'), top: plot.over.clientHeight / 2 }),
    close() {
      stop()
      plot.destroy()
    },
  }
}

function optionsOf(
  { Library, charted: { kind, series }, look, height, onCursor }: Parts,
  ink: Ink,
): Omit<uPlot.Options, 'width' | 'height'> {
  const ground = { stroke: () => ink('--ink-3'), font: '11px "Hanken Grotesk", system-ui, sans-serif' }
  const isNarrow = innerWidth < 640
  return {
    ms: 1,
    padding: [16, 16, 0, 0],
    legend: { show: false },
    tzDate: (at) => Library.tzDate(new Date(at), timeZone.value),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8, width: 0 } },
    scales: { x: { time: kind === 'time' } },
    axes: [
      {
        ...ground,
        space: isNarrow ? 64 : 80,
        grid: { show: false },
        ticks: { stroke: () => ink('--line-strong'), width: 1, size: 4 },
        border: { show: true, stroke: () => ink('--line-strong'), width: 1 },
        size: 30,
        values: (_, splits) =>
          splits.map((at) =>
            kind === 'time' ? axisText(at, (splits[1] ?? at) - (splits[0] ?? at)) : numberText(at, DIGITS),
          ),
      },
      {
        ...ground,
        space: Math.max(24, Math.min(48, height / 6)),
        size: isNarrow ? 52 : 64,
        grid: { stroke: () => ink('--line'), width: 1 },
        ticks: { show: false },
        values: (_, splits) => splits.map((value) => numberText(value, DIGITS)),
      },
    ],
    series: [{}, ...series.map((_, at) => lineOf(ink, at, look))],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
  }
}

function lineOf(ink: Ink, at: number, look: Look): uPlot.Series {
  const stroke = (): string => ink(`--series-${(at % COLOURS) + 1}`)
  return {
    stroke,
    width: look === 'scatter' ? 0 : 1.75,
    ...(look === 'area' && { fill: () => `color-mix(in oklab, ${stroke()} 16%, transparent)` }),
    dash: [...(DASHES[at % COLOURS] ?? [])],
    // A value between two empty ones has no line.
    points: {
      show: true,
      size: 5,
      width: 0,
      fill: stroke,
      ...(look !== 'scatter' && { filter: (plot, place) => isolated(plot.data[place] ?? []) }),
    },
  }
}
