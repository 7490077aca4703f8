import { arityOf } from '../built-ins/names.ts'
import { TemplateFault } from '../fault.ts'
import { DIGITS_MAX, Decimal } from '../values/decimal.ts'
import { literal } from './literals.ts'
import type { Token } from './tokens.ts'
import type { Comparison, Expression, ExpressionOf, Node, Operator, RangeEnd } from './tree.ts'

/** The template around an expression. */
export type Surrounding = {
  /** Whether this is a loop variable here. */
  readonly isLoopVariable: (name: string) => boolean
  /** The nodes of a string with interpolations. */
  readonly filledText: (token: Token) => readonly Node[]
}

const PARTS_MAX = 10_000
const CHAIN_MAX = 500
const DEPTH_MAX = 50
const KEYWORDS: ReadonlySet<string> = new Set(['in', 'as', 'using', 'true', 'false'])

/** Parses the expressions of one tag. */
export class ExpressionParser {
  #index = 0
  #depth = 0
  /** Counts reading ahead, too, so that it stays linear. */
  #parts = 0
  /** Whether `!` with a space after it has no right side. */
  isNamed = false

  constructor(
    private readonly tokens: readonly Token[],
    private readonly surrounding: Surrounding,
  ) {}

  get token(): Token {
    return this.tokens[Math.min(this.#index, this.tokens.length - 1)] as Token
  }

  get following(): Token | undefined {
    return this.tokens[this.#index + 1]
  }

  next(): Token {
    const { token } = this
    this.#index += 1
    return token
  }

  isMark(...marks: readonly string[]): boolean {
    return this.token.kind === 'mark' && marks.includes(this.token.text)
  }

  takeMark(...marks: readonly string[]): Token | undefined {
    return this.isMark(...marks) ? this.next() : undefined
  }

  isKeyword(word: string): boolean {
    return this.token.kind === 'name' && this.token.text === word
  }

  takeKeyword(word: string): boolean {
    const isHere = this.isKeyword(word)
    if (isHere) this.#index += 1
    return isHere
  }

  isName(): boolean {
    return this.token.kind === 'name' && !KEYWORDS.has(this.token.text)
  }

  takeName(): string {
    if (!this.isName()) this.fail('is not a name')
    return this.next().text
  }

  /** Fails unless the tag ends here. */
  end(mayBeEmpty: boolean): void {
    if (this.token.kind !== 'end' || (this.token.text === '/' && !mayBeEmpty))
      this.fail('is not expected here')
  }

  fail(complaint: string, at = this.token.at): never {
    throw new TemplateFault(at, complaint, 'syntax')
  }

  expression(): Expression {
    this.#depth += 1
    if (this.#depth > DEPTH_MAX) this.#exceed(`is nested deeper than ${DEPTH_MAX} levels`)
    const parsed = this.#or()
    this.#depth -= 1
    return parsed
  }

  /** Arguments, with or without commas between them. */
  args(hasLambdas = false): readonly Expression[] {
    const args: Expression[] = []
    if (!this.#begins()) return args
    do args.push(hasLambdas ? this.#lambda() : this.expression())
    while (this.takeMark(',') || this.#begins())
    return args
  }

  #begins(): boolean {
    const { kind, text } = this.token
    if (kind === 'mark') return ['(', '[', '{', '.', '!', '-', '+'].includes(text)
    if (kind === 'name') return !KEYWORDS.has(text) || text === 'true' || text === 'false'
    return kind !== 'end' && kind !== 'space'
  }

  #exceed(complaint: string, at = this.token.at): never {
    throw new TemplateFault(at, complaint, 'limit')
  }

  /** The result of `read`; undefined, and nothing is read, when it fails. */
  #attempt(read: () => Expression): Expression | undefined {
    const [index, depth] = [this.#index, this.#depth]
    try {
      return read()
    } catch (error) {
      if (!(error instanceof TemplateFault) || error.code === 'limit') throw error
      this.#index = index
      this.#depth = depth
      return undefined
    }
  }

  #or(): Expression {
    return this.#chain(['||'], 'boolean', () => this.#chain(['&&'], 'boolean', () => this.#equality()))
  }

  #chain(operators: readonly Operator[], type: 'boolean' | 'number', operand: () => Expression): Expression {
    let left = operand()
    for (let links = 0; this.isMark(...operators); links += 1) {
      if (links > CHAIN_MAX) this.#exceed(`has more than ${CHAIN_MAX} operators in a row`)
      const operator = this.next().text as Operator
      const right = operand()
      if (operator !== '+') literal.only(type, left, right)
      left = { kind: 'operation', operator, left, right, at: left.at }
    }
    return left
  }

  #equality(): Expression {
    const left = this.#relation()
    const token = this.takeMark('==', '!=', '=')
    if (!token) return left
    const right = this.#relation()
    literal.refuse(['hash', 'sequence'], left, right)
    const operator = token.text === '!=' ? '!=' : '=='
    return { kind: 'operation', operator, left, right, at: left.at }
  }

  #relation(): Expression {
    const left = this.#range()
    const token = this.takeMark('>=', '>', '<=', '<')
    if (!token) return left
    const right = this.#range()
    literal.only('number', left, right)
    return { kind: 'operation', operator: token.text as Comparison, left, right, at: left.at }
  }

  #range(): Expression {
    const from = this.#sum()
    const token = this.takeMark('..', '..<', '..*')
    if (!token) return from
    const to = token.text === '..' ? (this.#attempt(() => this.#sum()) ?? null) : this.#sum()
    literal.only('number', from, ...(to ? [to] : []))
    return { kind: 'range', from, to, end: rangeEnd(token.text, to), at: from.at }
  }

  #sum(): Expression {
    return this.#chain(['+', '-'], 'number', () =>
      this.#chain(['*', '/', '%'], 'number', () => this.#unary()),
    )
  }

  #unary(): Expression {
    const sign = this.takeMark('+', '-')
    if (sign) return { kind: sign.text === '-' ? 'minus' : 'plus', of: this.#primary(), at: sign.at }
    const nots: Token[] = []
    for (let not = this.takeMark('!'); not; not = this.takeMark('!')) nots.push(not)
    if (nots.length > CHAIN_MAX) this.#exceed(`has more than ${CHAIN_MAX} operators in a row`)
    return nots.reduceRight<Expression>((of, { at }) => ({ kind: 'not', of, at }), this.#primary())
  }

  #primary(): Expression {
    let parsed = this.#atom()
    for (let links = 0; ; links += 1) {
      if (links > CHAIN_MAX) this.#exceed(`has more than ${CHAIN_MAX} parts in a row`)
      const longer = this.#postfix(parsed)
      if (!longer) return parsed
      parsed = longer
    }
  }

  #postfix(of: Expression): Expression | undefined {
    const { at } = of
    const token = this.takeMark('.', '[', '(', '?', '!', '??')
    switch (token?.text) {
      case '.':
        return this.#member(of)
      case '[':
        return this.#dynamicMember(of)
      case '(':
        return { kind: 'call', of, args: this.#closed(')', () => this.args()), at }
      case '?':
        return this.#builtIn(of)
      case '!':
        return { kind: 'default', of, otherwise: this.#otherwise(token), at }
      case '??':
        return { kind: 'exists', of, at }
      default:
        return undefined
    }
  }

  #closed<T>(mark: string, read: () => T): T {
    const result = read()
    if (!this.takeMark(mark)) this.fail(`is not expected before ${mark}`)
    return result
  }

  #member(of: Expression): Expression {
    const token = this.next()
    if (token.kind !== 'name' && !/^[a-z]+$/.test(token.raw)) this.fail('is not a name', token.at)
    literal.refuse(['sequence', 'text', 'filled text', 'boolean'], of)
    const text = token.kind === 'name' ? token.text : token.raw
    return { kind: 'member', of, key: { kind: 'text', text, at: token.at }, at: of.at }
  }

  #dynamicMember(of: Expression): Expression {
    const key = this.#closed(']', () => this.expression())
    literal.refuse(['boolean', 'number'], of)
    return { kind: 'member', of, key, at: of.at }
  }

  #otherwise(token: Token): Expression | null {
    if (this.isNamed && token.isSpaced) return null
    return this.#attempt(() => this.expression()) ?? null
  }

  #builtIn(of: Expression): Expression {
    const token = this.next()
    const arity = token.kind === 'name' ? arityOf(token.text) : undefined
    if (!arity) this.fail(`?${token.raw} is not a built-in`, token.at)
    const built: ExpressionOf<'built-in'> = { kind: 'built-in', of, name: token.text, at: of.at }
    if (arity.isOfLoop && !(of.kind === 'variable' && this.surrounding.isLoopVariable(of.name)))
      this.fail(`?${token.text} needs a loop variable on its left side`, of.at)
    if (!arity.isParsed) return built
    if (!this.takeMark('(')) this.fail(`?${token.text} needs arguments`, token.at)
    const args = this.#closed(')', () => this.args(arity.hasLambdas))
    if (args.length < arity.least || args.length > arity.most)
      this.fail(`?${token.text} takes another number of arguments`, token.at)
    return { kind: 'call', of: built, args, at: of.at }
  }

  #lambda(): Expression {
    const [{ at }, index] = [this.token, this.#index]
    const names = this.#lambdaNames()
    if (names && this.takeMark('->')) return { kind: 'lambda', names, body: this.#or(), at }
    this.#index = index
    return this.expression()
  }

  #lambdaNames(): readonly string[] | undefined {
    if (this.isName()) return [this.takeName()]
    if (!this.takeMark('(')) return undefined
    const names: string[] = []
    while (this.isName()) {
      names.push(this.takeName())
      if (!this.takeMark(',')) break
    }
    return this.takeMark(')') ? names : undefined
  }

  #atom(): Expression {
    const token = this.next()
    const { at, text, kind } = token
    this.#parts += 1
    if (this.#parts > PARTS_MAX) this.#exceed(`has more than ${PARTS_MAX} parts`)
    if (kind === 'number') return this.#number(token)
    if (kind === 'raw text') return { kind: 'text', text, at }
    if (kind === 'text') return this.#text(token)
    if (kind === 'name' && (text === 'true' || text === 'false'))
      return { kind: 'boolean', value: text === 'true', at }
    if (kind === 'name' && !KEYWORDS.has(text)) return { kind: 'variable', name: text, at }
    return this.#enclosed(token)
  }

  #number({ text, at }: Token): Expression {
    if (text.length > DIGITS_MAX) this.#exceed(`has more than ${DIGITS_MAX} digits`, at)
    return { kind: 'number', value: Decimal.parse(text) ?? Decimal.of(0), at }
  }

  #text(token: Token): Expression {
    const { at, text, raw } = token
    if (!/[$#]\{/.test(raw)) return { kind: 'text', text, at }
    return { kind: 'filled text', parts: this.surrounding.filledText(token), at }
  }

  #enclosed({ kind, text, at }: Token): Expression {
    if (kind === 'mark' && text === '(')
      return { kind: 'group', of: this.#closed(')', () => this.expression()), at }
    if (kind === 'mark' && text === '[')
      return { kind: 'sequence', items: this.#closed(']', () => this.args()), at }
    if (kind === 'mark' && text === '{')
      return { kind: 'hash', entries: this.#closed('}', () => this.#entries()), at }
    if (kind === 'mark' && text === '.') this.fail('special variables are not supported', at)
    return this.fail('is not the beginning of an expression', at)
  }

  #entries(): readonly (readonly [Expression, Expression])[] {
    const entries: (readonly [Expression, Expression])[] = []
    if (this.isMark('}')) return entries
    do {
      const key = this.expression()
      literal.refuse(['number', 'boolean', 'sequence', 'hash'], key)
      if (!this.takeMark(':', ',')) this.fail('is not the value of a key')
      entries.push([key, this.expression()])
    } while (this.takeMark(','))
    return entries
  }
}

function rangeEnd(mark: string, to: Expression | null): RangeEnd {
  if (mark === '..<') return 'exclusive'
  if (mark === '..*') return 'length'
  return to ? 'inclusive' : 'open'
}
