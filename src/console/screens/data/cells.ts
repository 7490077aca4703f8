import { language } from '../../language/t.ts'
import { timeZone } from '../../kit/time.tsx'
import type { ColumnType } from './filter.ts'

export type Cell = string | number | boolean | null

/** Characters of a value that decide the width of a column. */
const WIDTH_MAX = 40
const WIDTH_MIN = 6
/** Rows at the begin and at the end that decide the width of a column. */
const MEASURED = 200
/** Characters of a cell that are shown. */
const SHOWN_MAX = 400
/** Decimals of a computed number, and its digits below 1: the same as in charts. */
const COMPUTED_DIGITS = 3
const DECIMALS = /\.(\d+)(?:e-\d+)?$/
/** More decimals than a person or an instrument writes. */
const WRITTEN_DECIMALS_MAX = 9
/** Below it a double has at least `COMPUTED_DIGITS` correct decimals. */
const EXACT_MAX = 1e12

const formats = new Map<string, Intl.DateTimeFormat>()

/** A value for people. Dates and numbers keep the order and the point of the data: they are read beside an export. */
export function cellText(value: Cell, type: ColumnType): string {
  if (value === null) return ''
  if (type === 'datetime' && typeof value === 'string') return instantText(value)
  const text = String(value)
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}

/** A number that a summary computed, such as a mean, without the decimals that say nothing. */
export function computedText(value: Cell, type: ColumnType): string {
  const number = Number(value)
  if (value === null || !isFigure(type) || Number.isInteger(number)) return cellText(value, type)
  const digits = Math.abs(number) < 1 ? number.toPrecision(COMPUTED_DIGITS) : number.toFixed(COMPUTED_DIGITS)
  return String(Number(digits))
}

/** A number of the result of a data query: one that a database computed without the decimals that say nothing, others as they
 * are. */
export function resultText(value: Cell, type: ColumnType): string {
  const [, decimals = ''] = DECIMALS.exec(String(value)) ?? []
  const isComputed = decimals.length > WRITTEN_DECIMALS_MAX && Math.abs(Number(value)) < EXACT_MAX
  return isComputed ? computedText(value, type) : cellText(value, type)
}

/** An instant in the zone of the page, such as `2026-11-25 14:30:00`. */
function instantText(text: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return text
  const key = `${language.value} ${timeZone.value}`
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat('sv-SE', {
      timeZone: timeZone.value,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  formats.set(key, format)
  return format.format(ms)
}

export const isFigure = (type: ColumnType): boolean => type === 'integer' || type === 'number'

/** The widths of columns in characters, by their names and first rows. */
export function widthsOf(
  columns: readonly { readonly name: string; readonly type: ColumnType; readonly textOf?: typeof cellText }[],
  rows: readonly (readonly Cell[])[],
): readonly number[] {
  return columns.map(({ name, type, textOf = cellText }, at) => {
    const longest = [...rows.slice(0, MEASURED), ...rows.slice(-MEASURED)].reduce(
      (most, row) => Math.max(most, textOf(row[at] ?? null, type).length),
      name.length + 3,
    )
    return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, longest))
  })
}
