/** Crockford's digits, in the order of their values and of their characters. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10
const CHANCE_DIGITS = 16

let lastMs = -1
let lastDigits: number[] = []

/** A ULID of this instant, 26 characters: ULIDs of later instants sort behind, and so do later ones of this process within
 * the same instant.
 * @param chance 16 random bytes */
export function ulid(nowMs: number, chance: Uint8Array): string {
  lastDigits =
    nowMs === lastMs
      ? next(lastDigits)
      : Array.from({ length: CHANCE_DIGITS }, (_, at) => (chance[at] ?? 0) & 31)
  // So that there is always a next one.
  if (nowMs !== lastMs) lastDigits[0] = (lastDigits[0] ?? 0) & 15
  lastMs = nowMs
  let time = ''
  for (let rest = nowMs, at = 0; at < TIME_DIGITS; at++, rest = Math.floor(rest / 32))
    time = (DIGITS[rest % 32] ?? '') + time
  return time + lastDigits.map((digit) => DIGITS[digit]).join('')
}

function next(digits: readonly number[]): number[] {
  const counted = [...digits]
  for (let at = counted.length - 1; at >= 0; at--) {
    const digit = counted[at] ?? 0
    counted[at] = (digit + 1) % 32
    if (digit < 31) break
  }
  return counted
}
