import { TextFault } from './text-fault.ts'

/** The kinds of SQL that a data source may have. */
export type Dialect = 'postgresql' | 'mysql' | 'duckdb' | 'sqlite'

/** How a dialect spells its tokens. All patterns are sticky. */
export type Spelling = {
  readonly spaces: RegExp
  readonly lineComment: RegExp
  readonly hasNestedComments: boolean
  /** Comments that the database executes. */
  readonly commands: RegExp | null
  readonly quotes: Readonly<Record<string, 'string' | 'name'>>
  /** Letters that may stand before the quote of a string. */
  readonly stringPrefix: RegExp
  readonly unicodePrefix: RegExp | null
  /** Where backslashes escape: in all strings, or in those with an `E`. */
  readonly escapes: 'always' | 'prefixed'
  readonly hasDollarQuotes: boolean
  /** Strings of bytes have digits only. */
  readonly hasStrictBytes: boolean
  readonly number: RegExp
  /** Characters that may not follow a number. */
  readonly junk: RegExp | null
  /** Names that follow a dot may begin with digits. */
  readonly hasNumericNames: boolean
  readonly word: RegExp
  readonly parameter: RegExp
  readonly operator: RegExp
  readonly hasOwnOperators: boolean
  readonly punctuation: RegExp
}

const DIGITS = String.raw`\d(?:_?\d)*`
const EXPONENT = String.raw`(?:[eE][+-]?${DIGITS})?`

const POSTGRESQL: Spelling = {
  spaces: /[ \t\n\r\f\v]+/y,
  lineComment: /--[^\n\r]*/y,
  hasNestedComments: true,
  commands: null,
  quotes: { "'": 'string', '"': 'name' },
  stringPrefix: /[eExXbB](?=')/y,
  unicodePrefix: /[uU]&['"]/y,
  escapes: 'prefixed',
  hasDollarQuotes: true,
  hasStrictBytes: false,
  // `1..2` is a range: the first dot is not of the number.
  number: new RegExp(
    String.raw`0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:${DIGITS}(?:\.(?!\.)(?:${DIGITS})?)?|\.${DIGITS})${EXPONENT}`,
    'y',
  ),
  junk: /[\w$\u0080-\uffff]/y,
  hasNumericNames: false,
  word: /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y,
  parameter: /\$\d+/y,
  operator: /::|:=|\.\.|[~!@#^&|`?+\-*/%<>=]+/y,
  hasOwnOperators: true,
  punctuation: /[(),;.:[\]{}\\$]/y,
}

// DuckDB takes each of these for a space, if it stands outside of quotes.
const UNICODE_SPACES = String.raw`\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2060\u3000\ufeff`

export const SPELLINGS: Readonly<Record<Dialect, Spelling>> = {
  postgresql: POSTGRESQL,
  duckdb: {
    ...POSTGRESQL,
    word: new RegExp(
      String.raw`(?![${UNICODE_SPACES}])[A-Za-z_\u0080-\uffff](?:(?![${UNICODE_SPACES}])[\w$\u0080-\uffff])*`,
      'y',
    ),
  },
  mysql: {
    spaces: /[ \t\n\r\f\v]+/y,
    lineComment: /#[^\n]*|--(?=[\s]|$)[^\n]*/y,
    hasNestedComments: false,
    // MariaDB has comments of its own, and hints set variables.
    commands: /\/\*(?:M?!|\+)/y,
    quotes: { "'": 'string', '"': 'string', '`': 'name' },
    stringPrefix: /[xXbBnN](?=')/y,
    unicodePrefix: null,
    escapes: 'always',
    hasDollarQuotes: false,
    hasStrictBytes: true,
    number:
      /0x[\da-fA-F]+(?![\w$\u0080-\uffff])|0b[01]+(?![\w$\u0080-\uffff])|\d+[eE][+-]?\d+|\d+(?![\w$\u0080-\uffff])(?:\.\d*(?:[eE][+-]?\d+)?)?|\.\d+(?:[eE][+-]?\d+)?/y,
    junk: null,
    hasNumericNames: true,
    word: /[\w$\u0080-\uffff]+/y,
    parameter: /\?/y,
    operator: /<=>|<=|>=|<>|!=|:=|->>|->|\|\||&&|<<|>>|[~!^&|+\-*/%<>=]/y,
    hasOwnOperators: false,
    punctuation: /[(),;.:[\]{}\\@]/y,
  },
  sqlite: {
    spaces: /[ \t\n\r\f]+/y,
    lineComment: /--[^\n]*/y,
    hasNestedComments: false,
    commands: null,
    quotes: { "'": 'string', '"': 'name', '`': 'name', '[': 'name' },
    stringPrefix: /[xX](?=')/y,
    unicodePrefix: null,
    escapes: 'prefixed',
    hasDollarQuotes: false,
    hasStrictBytes: true,
    number: new RegExp(
      String.raw`0[xX][\da-fA-F]+|(?:${DIGITS}(?:\.(?:${DIGITS})?)?|\.${DIGITS})${EXPONENT}`,
      'y',
    ),
    junk: /[\w$\u0080-\uffff]/y,
    hasNumericNames: false,
    word: /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y,
    // A variable may go on with parentheses that contain quotes: only numbers are variables here.
    parameter: /\$\d+(?![\w$:(\u0080-\uffff])/y,
    operator: /->>|->|\|\||<<|>>|<=|>=|<>|!=|==|[~&|+\-*/%<>=]/y,
    hasOwnOperators: false,
    punctuation: /[(),;.]/y,
  },
}

/** Where a match that begins here ends. */
export function stickyEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

export const charAt = (text: string, at: number): string => text[at] ?? ''

/** The end of the comment that begins here.
 * @throws {TextFault} when it does not end */
export function endOfBlockComment(text: string, start: number, isNested: boolean): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start + 2
  let depth = 1
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    if (found[0] === '*/') depth -= 1
    else if (isNested) depth += 1
    // In `/*/` of a comment without nesting, the star still ends it: `/*/ */`.
    else mark.lastIndex = found.index + 1
    if (depth === 0) return mark.lastIndex
  }
  throw new TextFault(start, 'begins a comment that does not end')
}

/** The end and the content of the quotes that open here. A string of bytes ends at its first quote.
 * @throws {TextFault} when they do not close, or contain NUL */
export function endOfQuotes(
  text: string,
  opened: number,
  inside: 'escapes' | 'doubled' | 'bytes',
): { readonly end: number; readonly value: string } {
  const open = charAt(text, opened)
  const close = open === '[' ? ']' : open
  let value = ''
  for (let at = opened + 1; at < text.length; at += 1) {
    const char = charAt(text, at)
    if (char === '\0') throw new TextFault(at, 'is NUL')
    if (char === '\\' && inside === 'escapes') {
      const escaped = escapeAt(text, at)
      value += escaped.value
      at = escaped.end - 1
    } else if (char !== close) value += char
    else if (open !== '[' && inside !== 'bytes' && text[at + 1] === close) {
      value += char
      at += 1
    } else return { end: at + 1, value }
  }
  throw new TextFault(opened, 'opens quotes that do not close')
}

const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', Z: '\x1a' }

function escapeAt(text: string, at: number): { readonly end: number; readonly value: string } {
  const code = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3}))/y
  code.lastIndex = at
  const [whole, hex, short, long, octal] = code.exec(text) ?? []
  const digits = hex ?? short ?? long
  const point = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16)
  if (whole !== undefined && point <= 0x10ffff)
    return { end: at + whole.length, value: String.fromCodePoint(point) }
  const letter = charAt(text, at + 1)
  return { end: at + 2, value: LETTERS[letter] ?? letter }
}
