import type { TextMatch } from '../filter.ts'
import type { Bound } from './bound.ts'

/** Sorts after every character, so that `text || LAST` ends the range of texts with this prefix. */
const LAST = '\u{10FFFF}'
const GRAM_MIN = 3
const GRAM_MAX = 64

/** The SQL condition that the text `x` matches. LIKE and GLOB cannot be used: D1 limits patterns to 50 bytes. */
export function textFits(x: string, match: TextMatch, bound: Bound): string {
  switch (match.by) {
    case 'defined':
      return `${x} <> ''`
    case 'eq':
      return `${x} = ${bound.add(match.text)}`
    case 'starts_with':
      return `substr(${x}, 1, ${lengthOf(match.text)}) = ${bound.add(match.text)}`
    case 'ends_with':
      return `substr(${x}, -${lengthOf(match.text)}) = ${bound.add(match.text)}`
    case 'contains':
      return `instr(${x}, ${bound.add(match.text)}) > 0`
    case 'matches':
      return wildcardFits(x, match.text, bound)
  }
}

/** A condition that an index on `column` answers and that every match meets; null without such a condition. */
export function textSeek(column: string, match: TextMatch, bound: Bound): string | null {
  switch (match.by) {
    case 'defined':
      return `${column} > ''`
    case 'eq':
      return `${column} = ${bound.add(match.text)}`
    case 'starts_with':
      return `${column} >= ${bound.add(match.text)} and ${column} < ${bound.add(match.text + LAST)}`
    case 'matches': {
      const [head = '', ...rest] = match.text.split('*')
      if (rest.length === 0) return textSeek(column, { by: 'eq', text: head }, bound)
      return head === '' ? null : textSeek(column, { by: 'starts_with', text: head }, bound)
    }
    case 'ends_with':
    case 'contains':
      return null
  }
}

/** The full-text query for the longest run of characters that every match has; null if it has fewer than three
 * characters, the length of the index's grams. */
export function gramQuery(match: TextMatch): string | null {
  if (match.by === 'defined') return null
  const runs = match.by === 'matches' ? match.text.split('*') : [match.text]
  const longest = runs.map((run) => Array.from(run)).sort((a, b) => b.length - a.length)[0] ?? []
  if (longest.length < GRAM_MIN) return null
  return `"${longest.slice(0, GRAM_MAX).join('').replaceAll('"', '""')}"`
}

/** As `matchesWildcard`: head and tail at the ends, the parts between them in order, each found once from the left. The
 * time is linear in the text for each part. */
function wildcardFits(x: string, pattern: string, bound: Bound): string {
  const [head = '', ...parts] = pattern.split('*')
  if (parts.length === 0) return `${x} = ${bound.add(head)}`
  const tail = parts.pop() ?? ''
  const inner = parts.filter((part) => part !== '')
  const ends = lengthOf(head) + lengthOf(tail)
  const conditions: string[] = []
  if (ends > 0) conditions.push(`length(${x}) >= ${ends}`)
  if (head !== '') conditions.push(textFits(x, { by: 'starts_with', text: head }, bound))
  if (tail !== '') conditions.push(textFits(x, { by: 'ends_with', text: tail }, bound))
  const middle = `substr(${x}, ${lengthOf(head) + 1}, length(${x}) - ${ends})`
  const [only] = inner
  if (inner.length === 1 && only !== undefined) conditions.push(`instr(${middle}, ${bound.add(only)}) > 0`)
  if (inner.length > 1) conditions.push(inOrder(middle, inner, bound))
  return conditions.length === 0 ? '1' : conditions.join(' and ')
}

function inOrder(x: string, parts: readonly string[], bound: Bound): string {
  const list = bound.add(JSON.stringify(parts))
  return `(with recursive step(n, rest) as (
    select 0, ${x}
    union all
    select n + 1, substr(rest, instr(rest, part.value) + length(part.value))
    from step join json_each(${list}) part on part.key = n
    where instr(rest, part.value) > 0
  ) select max(n) from step) = ${parts.length}`
}

/** The number of characters as SQLite counts them. */
function lengthOf(text: string): number {
  return Array.from(text).length
}
