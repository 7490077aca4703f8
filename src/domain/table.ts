export const COLUMN_TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'time',
  'json',
  'binary',
] as const

export type ColumnType = (typeof COLUMN_TYPES)[number]

export type Column = { readonly name: string; readonly type: ColumnType }

/** A value of a row. Integers beyond 2^53 and decimals are text; days, times and instants are ISO 8601, instants with `Z`;
 * binary is base64, JSON is its text; NaN and the infinities are null. */
export type Cell = string | number | boolean | null
export type Row = readonly Cell[]

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i

/** The number that a cell is or has as its text; null for other cells, and beyond the range of a double. */
export function numberOfCell(cell: Cell): number | null {
  const isNumber = typeof cell === 'number' || (typeof cell === 'string' && NUMBER.test(cell))
  const number = isNumber ? Number(cell) : Number.NaN
  return Number.isFinite(number) ? number : null
}
