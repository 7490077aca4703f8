const CANDIDATES = [',', ';', '\t', '|'] as const

/** The delimiter that stands most often in the first record of a CSV text, outside of quotes; a comma if none does. */
export function delimiterOf(text: string, quote: string): string {
  const counts = new Map<string, number>(CANDIDATES.map((candidate) => [candidate, 0]))
  let isQuoted = false
  for (const character of text) {
    if (character === quote) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '\n' || character === '\r') {
      if ([...counts.values()].some((count) => count > 0)) break
    } else counts.set(character, (counts.get(character) ?? Number.NaN) + 1)
  }
  let best: string = CANDIDATES[0]
  for (const candidate of CANDIDATES)
    if ((counts.get(candidate) ?? 0) > (counts.get(best) ?? 0)) best = candidate
  return best
}
