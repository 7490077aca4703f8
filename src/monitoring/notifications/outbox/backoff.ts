import { DAY_MS } from '../../../lib/time.ts'

const FIRST_MS = 30_000
const LONGEST_MS = 3_600_000
/** The relative spread of delays, so that messages that failed together are not retried together. */
const JITTER = 0.2

/** How long a message is retried. */
export const TRIED_MS = DAY_MS

/** The delay after this many attempts, ms: half a minute, doubled each time, at most an hour, plus or minus a fifth.
 * @param chance from 0 up to 1 */
export function waitMs(attempts: number, chance: number): number {
  const plain = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1))
  return Math.round(plain * (1 - JITTER + 2 * JITTER * chance))
}

/** When a failed message is retried: at `nextAt`, or later if the receiver asks for it, at most an hour later, and a
 * last time at `giveUpAt`. Epoch ms.
 * @param retryAfterMs null if the receiver gives no delay */
export function againAt(
  { at, nextAt, giveUpAt }: { readonly at: number; readonly nextAt: number; readonly giveUpAt: number },
  retryAfterMs: number | null,
): number {
  const askedAt = at + Math.min(LONGEST_MS, retryAfterMs ?? 0)
  return Math.min(giveUpAt, Math.max(nextAt, askedAt))
}
