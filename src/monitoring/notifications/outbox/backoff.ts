const FIRST_MS = 30_000
const LONGEST_MS = 3_600_000
const DAY_MS = 86_400_000
/** So far a wait is from what it would be, so that those who failed together do not come again together. */
const JITTER = 0.2

/** How long a message is tried. */
export const TRIED_MS = DAY_MS

/** How long to wait after so many attempts, ms: half a minute, then twice as long each time, an hour at most, a fifth
 * more or less.
 * @param chance from 0 up to 1 */
export function waitMs(attempts: number, chance: number): number {
  const plain = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1))
  return Math.round(plain * (1 - JITTER + 2 * JITTER * chance))
}

/** When a message that failed is tried again: when it would be anyway, or later where its receiver asks for that, an hour
 * later at most, and a last time when it is given up. Epoch ms.
 * @param retryAfterMs null where the receiver asks for nothing */
export function againAt(
  { at, nextAt, giveUpAt }: { readonly at: number; readonly nextAt: number; readonly giveUpAt: number },
  retryAfterMs: number | null,
): number {
  const askedAt = at + Math.min(LONGEST_MS, retryAfterMs ?? 0)
  return Math.min(giveUpAt, Math.max(nextAt, askedAt))
}
