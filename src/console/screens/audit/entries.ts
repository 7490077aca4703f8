import type { Item } from '../../api/client.ts'
import { agentText } from '../../kit/agent.ts'
import { linkTo, objectLink } from '../../kit/location.ts'
import { durationText, fullTimeText, msOfDuration, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

export type Entry = Item<'/audit'>
type Fields = Readonly<Record<string, unknown>>
export type Change = { readonly field: string; readonly before: string; readonly after: string }

const ID_MAX = 24
/** Smaller numbers are no times of this century. */
const TIME_MIN_MS = Date.UTC(2000, 0)
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/
const DURATION = /^P(?=.)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/
/** The addresses of pages of other kinds, without the id. */
const FOLDERS: Readonly<Record<string, string>> = {
  alarm: 'alarms',
  dataQuery: 'queries',
  dataSource: 'data',
  forecast: 'forecasts',
  script: 'scripts',
  user: 'users/user',
}
const OBJECTS = new Set(['group', 'device', 'job', 'slo', 'slc'])

/** The time and the user of the latest entry. */
export function auditSentence(entries: readonly Entry[]): string {
  const [latest] = entries
  if (!latest) return t('audit.none')
  return t('audit.latest', { time: timeText(latest.at), name: latest.username || t('audit.service') })
}

/** The fields that differ before and after. A created or deleted object differs in all fields that it has. */
export function changesOf({ before, after }: Pick<Entry, 'before' | 'after'>): readonly Change[] {
  const old: Fields = before ?? {}
  const now: Fields = after ?? {}
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((field) => ({ field, before: textOf(field, old[field]), after: textOf(field, now[field]) }))
    .filter((change) => change.before !== change.after)
}

/** A value of a field: times, lengths and user agents as a person reads them, all others as the API has them. */
function textOf(field: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') {
    if (field.endsWith('At') && value >= TIME_MIN_MS) return fullTimeText(value)
    if (field.endsWith('Ms')) return durationText(value)
    if (field.endsWith('Seconds')) return durationText(value * 1000)
  }
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field === 'agent') return agentText(value)
  if (INSTANT.test(value)) return fullTimeText(value)
  const ms = DURATION.test(value) ? msOfDuration(value) : null
  return ms === null ? value : durationText(ms)
}

/** The word of an action or an object type; names that the console does not know stay as they are. */
export function wordOf(part: 'action' | 'type', name: string): string {
  const key = `audit.${part}.${name}`
  const word = t(key)
  return word === key ? name : word
}

/** The id of an object, of which long ones are cut. */
export function shortId(id: string): string {
  return id.length > ID_MAX ? `${id.slice(0, ID_MAX - 4)}…` : id
}

/** The page of an entry's object; null where the object has none. */
export function linkOf({ objectType, objectId, action }: Entry): string | null {
  const id = Number(objectId)
  if (action === 'delete' || !Number.isSafeInteger(id) || id <= 0) return null
  if (OBJECTS.has(objectType)) return objectLink(objectType, id)
  const folder = FOLDERS[objectType]
  return folder === undefined ? null : linkTo(`${folder}/${id}`)
}
