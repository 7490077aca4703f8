import type { Column, ColumnType } from '../../domain/table.ts'
import { isTimeZone } from '../../lib/time.ts'
import { tokensOf } from '../sql/lexer.ts'
import type { Token } from '../sql/lexer.ts'
import { TextFault } from '../sql/text-fault.ts'
import { DEPTH_MAX } from './limits.ts'
import { TIME_UNITS, isOfDays, isTimeUnit } from './truncation.ts'
import type { TimeUnit } from './truncation.ts'

/** A computation over the columns of a row. */
export type Expression =
  | { readonly kind: 'column'; readonly name: string; readonly type: ColumnType }
  | { readonly kind: 'literal'; readonly value: string | number; readonly type: ColumnType }
  | {
      readonly kind: 'operation'
      readonly operator: '+' | '-' | '*' | '/' | '%' | '||'
      readonly left: Expression
      readonly right: Expression
      readonly type: ColumnType
    }
  | {
      readonly kind: 'call'
      readonly name: FunctionName
      readonly of: readonly Expression[]
      readonly type: ColumnType
    }
  | Truncation

/** The beginning of the unit of a time. */
type Truncation = {
  readonly kind: 'truncation'
  readonly unit: TimeUnit
  readonly column: string
  readonly type: 'date' | 'datetime'
  /** Null for the zone of the service. */
  readonly timeZone: string | null
}

/** The functions with the least and the greatest number of arguments. `null` stands for the type of the first argument. */
const CALLS = {
  ABS: [1, 1, 'number'],
  ROUND: [1, 2, 'number'],
  FLOOR: [1, 1, 'number'],
  CEIL: [1, 1, 'number'],
  COALESCE: [1, 8, null],
  NULLIF: [2, 2, null],
  LOWER: [1, 1, 'string'],
  UPPER: [1, 1, 'string'],
  LENGTH: [1, 1, 'integer'],
} as const
export type FunctionName = keyof typeof CALLS

export type Columns = ReadonlyMap<string, Column>

/** Parses an expression over columns: `"unit price" * (qty - 1)`.
 * @throws {TextFault} with the position, also for unknown columns and functions */
export function parseExpression(text: string, columns: Columns): Expression {
  const parser = new Parser(text, tokensOf(text, 'postgresql'), columns)
  const parsed = parser.sum(0)
  parser.end()
  return parsed
}

const LEVELS = [['||'], ['+', '-'], ['*', '/', '%']] as const

class Parser {
  #at = 0

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
    private readonly columns: Columns,
  ) {}

  end(): void {
    const rest = this.tokens[this.#at]
    if (rest) throw new TextFault(rest.start, 'is not expected here')
  }

  sum(depth: number, level = 0): Expression {
    const operators = LEVELS[level]
    if (operators === undefined) return this.#operand(depth)
    let left = this.sum(depth, level + 1)
    for (;;) {
      const token = this.tokens[this.#at]
      const operator = operators.find((known) => token?.kind === 'operator' && token.value === known)
      if (!operator || !token) return left
      this.#at += 1
      const right = this.sum(depth, level + 1)
      left = operation(operator, left, right, token.start)
    }
  }

  #operand(depth: number): Expression {
    const token = this.#next()
    if (depth >= DEPTH_MAX) throw new TextFault(token.start, `is deeper than ${DEPTH_MAX} levels`)
    switch (token.kind) {
      case 'number':
        return { kind: 'literal', value: decimal(token), type: 'number' }
      case 'string':
        return { kind: 'literal', value: token.value, type: 'string' }
      case 'name':
      case 'word':
        return this.#is('(') && token.kind === 'word' ? this.#call(token, depth) : this.#column(token)
      default:
        return this.#group(token, depth)
    }
  }

  #group(token: Token, depth: number): Expression {
    if (token.value === '-') {
      const right = this.#operand(depth + 1)
      return operation('-', { kind: 'literal', value: 0, type: 'number' }, right, token.start)
    }
    if (token.value !== '(') throw new TextFault(token.start, 'is not expected here')
    const inside = this.sum(depth + 1)
    this.#expect(')')
    return inside
  }

  #call(token: Token, depth: number): Expression {
    const named = token.value.toUpperCase()
    if (named === 'DATE_TRUNC') return this.#truncation()
    if (!isFunction(named)) throw new TextFault(token.start, 'is not a function of expressions')
    this.#expect('(')
    const of = [this.sum(depth + 1)]
    while (this.#is(',')) {
      this.#at += 1
      of.push(this.sum(depth + 1))
    }
    this.#expect(')')
    const [min, max, type] = CALLS[named]
    if (of.length < min || of.length > max)
      throw new TextFault(token.start, 'takes another number of arguments')
    return { kind: 'call', name: named, of, type: type ?? of[0]?.type ?? 'string' }
  }

  /** `('day', column)` or `('day', column, 'Europe/Zurich')`. */
  #truncation(): Truncation {
    this.#expect('(')
    const unit = this.#text()
    const named = unit.value.toLowerCase()
    if (!isTimeUnit(named)) throw new TextFault(unit.start, `must be one of ${TIME_UNITS.join(', ')}`)
    this.#expect(',')
    const of = this.#next()
    if (of.kind !== 'name' && of.kind !== 'word') throw new TextFault(of.start, 'must be a column')
    const { name: column, type } = this.#column(of)
    if (type !== 'date' && type !== 'datetime')
      throw new TextFault(of.start, 'is not a column of days or instants')
    if (type === 'date' && !isOfDays(named)) throw new TextFault(unit.start, 'is shorter than a day')
    const zone = this.#is(',') ? this.#zone() : null
    if (zone && type === 'date') throw new TextFault(zone.start, 'is for instants: days have no zone')
    this.#expect(')')
    return { kind: 'truncation', unit: named, column, type, timeZone: zone && zone.value }
  }

  #zone(): Token {
    this.#expect(',')
    const zone = this.#text()
    if (!isTimeZone(zone.value)) throw new TextFault(zone.start, 'is not a time zone')
    return zone
  }

  #text(): Token {
    const token = this.#next()
    if (token.kind !== 'string') throw new TextFault(token.start, 'must be a text in quotes')
    return token
  }

  #column(token: Token): Extract<Expression, { kind: 'column' }> {
    const column = this.columns.get(token.value)
    if (!column) throw new TextFault(token.start, 'is not a column')
    return { kind: 'column', name: column.name, type: column.type }
  }

  #is(mark: string): boolean {
    return this.tokens[this.#at]?.value === mark && this.tokens[this.#at]?.kind === 'punctuation'
  }

  #expect(mark: string): void {
    if (!this.#is(mark)) throw new TextFault(this.#place(), `must be "${mark}"`)
    this.#at += 1
  }

  #next(): Token {
    const token = this.tokens[this.#at]
    if (!token) throw new TextFault(this.#place(), 'the expression ends too early')
    this.#at += 1
    return token
  }

  #place(): number {
    return this.tokens[this.#at]?.start ?? this.text.length
  }
}

type Operator = (typeof LEVELS)[number][number]

function operation(operator: Operator, left: Expression, right: Expression, at: number): Expression {
  if (operator === '||') return { kind: 'operation', operator, left, right, type: 'string' }
  for (const { type } of [left, right])
    if (type !== 'integer' && type !== 'number') throw new TextFault(at, 'computes with numbers only')
  const isWhole = operator !== '/' && left.type === 'integer' && right.type === 'integer'
  return { kind: 'operation', operator, left, right, type: isWhole ? 'integer' : 'number' }
}

function decimal({ value, start }: Token): number {
  const number = /^[\d.eE+-]+$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isFinite(number)) throw new TextFault(start, 'is not a decimal number')
  return number
}

/** Whether the result of an expression is an instant also where the source has times without a zone. */
export function isOfInstants(expression: Expression): boolean {
  if (expression.kind === 'truncation') return expression.type === 'datetime'
  return expression.kind === 'call' && expression.type === 'datetime' && expression.of.some(isOfInstants)
}

const isFunction = (named: string): named is FunctionName => Object.hasOwn(CALLS, named)
