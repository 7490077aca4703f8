import { isFigure } from './cells.ts'
import type { Cell } from './cells.ts'
import type { GridColumn } from './grid.tsx'

/** The number of colours and dashes of lines and bars. */
export const SERIES_MAX = 5
/** Bars for more texts than these cannot be read. */
const BARS_MAX = 100

/** The columns that a chart shows. */
export type Axes = { readonly x: string; readonly y: readonly string[] }

export type Series = { readonly name: string; readonly values: readonly (number | null)[] }

/** A chart of rows: lines over times or numbers, or bars for texts. */
export type Charted = {
  readonly kind: 'time' | 'number' | 'text'
  readonly x: string
  /** Times in ms since 1970, numbers, or the places of the texts. */
  readonly at: readonly number[]
  /** The texts below bars; empty for lines. */
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  /** Rows that are not drawn: without a place on the axis, or beyond the bars that can be read. */
  readonly leftOut: number
}

type Rows = { readonly columns: readonly GridColumn[]; readonly rows: readonly (readonly Cell[])[] }

const isTime = ({ type }: GridColumn): boolean => type === 'datetime' || type === 'date'

/** The columns that are shown unasked: numbers over the first time, else over the first text, else over the first number. */
export function axesOf(columns: readonly GridColumn[]): Axes | null {
  const figures = columns.filter(({ type }) => isFigure(type))
  const x = columns.find(isTime) ?? columns.find(({ type }) => !isFigure(type)) ?? figures[0]
  const y = figures.filter(({ name }) => name !== x?.name).slice(0, SERIES_MAX)
  return x === undefined || y.length === 0 ? null : { x: x.name, y: y.map(({ name }) => name) }
}

/** The axes in the address of the page, as far as the result has their columns; others are those that are shown unasked. */
export function axesInUrl(
  { x, y }: { readonly x: string; readonly y: string },
  columns: readonly GridColumn[],
): Axes | null {
  const unasked = axesOf(columns)
  if (unasked === null) return null
  const wanted = columns.some(({ name }) => name === x) ? x : unasked.x
  const figures = columns
    .filter(({ name, type }) => isFigure(type) && name !== wanted)
    .map(({ name }) => name)
  const named = namesIn(y).filter((name) => figures.includes(name))
  const shown = (named.length > 0 ? named : figures).slice(0, SERIES_MAX)
  return shown.length === 0 ? unasked : { x: wanted, y: shown }
}

function namesIn(text: string): readonly string[] {
  try {
    const names = JSON.parse(text) as unknown
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}

/** The rows as a chart; lines go from the left to the right in any order of the rows. */
export function chartedOf({ columns, rows }: Rows, axes: Axes): Charted {
  const placeOf = (name: string): number => columns.findIndex((column) => column.name === name)
  const xAt = placeOf(axes.x)
  const column = columns[xAt]
  const kind = kindOf(column)
  const placed = rows.flatMap((row, place) => {
    const at = kind === 'text' ? place : numberOf(row[xAt] ?? null, kind)
    return at === null ? [] : [{ at, row }]
  })
  if (kind !== 'text') placed.sort((a, b) => a.at - b.at)
  const drawn = kind === 'text' ? placed.slice(0, BARS_MAX) : placed
  return {
    kind,
    x: axes.x,
    at: drawn.map(({ at }) => at),
    labels: kind === 'text' ? drawn.map(({ row }) => String(row[xAt] ?? '')) : [],
    series: axes.y.map((name) => ({
      name,
      values: drawn.map(({ row }) => numberOf(row[placeOf(name)] ?? null, 'number')),
    })),
    leftOut: rows.length - drawn.length,
  }
}

function kindOf(column: GridColumn | undefined): Charted['kind'] {
  if (column === undefined) return 'text'
  if (isTime(column)) return 'time'
  return isFigure(column.type) ? 'number' : 'text'
}

function numberOf(value: Cell, kind: 'time' | 'number'): number | null {
  if (value === null || value === '') return null
  const number = kind === 'time' ? Date.parse(String(value)) : Number(value)
  return Number.isFinite(number) ? number : null
}

/** The least and the greatest value of a series, and its latest; null without a value. */
export function extentOf({
  values,
}: Series): { readonly min: number; readonly max: number; readonly last: number } | null {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let last: number | null = null
  for (const value of values) {
    if (value === null) continue
    min = Math.min(min, value)
    max = Math.max(max, value)
    last = value
  }
  return last === null ? null : { min, max, last }
}
