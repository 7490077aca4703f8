import { TemplateFault } from '../fault.ts'
import { ExpressionParser } from './expressions.ts'
import { directives } from './directives.ts'
import { Loops } from './loops.ts'
import { partsOf, stringPartsOf } from './parts.ts'
import type { Part } from './parts.ts'
import type { Opened, Reader } from './reader.ts'
import { substituted } from './substitution.ts'
import type { Token } from './tokens.ts'
import type { Expression, Node, NodeBody } from './tree.ts'
import { stripWhitespace } from './whitespace.ts'

const DEPTH_MAX = 50
const DIGITS_MAX = 50
const NUMERIC_FORMAT = /^(?:[mM]\d+){1,2}$/

/** The tree of a template.
 * @throws {TemplateFault} with the position of the first fault */
export function parse(text: string): readonly Node[] {
  const parser = new Parser(partsOf(text), new Loops())
  const nodes = parser.content()
  const rest = parser.peek()
  if (rest) throw new TemplateFault(rest.at, 'closes or continues a directive that is not open', 'syntax')
  return stripWhitespace(text, nodes)
}

/** Reads the elements of a template. */
class Parser implements Reader {
  #index = 0
  /** The directives around; none at the beginning. */
  #depth = -1
  /** The expressions of the `escape` directives around, the innermost last. */
  readonly escapes: { readonly name: string; readonly by: Expression }[] = []
  /** The definition around, in which `local`, `nested` and `return` are allowed. */
  routine: 'macro' | 'function' | null = null

  constructor(
    private readonly parts: readonly Part[],
    readonly loops: Loops,
  ) {}

  peek(): Part | undefined {
    return this.parts[this.#index]
  }

  take(): Part | undefined {
    const part = this.peek()
    if (part) this.#index += 1
    return part
  }

  /** The elements up to a tag that does not begin one. */
  content(): Node[] {
    this.#depth += 1
    const nodes: Node[] = []
    for (let node = this.#node(); node; node = this.#node()) nodes.push(node)
    this.#depth -= 1
    return nodes
  }

  /** The end of the directive that began here.
   * @returns the part that ends it */
  close(name: string, opened: Part): Part {
    const part = this.take()
    if (part?.kind === 'close' && part.name === name) return part
    throw part
      ? new TemplateFault(part.at, `#${name} is not closed before`, 'syntax')
      : new TemplateFault(opened.at, `#${name} is not closed`, 'syntax')
  }

  /** Takes the tag that begins a section, such as `else`. */
  takeOpen(...names: readonly string[]): Opened | undefined {
    const part = this.peek()
    if (part?.kind !== 'open' || !names.includes(part.name)) return undefined
    this.#index += 1
    return part
  }

  expressions(tokens: readonly Token[]): ExpressionParser {
    return new ExpressionParser(tokens, {
      isLoopVariable: (name) => this.loops.has(name),
      filledText: (token) => this.#filledText(token),
    })
  }

  /** The node from the beginning of one part to the end of another. */
  node(body: NodeBody, from: Part, to: { readonly end: number }, children: Node[] = []): Node {
    return { ...body, at: from.at, end: to.end, children }
  }

  #node(): Node | undefined {
    const part = this.peek()
    if (!part || part.kind === 'close' || part.kind === 'close call') return undefined
    if (this.#depth > DEPTH_MAX)
      throw new TemplateFault(part.at, `is nested deeper than ${DEPTH_MAX} levels`, 'limit')
    switch (part.kind) {
      case 'text':
      case 'unparsed':
        this.#index += 1
        return this.node({ kind: 'text', text: part.text }, part, part)
      case 'comment':
        this.#index += 1
        return this.node({ kind: 'comment' }, part, part)
      case 'value':
        this.#index += 1
        return this.#value(part)
      case 'call':
        this.#index += 1
        return directives.call(this, part)
      case 'open':
        return this.#directive(part)
    }
  }

  #directive(part: Opened): Node | undefined {
    const read = directives.named.get(part.name)
    if (!read) return undefined
    this.#index += 1
    return read(this, part, this.expressions(part.tokens))
  }

  #value(part: Extract<Part, { readonly kind: 'value' }>): Node {
    const reader = this.expressions(part.tokens)
    const value = reader.expression()
    const digits = part.isNumeric ? numericDigits(reader) : null
    reader.end(false)
    if (value.kind === 'hash' || value.kind === 'sequence')
      throw new TemplateFault(value.at, `a ${value.kind} cannot be written`, 'syntax')
    const escape = part.isNumeric ? undefined : this.escapes.at(-1)
    const escaped = escape ? substituted(escape.by, escape.name, value) : value
    return this.node({ kind: 'value', value: escaped, digits }, part, part)
  }

  #filledText({ text, at, end }: Token): readonly Node[] {
    try {
      const placed = stringPartsOf(text).map((part) =>
        part.kind === 'value'
          ? { ...part, tokens: part.tokens.map((token) => ({ ...token, at, end })), at, end }
          : { ...part, at, end },
      )
      return new Parser(placed, this.loops).content()
    } catch (error) {
      if (error instanceof TemplateFault) throw new TemplateFault(at, error.complaint, error.code)
      throw error
    }
  }
}

/** The least and the most digits of `#{value; m2M4}`; without a format, any number of digits. */
function numericDigits(reader: ExpressionParser): readonly [number, number] {
  if (!reader.takeMark(';')) return [0, DIGITS_MAX]
  const { at } = reader.token
  const format = reader.takeName()
  const asked = new Map(
    [...format.matchAll(/([mM])(\d+)/g)].map(([, letter, digits]) => [letter, Number(digits)]),
  )
  const least = asked.get('m') ?? 0
  const most = asked.get('M') ?? least
  const isFormat = NUMERIC_FORMAT.test(format) && asked.size === format.replaceAll(/\d/g, '').length
  if (!isFormat || least > most || most > DIGITS_MAX) reader.fail(`${format} is not a number of digits`, at)
  return [least, most]
}
