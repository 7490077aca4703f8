const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** A day of the calendar in a zone: `2026-11-25`. */
export type Day = string

const formats = new Map<string, Intl.DateTimeFormat>()

/** The format of the local time of a zone. A format is made once: to make one takes longer than to use it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const two = '2-digit' as const
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  })
  formats.set(zone, made)
  return made
}

/** The distance of a zone from UTC at an instant, in ms. */
function offsetMs(ms: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(ms)
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

/** The day of an instant in a zone. */
export function dayOf(ms: number, zone: string): Day {
  return localOf(ms, zone).slice(0, 10)
}

/** The instant at which a local time of a zone is reached: the first one where a summer-time shift skips or repeats it;
 * NaN for any other text. @param local `2026-11-25T14:30` */
export function instantOf(local: string, zone: string): number {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return Number.NaN
  const asUtc = Date.parse(`${local}:00Z`)
  const before = asUtc - offsetMs(asUtc - DAY_MS, zone)
  const after = asUtc - offsetMs(asUtc + DAY_MS, zone)
  if (before === after) return before
  const candidates = [before, after].filter((ms) => ms + offsetMs(ms, zone) === asUtc)
  return candidates.length > 0 ? Math.min(...candidates) : Math.max(before, after)
}

/** The first instant of a day. */
export const startOf = (day: Day, zone: string): number => instantOf(`${day}T00:00`, zone)

/** The day some days later. */
export function shiftDay(day: Day, by: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * DAY_MS).toISOString().slice(0, 10)
}

/** From 1, Monday, to 7. */
export const weekdayOf = (day: Day): number => ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7) + 1

/** The instant at the same local time some days later. */
export function shiftByDays(ms: number, days: number, zone: string): number {
  const local = localOf(ms, zone)
  const seconds = ms % MINUTE_MS
  return instantOf(`${shiftDay(local.slice(0, 10), days)}${local.slice(10)}`, zone) + seconds
}

/** The days of the weeks that a month touches, Monday first. @param month `2026-11` */
export function daysOfMonth(month: string): readonly Day[] {
  const [begin] = daysOfWeek(`${month}-01`)
  const last = shiftDay(`${shiftMonth(month, 1)}-01`, -1)
  const days: Day[] = []
  for (let day = begin ?? last; day <= last || days.length % 7 > 0; day = shiftDay(day, 1)) days.push(day)
  return days
}

/** The seven days of the week of a day, Monday first. */
export function daysOfWeek(day: Day): readonly Day[] {
  const monday = shiftDay(day, 1 - weekdayOf(day))
  return Array.from({ length: 7 }, (_, at) => shiftDay(monday, at))
}

/** The month some months later. @param month `2026-11` */
export function shiftMonth(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + by)
  return date.toISOString().slice(0, 7)
}

/** A change of clocks. */
export type Shift = {
  readonly at: number
  /** How far clocks go forward, in minutes; less than 0 when they go back. */
  readonly minutes: number
}

/** The first change of the clocks of a zone in a range, to the minute; null without a change. */
export function shiftIn(begin: number, end: number, zone: string): Shift | null {
  let from = begin
  while (from < end) {
    const to = Math.min(from + 7 * DAY_MS, end)
    if (offsetMs(from, zone) !== offsetMs(to, zone)) return narrowed(from, to, zone)
    from = to
  }
  return null
}

function narrowed(begin: number, end: number, zone: string): Shift {
  const before = offsetMs(begin, zone)
  let [low, high] = [Math.floor(begin / MINUTE_MS), Math.ceil(end / MINUTE_MS)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetMs(middle * MINUTE_MS, zone) === before) low = middle
    else high = middle
  }
  return { at: high * MINUTE_MS, minutes: (offsetMs(high * MINUTE_MS, zone) - before) / MINUTE_MS }
}
