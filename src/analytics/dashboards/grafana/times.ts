import { isTemporalDuration } from '../../../lib/duration.ts'
import type { TimeRange } from '../parts.ts'
import { recordAt, textAt } from './fields.ts'
import type { Json } from './fields.ts'

/** The units of Grafana with the designators of ISO 8601. */
const UNITS: Readonly<Record<string, readonly [prefix: string, unit: string]>> = {
  s: ['PT', 'S'],
  m: ['PT', 'M'],
  h: ['PT', 'H'],
  d: ['P', 'D'],
  w: ['P', 'W'],
  M: ['P', 'M'],
  y: ['P', 'Y'],
}
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/
const REFRESH_MIN_S = 5
const REFRESH_MAX_S = 86_400
const DEFAULT_RANGE: TimeRange = { from: '-P1D', to: 'now' }

type Converted<Value> = { readonly value: Value; readonly note: string | null }

/** A length such as `5m` as an ISO 8601 duration; null for a text of another form. */
function durationOf(text: string): string | null {
  const [, amount = '', letter = ''] = /^(\d{1,6})\s*(s|m|h|d|w|M|y)$/.exec(text.trim()) ?? []
  const unit = UNITS[letter]
  if (!unit || Number(amount) === 0) return null
  const made = `${unit[0]}${Number(amount)}${unit[1]}`
  return isTemporalDuration(made) ? made : null
}

/** The range of a dashboard. Ranges that only Grafana knows become the default with a note. */
export function rangeOf(dashboard: Json): Converted<TimeRange> {
  const time = recordAt(dashboard, 'time')
  const [from, to] = [textAt(time, 'from'), textAt(time, 'to')]
  if (from === '' && to === '') return { value: DEFAULT_RANGE, note: null }
  const end = to === 'now' || isInstant(to) ? to : null
  const relative = from.startsWith('now-') && end === 'now' ? durationOf(from.slice('now-'.length)) : null
  if (relative !== null) return { value: { from: `-${relative}`, to: 'now' }, note: null }
  if (end !== null && isInstant(from) && (end === 'now' || Date.parse(from) < Date.parse(end)))
    return { value: { from, to: end }, note: null }
  return {
    value: DEFAULT_RANGE,
    note: `The range ${from} to ${to} became ${DEFAULT_RANGE.from} to ${DEFAULT_RANGE.to}.`,
  }
}

function isInstant(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text))
}

/** The time between two refreshes: at least 5 seconds, and a minute for a dashboard that does not refresh. */
export function refreshOf(dashboard: Json): Converted<string> {
  const given = textAt(dashboard, 'refresh')
  if (given === '' || given === 'false') return { value: 'PT1M', note: null }
  const made = durationOf(given)
  const seconds = made === null ? null : secondsOf(given)
  if (made === null || seconds === null)
    return { value: 'PT1M', note: `The refresh ${given} became every minute.` }
  if (seconds < REFRESH_MIN_S) return { value: 'PT5S', note: `The refresh ${given} became every 5 seconds.` }
  if (seconds > REFRESH_MAX_S) return { value: 'P1D', note: `The refresh ${given} became every day.` }
  return { value: made, note: null }
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

function secondsOf(text: string): number | null {
  const each = SECONDS[text.trim().slice(-1)]
  return each === undefined ? null : Number.parseInt(text, 10) * each
}

/** The time zone of a dashboard. */
export function timeZoneOf(dashboard: Json): string {
  const given = textAt(dashboard, 'timezone')
  if (given === 'utc') return 'UTC'
  return given === '' || given === 'browser' || given.length > 64 ? 'user' : given
}
