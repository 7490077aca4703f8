import type { ColumnType } from '../../domain/table.ts'
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
const SPELLED: Partial<Record<ColumnType, readonly [RegExp, string]>> = {
  date: [new RegExp(`^${DAY}$`), 'must be a day such as 2026-01-31'],
  time: [new RegExp(`^${TIME}$`), 'must be a time such as 13:45'],
  datetime: [
    new RegExp(`^${DAY}(?:[T ]${TIME}(?:Z|[+-]\\d\\d:?\\d\\d)?)?$`),
    'must be a date-time such as 2026-01-31T13:45:00Z',
  ],
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
  const [spelling, complaint] = SPELLED[type] ?? []
  if (spelling && !spelling.test(text)) throw new TextFault(position, complaint ?? '')
  return { type, value: type === 'datetime' ? inUtc(text) : text }
}

/** An instant in UTC with six digits of a second. Engines that keep instants as text compare texts of one width; others would
 * ignore the offset. A time without an offset is in UTC. */
function inUtc(text: string): string {
  const whole = text.length === 'yyyy-MM-dd'.length ? `${text}T00:00` : text
  const [, minute = whole, second = ':00', digits = '', offset = 'Z'] = INSTANT.exec(whole) ?? []
  const [hours = 0, minutes = 0] =
    offset === 'Z' ? [] : [Number(offset.slice(1, 3)), Number(offset.slice(-2))]
  const offsetMs = (hours * 60 + minutes) * 60_000 * (offset.startsWith('-') ? -1 : 1)
  const at = new Date(Date.parse(`${minute.replace(' ', 'T')}Z`) - offsetMs)
  return `${at.toISOString().slice(0, 16)}${second}.${digits.padEnd(6, '0')}Z`
}

/** Numbers that a double would change stay text; a column of integers may be compared with a fraction. */
function numberOf(type: 'integer' | 'number', given: string | number | boolean, position: number): Bind {
  const text = String(given)
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) throw new TextFault(position, 'must be a number')
  const isWhole = /^[+-]?\d{1,18}$/.test(text)
  if (type === 'integer' && isWhole) return { type, value: Number.isSafeInteger(number) ? number : text }
  return { type: 'number', value: typeof given === 'number' || isExactAsDouble(text) ? number : text }
}
