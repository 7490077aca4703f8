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
