import type { ValueFormat } from '../../domain/import-plan.ts'
import type { Cell, ColumnType } from '../../domain/table.ts'
import { dateTimeReader, formatReader, hasHours, readDate, readTime } from './instants.ts'

/** A value of a file: a text whose type the values of its column decide, a text whose type the file has, or null. An `error`
 * stands in a spreadsheet in place of a value, such as `#N/A`. */
export type FileCell =
  | string
  | null
  | { readonly text: string; readonly type: 'string' | 'json' | 'date' | 'error' }

/** The text of a value of a file, which is empty for null. */
export function textOf(cell: FileCell): string {
  return typeof cell === 'object' ? (cell?.text ?? '') : cell
}

/** The text of a value of a file for the reader of a type: a day is an instant, its midnight, among instants. */
export function textFor(cell: FileCell, type: ColumnType): string {
  const isMidnight = type === 'datetime' && typeof cell === 'object' && cell?.type === 'date'
  return isMidnight ? `${cell.text}T00:00` : textOf(cell)
}

/** The value of a cell's text, or undefined where it has none of the type. Texts for null are the caller's. */
export type CellReader = (text: string) => Cell | undefined

const INTEGER = /^[+-]?\d{1,19}$/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const BASE64 = /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i
const INTEGER_MAX = 2n ** 63n - 1n

/** The reader of each type of a column. */
export function cellReaders(format: ValueFormat): Readonly<Record<ColumnType, CellReader>> {
  const { decimal, dateFormats, timeZone } = format
  const local = dateTimeReader(timeZone)
  const formats = dateFormats.flatMap((text) => {
    const read = formatReader(text, timeZone)
    return read ? [{ read, isInstant: hasHours(text) }] : []
  })
  const firstOf = (text: string, isInstant: boolean) => {
    for (const one of formats) {
      const value = one.isInstant === isInstant ? one.read(text) : null
      if (value !== null) return value
    }
    return undefined
  }
  return {
    string: (text) => text,
    integer: readInteger,
    number: decimal === ',' ? readCommaNumber : readNumber,
    boolean: (text) => BOOLEANS.get(text.toLowerCase()),
    date: (text) => readDate(text) ?? firstOf(text, false),
    datetime: (text) => local(text) ?? firstOf(text, true),
    time: (text) => readTime(text) ?? undefined,
    json: (text) => (isJson(text) ? text : undefined),
    binary: (text) => (BASE64.test(text) ? text : undefined),
  }
}

/** The readers of values as they are written without a file's own format. @param timeZone of date-times without an offset */
export function plainReaders(timeZone: string): Readonly<Record<ColumnType, CellReader>> {
  return cellReaders({ nulls: [], decimal: '.', dateFormats: [], timeZone })
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

function readInteger(text: string): Cell | undefined {
  if (!INTEGER.test(text)) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  const exact = BigInt(text)
  return exact >= -INTEGER_MAX - 1n && exact <= INTEGER_MAX ? exact.toString() : undefined
}

function readNumber(text: string): Cell | undefined {
  if (!NUMBER.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A point separates thousands where a comma separates decimals, so no number has one. */
function readCommaNumber(text: string): Cell | undefined {
  return text.includes('.') ? undefined : readNumber(text.replace(',', '.'))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
