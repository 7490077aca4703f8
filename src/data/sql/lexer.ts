import { charAt, endOfBlockComment, endOfQuotes, SPELLINGS, stickyEnd } from './spelling.ts'
import type { Dialect, Spelling } from './spelling.ts'
import { TextFault } from './text-fault.ts'

export type TokenKind =
  | 'word'
  | 'name'
  | 'string'
  | 'number'
  | 'parameter'
  | 'operator'
  | 'punctuation'
  | 'comment'

/** A token of SQL. A `word` is a keyword or a name without quotes, a `name` has quotes. */
export type Token = {
  readonly kind: TokenKind
  /** The index of the first character of the token in the text, from 0. */
  readonly start: number
  readonly end: number
  /** The token as written; of names and strings the content, without quotes and escapes. */
  readonly value: string
}

/** Splits SQL into tokens, as the database of this dialect does. Some spellings that databases accept are refused, so that
 * a text has one meaning: `U&"…"`, `/*! … *\/`, variables, and control characters.
 * @throws {TextFault} at the first character that begins no token */
export function tokensOf(text: string, dialect: Dialect): readonly Token[] {
  const spelling = SPELLINGS[dialect]
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    at = stickyEnd(spelling.spaces, text, at) ?? at
    if (at >= text.length) return tokens
    const next = tokenAt({ text, at, spelling, before: tokens.at(-1) })
    refuseAmbiguous(text, spelling, tokens, next)
    tokens.push(next)
    at = next.end
  }
}

type Cursor = {
  readonly text: string
  readonly at: number
  readonly spelling: Spelling
  readonly before: Token | undefined
}

function tokenAt(cursor: Cursor): Token {
  refuseTraps(cursor)
  const found = commentAt(cursor) ?? quotedAt(cursor) ?? plainAt(cursor)
  if (found) return found
  throw new TextFault(cursor.at, 'is a character that SQL does not have here')
}

function refuseTraps({ text, at, spelling: { commands, unicodePrefix } }: Cursor): void {
  if (commands && stickyEnd(commands, text, at) !== undefined)
    throw new TextFault(at, 'begins a comment that the database executes')
  if (unicodePrefix && stickyEnd(unicodePrefix, text, at) !== undefined)
    throw new TextFault(at, 'is a string or a name with Unicode escapes: write the characters')
}

function commentAt({ text, at, spelling }: Cursor): Token | undefined {
  const isBlock = text.startsWith('/*', at)
  const end = isBlock
    ? endOfBlockComment(text, at, spelling.hasNestedComments)
    : stickyEnd(spelling.lineComment, text, at)
  return end === undefined ? undefined : token('comment', text, at, end)
}

function quotedAt({ text, at, spelling }: Cursor): Token | undefined {
  if (spelling.hasDollarQuotes && text[at] === '$') return dollarQuotedAt(text, at)
  const opened = stickyEnd(spelling.stringPrefix, text, at) ?? at
  const kind = spelling.quotes[charAt(text, opened)]
  if (kind === undefined) return undefined
  const prefix = text.slice(at, opened).toLowerCase()
  const inside = prefix === 'x' || prefix === 'b' ? 'bytes' : escapesOf(spelling, kind, prefix)
  const { end, value } = endOfQuotes(text, opened, inside)
  if (inside === 'bytes' && spelling.hasStrictBytes) refuseOddBytes(at, value)
  if (kind === 'name' && value === '') throw new TextFault(at, 'is an empty name')
  return { kind, start: at, end, value }
}

function refuseOddBytes(at: number, digits: string): void {
  if (/^[0-9a-f]*$/i.test(digits)) return
  throw new TextFault(at, 'is a string of bytes with other characters than digits')
}

function escapesOf(spelling: Spelling, kind: 'string' | 'name', prefix: string): 'escapes' | 'doubled' {
  const hasEscapes = kind === 'string' && (spelling.escapes === 'always' || prefix === 'e')
  return hasEscapes ? 'escapes' : 'doubled'
}

function dollarQuotedAt(text: string, at: number): Token | undefined {
  const opened = stickyEnd(/\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y, text, at)
  if (opened === undefined) return undefined
  const closed = text.indexOf(text.slice(at, opened), opened)
  if (closed < 0) throw new TextFault(at, 'begins a string that does not end')
  return { kind: 'string', start: at, end: closed + opened - at, value: text.slice(opened, closed) }
}

function plainAt({ text, at, spelling, before }: Cursor): Token | undefined {
  const path = spelling.hasNumericNames ? placeInPath(before) : 'elsewhere'
  if (path === 'after a name' && text[at] === '.') return token('punctuation', text, at, at + 1)
  const number = path === 'after a dot' ? undefined : numberAt(text, at, spelling)
  if (number) return number
  for (const kind of ['word', 'parameter', 'operator', 'punctuation'] as const) {
    const end = kind === 'operator' ? operatorEnd(spelling, text, at) : stickyEnd(spelling[kind], text, at)
    if (end !== undefined) return token(kind, text, at, end)
  }
  return undefined
}

function placeInPath(before: Token | undefined): 'after a name' | 'after a dot' | 'elsewhere' {
  if (before?.kind === 'word' || before?.kind === 'name') return 'after a name'
  return before?.kind === 'punctuation' && before.value === '.' ? 'after a dot' : 'elsewhere'
}

function numberAt(text: string, at: number, { number, junk }: Spelling): Token | undefined {
  const end = stickyEnd(number, text, at)
  if (end === undefined) return undefined
  if (junk && stickyEnd(junk, text, end) !== undefined)
    throw new TextFault(at, 'is a number with letters after it')
  return token('number', text, at, end)
}

/** PostgreSQL takes the longest run of the characters of operators, up to a comment; a run that ends with a sign keeps it
 * only if it has a character that SQL's own operators have not. */
function operatorEnd(spelling: Spelling, text: string, at: number): number | undefined {
  let end = stickyEnd(spelling.operator, text, at)
  if (end === undefined || !spelling.hasOwnOperators) return end
  const comment = /--|\/\*/.exec(text.slice(at, end))
  if (comment) end = at + comment.index
  const isOwn = (run: string) => /[~!@#^&|`?%]/.test(run)
  while (end - at > 1 && /[+-]/.test(charAt(text, end - 1)) && !isOwn(text.slice(at, end - 1))) end -= 1
  return end
}

/** A string that goes on after a comment keeps the escapes of its beginning, in PostgreSQL; other scanners end it. */
function refuseAmbiguous(text: string, spelling: Spelling, tokens: readonly Token[], next: Token): void {
  if (spelling.escapes !== 'prefixed' || next.kind !== 'string' || text[next.start] !== "'") return
  let index = tokens.length - 1
  while (tokens[index]?.kind === 'comment') index -= 1
  const before = tokens[index]
  if (index === tokens.length - 1 || before?.kind !== 'string') return
  throw new TextFault(next.start, 'continues a string after a comment')
}

function token(kind: TokenKind, text: string, start: number, end: number): Token {
  return { kind, start, end, value: text.slice(start, end) }
}
