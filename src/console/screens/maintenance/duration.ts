import { lengthOf } from './schedule.ts'

const UNITS: Readonly<Record<string, 'D' | 'H' | 'M'>> = {
  d: 'D',
  t: 'D',
  j: 'D',
  h: 'H',
  s: 'H',
  m: 'M',
}
/** A number with a unit: `1 d`, `2 Tage`, `3 jours`, `1,5 h`, `4 Std.`, `90 min`. */
const PART = /(\d+(?:[.,]\d+)?)\s*(d|t|j|h|std|m)[a-zé.]*\s*/giy

/** The ISO 8601 duration of words such as `1 d 2 h 30 min`, `1,5 h` or `1:30`; null for any other text. */
export function durationIn(text: string): string | null {
  const words = text.trim().replace(/^(\d+):([0-5]\d)$/, '$1 h $2 min')
  let days = 0
  let minutes = 0
  PART.lastIndex = 0
  while (PART.lastIndex < words.length) {
    const match = PART.exec(words)
    if (!match) return null
    const count = Number((match[1] ?? '').replace(',', '.'))
    const unit = UNITS[(match[2] ?? '').slice(0, 1).toLowerCase()]
    if (unit === 'D') days += count
    else minutes += unit === 'H' ? count * 60 : count
  }
  if (!Number.isInteger(days) || (days === 0 && minutes <= 0)) return null
  const rest = Math.round(minutes)
  return `P${days > 0 ? `${days}D` : ''}${rest > 0 ? `T${timeOf(rest)}` : ''}`
}

function timeOf(minutes: number): string {
  const hours = Math.floor(minutes / 60)
  return `${hours > 0 ? `${hours}H` : ''}${minutes % 60 > 0 ? `${minutes % 60}M` : ''}`
}

/** The words of an ISO 8601 duration, which `durationIn` reads. */
export function durationOut(duration: string): string {
  const length = lengthOf(duration)
  if (length === null) return duration
  const minutes = Math.round(length.ms / 60_000)
  const parts = [
    [length.days, 'd'],
    [Math.floor(minutes / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ')
}
