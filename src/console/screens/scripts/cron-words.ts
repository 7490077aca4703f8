import { language, t } from '../../language/t.ts'

const NAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
/** 4 January 1970 was a Sunday, day 0 of cron. */
const SUNDAY = 4

type Fields = {
  readonly minute: string
  readonly hour: string
  readonly day: string
  readonly month: string
  readonly weekday: string
}

/** A cron expression in words: the usual ones; null for all others, whose next times have to say it. */
export function cronWords(expression: string): string | null {
  const trimmed = expression.trim()
  const parts = (NAMES[trimmed.toLowerCase()] ?? trimmed).split(/\s+/)
  if (parts.length !== 5) return null
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts
  const fields = { minute, hour, day, month, weekday }
  return `${day}${month}${weekday}` === '***' ? eachDayWords(fields) : someDaysWords(fields)
}

function eachDayWords({ minute, hour }: Fields): string | null {
  const past = numberIn(minute, 0, 59)
  if (hour === '*') {
    const minutes = minute === '*' ? 1 : stepOf(minute, 60)
    if (minutes !== null) return t('scripts.cron.minutes', { count: minutes })
    return past === null ? null : t('scripts.cron.hourly', { minute: twoDigits(past) })
  }
  const hours = stepOf(hour, 24)
  if (hours !== null && past !== null)
    return t('scripts.cron.hours', { count: hours, minute: twoDigits(past) })
  const time = timeOf(hour, past)
  return time === null ? null : t('scripts.cron.daily', { time })
}

function someDaysWords({ minute, hour, day, month, weekday }: Fields): string | null {
  const time = timeOf(hour, numberIn(minute, 0, 59))
  if (time === null) return null
  if (day === '*' && month === '*') return weekWords(weekday, time)
  const date = numberIn(day, 1, 31)
  if (weekday !== '*' || date === null) return null
  if (month === '*') return t('scripts.cron.monthly', { day: date, time })
  const of = numberIn(month, 1, 12)
  return of === null ? null : t('scripts.cron.yearly', { date: dateText(of, date), time })
}

function weekWords(weekday: string, time: string): string | null {
  if (/^(?:1-5|mon-fri)$/i.test(weekday)) return t('scripts.cron.workdays', { time })
  const days = weekdaysOf(weekday)
  return days === null ? null : t('scripts.cron.weekly', { days, time })
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** The step of a field such as `*`/15. A step that does not divide the whole begins anew with each hour or day. */
function stepOf(field: string, whole: number): number | null {
  const step = numberIn(/^\*\/(\d+)$/.exec(field)?.[1], 1, whole - 1)
  return step !== null && whole % step === 0 ? step : null
}

function numberIn(text: string | undefined, min: number, max: number): number | null {
  if (text === undefined || !/^\d{1,2}$/.test(text)) return null
  const value = Number(text)
  return value < min || value > max ? null : value
}

function timeOf(hour: string, minute: number | null): string | null {
  const value = numberIn(hour, 0, 23)
  if (value === null || minute === null) return null
  return `${twoDigits(value)}:${twoDigits(minute)}`
}

/** Days of the week by number, in the order of the expression. */
function weekdaysOf(text: string): string | null {
  const days = text.split(',').map((one) => numberIn(one, 0, 7))
  if (days.some((day) => day === null)) return null
  const name = new Intl.DateTimeFormat(language.value, { weekday: 'long', timeZone: 'UTC' })
  const names = days.map((day) => name.format(new Date(Date.UTC(1970, 0, SUNDAY + ((day ?? 0) % 7)))))
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(names)
}

function dateText(month: number, day: number): string {
  return new Intl.DateTimeFormat(language.value, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    // A leap year has each date.
    new Date(Date.UTC(2028, month - 1, day)),
  )
}
