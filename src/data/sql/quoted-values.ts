import { SPELLINGS, charAt, stickyEnd } from './spelling.ts'
import type { Dialect } from './spelling.ts'

/** A value in quotes, and its place in the text. */
type Quoted = { readonly value: string; readonly start: number; readonly end: number }
type Around = { readonly start: number; readonly end: number }
/** The value as it is written there, or why it cannot be. */
type Escaped = { readonly text: string; readonly complaint?: string }

const NAME_BYTES_MAX = 63

/** A value within the quotes of a string. */
export function withinString(
  { value, start }: Quoted,
  text: string,
  string: Around,
  dialect: Dialect,
): Escaped {
  const { stringPrefix, escapes } = SPELLINGS[dialect]
  if (value.includes('\0') || !value.isWellFormed()) return refused('contains NUL or half of a character')
  if (text[string.start] === '$') return refused('stands in a string between dollars: write quotes')
  const opened = stickyEnd(stringPrefix, text, string.start) ?? string.start
  const prefix = text.slice(string.start, opened).toLowerCase()
  if (prefix === 'x' || prefix === 'b') return refused('stands in a string of bytes')
  const quote = charAt(text, opened)
  const doubled = value.replaceAll(quote, quote + quote)
  if (escapes !== 'always' && prefix !== 'e') return { text: doubled }
  const backslashes = /\\*$/.exec(text.slice(opened + 1, start))?.[0].length ?? 0
  if (backslashes % 2 === 1)
    return refused('stands after a backslash, which would change its first character')
  return { text: doubled.replaceAll('\\', '\\\\') }
}

/** A value within the quotes of a name. */
export function withinName(
  { value, start, end }: Quoted,
  text: string,
  quotes: Around,
  dialect: Dialect,
): Escaped {
  if (value === '' || value.includes('\0') || !value.isWellFormed())
    return refused('is not a name: it is empty, or contains NUL or half of a character')
  const around = text.slice(quotes.start + 1, start) + text.slice(end, quotes.end - 1)
  if (new TextEncoder().encode(value + around).length > NAME_BYTES_MAX)
    return refused(`is a name of more than ${NAME_BYTES_MAX} bytes`)
  const quote = charAt(text, quotes.start)
  if (quote === '[') return value.includes(']') ? refused('contains a bracket') : { text: value }
  // MySQL removes spaces at the end of a name.
  if (dialect === 'mysql' && value.endsWith(' ')) return refused('is a name that ends with a space')
  if (dialect === 'mysql' && /[\u{10000}-\u{10ffff}]/u.test(value))
    return refused('is a name with a character beyond U+FFFF')
  return { text: value.replaceAll(quote, quote + quote) }
}

const refused = (complaint: string): Escaped => ({ text: '', complaint })
