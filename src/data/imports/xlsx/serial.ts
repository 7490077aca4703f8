import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import type { FileCell } from '../cells.ts'
import type { NumberKind } from './styles.ts'

/** The day 0 of the two systems in which workbooks count days; in the first one the 60th day, 1900-02-29, never was. */
const [FROM_1900_AT, FROM_1904_AT] = [Date.UTC(1899, 11, 30), Date.UTC(1904, 0, 1)]
const NEVER_DAY = 60
/** The maximum number of days, which lies beyond the year 9999. */
const DAYS_MAX = 3_000_000
const LAST_AT = Date.UTC(9999, 11, 31) + DAY_MS

/** The value that a spreadsheet shows for a number with a format of this kind; null for a number that has none. */
export function momentOf(serial: number, kind: Exclude<NumberKind, null>, is1904: boolean): FileCell {
  if (serial < 0 || serial > DAYS_MAX) return null
  const ms = Math.round(serial * DAY_MS)
  if (kind === 'duration') return durationText(ms)
  if (kind === 'time' && serial < 1) return durationText(Math.min(ms, DAY_MS - 1))
  const at = dayStart(ms, is1904)
  if (at === null || at >= LAST_AT) return null
  const text = new Date(at).toISOString()
  if (kind === 'date' && at % DAY_MS === 0) return { text: text.slice(0, 10), type: 'date' }
  return at % 1_000 === 0 ? text.slice(0, 19) : text.slice(0, 23)
}

function dayStart(ms: number, is1904: boolean): number | null {
  if (is1904) return FROM_1904_AT + ms
  const day = Math.floor(ms / DAY_MS)
  if (day === 0 || day === NEVER_DAY) return null
  return FROM_1900_AT + ms + (day < NEVER_DAY ? DAY_MS : 0)
}

/** `26:30:00`, with milliseconds where there are some. */
function durationText(ms: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes, seconds] = [ms / HOUR_MS, (ms / MINUTE_MS) % 60, (ms / 1_000) % 60].map(Math.floor)
  const rest = ms % 1_000 === 0 ? '' : `.${String(ms % 1_000).padStart(3, '0')}`
  return `${two(hours ?? 0)}:${two(minutes ?? 0)}:${two(seconds ?? 0)}${rest}`
}
