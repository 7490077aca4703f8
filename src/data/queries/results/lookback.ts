import { Temporal } from 'temporal-polyfill'
import { durationMs } from '../../../lib/duration.ts'

/** A value that is as much before another one, in the same form; null for one that is at no time, such as `infinity`. Of dates the
 * day in which it begins. */
export function earlier(
  type: 'integer' | 'date' | 'datetime',
  value: string,
  lookback: string,
): string | null {
  const by = { milliseconds: durationMs(lookback) }
  try {
    if (type === 'date') return Temporal.PlainDateTime.from(value).subtract(by).toPlainDate().toString()
    if (value.endsWith('Z')) return Temporal.Instant.from(value).subtract(by).toString()
    return Temporal.PlainDateTime.from(value).subtract(by).toString()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
