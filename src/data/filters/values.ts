import type { ColumnType } from '../../domain/table.ts'
import { isRounded } from '../../lib/numbers.ts'
import { isDay, MINUTE_MS } from '../../lib/time.ts'
import type { Bind } from '../../ports/databases.ts'
import { TextFault } from '../sql/text-fault.ts'

/** Digits that every double keeps. */
const DOUBLE_DIGITS = 15
/** With more digits a number is compared as a double: decimals of databases have no more. */
const DECIMAL_DIGITS = 30

function isExactAsDouble(text: string): boolean {
  const digits = text.replaceAll(/[+.-]/g, '').replace(/^0+/, '')
  return /e/i.test(text) || digits.length <= DOUBLE_DIGITS || digits.length > DECIMAL_DIGITS
}

const INSTANT = /^(.{10}[T ]\d\d:\d\d)(?:(:\d\d)(?:\.(\d+))?)?(Z|[+-][\d:]+)?$/
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?`
const DATE = new RegExp(`^${DAY}$`)
const TIME_OF_DAY = new RegExp(`^${TIME}$`)
const DATE_TIME = new RegExp(`^${DAY}(?:[T ]${TIME}(?:Z|[+-](?:0\\d|1[0-4]):?[0-5]\\d)?)?$`)

type Reading = { readonly read: (text: string) => string | null; readonly complaint: string }

/** How texts are read as values of a type; `read` returns null for other texts. */
const READINGS: Partial<Record<ColumnType, Reading>> = {
  date: {
    read: (text) => (DATE.test(text) && isOfCalendar(text) ? text : null),
    complaint: 'must be a day such as 2026-01-31',
  },
  time: {
    read: (text) => (TIME_OF_DAY.test(text) ? text : null),
    complaint: 'must be a time such as 13:45',
  },
  datetime: {
    read: (text) => (DATE_TIME.test(text) && isOfCalendar(text) ? inUtc(text) : null),
    complaint: 'must be a date-time such as 2026-01-31T13:45:00Z',
  },
}

/** A value that a column of this type is compared with.
 * @throws {TextFault} when it is not of the type, or has characters that databases refuse */
export function bindOf(type: ColumnType, given: string | number | boolean, position: number): Bind {
  const text = String(given)
  if (text.includes('\0') || !text.isWellFormed())
    throw new TextFault(position, 'contains NUL or half of a character')
  if (type === 'integer' || type === 'number') return numberOf(type, given, position)
  if (type === 'boolean') {
    if (!/^(?:true|false)$/i.test(text)) throw new TextFault(position, 'must be true or false')
    return { type, value: text.toLowerCase() === 'true' }
  }
  const reading = READINGS[type]
  const value = reading ? reading.read(text) : text
  if (value === null) throw new TextFault(position, reading?.complaint ?? '')
  return { type, value }
}

function isOfCalendar(text: string): boolean {
  return isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)))
}

/** An instant in UTC with six digits of a second. Engines that keep instants as text compare texts of one width; others would
 * ignore the offset. A time without an offset is in UTC.
 * @returns null before the year 1 and after the year 9999 */
function inUtc(text: string): string | null {
  const whole = text.length === 'yyyy-MM-dd'.length ? `${text}T00:00` : text
  const [, minute = whole, second = ':00', digits = '', offset = 'Z'] = INSTANT.exec(whole) ?? []
  const at = new Date(Date.parse(`${minute.replace(' ', 'T')}Z`) - offsetMs(offset))
  const year = at.getUTCFullYear()
  if (year < 1 || year > 9999) return null
  return `${at.toISOString().slice(0, 16)}${second}.${digits.padEnd(6, '0')}Z`
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2))
  return minutes * MINUTE_MS * (offset.startsWith('-') ? -1 : 1)
}

/** Numbers that a double would change stay text; a column of integers may be compared with a fraction.
 * @throws {TextFault} also for an integer that JSON may have rounded */
function numberOf(type: 'integer' | 'number', given: string | number | boolean, position: number): Bind {
  const text = String(given)
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) throw new TextFault(position, 'must be a number')
  const isWhole = /^[+-]?\d{1,18}$/.test(text)
  if (type === 'integer' && isRounded(given))
    throw new TextFault(position, 'must be text beyond 2^53, because JSON numbers are rounded there')
  if (type === 'integer' && isWhole) return { type, value: Number.isSafeInteger(number) ? number : text }
  return { type: 'number', value: typeof given === 'number' || isExactAsDouble(text) ? number : text }
}
