import type { Arithmetic, Comparison } from '../syntax/tree.ts'
import { Decimal } from '../values/decimal.ts'
import {
  DateValue,
  Fragment,
  Hash,
  NOTHING,
  Sequence,
  Text,
  hashOf,
  itemsOf,
  typeOf,
} from '../values/value.ts'
import type { Items, Value } from '../values/value.ts'
import { numberOf, textOf } from './coercion.ts'
import { fail, missing } from './machine.ts'
import type { Machine } from './machine.ts'
import { piecesOf } from './output.ts'

const ITEMS_MAX = 100_000

/** The items of a sequence as a list. */
export function listed(machine: Machine, items: Items, at: number): readonly (Value | undefined)[] {
  if (items instanceof Sequence) return items.items
  if (items.size > ITEMS_MAX) fail(at, `is a sequence of more than ${ITEMS_MAX} items`)
  machine.limits.step(at, items.size)
  return Array.from({ length: items.size }, (_, index) => items.at(index))
}

/** `left + right`: a sum, or one after the other. */
export function sum(machine: Machine, left: Value | undefined, right: Value | undefined, at: number): Value {
  if (left instanceof Decimal && right instanceof Decimal) return left.plus(right)
  const [leftItems, rightItems] = [itemsOf(left), itemsOf(right)]
  if (leftItems && rightItems) {
    const items = [...listed(machine, leftItems, at), ...listed(machine, rightItems, at)]
    if (items.length > ITEMS_MAX) fail(at, `is a sequence of more than ${ITEMS_MAX} items`)
    machine.limits.step(at, items.length)
    return new Sequence(items)
  }
  const [leftHash, rightHash] = [hashOf(left), hashOf(right)]
  if (leftHash && rightHash && (left instanceof Hash || right instanceof Hash)) {
    machine.limits.step(at, leftHash.entries.size + rightHash.entries.size)
    return new Hash(new Map([...leftHash.entries, ...rightHash.entries]))
  }
  return joined(machine, left, right, at)
}

function joined(machine: Machine, left: Value | undefined, right: Value | undefined, at: number): Value {
  if (left === undefined || right === undefined) missing(at, 'an operand of +')
  if (left instanceof Fragment || right instanceof Fragment)
    return new Fragment([...piecesOf(machine, left, at), ...piecesOf(machine, right, at)])
  const [first, second] = [textOf(machine, left, at), textOf(machine, right, at)]
  const text = first.text + second.text
  machine.limits.size(at, text.length)
  return new Text(text, first.isTainted || second.isTainted)
}

export function arithmetic(
  operator: Exclude<Arithmetic, '+'>,
  left: Value | undefined,
  right: Value | undefined,
  at: number,
): Decimal {
  const [first, second] = [numberOf(left, at), numberOf(right, at)]
  if (operator === '-') return first.minus(second)
  if (operator === '*') return first.times(second)
  const result = operator === '/' ? first.dividedBy(second) : first.modulo(second)
  return result ?? fail(at, 'divides by zero')
}

/** Whether two values are in this relation. Strings and booleans are only equal or not. */
export function compared(
  operator: Comparison,
  left: Value | undefined,
  right: Value | undefined,
  at: number,
): boolean {
  const order = orderOf(operator, left, right, at)
  switch (operator) {
    case '==':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

function orderOf(
  operator: Comparison,
  left: Value | undefined,
  right: Value | undefined,
  at: number,
): number {
  if (left === undefined || right === undefined) missing(at, 'a side of the comparison')
  if (left instanceof Decimal && right instanceof Decimal) return left.compare(right)
  if (left instanceof DateValue && right instanceof DateValue) return dateOrder(left, right, at)
  const [first, second] = [scalarOf(left), scalarOf(right)]
  if (first === undefined || typeof first !== typeof second)
    fail(at, `compares ${typeOf(left)} with ${typeOf(right)}`)
  if (operator !== '==' && operator !== '!=') fail(at, `cannot order ${typeOf(left)}`)
  return first === second ? 0 : 1
}

function dateOrder(left: DateValue, right: DateValue, at: number): number {
  if (left.kind !== right.kind) fail(at, `compares a ${left.kind} with a ${right.kind}`)
  return left.ms - right.ms
}

function scalarOf(value: Value | undefined): string | boolean | undefined {
  if (value instanceof Text) return value.text
  if (typeof value === 'boolean') return value
  return value === NOTHING ? '' : undefined
}

/** Whether two values are equal; values of different types are not. */
export function same(left: Value | undefined, right: Value | undefined): boolean {
  if (left instanceof Decimal && right instanceof Decimal) return left.compare(right) === 0
  if (left instanceof DateValue && right instanceof DateValue)
    return left.kind === right.kind && left.ms === right.ms
  const first = scalarOf(left)
  return first !== undefined && first === scalarOf(right)
}
