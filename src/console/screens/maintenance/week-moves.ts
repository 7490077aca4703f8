import { now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { shiftByDays, shiftDay, startOf } from './days.ts'
import type { Day } from './days.ts'
import type { Draft, Grab } from './drag.ts'
import type { Occurrence } from './occurrences.ts'
import { clockOf, dayName } from './texts.ts'
import { instantAt, isSkipped } from './week.ts'
import type { Axis, Slot } from './week.ts'

const HOUR_MS = 3_600_000
/** Drags and keys move by this. */
const STEP_MS = 900_000
/** The week opens at this time of day. */
export const MORNING = 6 * 60

/** An hour of a day, which the keys have reached. */
export type Place = { readonly day: Day; readonly from: number }

/** The time of day at which a week opens: the change of clocks, the present, the first entry, or the morning. */
export function firstHour(
  { days, jump, zone }: Axis,
  occurrences: readonly Occurrence[],
  today: Day,
): number {
  if (jump) return jump.from
  if (days.includes(today)) return Number(clockOf(now.peek(), zone).slice(0, 2)) * 60
  const clocks = occurrences.map((one) => clockOf(one.begin, zone))
  const first = clocks.toSorted()[0]
  return Math.min(MORNING, first === undefined ? MORNING : Number(first.slice(0, 2)) * 60)
}

/** The instant below the pointer; null outside of the hours. */
export function instantBelow(axis: Axis, { clientX, clientY }: PointerEvent): number | null {
  for (const element of document.elementsFromPoint(clientX, clientY)) {
    if (!(element instanceof HTMLElement)) continue
    const { day, from, minutes } = element.dataset
    if (day === undefined || from === undefined) continue
    const { top, height } = element.getBoundingClientRect()
    return instantAt(axis, day, Number(from) + (Number(minutes) * (clientY - top)) / height)
  }
  return null
}

const rounded = (at: number): number => Math.round(at / STEP_MS) * STEP_MS

/** The time that a drag has led to. */
export function draftOf({ grip, occurrence, place }: Grab<number>, at: number): Draft {
  if (occurrence === null) {
    const [begin, end] = place <= at ? [place, at] : [at, place]
    const from = Math.floor(begin / STEP_MS) * STEP_MS
    return { occurrence, begin: from, end: Math.max(rounded(end), from + STEP_MS) }
  }
  const { begin, end } = occurrence
  if (grip === 'begin') return { occurrence, begin: Math.min(rounded(at), end - STEP_MS), end }
  if (grip === 'end') return { occurrence, begin, end: Math.max(rounded(at), begin + STEP_MS) }
  const to = rounded(begin + at - place)
  return { occurrence, begin: to, end: to + end - begin }
}

/** The time that an arrow key leads to: by quarters of an hour, or by days at the same time of day. */
export function keyed(
  { occurrence, begin, end }: Draft,
  arrow: string,
  { grip, zone }: { readonly grip: 'move' | 'end'; readonly zone: string },
): Draft {
  const shift = (at: number): number =>
    ({
      ArrowUp: at - STEP_MS,
      ArrowDown: at + STEP_MS,
      ArrowLeft: shiftByDays(at, -1, zone),
      ArrowRight: shiftByDays(at, 1, zone),
    })[arrow] ?? at
  if (grip === 'end') return { occurrence, begin, end: Math.max(shift(end), begin + STEP_MS) }
  return { occurrence, begin: shift(begin), end: shift(begin) + end - begin }
}

/** The place that an arrow key leads to; null at the ends of the week. */
export function neighbour(
  axis: Axis,
  slots: readonly Slot[],
  { day, from }: Place,
  key: string,
): Place | null {
  const at = slots.findIndex((slot) => slot.from === from)
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const next = axis.days[axis.days.indexOf(day) + (key === 'ArrowLeft' ? -1 : 1)]
    return next === undefined ? null : { day: next, from }
  }
  const step = { ArrowUp: -1, ArrowDown: 1 }[key]
  if (step === undefined) return null
  const next = slots[at + step]
  if (next === undefined) return null
  const place = { day, from: next.from }
  return isSkipped(axis, day, next.from) ? neighbour(axis, slots, place, key) : place
}

/** The change of clocks in a week as a sentence. */
export function shiftText({ jump, zone }: Axis): string {
  if (jump === null) return ''
  const hours = (startOf(shiftDay(jump.day, 1), zone) - startOf(jump.day, zone)) / HOUR_MS
  const [from, to] = jump.isForward ? [jump.from, jump.to] : [jump.from, jump.from - (jump.to - jump.from)]
  const clock = (minutes: number): string =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return t(jump.isForward ? 'maintenance.weekForward' : 'maintenance.weekBack', {
    day: dayName(jump.day, { weekday: 'long', day: 'numeric', month: 'long' }),
    from: clock(from),
    to: clock(to),
    hours,
  })
}
