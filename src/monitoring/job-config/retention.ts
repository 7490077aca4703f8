import type { Retention } from '../../domain/job-rules.ts'

const DAY_MS = 86_400_000

/** How long a job keeps what it received, in days: single samples, cells of five minutes, cells of an hour. */
export const RETENTION_DAYS = { raw: 400, minutes: 800, hours: 3_660 } as const

/** What a job without a retention of its own has. */
export const DEFAULT_RETENTION: Retention = {
  rawMs: RETENTION_DAYS.raw * DAY_MS,
  minutesMs: RETENTION_DAYS.minutes * DAY_MS,
  hoursMs: RETENTION_DAYS.hours * DAY_MS,
}
