import type { Answer } from '../../api/client.ts'
import { durationText } from '../../kit/time.tsx'
import { changedFields } from '../../kit/versions.ts'
import { language, t } from '../../language/t.ts'
import { agreedText } from '../../kit/numbers.ts'
import { commonOf, isNumber, numberOf, plainText, propertiesText, yesText } from './draft.ts'
import type { Common } from './draft.ts'

export type Slc = Answer<'/slcs/{id}'>
export const UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Unit = (typeof UNITS)[number]
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Day = (typeof DAYS)[number]
export type Hours = { readonly days: readonly Day[]; readonly begin: string; readonly end: string }

/** A container while it is edited; numbers are texts. */
export type SlcDraft = Common & {
  readonly limit: string
  readonly target: string
  readonly warnAt: string
  /** Null for always. */
  readonly activeTime: readonly Hours[] | null
}

export function slcDraftOf(slc: Slc): SlcDraft {
  return {
    ...commonOf(slc),
    limit: String(slc.limit),
    target: slc.target === null ? '' : String(slc.target),
    warnAt: String(slc.warnAt),
    activeTime: slc.activeTime,
  }
}

/** The merge patch of what the user has changed. */
export function slcPatchOf(slc: Slc, draft: SlcDraft): Record<string, unknown> {
  const { limit, target, warnAt, ...plain } = changedFields(slcDraftOf(slc), draft)
  return {
    ...plain,
    ...(limit === undefined ? {} : { limit: numberOf(limit) }),
    ...(target === undefined ? {} : { target: target.trim() === '' ? null : numberOf(target) }),
    ...(warnAt === undefined ? {} : { warnAt: numberOf(warnAt) }),
  }
}

/** Why a draft cannot be saved; undefined when it can. */
export function slcFault({ name, limit, target, warnAt, activeTime }: SlcDraft): string | undefined {
  if (name.trim() === '') return t('levels.noName')
  if (!isNumber(limit) || !isNumber(warnAt) || (target.trim() !== '' && !isNumber(target)))
    return t('levels.badNumber')
  return activeTime?.some(({ days }) => days.length === 0) ? t('levels.noDays') : undefined
}

const TEXTS: { readonly [F in keyof SlcDraft]?: (draft: SlcDraft) => string } = {
  activeTime: ({ activeTime }) => hoursText(activeTime),
  subType: ({ subType }) => t(`levels.slcType.${subType}`),
  properties: ({ properties }) => propertiesText(properties),
  isTemplate: ({ isTemplate }) => yesText(isTemplate),
}

/** A field of a draft for people. */
export function slcText(draft: SlcDraft, field: keyof SlcDraft): string {
  return TEXTS[field]?.(draft) ?? plainText(draft[field])
}

/** Hours of the week, such as "Mon, Tue 08:00–20:00". */
export function hoursText(hours: SlcDraft['activeTime']): string {
  if (hours === null) return t('levels.always')
  return hours.map(({ days, begin, end }) => `${days.map(dayName).join(', ')} ${begin}–${end}`).join('; ')
}

/** 1970 began on a Thursday: its fifth day was a Monday. */
const MONDAY_MS = 4 * 86_400_000

export function dayName(day: Day): string {
  return new Intl.DateTimeFormat(language.value, { weekday: 'short', timeZone: 'UTC' }).format(
    MONDAY_MS + DAYS.indexOf(day) * 86_400_000,
  )
}

const LENGTH_DAYS: Readonly<Record<Unit, number>> = { day: 1, week: 7, month: 30, quarter: 91, year: 365 }
const WEEK_MIN = 7 * 24 * 60

/** Minutes of a week that count. Overlapping hours count once, as in the service. */
export function weekMinutes(hours: SlcDraft['activeTime']): number {
  if (hours === null) return WEEK_MIN
  const open = new Set<number>()
  for (const { days, begin, end } of hours)
    for (const day of days)
      for (let minute = minuteOf(begin); minute < minuteOf(end); minute++)
        open.add(DAYS.indexOf(day) * 24 * 60 + minute)
  return open.size
}

function minuteOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/** The time that a period may lose by the terms, as a sentence. */
export function termsSentence(unit: Unit, draft: SlcDraft): string {
  const limit = numberOf(draft.limit)
  if (!Number.isFinite(limit)) return ''
  const active = (weekMinutes(draft.activeTime) / WEEK_MIN) * LENGTH_DAYS[unit] * 24 * 3_600_000
  const said = t('levels.terms', {
    limit: agreedText(limit),
    unit: t(`levels.each.${unit}`),
    lost: durationText(active * (1 - limit / 100)),
  })
  const hours =
    draft.activeTime === null ? '' : t('levels.termsHours', { hours: hoursText(draft.activeTime) })
  return [said, hours].filter((part) => part !== '').join(' ')
}
