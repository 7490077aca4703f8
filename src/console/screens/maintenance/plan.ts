import { t } from '../../language/t.ts'
import { offsetMs } from './days.ts'

export const RECURRENCES = ['once', 'daily', 'weekly', 'monthly'] as const
export type Recurrence = (typeof RECURRENCES)[number]
export const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

type Plan = {
  readonly name: string
  readonly begin: string
  readonly hours: string
  readonly recurrence: Recurrence
  readonly slaRelevant: boolean
}

/** The body of the request: a recurring plan runs for a year. */
export function bodyOf(
  { name, begin: local, hours, recurrence, slaRelevant }: Plan,
  begin: number,
  zone: string,
) {
  const durationMs = Number(hours) * HOUR_MS
  const common = { type: 'maintenance' as const, name, slaRelevant, begin: new Date(begin).toISOString() }
  if (recurrence === 'once') return { ...common, end: new Date(begin + durationMs).toISOString() }
  const date = new Date(`${local}:00Z`)
  const time = {
    begin: local.slice(11),
    duration: `PT${Math.round(durationMs / 60_000)}M`,
    ...(recurrence === 'weekly' ? { weekday: ((date.getUTCDay() + 6) % 7) + 1 } : {}),
    ...(recurrence === 'monthly' ? { day: date.getUTCDate() } : {}),
  }
  return {
    ...common,
    end: new Date(begin + YEAR_MS).toISOString(),
    active: [{ type: recurrence, timezone: zone, times: [time] }],
  }
}

/** A sentence when clocks change during the maintenance; null otherwise. */
export function shiftText(begin: number, end: number, zone: string): string | null {
  if (!Number.isFinite(begin) || !Number.isFinite(end)) return null
  const shift = offsetMs(end, zone) - offsetMs(begin, zone)
  if (shift === 0) return null
  return t(shift > 0 ? 'maintenance.shiftForward' : 'maintenance.shiftBack', {
    minutes: Math.abs(shift) / 60_000,
  })
}
