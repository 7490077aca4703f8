import { TemplateFault } from '../fault.ts'

export type TokenKind = 'name' | 'number' | 'text' | 'raw text' | 'mark' | 'space' | 'end'

/** A token of an expression. Its `text` is normalised: `gt` is `>`, a string has no quotes. */
export type Token = {
  readonly kind: TokenKind
  readonly text: string
  /** As written. */
  readonly raw: string
  readonly at: number
  readonly end: number
  /** Of `!`: whether whitespace follows, outside of parentheses. */
  readonly isSpaced?: boolean
}

/** The place of an expression, which decides its end and the meaning of `>`. */
export type Surroundings = 'tag' | 'square tag' | 'call' | 'square call' | 'interpolation'

const NAME =
  /(?:[$@-Z_a-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3040-\u318f\u31a0-\u31ba\u3300-\u337f\u3400-\u4db5\u4e00-\ua48c\uac00-\ud7a3\uf900-\ufb06]|\\[-.:#])(?:[$@-Z_a-z0-9\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3040-\u318f\u31a0-\u31ba\u3300-\u337f\u3400-\u4db5\u4e00-\ua48c\uac00-\ud7a3\uf900-\ufb06]|\\[-.:#])*/y
const NUMBER = /\d+(?:\.\d+)?/y
const SPACE = /[ \t\n\r]+/y
const COMMENT = /[<[][#!]--[^]*?--[>\]]/y
const TEXT =
  /"(?:[^"\\]|\\(?:[ntrfbgla\\'"{=]|x[\dA-Fa-f]))*"|'(?:[^'\\]|\\(?:[ntrfbgla\\'"{=]|x[\dA-Fa-f]))*'/y
const RAW = /r(?:"[^"]*"|'[^']*')/y
const MARK =
  /\\(?:lte?|gte?|and)(?![\w$@])|&lt;=|&gt;=|&lt;|&gt;|&amp;&amp;|-&gt;|\.\.\.|\.\.[<!*]|\.\.|\?\?|[=!+\-*/%]=|==|\+\+|--|->|<=|&&|\|\||\*\*|[.?=+\-*/%<&|!,;:[\](){}]/y

/** Spellings of the same mark. */
const SAME: Readonly<Record<string, string>> = {
  '\\lt': '<',
  '&lt;': '<',
  lt: '<',
  '\\lte': '<=',
  '&lt;=': '<=',
  lte: '<=',
  '\\gt': '>',
  '&gt;': '>',
  gt: '>',
  '\\gte': '>=',
  '&gt;=': '>=',
  gte: '>=',
  '&': '&&',
  '&amp;&amp;': '&&',
  '\\and': '&&',
  '|': '||',
  '-&gt;': '->',
  '..!': '..<',
  '=': '=',
}
const WORDS: ReadonlySet<string> = new Set(['lt', 'lte', 'gt', 'gte'])

/** Splits the expressions of a tag or of an interpolation into tokens. The last one is its end: `>`, `/>` or `}`. */
export function expressionTokens(text: string, at: number, surroundings: Surroundings): readonly Token[] {
  return new Lexer(text, at, surroundings).tokens()
}

class Lexer {
  #at: number
  #parentheses = 0
  #brackets = 0
  #braces = 0
  /** The name of a call ends at the first whitespace. */
  #isInName: boolean
  readonly #isSquare: boolean

  constructor(
    private readonly text: string,
    at: number,
    private readonly surroundings: Surroundings,
  ) {
    this.#at = at
    this.#isInName = surroundings === 'call' || surroundings === 'square call'
    this.#isSquare = surroundings === 'square tag' || surroundings === 'square call'
  }

  tokens(): readonly Token[] {
    const tokens: Token[] = []
    for (;;) {
      const token = this.#next()
      if (token) tokens.push(token)
      if (token?.kind === 'end') return tokens
    }
  }

  #next(): Token | undefined {
    const at = this.#at
    const space = this.#match(SPACE)
    if (space !== undefined) return this.#space(at, space)
    if ((!this.#isInName || this.#parentheses > 0) && this.#match(COMMENT) !== undefined) return undefined
    const text = this.#match(TEXT)
    if (text !== undefined) return this.#token('text', unescaped(text.slice(1, -1), at), at)
    const raw = this.#match(RAW)
    if (raw !== undefined) return this.#token('raw text', raw.slice(2, -1), at)
    const number = this.#match(NUMBER)
    if (number !== undefined) return this.#token('number', number, at)
    return this.#end(at) ?? this.#greater(at) ?? this.#word(at) ?? this.#mark(at)
  }

  #space(at: number, space: string): Token | undefined {
    if (!this.#isInName || this.#parentheses > 0) return undefined
    this.#isInName = false
    return this.#token('space', space, at)
  }

  /** The end of the tag or of the interpolation. */
  #end(at: number): Token | undefined {
    if (this.#parentheses > 0) return undefined
    if (this.surroundings === 'interpolation')
      return this.text[at] === '}' && this.#braces === 0 ? this.#ended(at, 1) : undefined
    const close = this.#isSquare ? ']' : '>'
    const isOpen = this.#isSquare && this.#brackets > 0
    if (this.text[at] === close && !isOpen) return this.#ended(at, 1)
    if (this.text.startsWith(`/${close}`, at)) return this.#ended(at, 2)
    return undefined
  }

  #ended(at: number, size: number): Token {
    this.#at += size
    return this.#token('end', size === 2 ? '/' : '', at)
  }

  #greater(at: number): Token | undefined {
    if (this.text[at] !== '>') return undefined
    this.#at += this.#parentheses > 0 && this.text[at + 1] === '=' ? 2 : 1
    return this.#token('mark', this.text.slice(at, this.#at), at)
  }

  #word(at: number): Token | undefined {
    const word = this.#match(NAME)
    if (word === undefined) return undefined
    if (WORDS.has(word)) return this.#token('mark', SAME[word] ?? word, at)
    return this.#token('name', word.replaceAll('\\', ''), at)
  }

  #mark(at: number): Token {
    if (/^(?:\$\{|#\{|\[=)/.test(this.text.slice(at, at + 2)))
      this.#fail(at, 'is an interpolation within an expression')
    const mark = this.#match(MARK)
    if (mark === undefined)
      this.#fail(at, at >= this.text.length ? 'the tag does not end' : 'is not expected in an expression')
    this.#count(mark ?? '', at)
    const isSpaced = mark === '!' && this.#parentheses === 0 && /[ \t\n\r]/.test(this.text[this.#at] ?? '')
    return { ...this.#token('mark', SAME[mark ?? ''] ?? mark ?? '', at), isSpaced }
  }

  #count(mark: string, at: number): void {
    if (mark === '(') this.#parentheses += 1
    else if (mark === ')') this.#parentheses -= 1
    else if (mark === '[') this.#brackets += 1
    else if (mark === '{') this.#braces += 1
    else if (mark === ']') this.#brackets -= 1
    else if (mark === '}') this.#braces -= 1
    if (mark === ')' && this.#parentheses === 0) this.#isInName = false
    if (this.#brackets < 0 || this.#braces < 0 || this.#parentheses < 0)
      this.#fail(at, `there is nothing open that ${mark} could close`)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #token(kind: TokenKind, text: string, at: number): Token {
    return { kind, text, raw: this.text.slice(at, this.#at), at, end: this.#at }
  }

  #fail(at: number, complaint: string): never {
    throw new TemplateFault(at, complaint, 'syntax')
  }
}

/** The string literal that begins at a character; undefined where none does. */
export function stringAt(
  text: string,
  at: number,
): { readonly text: string; readonly end: number } | undefined {
  for (const pattern of [TEXT, RAW]) {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found === undefined) continue
    const content = pattern === RAW ? found.slice(2, -1) : unescaped(found.slice(1, -1), at)
    return { text: content, end: at + found.length }
  }
  return undefined
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  b: '\b',
  g: '>',
  l: '<',
  a: '&',
}

function unescaped(text: string, at: number): string {
  return text.replaceAll(/\\(?:x([\dA-Fa-f]{1,4})|([^]))/g, (_, code: string | undefined, letter = '') => {
    if (code === undefined) return ESCAPES[letter as string] ?? String(letter)
    const point = Number.parseInt(code, 16)
    if (point === 0) throw new TemplateFault(at, 'a string cannot have NUL', 'syntax')
    return String.fromCharCode(point)
  })
}
