import { TemplateFault } from '../fault.ts'
import { expressionTokens } from './tokens.ts'
import type { Token } from './tokens.ts'

/** A part of a template, between which no text is lost. */
export type Part = { readonly at: number; readonly end: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'comment' }
  | { readonly kind: 'unparsed'; readonly text: string }
  | { readonly kind: 'value'; readonly tokens: readonly Token[]; readonly isNumeric: boolean }
  | { readonly kind: 'open'; readonly name: string; readonly tokens: readonly Token[] }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'call'; readonly tokens: readonly Token[] }
  | { readonly kind: 'close call'; readonly name: string }
)

/** Directives with expressions in their tag. */
const WITH_EXPRESSIONS: ReadonlySet<string> = new Set(
  'if elseif list items foreach switch case assign global local include function macro stop return setting nested escape'.split(
    ' ',
  ),
)
/** Directives that may stand alone, with `/` before the end of their tag. */
const ALONE: ReadonlySet<string> = new Set('else break continue return stop t lt rt nt nested'.split(' '))
/** Directives whose tag has no expression. */
const BARE: ReadonlySet<string> = new Set('attempt recover sep compress default noescape'.split(' '))
const CLOSED: ReadonlySet<string> = new Set(
  'if list items sep recover attempt foreach local global assign function macro compress switch escape noescape'.split(
    ' ',
  ),
)
const START = /<#--|\[#--|<\/?[#@]|\[\/?[#@]|\$\{|#\{/g

/** Splits a template into text, interpolations and tags.
 * @throws {TemplateFault} for directives that do not exist */
export function partsOf(text: string): readonly Part[] {
  return new Splitter(text).parts()
}

/** Splits the text of a string with interpolations, which has no tags. */
export function stringPartsOf(text: string): readonly Part[] {
  return new Splitter(text, false).parts()
}

class Splitter {
  readonly #parts: Part[] = []
  /** Which brackets tags have; the first tag decides. */
  #isSquare: boolean | undefined
  #textAt = 0
  #at = 0

  constructor(
    private readonly text: string,
    private readonly hasTags = true,
  ) {}

  parts(): readonly Part[] {
    for (;;) {
      START.lastIndex = this.#at
      const found = START.exec(this.text)
      if (!found) break
      this.#at = found.index
      const part = this.#part(found[0])
      if (part) this.#push(part)
      else this.#at = found.index + 1
    }
    this.#endText(this.text.length)
    return this.#parts
  }

  #push(part: Part): void {
    this.#endText(part.at)
    this.#parts.push(part)
    this.#at = part.end
    this.#textAt = part.end
  }

  #endText(end: number): void {
    const [at, text] = [this.#textAt, this.text.slice(this.#textAt, end)]
    if (text !== '') this.#parts.push({ kind: 'text', text, at, end })
  }

  #part(mark: string): Part | undefined {
    const at = this.#at
    if (mark === '${' || mark === '#{') {
      const tokens = expressionTokens(this.text, at + 2, 'interpolation')
      return { kind: 'value', tokens, isNumeric: mark === '#{', at, end: endOf(tokens) }
    }
    const isSquare = mark.startsWith('[')
    if (!this.hasTags || (this.#isSquare ?? isSquare) !== isSquare) return undefined
    if (mark.endsWith('--')) return this.#comment(at, isSquare)
    if (mark.endsWith('@')) return this.#call(at, mark, isSquare)
    return this.#directive(at, mark, isSquare)
  }

  #comment(at: number, isSquare: boolean): Part {
    this.#isSquare = isSquare
    const end = this.text.indexOf(isSquare ? '--]' : '-->', at + 4)
    if (end < 0) this.#fail(at, 'begins a comment that does not end')
    return { kind: 'comment', at, end: end + 3 }
  }

  #call(at: number, mark: string, isSquare: boolean): Part | undefined {
    if (mark.length === 3) {
      const close = /[<[]\/@((?:[\w$@](?:[\w$@]|\\[-.:])*(?:\.[\w$@]+)*)?)[ \t\n\r]*[>\]]/y
      close.lastIndex = at
      const found = close.exec(this.text)
      if (!found) return undefined
      return { kind: 'close call', name: found[1] ?? '', at, end: close.lastIndex }
    }
    this.#isSquare = isSquare
    const tokens = expressionTokens(this.text, at + 2, isSquare ? 'square call' : 'call')
    return { kind: 'call', tokens, at, end: endOf(tokens) }
  }

  #directive(at: number, mark: string, isSquare: boolean): Part | undefined {
    const naming = /[A-Za-z_]+/y
    naming.lastIndex = at + mark.length
    const name = naming.exec(this.text)?.[0]
    if (name === undefined) return undefined
    this.#isSquare = isSquare
    const after = at + mark.length + name.length
    if (mark.length === 3) return this.#close(at, after, name)
    if (name === 'noparse' || name === 'comment') return this.#unparsed(at, after, name)
    const bare = this.#bareEnd(after, name)
    if (bare !== undefined) return { kind: 'open', name, tokens: [], at, end: bare }
    if (!WITH_EXPRESSIONS.has(name) || !/[ \t\n\r]/.test(this.text[after] ?? ''))
      this.#fail(at, `#${name} is not a directive, or its tag is incomplete`)
    const tokens = expressionTokens(this.text, after, isSquare ? 'square tag' : 'tag')
    return { kind: 'open', name, tokens, at, end: endOf(tokens) }
  }

  #bareEnd(after: number, name: string): number | undefined {
    return BARE.has(name) || ALONE.has(name) ? this.#tagEnd(after, ALONE.has(name)) : undefined
  }

  #close(at: number, after: number, name: string): Part {
    const end = this.#tagEnd(after, false)
    if (!CLOSED.has(name) || end === undefined) this.#fail(at, `/#${name} is not the end of a directive`)
    return { kind: 'close', name, at, end: end ?? after }
  }

  #unparsed(at: number, after: number, name: string): Part {
    const from = this.#tagEnd(after, false)
    if (from === undefined) this.#fail(at, `#${name} has an incomplete tag`)
    const close = new RegExp(`[<[]/#?${name}[ \\t\\n\\r]*[>\\]]`, 'g')
    close.lastIndex = from ?? after
    const found = close.exec(this.text)
    if (!found) this.#fail(at, `#${name} is not closed`)
    const end = close.lastIndex
    if (name === 'comment') return { kind: 'comment', at, end }
    return { kind: 'unparsed', text: this.text.slice(from, found?.index), at, end }
  }

  /** Where a tag without expression ends. */
  #tagEnd(after: number, mayBeAlone: boolean): number | undefined {
    const close = mayBeAlone ? /[ \t\n\r]*\/?([>\]])/y : /[ \t\n\r]*([>\]])/y
    close.lastIndex = after
    const found = close.exec(this.text)
    return found && (found[1] === ']') === this.#isSquare ? close.lastIndex : undefined
  }

  #fail(at: number, complaint: string): never {
    throw new TemplateFault(at, complaint, 'syntax')
  }
}

const endOf = (tokens: readonly Token[]): number => tokens.at(-1)?.end ?? 0
