import { signal } from '@preact/signals'
import type { JSX } from 'preact'

import { language, t } from '../language/t.ts'

/** The zone in which the page shows times: the user's, else the browser's. */
export const timeZone = signal<string>(Intl.DateTimeFormat().resolvedOptions().timeZone)
/** The present, in ms since 1970; moves each second while a page is shown. */
export const now = signal(Date.now())

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now()
  }, 1_000)
}

type Instant = string | number | Date
const msOf = (at: Instant): number => (typeof at === 'number' ? at : new Date(at).getTime())
const DAY_MS = 86_400_000

/** A time of day; with the date when it is on another day. */
export function timeText(at: Instant, seconds = false): string {
  const ms = msOf(at)
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(language.value, {
      timeZone: timeZone.value,
      hourCycle: 'h23',
      ...options,
    }).format(ms)
  const time: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  }
  if (dayOf(ms) === dayOf(now.value)) return format(time)
  if (Math.abs(now.value - ms) < 6 * DAY_MS) return format({ weekday: 'short', ...time })
  return format({
    day: 'numeric',
    month: 'short',
    ...(yearOf(ms) === yearOf(now.value) ? {} : { year: 'numeric' }),
    ...time,
  })
}

/** Date, time and zone in full. */
export function fullTimeText(at: Instant, zone = timeZone.value): string {
  return new Intl.DateTimeFormat(language.value, {
    timeZone: zone,
    dateStyle: 'medium',
    timeStyle: 'long',
    hourCycle: 'h23',
  }).format(msOf(at))
}

/** A day of the week, date and time in a zone, such as "Thu 26 Nov, 02:30". */
export function dateTimeText(at: Instant, zone = timeZone.value): string {
  return new Intl.DateTimeFormat(language.value, {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(msOf(at))
}

/** A day, such as "25 Nov 2026". */
export function dayText(at: Instant, zone = timeZone.value): string {
  return new Intl.DateTimeFormat(language.value, { timeZone: zone, dateStyle: 'medium' }).format(msOf(at))
}

function dayOf(ms: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: timeZone.value }).format(ms)
}

function yearOf(ms: number): string {
  return dayOf(ms).slice(0, 4)
}

/** A time with the full date and UTC in its tooltip. */
export function Time({
  at,
  seconds = false,
}: {
  readonly at: Instant
  readonly seconds?: boolean
}): JSX.Element {
  const title = `${fullTimeText(at)}\n${fullTimeText(at, 'UTC')}`
  return (
    <time dateTime={new Date(msOf(at)).toISOString()} title={title}>
      {timeText(at, seconds)}
    </time>
  )
}

/** The time since an instant, which is updated. */
export function Ago({ at }: { readonly at: Instant }): JSX.Element {
  const ms = Math.max(0, now.value - msOf(at))
  return (
    <time dateTime={new Date(msOf(at)).toISOString()} title={fullTimeText(at)}>
      {t('time.ago', { duration: durationText(ms) })}
    </time>
  )
}

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

/** A duration in its two largest units, such as "2 h 6 min"; seconds only below a minute. */
export function durationText(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1000) * 1000)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size)
    if (parts.length === 0 && count === 0 && unit !== 'second') continue
    if (parts.length > 0 && unit === 'second') break
    left -= count * size
    if (count > 0 || parts.length === 0) parts.push(unitText(count, unit))
    else break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

function unitText(count: number, unit: string): string {
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'day' ? 'long' : 'short',
  })
    .format(count)
    .replace(' ', '\u00a0')
}

/** An ISO 8601 duration, which may have a sign, in words. */
export function spanText(span: string): string {
  const ms = msOfDuration(span.replace(/^-/, ''))
  return ms === null ? span : durationText(ms)
}

/** The length of an ISO 8601 duration of days, hours, minutes and seconds, in ms; null for any other text. */
export function msOfDuration(text: string): number | null {
  const match = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text)
  if (!match || text === 'P' || text.endsWith('T')) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1_000
}
