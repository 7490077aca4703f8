import type { Expression } from '../syntax/tree.ts'
import { Decimal } from '../values/decimal.ts'
import { DateValue, Fragment, Routine, Sequence, Text, hashOf, itemsOf, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { callFunction } from '../run/calls.ts'
import { booleanOf, textOf } from '../run/coercion.ts'
import { compared, listed, same } from '../run/operations.ts'
import { missing } from '../run/machine.ts'
import type { BuiltIn, Call } from './call.ts'
import { sorted, sortedBy } from './sorting.ts'

type List = readonly (Value | undefined)[]

/** The target as a list. */
function listOf(call: Call): List {
  const items = itemsOf(call.target) ?? call.fail(`is of a sequence, not of ${typeOf(call.target)}`)
  return listed(call.machine, items, call.of.at)
}

const size: BuiltIn = (call) => {
  const items = itemsOf(call.target)
  if (items?.size === Number.POSITIVE_INFINITY) return Decimal.of(2_147_483_647)
  if (items) return Decimal.of(items.size)
  const entries =
    hashOf(call.target) ?? call.fail(`is of a sequence or a hash, not of ${typeOf(call.target)}`)
  return Decimal.of(entries.entries.size)
}

const join: BuiltIn = (call) => {
  const items = listOf(call)
  const [separator, empty, after] = [
    call.text(0),
    call.count > 1 ? call.text(1) : '',
    call.count > 2 ? call.text(2) : '',
  ]
  const texts = items
    .filter((item) => item !== undefined)
    .map((item) => {
      if (item instanceof Fragment) call.fail('joins strings, not SQL')
      const text = textOf(call.machine, item, call.at)
      call.taint(text.isTainted)
      return text.text
    })
  call.machine.limits.size(
    call.at,
    texts.reduce((sum, text) => sum + text.length + separator.length, 0),
  )
  return call.made(texts.length === 0 ? empty : texts.join(separator) + after)
}

const first: BuiltIn = (call) => {
  const items = itemsOf(call.target) ?? call.fail(`is of a sequence, not of ${typeOf(call.target)}`)
  return items.size === 0 ? undefined : items.at(0)
}

const last: BuiltIn = (call) => listOf(call).at(-1)

const contains: BuiltIn = (call) => {
  const wanted = call.value(0) ?? missing(call.at, 'the argument')
  return listOf(call).some((item) => item !== undefined && same(item, wanted))
}

const indexOf =
  (isLast: boolean): BuiltIn =>
  (call) => {
    const [items, wanted] = [listOf(call), call.value(0) ?? missing(call.at, 'the argument')]
    const from = call.count > 1 ? call.integer(1) : undefined
    const indexes = [...items.keys()].filter(
      (index) =>
        (from === undefined || (isLast ? index <= from : index >= from)) && same(items[index], wanted),
    )
    return Decimal.of((isLast ? indexes.at(-1) : indexes[0]) ?? -1)
  }

const chunk: BuiltIn = (call) => {
  const [items, length] = [listOf(call), call.integer(0)]
  if (length < 1) call.fail('takes a size of 1 or more')
  const fill = call.count > 1 ? call.value(1) : undefined
  const chunks: Sequence[] = []
  for (let at = 0; at < items.length; at += length) {
    const part = items.slice(at, at + length)
    if (fill !== undefined) {
      call.machine.limits.size(call.at, length)
      while (part.length < length) part.push(fill)
    }
    chunks.push(new Sequence(part))
  }
  return new Sequence(chunks)
}

/** The least or the greatest item; undefined without items. */
const extreme =
  (operator: '<' | '>'): BuiltIn =>
  (call) => {
    let best: Value | undefined
    for (const item of listOf(call)) {
      if (item === undefined) continue
      if (!(item instanceof Decimal || item instanceof DateValue))
        call.fail(`compares numbers or dates, not ${typeOf(item)}`)
      if (best === undefined || compared(operator, item, best, call.at)) best = item
    }
    return best
  }

/** Calls a lambda or a function for each item. */
function called(call: Call, each: (result: Value | undefined, item: Value | undefined) => void): void {
  const items = listOf(call)
  const apply = applying(call, call.args?.[0])
  for (const item of items) {
    call.machine.limits.turn(call.at)
    each(apply(item), item)
  }
}

function applying(call: Call, arg: Expression | undefined): (item: Value | undefined) => Value | undefined {
  const { machine, at } = call
  if (arg?.kind !== 'lambda') {
    const value = call.value(0)
    if (!(value instanceof Routine) || !value.definition.isFunction)
      return call.fail(`takes a function, not ${typeOf(value)}`)
    return (item) => callFunction(machine, value, [item], at)
  }
  if (arg.names.length !== 1) call.fail('takes a lambda with one parameter')
  const { locals } = machine
  return (item) => {
    machine.locals = { names: arg.names, values: [item], outer: locals, loop: null }
    try {
      return machine.evaluate(arg.body)
    } finally {
      machine.locals = locals
    }
  }
}

const map: BuiltIn = (call) => {
  const results: Value[] = []
  called(call, (result) => results.push(result ?? missing(call.at, 'the result of the function')))
  return new Sequence(results)
}

const filter: BuiltIn = (call) => {
  const kept: (Value | undefined)[] = []
  called(call, (result, item) => {
    if (booleanOf(result, call.at)) kept.push(item)
  })
  return new Sequence(kept)
}

const entriesOf = (call: Call) =>
  hashOf(call.target) ?? call.fail(`is of a hash, not of ${typeOf(call.target)}`)

export const SEQUENCES: Readonly<Record<string, BuiltIn>> = {
  size,
  join,
  first,
  last,
  sort: (call) => new Sequence(sorted(call, listOf(call))),
  sort_by: (call) => new Sequence(sortedBy(call, listOf(call))),
  reverse: (call) => new Sequence([...listOf(call)].reverse()),
  seq_contains: contains,
  seq_index_of: indexOf(false),
  seq_last_index_of: indexOf(true),
  chunk,
  min: extreme('<'),
  max: extreme('>'),
  map,
  filter,
  // A key may come from a parameter.
  keys: (call) => new Sequence([...entriesOf(call).entries.keys()].map((key) => new Text(key, true))),
  values: (call) => new Sequence([...entriesOf(call).entries.values()]),
}
