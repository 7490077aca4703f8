import type { Expression, ExpressionOf } from '../syntax/tree.ts'
import { Decimal } from '../values/decimal.ts'
import {
  Fragment,
  Hash,
  NOTHING,
  NativeFunction,
  Range,
  Routine,
  Sequence,
  Text,
  hashOf,
  itemsOf,
  typeOf,
} from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { callBuiltIn } from '../built-ins/all.ts'
import { stringFormat } from '../built-ins/formats.ts'
import { callFunction } from './calls.ts'
import { booleanOf, numberOf, textOf } from './coercion.ts'
import { fail } from './machine.ts'
import type { Machine } from './machine.ts'
import { arithmetic, compared, sum } from './operations.ts'
import { optional, present } from './presence.ts'
import { slice } from './slices.ts'

/** The value of an expression; undefined when it is null or missing. */
export function evaluate(machine: Machine, expression: Expression): Value | undefined {
  machine.limits.step(expression.at)
  switch (expression.kind) {
    case 'number':
    case 'boolean':
      return expression.value
    case 'text':
      return new Text(expression.text, false)
    case 'variable':
      return machine.lookup(expression.name)
    case 'group':
      return machine.evaluate(expression.of)
    case 'default':
      return optional(machine, expression.of) ?? otherwise(machine, expression.otherwise)
    case 'exists':
      return optional(machine, expression.of) !== undefined
    case 'member':
      return member(machine, expression)
    case 'call':
      return call(machine, expression)
    case 'built-in':
      return callBuiltIn(machine, expression, null)
    default:
      return composed(machine, expression)
  }
}

type Composed = Exclude<
  Expression,
  {
    readonly kind:
      | 'number'
      | 'boolean'
      | 'text'
      | 'variable'
      | 'group'
      | 'default'
      | 'exists'
      | 'member'
      | 'call'
      | 'built-in'
  }
>

function composed(machine: Machine, expression: Composed): Value | undefined {
  switch (expression.kind) {
    case 'operation':
      return operation(machine, expression)
    case 'not':
      return !booleanOf(machine.evaluate(expression.of), expression.of.at)
    case 'minus':
      return numberOf(machine.evaluate(expression.of), expression.of.at).negated()
    case 'plus':
      return numberOf(machine.evaluate(expression.of), expression.of.at)
    case 'sequence':
      return new Sequence(expression.items.map((item) => present(machine, item)))
    case 'hash':
      return hash(machine, expression)
    case 'range':
      return range(machine, expression)
    case 'filled text':
      return filledText(machine, expression)
    case 'lambda':
      return fail(expression.at, 'a lambda is only an argument of ?map and ?filter')
  }
}

function otherwise(machine: Machine, expression: Expression | null): Value | undefined {
  return expression ? machine.evaluate(expression) : NOTHING
}

function operation(machine: Machine, { operator, left, right, at }: ExpressionOf<'operation'>): Value {
  if (operator === '&&')
    return booleanOf(machine.evaluate(left), left.at) && booleanOf(machine.evaluate(right), right.at)
  if (operator === '||')
    return booleanOf(machine.evaluate(left), left.at) || booleanOf(machine.evaluate(right), right.at)
  const [first, second] = [machine.evaluate(left), machine.evaluate(right)]
  machine.limits.step(machine.limits.at, lengthSteps(first) + lengthSteps(second))
  if (operator === '+') return sum(machine, first, second, at)
  if (operator === '-' || operator === '*' || operator === '/' || operator === '%')
    return arithmetic(operator, first, second, at)
  return compared(operator, first, second, at)
}

const LONG_NUMBER_STEPS = 8

/** The steps that a long operand takes more than short ones take. */
function lengthSteps(value: Value | undefined): number {
  if (value instanceof Text) return value.text.length >> 6
  return value instanceof Decimal && value.isLong() ? LONG_NUMBER_STEPS : 0
}

function hash(machine: Machine, { entries }: ExpressionOf<'hash'>): Hash {
  return new Hash(
    new Map(
      entries.map(([key, value]) => [
        textOf(machine, machine.evaluate(key), key.at).text,
        present(machine, value),
      ]),
    ),
  )
}

function range(machine: Machine, { from, to, end }: ExpressionOf<'range'>): Range {
  const first = numberOf(machine.evaluate(from), from.at).integer()
  const isInclusive = end === 'inclusive'
  if (!to)
    return new Range({ from: first, step: 1, size: Number.POSITIVE_INFINITY, isAdaptive: true, isInclusive })
  const last = numberOf(machine.evaluate(to), to.at).integer()
  if (end === 'length')
    return new Range({
      from: first,
      step: last < 0 ? -1 : 1,
      size: Math.abs(last),
      isAdaptive: true,
      isInclusive,
    })
  const size = Math.abs(last - first) + (isInclusive ? 1 : 0)
  return new Range({ from: first, step: first <= last ? 1 : -1, size, isAdaptive: false, isInclusive })
}

/** A string with interpolations: all of its parts as text. */
function filledText(machine: Machine, { parts, at }: ExpressionOf<'filled text'>): Value {
  const [first] = parts
  if (machine.isSql && parts.length === 1 && first?.kind === 'value' && !first.digits) {
    const value = machine.evaluate(first.value)
    if (value instanceof Fragment) return value
  }
  return parts.reduce<Value>(
    (text, part) => {
      const next =
        part.kind === 'value'
          ? interpolated(machine, part)
          : new Text(part.kind === 'text' ? part.text : '', false)
      return sum(machine, text, next, at)
    },
    new Text('', false),
  )
}

function interpolated(
  machine: Machine,
  part: Extract<ExpressionOf<'filled text'>['parts'][number], { readonly kind: 'value' }>,
): Value {
  const value = present(machine, part.value)
  if (!part.digits) return value instanceof Fragment ? value : textOf(machine, value, part.at)
  const number = numberOf(value, part.at)
  return new Text(numeric(number, part.digits), number.unscaled < 0n)
}

/** The number with so many digits after the point. */
export function numeric(value: Decimal, [least, most]: readonly [number, number]): string {
  const [whole = '', fraction = ''] = value.rounded(most, 'half even').toString().split('.')
  const digits = fraction.replace(/0+$/, '').padEnd(least, '0')
  return digits === '' ? whole : `${whole}.${digits}`
}

function member(machine: Machine, { of, key, at }: ExpressionOf<'member'>): Value | undefined {
  if (of.kind === 'built-in' && of.name === 'string') {
    const value = present(machine, of.of)
    if (value instanceof Decimal || (typeof value === 'object' && 'ms' in value))
      return stringFormat(machine, value, textOf(machine, machine.evaluate(key), key.at), at)
  }
  const target = present(machine, of)
  const found = present(machine, key)
  if (found instanceof Decimal) return itemAt(machine, target, found.integer(), at)
  if (found instanceof Range) return slice(machine, target, found, at)
  if (!(found instanceof Text)) fail(key.at, `is ${typeOf(found)}, not a key`)
  const entries = hashOf(target) ?? fail(at, `is ${typeOf(target)}, not a hash`)
  return entries.entries.get(found.text)
}

function itemAt(machine: Machine, target: Value, index: number, at: number): Value | undefined {
  const items = itemsOf(target)
  if (items) return items.at(index)
  const { text, isTainted } = textOf(machine, target, at)
  if (index < 0 || index >= text.length) fail(at, `has no character ${index}`)
  return new Text(text.charAt(index), isTainted)
}

function call(machine: Machine, expression: ExpressionOf<'call'>): Value | undefined {
  const { of, args, at } = expression
  if (of.kind === 'built-in') return callBuiltIn(machine, of, args)
  const target = present(machine, of)
  const values = args.map((arg) => machine.evaluate(arg))
  if (target instanceof NativeFunction) return target.call(values, at)
  if (target instanceof Routine && target.definition.isFunction)
    return callFunction(machine, target, values, at)
  return fail(at, `is ${typeOf(target)}, not a function`)
}
