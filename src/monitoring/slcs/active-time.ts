import { unionOf } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import { DAY_MS, MINUTE_MS, spanAround } from '../../lib/time.ts'

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

/** A span of local time on some days of each week; `end` may be `24:00`. */
export type ActiveWindow = {
  readonly days: readonly (typeof DAYS)[number][]
  readonly begin: string
  readonly end: string
}

const WEEK_MS = 7 * DAY_MS
/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The ranges in which windows are active: all instants whose local time is in a window; always, if `windows` is null.
 * On a DST change a repeated hour counts twice, a skipped hour never. */
export function activeSpans(
  windows: readonly ActiveWindow[] | null,
  timeZone: string,
  range: Range,
): readonly Range[] {
  if (windows === null) return unionOf([range])
  const week = unionOf(windows.flatMap(inWeek))
  const spans: Range[] = []
  for (let at = range.beginAt; at < range.endAt;) {
    const { untilAt, offsetMs } = spanAround(at, timeZone)
    const endAt = Math.min(untilAt, range.endAt)
    const local = { beginAt: at + offsetMs, endAt: endAt + offsetMs }
    for (const open of repeated(week, local)) {
      spans.push({ beginAt: open.beginAt - offsetMs, endAt: open.endAt - offsetMs })
    }
    at = endAt
  }
  return unionOf(spans)
}

/** Minutes since midnight of a local time `HH:MM`. */
export function minutesOf(time: string): number {
  const [hours = '', minutes = ''] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/** A window as ranges of ms since Monday. */
function inWeek({ days, begin, end }: ActiveWindow): Range[] {
  return days.map((day) => {
    const midnightMs = DAYS.indexOf(day) * DAY_MS
    return {
      beginAt: midnightMs + minutesOf(begin) * MINUTE_MS,
      endAt: midnightMs + minutesOf(end) * MINUTE_MS,
    }
  })
}

/** The weekly ranges within a range of local time. */
function repeated(week: readonly Range[], local: Range): Range[] {
  const spans: Range[] = []
  const first = Math.floor((local.beginAt - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS
  for (let monday = first; monday < local.endAt; monday += WEEK_MS) {
    for (const open of week) {
      const beginAt = Math.max(monday + open.beginAt, local.beginAt)
      const endAt = Math.min(monday + open.endAt, local.endAt)
      if (beginAt < endAt) spans.push({ beginAt, endAt })
    }
  }
  return spans
}
