import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { durationText } from '../../lib/duration.ts'
import { timeFormat } from '../../lib/time.ts'
import type { Ports } from '../../ports/index.ts'

const SECOND_MS = 1_000

/** When the rows of a table were replaced, and when they will be. */
export const refreshState = z.object({
  refreshedAt: timestamp.nullable().describe('The time of the rows; null before the first refresh.'),
  age: z.string().nullable().describe('The age of the rows; null before the first refresh.'),
  nextRefreshAt: timestamp.nullable().describe('When the next refresh is due; null on demand only.'),
  isRefreshing: z.boolean().describe('Whether a refresh goes on.'),
  failures: z.int().min(0).describe('The failures since the latest refresh that succeeded.'),
  failedAt: timestamp.nullable().describe('The time of the latest failure; null after a success.'),
  errorCode: z.string().nullable().describe('The code of the latest failure; null after a success.'),
})

type RefreshRow = {
  readonly refreshedAt: number | null
  readonly nextAt: number | null
  readonly failures: number
  readonly failedAt: number | null
  readonly error: unknown
  readonly leaseUntilAt: number | null
}

/** The state of a refresh; null for none. */
export function refreshView(
  { settings, clock }: Ports,
  row: RefreshRow | null,
): z.output<typeof refreshState> | null {
  if (!row) return null
  const format = timeFormat(settings.timeZone)
  const { refreshedAt, nextAt, failedAt, failures, leaseUntilAt } = row
  const now = clock.now()
  return {
    refreshedAt: refreshedAt === null ? null : format(refreshedAt),
    age: refreshedAt === null ? null : ageOf(now - refreshedAt),
    nextRefreshAt: nextAt === null ? null : format(nextAt),
    isRefreshing: leaseUntilAt !== null && leaseUntilAt > now,
    failures,
    failedAt: failedAt === null ? null : format(failedAt),
    errorCode: (row.error as { readonly code: string } | null)?.code ?? null,
  }
}

/** An age in whole seconds. */
export function ageOf(ms: number): string {
  return durationText(Math.max(0, Math.floor(ms / SECOND_MS) * SECOND_MS))
}
