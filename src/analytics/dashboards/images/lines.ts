import { COLORS, FONT, fitted, rounded, textAt } from './frame.ts'
import type { Area, Theme } from './frame.ts'

export type Point = { readonly x: number; readonly y: number | null }
/** The points of a series in order; null breaks the line. */
export type Line = {
  readonly name: string
  readonly points: readonly Point[]
  readonly color?: string | null
  /** The interval around the points, drawn below the line; null breaks it. */
  readonly band?: readonly (Bound | null)[]
  /** Whether the line continues the first one with predicted values: dashed, in its colour, and not in the legend. */
  readonly isPredicted?: true
}
/** A point between its bounds. */
export type Bound = { readonly x: number; readonly y: number; readonly low: number; readonly high: number }

type Plot = {
  readonly theme: Theme
  readonly kind: 'line' | 'area' | 'bar'
  /** The texts at both ends of the axis. */
  readonly ends: readonly [string, string]
}

const AXIS = 56
const LEGEND = FONT + 8
const TICKS = 3

/** Lines or bars with an axis, a grid and a legend. */
export function plotOf(lines: readonly Line[], area: Area, { theme, kind, ends }: Plot): string[] {
  const colors = COLORS[theme]
  const named = lines.filter(({ isPredicted = false }) => !isPredicted)
  const legend = named.length > 1 ? LEGEND : 0
  const inner = {
    x: area.x + AXIS,
    y: area.y + 4,
    width: Math.max(1, area.width - AXIS),
    height: Math.max(1, area.height - LEGEND - legend - 4),
  }
  const all = lines.flatMap(({ points }) => points)
  const [left, right] = rangeOf(all.map(({ x }) => x))
  const bounds = lines.flatMap(({ band = [] }) => band.flatMap((one) => (one ? [one.low, one.high] : [])))
  const [low, high] = rangeOf([
    ...all.flatMap(({ y }) => y ?? []),
    ...bounds,
    ...(kind === 'line' ? [] : [0]),
  ])
  const at = (x: number) => inner.x + ((x - left) / (right - left || 1)) * inner.width
  // The difference of two doubles may be infinite; the difference of their halves is finite.
  const span = high / 2 - low / 2 || 1
  const to = (y: number) => inner.y + inner.height - ((y / 2 - low / 2) / span) * inner.height
  const ticks = Array.from({ length: TICKS }, (_, index) => {
    const share = index / (TICKS - 1)
    return low * (1 - share) + high * share
  })
  const colorOf = (index: number) => {
    const place = lines[index]?.isPredicted ? 0 : index
    return lines[index]?.color ?? colors.series[place % colors.series.length] ?? colors.text
  }
  return [
    ...ticks.flatMap((value) => [
      `<line x1="${rounded(inner.x)}" x2="${rounded(inner.x + inner.width)}" y1="${rounded(to(value))}" y2="${rounded(to(value))}" stroke="${colors.grid}"/>`,
      textAt(shortNumber(value), { x: inner.x - 6, y: to(value) + 4, fill: colors.quiet, anchor: 'end' }),
    ]),
    ...lines.flatMap(({ points, band = [], isPredicted = false }, index) =>
      kind === 'bar'
        ? barsOf(points, { index, count: lines.length, to, inner, fill: colorOf(index) })
        : [
            ...bandOf(band, { at, to, fill: colorOf(index) }),
            ...pathsOf(points, {
              at,
              to,
              stroke: colorOf(index),
              floor: kind === 'area' && !isPredicted ? to(Math.max(low, 0)) : null,
              isDashed: isPredicted,
            }),
          ],
    ),
    textAt(ends[0], { x: inner.x, y: inner.y + inner.height + FONT + 4, fill: colors.quiet }),
    textAt(ends[1], {
      x: inner.x + inner.width,
      y: inner.y + inner.height + FONT + 4,
      fill: colors.quiet,
      anchor: 'end',
    }),
    ...(legend === 0 ? [] : legendOf(named, area, colorOf, colors.text)),
  ]
}

function rangeOf(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 1]
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}

/** The area between the bounds of a line. A single bound has the width of a line. */
function bandOf(
  band: readonly (Bound | null)[],
  { at, to, fill }: Place & { readonly fill: string },
): string[] {
  const place = (x: number, y: number) => `${rounded(at(x))} ${rounded(to(y))}`
  return runsOf(band).map((run) => {
    const upper = run.map(({ x, high }) => place(x, high))
    const lower = run.toReversed().map(({ x, low }) => place(x, low))
    const path = `M${[...upper, ...lower].join('L')}`
    return run.length === 1
      ? `<path d="${path}" fill="none" stroke="${fill}" stroke-width="2" stroke-opacity="0.2"/>`
      : `<path d="${path}Z" fill="${fill}" fill-opacity="0.2"/>`
  })
}

type Place = { readonly at: (x: number) => number; readonly to: (y: number) => number }

type Path = Place & {
  readonly stroke: string
  readonly floor: number | null
  readonly isDashed: boolean
}

function pathsOf(points: readonly Point[], { at, to, stroke, floor, isDashed }: Path): string[] {
  const known = points.map(({ x, y }) => (y === null ? null : { x, y }))
  return runsOf(known).flatMap((run) => {
    const path = run
      .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${rounded(at(x))} ${rounded(to(y))}`)
      .join('')
    const [first, last] = [run[0], run.at(-1)]
    if (!first || !last) return []
    if (run.length === 1)
      return [`<circle cx="${rounded(at(first.x))}" cy="${rounded(to(first.y))}" r="2" fill="${stroke}"/>`]
    const line = `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="2"${isDashed ? ' stroke-dasharray="2 4"' : ''}/>`
    if (floor === null) return [line]
    const closed = `${path}L${rounded(at(last.x))} ${rounded(floor)}L${rounded(at(first.x))} ${rounded(floor)}Z`
    return [`<path d="${closed}" fill="${stroke}" fill-opacity="0.2"/>`, line]
  })
}

/** The parts of a list between its nulls. */
function runsOf<One>(list: readonly (One | null)[]): One[][] {
  const runs: One[][] = [[]]
  for (const one of list) {
    if (one === null) runs.push([])
    else runs.at(-1)?.push(one)
  }
  return runs.filter(({ length }) => length > 0)
}

type Bars = Pick<Place, 'to'> & {
  readonly index: number
  readonly count: number
  readonly inner: Area
  readonly fill: string
}

/** Bars in equal bands; the bars of all series stand side by side. */
function barsOf(points: readonly Point[], { index, count, to, inner, fill }: Bars): string[] {
  const band = inner.width / Math.max(1, points.length)
  const own = Math.max(0.5, (band * 0.8) / count)
  return points.flatMap(({ y }, place) => {
    if (y === null) return []
    const [from, until] = [Math.min(to(0), to(y)), Math.max(to(0), to(y))]
    const left = inner.x + band * (place + 0.1) + own * index
    return [
      `<rect x="${rounded(left)}" y="${rounded(from)}" width="${rounded(own)}" height="${rounded(until - from)}" fill="${fill}"/>`,
    ]
  })
}

function legendOf(
  lines: readonly Line[],
  area: Area,
  colorOf: (index: number) => string,
  fill: string,
): string[] {
  const each = area.width / lines.length
  const y = area.y + area.height - 2
  return lines.flatMap(({ name }, index) => [
    `<rect x="${rounded(area.x + each * index)}" y="${rounded(y - 9)}" width="10" height="10" fill="${colorOf(index)}"/>`,
    textAt(fitted(name, each - 20), { x: area.x + each * index + 14, y, fill }),
  ])
}

/** A number in few characters, for axes. */
export function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(1)
  const unit = UNITS.find(({ from }) => size >= from)
  const scaled = unit ? value / unit.from : value
  const digits = [100, 10].filter((least) => Math.abs(scaled) >= least).length
  const text = scaled.toFixed(2 - digits)
  return `${text.includes('.') ? text.replace(/\.?0+$/, '') : text}${unit?.suffix ?? ''}`
}

const UNITS = [
  { from: 1e12, suffix: 'T' },
  { from: 1e9, suffix: 'G' },
  { from: 1e6, suffix: 'M' },
  { from: 1e3, suffix: 'k' },
] as const
