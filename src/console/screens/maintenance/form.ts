import { bodyOf, isSeries, scheduleOf } from './changes.ts'
import type { Body } from './changes.ts'
import { instantOf, localOf, shiftDay, weekdayOf } from './days.ts'
import { durationIn, durationOut } from './duration.ts'
import type { Entry } from './occurrences.ts'
import { nextSpans } from './schedule.ts'
import type { Rule, RuleTime, Span } from './schedule.ts'

export const REPEATS = ['once', 'daily', 'weekly', 'monthly', 'rules'] as const
export type Repeats = (typeof REPEATS)[number]
export const RULE_TYPES = ['one_time', 'daily', 'weekly', 'monthly', 'manual'] as const
const MINUTE_MS = 60_000
const A_YEAR = 365

/** A time of a rule as the form has it. */
export type TimeForm = {
  readonly key: number
  readonly begin: string
  /** The duration in words. */
  readonly duration: string
  readonly date: string
  readonly weekday: string
  readonly day: string
  /** The stored time, whose fields without an edit stay unchanged; null for a new time. */
  readonly before: RuleTime | null
}
export type RuleForm = Pick<Rule, 'type' | 'timezone' | 'exception'> & {
  readonly key: number
  readonly name: string
  readonly times: readonly TimeForm[]
}

/** A revaluation as the form has it. Times are local times of the zone of the calendar. */
export type Form = Pick<Body, 'type' | 'adjustTo' | 'slaRelevant' | 'name'> & {
  readonly incident: string
  readonly comment: string
  readonly repeats: Repeats
  readonly begin: string
  /** The end of the time, or of the first time of those that recur. */
  readonly end: string
  /** Until when it recurs. */
  readonly until: string
  readonly rules: readonly RuleForm[]
}

let keys = 0
const newKey = (): number => ++keys

/** The form of a new maintenance. */
export function newForm({ begin, end }: Span, zone: string): Form {
  const from = localOf(begin, zone)
  return {
    type: 'maintenance',
    adjustTo: 'undefined',
    slaRelevant: false,
    name: '',
    incident: '',
    comment: '',
    repeats: 'once',
    begin: from,
    end: localOf(end, zone),
    until: `${shiftDay(from.slice(0, 10), A_YEAR)}T00:00`,
    rules: [],
  }
}

/** The form of a revaluation. */
export function formOf(entry: Entry, zone: string): Form {
  const { type, adjustTo, slaRelevant, name, incident, comment } = entry
  const schedule = scheduleOf(entry)
  const [first = schedule] = nextSpans(schedule, schedule.begin, 1)
  const repeats = repeatsOf(entry, zone)
  const shown = repeats === 'once' || repeats === 'rules' ? schedule : first
  return {
    type,
    adjustTo,
    slaRelevant,
    name,
    repeats,
    incident: incident ?? '',
    comment: comment ?? '',
    begin: localOf(shown.begin, zone),
    end: localOf(shown.end, zone),
    until: localOf(schedule.end, zone),
    rules: entry.active.map(ruleFormOf),
  }
}

/** How an entry recurs; `rules` where its own times say more than the first time and how often. */
function repeatsOf(entry: Entry, zone: string): Repeats {
  const [rule, ...others] = entry.active
  if (rule === undefined) return 'once'
  const [time, ...more] = rule.times
  if (!isSeries(entry) || others.length > 0 || more.length > 0 || rule.exception || rule.name) return 'rules'
  const schedule = scheduleOf(entry)
  const [first] = nextSpans(schedule, schedule.begin, 1)
  const begin = localOf(schedule.begin, zone)
  const isPlain = time && rule.timezone === zone && first?.begin === schedule.begin
  return isPlain && time.begin === begin.slice(11) ? (rule.type as Repeats) : 'rules'
}

function ruleFormOf(rule: Rule): RuleForm {
  const { type, timezone, exception, name } = rule
  return { key: newKey(), type, timezone, exception, name: name ?? '', times: rule.times.map(timeFormOf) }
}

function timeFormOf(time: RuleTime): TimeForm {
  return {
    key: newKey(),
    begin: time.begin,
    duration: durationOut(time.duration),
    date: time.date ?? '',
    weekday: String(time.weekday ?? 1),
    day: String(time.day ?? 1),
    before: time,
  }
}

/** A new time of a rule, at the begin of the form. */
export function newTime({ begin }: Pick<Form, 'begin'>): TimeForm {
  const date = begin.slice(0, 10)
  return {
    key: newKey(),
    begin: begin.slice(11) || '22:00',
    duration: '1 h',
    date,
    weekday: String(date === '' ? 1 : weekdayOf(date)),
    day: String(Number(date.slice(8)) || 1),
    before: null,
  }
}

export function newRule(form: Pick<Form, 'begin'>, timezone: string): RuleForm {
  return { key: newKey(), type: 'weekly', timezone, exception: false, name: '', times: [newTime(form)] }
}

/** The form with its own rules, which at first apply at the same times. */
export function withRules(form: Form, zone: string): Form {
  const rules = bodyOfForm(form, zone, null).active.map(ruleFormOf)
  const end = form.repeats === 'once' ? form.end : form.until
  return { ...form, repeats: 'rules', end, rules }
}

/** The request that the form makes. Fields that were not edited stay to the millisecond as they were read. */
export function bodyOfForm(form: Form, zone: string, before: Entry | null): Body {
  const { type, adjustTo, slaRelevant, name, repeats } = form
  const isSimple = repeats !== 'once' && repeats !== 'rules'
  return {
    type,
    slaRelevant,
    name,
    adjustTo: type === 'adjustment' ? adjustTo : 'undefined',
    incident: form.incident || null,
    comment: form.comment || null,
    begin: instantText(form.begin, zone, before?.begin),
    end: instantText(isSimple ? form.until : form.end, zone, before?.end),
    active: activeOf(form, zone, before),
  }
}

function instantText(local: string, zone: string, before: string | undefined): string {
  if (before !== undefined && localOf(Date.parse(before), zone) === local) return before
  const at = instantOf(local, zone)
  return Number.isFinite(at) ? new Date(at).toISOString() : ''
}

function activeOf(form: Form, zone: string, before: Entry | null): Rule[] {
  if (form.repeats === 'once') return []
  if (form.repeats === 'rules') return form.rules.map(ruleOf)
  const old = before !== null && repeatsOf(before, zone) === form.repeats ? formOf(before, zone) : null
  if (old && old.begin === form.begin && old.end === form.end && before) return bodyOf(before).active
  const minutes = (instantOf(form.end, zone) - instantOf(form.begin, zone)) / MINUTE_MS
  const day = form.begin.slice(0, 10)
  const time: RuleTime = {
    begin: form.begin.slice(11),
    duration: Number.isFinite(minutes) ? `PT${Math.round(minutes)}M` : '',
    ...(form.repeats === 'weekly' && day ? { weekday: weekdayOf(day) } : {}),
    ...(form.repeats === 'monthly' ? { day: Number(day.slice(8)) } : {}),
  }
  return [{ type: form.repeats, name: null, timezone: zone, times: [time], exception: false }]
}

function ruleOf({ type, timezone, exception, name, times }: RuleForm): Rule {
  return {
    type,
    name: name || null,
    timezone,
    times: type === 'manual' ? [] : times.map((time) => timeOf(type, time)),
    exception,
  }
}

function timeOf(type: Rule['type'], { begin, duration, date, weekday, day, before }: TimeForm): RuleTime {
  const isSame = before !== null && durationOut(before.duration) === duration
  return {
    begin,
    duration: isSame ? before.duration : (durationIn(duration) ?? ''),
    ...(type === 'one_time' ? { date } : {}),
    ...(type === 'weekly' ? { weekday: Number(weekday) } : {}),
    ...(type === 'monthly' ? { day: Number(day) } : {}),
  }
}

/** The first field that keeps the form from being saved, as a key of its text; null when the form is complete. */
export function missingIn(form: Form, zone: string): 'begin' | 'end' | 'until' | 'duration' | 'rules' | null {
  const [begin, end, until] = [form.begin, form.end, form.until].map((local) => instantOf(local, zone))
  if (begin === undefined || !Number.isFinite(begin)) return 'begin'
  if (!(end !== undefined && end > begin)) return 'end'
  if (form.repeats === 'once') return null
  if (form.repeats !== 'rules') return until !== undefined && until > begin ? null : 'until'
  if (form.rules.length === 0) return 'rules'
  const times = form.rules.flatMap(({ type, times: all }) => (type === 'manual' ? [] : all))
  return times.every(({ duration }) => durationIn(duration) !== null) ? null : 'duration'
}
