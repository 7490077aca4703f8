import type { Call } from '../../api/client.ts'
import { msOfDuration } from '../../kit/time.tsx'
import { instantOf, localOf } from '../maintenance/days.ts'
import { targetOf } from './recipients.ts'
import type { Kind, Recipient } from './recipients.ts'

type Body = Call<'/alarmrecipients', 'post'>['body']
type Times = NonNullable<Recipient['times']>
type Entry = Times[number]
type Rotation = NonNullable<Recipient['rotation']>

/** One time at which notifications may be sent, or an exception from the others. */
export type TimeRow = {
  readonly type: Entry['type']
  readonly day: string
  readonly begin: string
  readonly hours: string
  readonly exception: boolean
  /** The zone and the name of a stored time, which stay. */
  readonly kept: Pick<Entry, 'name' | 'timezone'>
}
export type VacationRow = { readonly begin: string; readonly end: string; readonly userId: string }
export type EscalationRow = { readonly minutes: string; readonly recipientId: string }
export type TemplateTexts = { readonly subject: string; readonly text: string }
export const TEMPLATE_LANGUAGES = ['en', 'de', 'fr'] as const

/** A recipient as its form holds it: durations as numbers of minutes, instants as local times of the page. */
export type RecipientDraft = {
  readonly name: string
  readonly type: Kind
  /** The texts of the target; null while the stored one stays. */
  readonly target: Readonly<Record<string, string>> | null
  readonly minState: Recipient['minState']
  readonly objectIds: readonly number[]
  /** False: notifications may be sent at any time. */
  readonly hasTimes: boolean
  readonly times: readonly TimeRow[]
  readonly onVacation: boolean
  readonly vacations: readonly VacationRow[]
  readonly rotation: Rotation['by'] | ''
  readonly rotationCount: string
  readonly rotationHours: string
  readonly rotationBegin: string
  readonly escalation: readonly EscalationRow[]
  readonly hasReminder: boolean
  readonly reminderMinutes: string
  readonly reminderTimes: string
  readonly recovery: boolean
  readonly groupingSeconds: string
  readonly messagesPerHour: string
  readonly language: Recipient['language']
  readonly timeZone: string
  readonly templates: Readonly<Record<(typeof TEMPLATE_LANGUAGES)[number], TemplateTexts>>
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_FIELDS = { one_time: 'date', weekly: 'weekday', monthly: 'day', daily: null, manual: null } as const

/** The field of a time that names its day; null for a type that has none. */
export const dayFieldOf = (type: Entry['type']): 'date' | 'weekday' | 'day' | null => DAY_FIELDS[type]

export const EMPTY_TIME: TimeRow = {
  type: 'weekly',
  day: '1',
  begin: '08:00',
  hours: '10',
  exception: false,
  kept: { name: null },
}

type Rules = Omit<Recipient, 'id' | 'target' | 'lastResult' | 'usedBy' | 'warnings'>
/** The rules of a new recipient, as the service has them. */
const NEW: Rules = {
  name: '',
  type: 'email',
  minState: 'warning',
  objectIds: [],
  times: null,
  onVacation: false,
  vacations: [],
  rotation: null,
  escalation: [],
  reminder: null,
  recovery: true,
  grouping: 'PT10S',
  messagesPerHour: 60,
  language: 'en',
  timeZone: null,
  templates: {},
}
const NO_TEXTS: TemplateTexts = { subject: '', text: '' }

/** The draft of a stored recipient, or of a new one.
 * @param zone of the page, for instants */
export function draftOf(recipient: Recipient | undefined, zone: string): RecipientDraft {
  const rules: Rules = recipient ?? NEW
  const { name, type, minState, objectIds, times, onVacation, recovery, reminder, language, templates } =
    rules
  return {
    name,
    type,
    target: recipient ? null : {},
    minState,
    objectIds,
    hasTimes: times !== null,
    times: (times ?? []).flatMap(rowsOf),
    onVacation,
    vacations: rules.vacations.map(({ begin, end, userId }) => ({
      begin: localOf(Date.parse(begin), zone),
      end: localOf(Date.parse(end), zone),
      userId: userId === null ? '' : String(userId),
    })),
    ...rotationDraftOf(rules.rotation, zone),
    escalation: rules.escalation.map(({ after, recipientId }) => ({
      minutes: numberOf(after, MINUTE_MS),
      recipientId: String(recipientId),
    })),
    hasReminder: reminder !== null,
    reminderMinutes: numberOf(reminder?.every ?? 'PT1H', MINUTE_MS),
    reminderTimes: String(reminder?.times ?? 10),
    recovery,
    groupingSeconds: numberOf(rules.grouping, 1_000),
    messagesPerHour: String(rules.messagesPerHour),
    language,
    timeZone: rules.timeZone ?? '',
    templates: {
      en: templates.en ?? NO_TEXTS,
      de: templates.de ?? NO_TEXTS,
      fr: templates.fr ?? NO_TEXTS,
    },
  }
}

type RotationDraft = Pick<RecipientDraft, 'rotation' | 'rotationCount' | 'rotationHours' | 'rotationBegin'>

function rotationDraftOf(rotation: Rotation | null, zone: string): RotationDraft {
  const interval =
    rotation?.by === 'interval' ? rotation : { interval: 'P7D', begin: new Date().toISOString() }
  return {
    rotation: rotation?.by ?? '',
    rotationCount: rotation?.by === 'count' ? String(rotation.count) : '5',
    rotationHours: numberOf(interval.interval, HOUR_MS),
    rotationBegin: localOf(Date.parse(interval.begin), zone),
  }
}

/** The body of the request. Without a target the stored one stays. */
export function bodyOf(draft: RecipientDraft, zone: string): Body {
  const target = draft.target === null ? null : targetOf(draft.type, draft.target)
  const templates = TEMPLATE_LANGUAGES.flatMap((language) => {
    const { subject, text } = draft.templates[language]
    return subject === '' && text === '' ? [] : [[language, { subject, text }] as const]
  })
  return {
    name: draft.name,
    type: draft.type,
    ...(target === null ? {} : { target }),
    minState: draft.minState,
    objectIds: [...draft.objectIds],
    times: draft.hasTimes ? draft.times.map(entryOf) : null,
    onVacation: draft.onVacation,
    vacations: draft.vacations.map(({ begin, end, userId }) => ({
      begin: isoOf(begin, zone),
      end: isoOf(end, zone),
      userId: userId === '' ? null : Number(userId),
    })),
    rotation: rotationOf(draft, zone),
    escalation: draft.escalation.map(({ minutes, recipientId }) => ({
      after: durationOf(minutes, MINUTE_MS),
      recipientId: Number(recipientId),
    })),
    reminder: draft.hasReminder
      ? { every: durationOf(draft.reminderMinutes, MINUTE_MS), times: Number(draft.reminderTimes) }
      : null,
    recovery: draft.recovery,
    grouping: durationOf(draft.groupingSeconds, 1_000),
    messagesPerHour: Number(draft.messagesPerHour),
    language: draft.language,
    timeZone: draft.timeZone.trim() === '' ? null : draft.timeZone.trim(),
    templates: Object.fromEntries(templates),
  } as Body
}

function rotationOf(draft: RecipientDraft, zone: string): Rotation | null {
  if (draft.type !== 'group' || draft.rotation === '') return null
  if (draft.rotation === 'turn') return { by: 'turn' }
  if (draft.rotation === 'count') return { by: 'count', count: Number(draft.rotationCount) }
  const interval = durationOf(draft.rotationHours, HOUR_MS)
  return { by: 'interval', interval, begin: isoOf(draft.rotationBegin, zone) }
}

/** A stored entry as rows: one for each of its times. */
function rowsOf({ type, times, exception, name, timezone }: Entry): TimeRow[] {
  const kept = { name, ...(timezone === undefined ? {} : { timezone }) }
  const field = dayFieldOf(type)
  if (type === 'manual') return [{ ...EMPTY_TIME, type, exception, kept }]
  return times.map((time) => ({
    type,
    day: field === null ? '' : String(time[field] ?? ''),
    begin: time.begin,
    hours: numberOf(time.duration, HOUR_MS),
    exception,
    kept,
  }))
}

function entryOf({ type, day, begin, hours, exception, kept }: TimeRow): Entry {
  const field = dayFieldOf(type)
  const time = {
    begin,
    duration: durationOf(hours, HOUR_MS),
    ...(field === null ? {} : { [field]: field === 'date' ? day : Number(day) }),
  }
  return { ...kept, type, exception, times: type === 'manual' ? [] : [time] }
}

/** A number of units as an ISO 8601 duration; any other text stays as it is, so that the service refuses it. */
export function durationOf(text: string, unitMs: number): string {
  const ms = Number(text.replace(',', '.')) * unitMs
  return text.trim() === '' || !Number.isFinite(ms) ? text : `PT${Math.round(ms / 1_000)}S`
}

/** An ISO 8601 duration as a number of units. */
export function numberOf(duration: string, unitMs: number): string {
  const ms = msOfDuration(duration)
  return ms === null ? duration : String(ms / unitMs)
}

function isoOf(local: string, zone: string): string {
  const ms = instantOf(local, zone)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : local
}
