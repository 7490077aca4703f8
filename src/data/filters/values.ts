import type { ColumnType } from '../../domain/table.ts'
import type { Bind } from '../../ports/databases.ts'
import { TextFault } from '../sql/text-fault.ts'

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
  if (type === 'integer' || type === 'number') return numberOf(type, text, position)
  if (type === 'boolean') {
    if (!/^(?:true|false)$/i.test(text)) throw new TextFault(position, 'must be true or false')
    return { type, value: text.toLowerCase() === 'true' }
  }
  const [spelling, complaint] = SPELLED[type] ?? []
  if (spelling && !spelling.test(text)) throw new TextFault(position, complaint ?? '')
  return { type, value: text }
}

/** Whole numbers that a double would change stay text; a column of integers may be compared with a fraction. */
function numberOf(type: 'integer' | 'number', text: string, position: number): Bind {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) throw new TextFault(position, 'must be a number')
  const isWhole = /^[+-]?\d{1,18}$/.test(text)
  if (type === 'integer' && isWhole) return { type, value: Number.isSafeInteger(number) ? number : text }
  return { type: 'number', value: number }
}
