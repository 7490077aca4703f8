import { dayOf, instantOf, shiftDay, weekdayOf } from './days.ts'
import type { Day } from './days.ts'
import type { Entry } from './occurrences.ts'

/** An entry of `active`: the times at which a revaluation applies, or an exception from the others. */
export type Rule = Entry['active'][number]
export type RuleTime = Rule['times'][number]
export type Span = { readonly begin: number; readonly end: number }
/** Rules within a span; without rules, the whole span. */
export type Schedule = Span & { readonly active: readonly Rule[] }

const DAY_MS = 86_400_000
/** The first search for the next times looks this far; each further search looks twice as far. */
const LOOK_MS = 16 * DAY_MS
/** The search for the next times ends here: longer than from one 29 February to the next. */
const LOOK_MAX_MS = 9 * 366 * DAY_MS
const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** The calendar days of an ISO 8601 duration, and the rest in ms; null for any other text. */
export function lengthOf(duration: string): { readonly days: number; readonly ms: number } | null {
  const match = DURATION.exec(duration)
  if (!match || !/\d/.test(duration)) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 }
}

/** When a rule's time applies, if it begins on a day. A time that clocks skip begins after the gap. */
function spanOn({ timezone }: Rule, { begin, duration }: RuleTime, day: Day): Span {
  const { days, ms } = lengthOf(duration) ?? { days: 0, ms: 0 }
  const at = instantOf(`${day}T${begin}`, timezone)
  const last = days === 0 ? at : instantOf(`${shiftDay(day, days)}T${begin}`, timezone)
  return { begin: at, end: last + ms }
}

/** Whether a rule's time begins on a day. */
export function isOn({ type }: Rule, time: RuleTime, day: Day): boolean {
  if (type === 'one_time') return time.date === day
  if (type === 'weekly') return time.weekday === weekdayOf(day)
  return type === 'daily' || (type === 'monthly' && time.day === Number(day.slice(8)))
}

function spansOf(rule: Rule, range: Span): readonly Span[] {
  if (rule.type === 'manual') return [range]
  return rule.times.flatMap((time) => {
    const { days, ms } = lengthOf(time.duration) ?? { days: 0, ms: 0 }
    const first = dayOf(range.begin - (days + 1) * DAY_MS - ms, rule.timezone)
    const last = dayOf(range.end, rule.timezone)
    const spans: Span[] = []
    for (let day = first; day <= last; day = shiftDay(day, 1))
      if (isOn(rule, time, day)) spans.push(spanOn(rule, time, day))
    return spans
  })
}

/** When a schedule applies within a range, in order, as the service computes it. */
export function spansIn(schedule: Schedule, range: Span): readonly Span[] {
  const begin = Math.max(schedule.begin, range.begin)
  const end = Math.min(schedule.end, range.end)
  if (begin >= end) return []
  const whole = { begin, end }
  const among = (exception: boolean): readonly Span[] =>
    joined(
      schedule.active.filter((rule) => rule.exception === exception).flatMap((rule) => spansOf(rule, whole)),
    )
  const isAlways = schedule.active.every(({ exception }) => exception)
  return without(isAlways ? [whole] : among(false), among(true))
    .map((span) => ({ begin: Math.max(span.begin, begin), end: Math.min(span.end, end) }))
    .filter((span) => span.begin < span.end)
}

/** The next times at which a schedule applies, from an instant on. */
export function nextSpans(schedule: Schedule, from: number, count: number): readonly Span[] {
  const first = Math.max(from, schedule.begin)
  const last = Math.min(schedule.end, first + LOOK_MAX_MS)
  for (let lookMs = LOOK_MS; ; lookMs *= 2) {
    const end = Math.min(first + lookMs, last)
    const spans = spansIn(schedule, { begin: first, end })
    if (spans.length > count || end >= last) return spans.slice(0, count)
  }
}

function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = []
  for (const span of spans.toSorted((a, b) => a.begin - b.begin)) {
    const last = all.at(-1)
    if (last && span.begin <= last.end)
      all[all.length - 1] = { begin: last.begin, end: Math.max(last.end, span.end) }
    else if (span.end > span.begin) all.push(span)
  }
  return all
}

/** Spans without others; both lists as `joined` returns them. */
export function without(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) => {
    const left: Span[] = []
    let { begin } = span
    for (const other of others) {
      if (other.end <= begin || other.begin >= span.end) continue
      if (other.begin > begin) left.push({ begin, end: other.begin })
      begin = other.end
    }
    return begin < span.end ? [...left, { begin, end: span.end }] : left
  })
}
