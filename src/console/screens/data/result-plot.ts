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
  readonly resize: (width: number) => void
  /** Moves the cursor to a point. */
  readonly point: (index: number) => void
  readonly close: () => void
}

const DIGITS = 3
const HEIGHT_PX = 320

/** Draws lines over times or numbers.
 * @param onCursor called with the point under the pointer */
export function openPlot(
  Library: typeof uPlot,
  host: HTMLElement,
  charted: Charted,
  onCursor: (index: number | null) => void,
): ResultPlot {
  const { ink, stop } = inkOf(host, () => plot.redraw(false))
  const data = [charted.at, ...charted.series.map(({ values }) => values)] as uPlot.AlignedData
  const plot = new Library(
    {
      ...optionsOf(Library, ink, charted, onCursor),
      width: Math.max(200, host.clientWidth),
      height: HEIGHT_PX,
    },
    data,
    host,
  )
  return {
    resize: (width) => width !== plot.width && plot.setSize({ width, height: HEIGHT_PX }),
    point: (index) =>
      plot.setCursor({ left: plot.valToPos(charted.at[index] ?? 0, 'x'), top: plot.over.clientHeight / 2 }),
    close() {
      stop()
      plot.destroy()
    },
  }
}

function optionsOf(
  Library: typeof uPlot,
  ink: Ink,
  { kind, series }: Charted,
  onCursor: (index: number | null) => void,
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
        space: 48,
        size: isNarrow ? 52 : 64,
        grid: { stroke: () => ink('--line'), width: 1 },
        ticks: { show: false },
        values: (_, splits) => splits.map((value) => numberText(value, DIGITS)),
      },
    ],
    series: [{}, ...series.map((_, at) => lineOf(ink, at))],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
  }
}

function lineOf(ink: Ink, at: number): uPlot.Series {
  const stroke = (): string => ink(`--series-${at + 1}`)
  return {
    stroke,
    width: 1.75,
    dash: [...(DASHES[at] ?? [])],
    // A value between two empty ones has no line.
    points: {
      show: true,
      size: 5,
      width: 0,
      fill: stroke,
      filter: (plot, place) => isolated(plot.data[place] ?? []),
    },
  }
}
