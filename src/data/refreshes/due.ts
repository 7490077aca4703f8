import { DAY_MS, HOUR_MS } from '../../lib/time.ts'

const DOUBLINGS_MAX = 10
const JITTER = 0.1

/** How long a refresh may take, and how many rows it may have. */
export type RefreshLimits = { readonly timeoutMs: number; readonly rowsMax: number }

/** Refreshes that come more often than every hour may take less.
 * @param everyMs null for refreshes on demand alone */
export function limitsOf(everyMs: number | null): RefreshLimits {
  return everyMs === null || everyMs >= HOUR_MS
    ? { timeoutMs: 600_000, rowsMax: 10_000_000 }
    : { timeoutMs: 60_000, rowsMax: 1_000_000 }
}

/** When the next refresh is due. Each failure doubles the time, up to a day; refreshes of one interval spread over a tenth of it.
 * @param failures since the latest success
 * @param chance from 0 to 1 */
export function nextAfter(
  now: number,
  {
    everyMs,
    failures,
    chance,
  }: { readonly everyMs: number | null; readonly failures: number; readonly chance: number },
): number | null {
  if (everyMs === null) return null
  const backedOff = everyMs * 2 ** Math.min(failures, DOUBLINGS_MAX)
  const waitMs = failures === 0 ? everyMs : Math.min(backedOff, Math.max(everyMs, DAY_MS))
  return now + waitMs + Math.round(waitMs * JITTER * chance)
}
