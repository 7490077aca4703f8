import { dayOf, localOf, weekdayOf } from './days.ts'
import type { Entry } from './occurrences.ts'
import { isOn, lengthOf, nextSpans, spansIn, without } from './schedule.ts'
import type { Rule, RuleTime, Schedule, Span } from './schedule.ts'

const MINUTE_MS = 60_000

/** The body of a request for a revaluation. */
export type Body = Pick<
  Entry,
  'type' | 'adjustTo' | 'incident' | 'name' | 'comment' | 'slaRelevant' | 'begin' | 'end'
> & { readonly active: Rule[] }

/** The body that leaves a revaluation as it is. */
export function bodyOf(entry: Entry | Body): Body {
  const { type, adjustTo, incident, name, comment, slaRelevant, begin, end, active } = entry
  return { type, adjustTo, incident, name, comment, slaRelevant, begin, end, active }
}

export const scheduleOf = ({ begin, end, active }: Pick<Body, 'begin' | 'end' | 'active'>): Schedule => ({
  begin: Date.parse(begin),
  end: Date.parse(end),
  active,
})

const iso = (at: number): string => new Date(at).toISOString()

/** Whether a revaluation comes again and again. */
export const isSeries = ({ active }: Pick<Entry, 'active'>): boolean =>
  active.some(({ type, exception }) => !exception && ['daily', 'weekly', 'monthly'].includes(type))

/** Whether a revaluation applies as time passes; others correct the past, or are comments. */
export const isLive = ({ type, inPast }: Pick<Entry, 'type' | 'inPast'>): boolean =>
  type === 'maintenance' && !inPast

/** Whether a revaluation has applied before an instant. The service keeps this past: only the end can change then. */
export function hasBegun(entry: Entry, now: number): boolean {
  if (!isLive(entry)) return false
  const schedule = scheduleOf(entry)
  if (schedule.begin > now) return false
  return nextSpans(schedule, schedule.begin, 1).some(({ begin }) => begin <= now)
}

/** Whether nothing of a revaluation can change any more. */
export const isOver = (entry: Entry): boolean =>
  isLive(entry) && (entry.status === 'ended' || entry.status === 'cancelled')

/** The rule and the time that make an occurrence; null when it is made of several, or cut by an exception. */
function originOf(
  { active }: Body,
  { begin, end }: Span,
): { readonly rule: Rule; readonly time: RuleTime } | null {
  for (const rule of active) {
    if (rule.exception || rule.type === 'manual') continue
    const local = localOf(begin, rule.timezone)
    for (const time of rule.times) {
      const isSame = isOn(rule, time, local.slice(0, 10)) && endOf(rule, time, begin) === end
      if (isSame && time.begin === local.slice(11)) return { rule, time }
    }
  }
  return null
}

function endOf(rule: Rule, time: RuleTime, begin: number): number {
  const day = dayOf(begin, rule.timezone)
  const times = [{ begin: time.begin, duration: time.duration, date: day }]
  const once: Rule = { ...rule, type: 'one_time', times }
  const { days = 0, ms = 0 } = lengthOf(time.duration) ?? {}
  const reach = { begin, end: begin + ms + (days + 1) * 86_400_000 }
  return spansIn({ ...reach, active: [once] }, reach)[0]?.end ?? begin
}

/** Which occurrences of a series a change is about. */
export type Scope = 'once' | 'later'

/** The body in which an occurrence is at another time; null when that takes more than another time of one rule. */
export function moved(body: Body, from: Span, to: Span, scope: Scope): Body | null {
  if (body.active.length === 0) return { ...body, begin: iso(to.begin), end: iso(to.end) }
  const origin = originOf(body, from)
  if (origin === null) return null
  const { rule, time } = origin
  if (scope === 'once' && rule.type !== 'one_time') return stretched(replacedOnce(body, rule, from, to), to)
  const next = shifted(rule, time, from, to)
  const active = body.active.map((one) =>
    one === rule ? { ...one, times: one.times.map((each) => (each === time ? next : each)) } : one,
  )
  return stretched({ ...body, active }, to, from)
}

/** The body without one occurrence of a series. */
export function skipped(body: Body, from: Span, timezone: string): Body {
  return { ...body, active: [...body.active, onceAt(timezone, from, true)] }
}

/** An occurrence leaves its place, which is an exception, and comes once elsewhere. */
function replacedOnce(body: Body, { timezone }: Rule, from: Span, to: Span): Body {
  const gone = without([from], [to]).map((span) => onceAt(timezone, span, true))
  return { ...body, active: [...body.active, ...gone, onceAt(timezone, to, false)] }
}

function onceAt(timezone: string, span: Span, exception: boolean): Rule {
  const local = localOf(span.begin, timezone)
  const time = { begin: local.slice(11), date: local.slice(0, 10), duration: durationOf(span) }
  return { type: 'one_time', name: null, timezone, times: [time], exception }
}

const durationOf = ({ begin, end }: Span): string => `PT${Math.round((end - begin) / MINUTE_MS)}M`

/** A time of a rule, moved with one of its occurrences. */
function shifted({ type, timezone }: Rule, time: RuleTime, from: Span, to: Span): RuleTime {
  const local = localOf(to.begin, timezone)
  const day = local.slice(0, 10)
  const isAsLong = to.end - to.begin === from.end - from.begin
  return {
    begin: local.slice(11),
    duration: isAsLong ? time.duration : durationOf(to),
    ...(type === 'one_time' ? { date: day } : {}),
    ...(type === 'weekly' ? { weekday: weekdayOf(day) } : {}),
    ...(type === 'monthly' ? { day: Number(day.slice(8)) } : {}),
  }
}

/** Makes begin and end reach over a time; begin moves along when it was the begin of the time before. */
function stretched(body: Body, to: Span, from?: Span): Body {
  const { begin, end } = scheduleOf(body)
  const isFirst = from !== undefined && from.begin === begin
  return {
    ...body,
    begin: isFirst || to.begin < begin ? iso(to.begin) : body.begin,
    end: to.end > end ? iso(to.end) : body.end,
  }
}

/** A begin with the time of day of the first occurrence, so that lists contain the revaluation. */
export function withEqualBegin(body: Body): Body {
  const schedule = scheduleOf(body)
  const [first] = nextSpans(schedule, schedule.begin, 1)
  return first ? { ...body, begin: iso(first.begin) } : body
}

/** How a change reaches the service. `split` ends what has begun and plans the rest anew: at an instant, or now for null. */
export type Step =
  | { readonly kind: 'put'; readonly body: Body }
  | { readonly kind: 'split'; readonly at: number | null; readonly rest: Body }

/** The step of a change of a revaluation. The service keeps the rules of a series that has begun.
 * @param from the instant from which on a series changes; null for as soon as possible: after the occurrence that runs */
export function stepOf(entry: Entry, body: Body, from: number | null, now: number): Step {
  const isOther = body.begin !== entry.begin || rulesText(body) !== rulesText(entry)
  if (!isSeries(entry) || !isOther || !hasBegun(entry, now)) return { kind: 'put', body }
  const [running] = nextSpans(scheduleOf(entry), now, 1).filter(({ begin }) => begin <= now)
  const at = from === null ? (running?.end ?? null) : Math.max(now, from)
  return { kind: 'split', at, rest: beginningAt(body, at ?? now) }
}

/** The body from its first occurrence on that does not begin before an instant. */
export function beginningAt(body: Body, at: number): Body {
  const schedule = { ...scheduleOf(body), begin: at - 1 }
  const first = nextSpans(schedule, at - 1, 2).find(({ begin }) => begin >= at)
  return { ...body, begin: iso(first?.begin ?? at) }
}

function rulesText({ active }: Pick<Body, 'active'>): string {
  return JSON.stringify(
    active.map(({ type, name, timezone, times, exception }) => [
      [type, name, timezone, exception],
      times.map(({ begin, duration, date, weekday, day }) => [begin, duration, date, weekday, day]),
    ]),
  )
}
