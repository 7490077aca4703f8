const DAY_MS = 86_400_000

/** A day of the calendar in a zone: `2026-11-25`. */
export type Day = string

/** The day of an instant in a zone. */
export function dayOf(ms: number, zone: string): Day {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(ms)
}

/** The days of the weeks that a month touches, Monday first. @param month `2026-11` */
export function daysOfMonth(month: string): readonly Day[] {
  const first = Date.parse(`${month}-01T00:00:00Z`)
  const next = new Date(first)
  next.setUTCMonth(next.getUTCMonth() + 1)
  const begin = first - ((new Date(first).getUTCDay() + 6) % 7) * DAY_MS
  const weeks = Math.ceil((next.getTime() - begin) / (7 * DAY_MS))
  return Array.from({ length: weeks * 7 }, (_, at) =>
    new Date(begin + at * DAY_MS).toISOString().slice(0, 10),
  )
}

/** The month some months later. @param month `2026-11` */
export function shiftMonth(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + by)
  return date.toISOString().slice(0, 7)
}

/** The instant at which a local time of a zone is reached: the first one where a summer-time shift skips or repeats it.
 * @param local `2026-11-25T14:30` */
export function instantOf(local: string, zone: string): number {
  const asUtc = Date.parse(`${local}:00Z`)
  const before = asUtc - offsetMs(asUtc - DAY_MS, zone)
  const after = asUtc - offsetMs(asUtc + DAY_MS, zone)
  if (before === after) return before
  const candidates = [before, after].filter((ms) => ms + offsetMs(ms, zone) === asUtc)
  return candidates.length > 0 ? Math.min(...candidates) : Math.max(before, after)
}

/** The distance of a zone from UTC at an instant, in ms. */
export function offsetMs(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(ms)
  const at = (type: string): string => parts.find((part) => part.type === type)?.value ?? '00'
  const local = Date.parse(
    `${at('year')}-${at('month')}-${at('day')}T${at('hour')}:${at('minute')}:${at('second')}Z`,
  )
  return local - Math.floor(ms / 1000) * 1000
}

/** The local time of an instant for a field: `2026-11-25T14:30`. */
export function localOf(ms: number, zone: string): string {
  return new Date(ms + offsetMs(ms, zone)).toISOString().slice(0, 16)
}
