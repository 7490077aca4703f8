import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'

export const INTERVALS = ['none', 'daily', 'hourly', 'minutely'] as const
export type Interval = (typeof INTERVALS)[number]

type Limits = {
  /** Null for refreshes on demand alone. */
  readonly everyMs: number | null
  /** How long a refresh may take. */
  readonly timeoutMs: number
  /** How many rows a result may have. */
  readonly rowsMax: number
}

export const LIMITS: Readonly<Record<Interval, Limits>> = {
  none: { everyMs: null, timeoutMs: 600_000, rowsMax: 10_000_000 },
  daily: { everyMs: DAY_MS, timeoutMs: 600_000, rowsMax: 10_000_000 },
  hourly: { everyMs: HOUR_MS, timeoutMs: 60_000, rowsMax: 1_000_000 },
  minutely: { everyMs: MINUTE_MS, timeoutMs: 10_000, rowsMax: 100_000 },
}
