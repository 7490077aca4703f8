import { dayOf, shiftDay, shiftIn, startOf } from './days.ts'
import type { Day } from './days.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
const STEP = 15

/** A change of clocks in a week: the minutes `from` to `to` of the axis are skipped by the day, or by all other days. */
type Jump = { readonly day: Day; readonly isForward: boolean; readonly from: number; readonly to: number }

/** The vertical axis of a week, in minutes of the clock. An hour that clocks repeat on one day is on the axis twice, so that
 * the same time of day is at the same height on each day. */
export type Axis = {
  readonly zone: string
  readonly days: readonly Day[]
  readonly minutes: number
  readonly jump: Jump | null
}

/** A row of the week: an hour, or a part of one beside a change of clocks. */
export type Slot = {
  readonly from: number
  readonly minutes: number
  /** The time of day at its begin: `02:00`. */
  readonly clock: string
  /** Whether clocks show these times for the second time. */
  readonly isAgain: boolean
}

/** The axis of some days. Of several changes of clocks only the first is drawn. */
export function axisOf(days: readonly Day[], zone: string): Axis {
  const jump = jumpOf(days, zone)
  const more = jump && !jump.isForward ? jump.to - jump.from : 0
  return { zone, days, minutes: DAY_MINUTES + more, jump }
}

function jumpOf(days: readonly Day[], zone: string): Jump | null {
  for (const day of days) {
    const begin = startOf(day, zone)
    const end = startOf(shiftDay(day, 1), zone)
    const change = DAY_MINUTES - (end - begin) / MINUTE_MS
    if (change === 0) continue
    // Clocks that go forward at midnight have done so at the first instant of the day.
    const shift = shiftIn(begin - MINUTE_MS, end - MINUTE_MS, zone)
    const from = shift === null ? 0 : Math.max(0, (shift.at - begin) / MINUTE_MS)
    return { day, isForward: change > 0, from, to: from + Math.abs(change) }
  }
  return null
}

/** Whether a day has no time in a part of the axis. */
export function isSkipped({ jump }: Axis, day: Day, from: number): boolean {
  return jump !== null && from >= jump.from && from < jump.to && hasGap(jump, day)
}

const hasGap = (jump: Jump | null, day: Day): jump is Jump =>
  jump !== null && (day === jump.day) === jump.isForward

/** The place of an instant on the axis of a day, in minutes; the ends of the axis for an instant of another day. */
export function placeOf({ jump, minutes, zone }: Axis, day: Day, at: number): number {
  const elapsed = (at - startOf(day, zone)) / MINUTE_MS
  if (!hasGap(jump, day) || elapsed < jump.from) return Math.max(0, Math.min(elapsed, minutes))
  return Math.min(elapsed + jump.to - jump.from, minutes)
}

/** The instant at a place of the axis of a day; where the day has no such time, the first instant after the gap. */
export function instantAt({ jump, zone }: Axis, day: Day, place: number): number {
  const begin = startOf(day, zone)
  if (!hasGap(jump, day) || place < jump.from) return begin + place * MINUTE_MS
  return begin + Math.max(jump.from, place - (jump.to - jump.from)) * MINUTE_MS
}

/** The rows of an axis. */
export function slotsOf({ minutes, jump }: Axis): readonly Slot[] {
  const back = jump !== null && !jump.isForward ? jump : null
  const clockAt = (place: number): number =>
    back !== null && place >= back.from ? place - (back.to - back.from) : place
  const begins: number[] = []
  for (let place = 0; place < minutes; place += STEP)
    if (clockAt(place) % 60 === 0 || place === jump?.from || place === jump?.to) begins.push(place)
  return begins.map((from, at) => ({
    from,
    minutes: (begins[at + 1] ?? minutes) - from,
    clock: clockText(clockAt(from)),
    isAgain: back !== null && from >= back.from && from < back.to,
  }))
}

function clockText(minutes: number): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`
}

type Span = { readonly begin: number; readonly end: number }

/** A span of a day beside the others. */
export type Laid<S extends Span> = {
  readonly span: S
  readonly from: number
  readonly to: number
  /** The column within the day, from 0. */
  readonly lane: number
  /** How many columns the spans that overlap each other need. */
  readonly lanes: number
}

/** The spans that a day shows. */
export type DayPlan<S extends Span> = {
  /** Spans that cover the day. */
  readonly whole: readonly S[]
  readonly laid: readonly Laid<S>[]
  /** How many spans had no room. */
  readonly left: number
}

type Room = { readonly lanes: number; readonly spans: number; readonly leastMinutes: number }

/** Lays the spans of a day side by side, as many as there is room for. @param spans in the order of their begin */
export function planOf<S extends Span>(axis: Axis, day: Day, spans: readonly S[], room: Room): DayPlan<S> {
  const begin = startOf(day, axis.zone)
  const end = startOf(shiftDay(day, 1), axis.zone)
  const inside = spans.filter((span) => span.begin < end && span.end > begin)
  const isWhole = (span: S): boolean => span.begin <= begin && span.end >= end
  const placed = inside
    .filter((span) => !isWhole(span))
    .map((span) => {
      const from = Math.min(placeOf(axis, day, span.begin), axis.minutes - room.leastMinutes)
      // The end is the last instant inside, so that a span that ends where clocks change does not reach over the gap.
      const to = span.end >= end ? axis.minutes : placeOf(axis, day, span.end - 1)
      return { span, from, to: Math.max(to, from + room.leastMinutes) }
    })
  const laid = inLanes(placed).filter(({ lane }) => lane < room.lanes)
  const shown = laid.slice(0, room.spans).map((one) => ({ ...one, lanes: Math.min(one.lanes, room.lanes) }))
  return { whole: inside.filter(isWhole), laid: shown, left: placed.length - shown.length }
}

type Placed<S extends Span> = Pick<Laid<S>, 'span' | 'from' | 'to'>

/** Gives each span the first free column. Spans that overlap, directly or through other spans, have the same number of columns. */
function inLanes<S extends Span>(placed: readonly Placed<S>[]): readonly Laid<S>[] {
  const all: Laid<S>[] = []
  let cluster: Omit<Laid<S>, 'lanes'>[] = []
  let ends: number[] = []
  const close = (): void => {
    for (const one of cluster) all.push({ ...one, lanes: ends.length })
    cluster = []
    ends = []
  }
  for (const one of placed.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (ends.every((end) => end <= one.from)) close()
    const free = ends.findIndex((end) => end <= one.from)
    const lane = free < 0 ? ends.length : free
    ends[lane] = one.to
    cluster.push({ ...one, lane })
  }
  close()
  return all
}

/** The days that a span touches, of some days. */
export function daysTouched(span: Span, days: readonly Day[], zone: string): readonly Day[] {
  const [first, last] = [dayOf(span.begin, zone), dayOf(span.end - 1, zone)]
  return days.filter((day) => day >= first && day <= last)
}
