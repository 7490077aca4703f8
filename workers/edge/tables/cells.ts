import type { SqlStorageValue } from '@cloudflare/workers-types'

import type { Cell, ColumnType, Row } from '../../../src/domain/table.ts'
import type { Bind, ResultColumn } from '../../../src/ports/databases.ts'

/**
 * The declared type in which a column is stored. Its letters decide the affinity (https://sqlite.org/datatype3.html):
 * dates, times and JSON are text. SQLite keeps the declared type of a column through views and sub queries, and so the columns of
 * a result have types.
 */
export const STORED_TYPES = {
  string: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  boolean: 'BOOLEAN',
  date: 'DATE_TEXT',
  datetime: 'DATETIME_TEXT',
  time: 'TIME_TEXT',
  json: 'JSON_TEXT',
  binary: 'BINARY_BLOB',
} as const satisfies Readonly<Record<ColumnType, string>>

const TYPES: ReadonlyMap<string, ColumnType> = new Map([
  ...Object.entries(STORED_TYPES).map(([type, stored]) => [stored, type as ColumnType] as const),
  // A cast gives this type.
  ['INT', 'integer'],
])

/** Digits of a second that are stored: instants of one width are in order as text. */
const SECOND_DIGITS = 6

/** A value as it is stored, in JSON. */
export function storedOf(type: ColumnType, cell: Cell): Cell {
  if (typeof cell !== 'string') return cell
  if (type === 'datetime') return storedInstant(cell)
  if (type === 'time') return cell.includes('.') ? cell.replace(/\.?0+$/, '') : cell
  return type === 'binary' ? hexOf(cell) : cell
}

/** The value of an extracted member of JSON, as it is stored. */
export function storedExpression(type: ColumnType, json: string): string {
  return type === 'binary' ? `unhex(${json})` : json
}

/** A value for a placeholder, and the expression that gives it its storage class: the platform binds each number as REAL. */
export function boundOf({ type, value }: Bind): {
  readonly value: Cell
  readonly cast: (placeholder: string) => string
} {
  const plain = (placeholder: string) => placeholder
  if (value === null) return { value, cast: plain }
  if (type === 'boolean') return { value: value === true ? '1' : '0', cast: asInteger }
  if (type === 'integer') return { value: String(value), cast: asInteger }
  if (type === 'number') return { value: Number(value), cast: plain }
  return { value: storedOf(type, value), cast: (placeholder) => storedExpression(type, placeholder) }
}

const asInteger = (placeholder: string) => `CAST(${placeholder} AS INTEGER)`

/** `2026-03-29T01:30:00.250000Z`. */
function storedInstant(text: string): string {
  const parts = /^(?<second>.{19})(?:\.(?<digits>\d+))?Z$/.exec(text)?.groups
  if (!parts) return text
  const digits = (parts['digits'] ?? '').slice(0, SECOND_DIGITS).padEnd(SECOND_DIGITS, '0')
  return `${parts['second']}.${digits}Z`
}

function hexOf(base64: string): string {
  return Uint8Array.fromBase64(base64).toHex()
}

/** A column of a result: how it is selected, and how its cells are read. */
export type Reader = {
  /** Has the column once, so that no expression is evaluated twice. */
  readonly select: (column: string) => string
  readonly read: (value: SqlStorageValue) => Cell
  /** The column, once all cells were read. */
  readonly column: (name: string) => ResultColumn
  /** Whether cells of several types were read, which become text. */
  readonly isMixed: () => boolean
}

/** The reader of a column by its declared type; an expression has none. */
export function readerOf(declared: string): Reader {
  const type = TYPES.get(declared)
  return type === undefined ? classReader() : typeReader(type)
}

function typeReader(type: ColumnType): Reader {
  return {
    select: type === 'integer' ? quoted : (column) => column,
    read: type === 'integer' ? (value) => unquoted(value).cell : (value) => cellOf(type, value),
    column: (name) => ({ name, type, isExact: type === 'integer' }),
    isMixed: () => false,
  }
}

/** Reads cells by their storage class. The type of the column follows from all of its cells. */
function classReader(): Reader {
  const types = new Set<ColumnType>()
  const typeOf = (): ColumnType => {
    const [type = 'string', other, third] = types
    if (other === undefined) return type
    return third === undefined && types.has('integer') && types.has('number') ? 'number' : 'string'
  }
  return {
    select: quoted,
    read(value) {
      const { type, cell } = unquoted(value)
      if (type !== null) types.add(type)
      return cell
    },
    column: (name) => ({ name, type: typeOf(), isExact: typeOf() === 'integer' }),
    isMixed: () => types.size > 1 && typeOf() === 'string',
  }
}

/** The platform returns integers and reals as doubles. As quoted texts they differ, and integers are exact. */
const quoted = (column: string) => `quote(${column})`

function unquoted(text: SqlStorageValue): { readonly type: ColumnType | null; readonly cell: Cell } {
  if (typeof text !== 'string' || text === 'NULL') return { type: null, cell: null }
  if (text.startsWith("'")) return { type: 'string', cell: text.slice(1, -1).replaceAll("''", "'") }
  if (text.startsWith("X'")) return { type: 'binary', cell: Uint8Array.fromHex(text.slice(2, -1)).toBase64() }
  const number = Number(text)
  if (!/^-?\d+$/.test(text)) return { type: 'number', cell: Number.isFinite(number) ? number : null }
  return { type: 'integer', cell: Number.isSafeInteger(number) ? number : text }
}

function cellOf(type: ColumnType, value: SqlStorageValue): Cell {
  if (value === null) return null
  if (value instanceof ArrayBuffer) return new Uint8Array(value).toBase64()
  if (type === 'boolean' && (value === 0 || value === 1)) return value === 1
  if (typeof value === 'number') {
    if (type !== 'number') return String(value)
    return Number.isFinite(value) ? value : null
  }
  return type === 'datetime' ? value.replace(/\.0+Z$|(?<=\.\d+)0+Z$/, 'Z') : value
}

/** The size of an empty text. */
export const CELL_MIN_BYTES = 3

/** The approximate size of a row in JSON, in bytes. */
export function sizeOf(row: Row): number {
  let bytes = 0
  for (const cell of row) bytes += typeof cell === 'string' ? cell.length + CELL_MIN_BYTES : 9
  return bytes
}
