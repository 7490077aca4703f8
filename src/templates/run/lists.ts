import type { NodeOf } from '../syntax/tree.ts'
import { Hash, NOTHING, Text, itemsOf, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { fail } from './machine.ts'
import type { Leaving, Machine } from './machine.ts'
import { present } from './presence.ts'

/** Runs a list. @returns whether it had turns, and how its content left it */
export function runList(
  machine: Machine,
  node: NodeOf<'list'>,
): { readonly hasTurns: boolean; readonly leaving: Leaving | undefined } {
  const value = present(machine, node.of)
  if (node.names.length > 0) return turns(machine, node, value)
  const { pending } = machine
  const own = { value, hasTurns: true }
  machine.pending = own
  try {
    if (isEmpty(value, node.at)) return { hasTurns: false, leaving: undefined }
    return { hasTurns: true, leaving: machine.run(node.children) }
  } finally {
    machine.pending = pending
  }
}

function isEmpty(value: Value, at: number): boolean {
  if (value instanceof Hash) return value.entries.size === 0
  const items = itemsOf(value) ?? fail(at, `is ${typeOf(value)}, not a sequence`)
  return items.size === 0
}

/** Runs the turns of a list whose loop variables stand in `items`. */
export function runItems(machine: Machine, node: NodeOf<'items'>): Leaving | undefined {
  const { pending } = machine
  if (!pending) return fail(node.at, '#items is not in a #list')
  machine.pending = null
  try {
    return turns(machine, node, pending.value).leaving
  } finally {
    machine.pending = pending
  }
}

function turns(machine: Machine, node: NodeOf<'list' | 'items'>, value: Value) {
  const { names, children, at } = node
  const rounds = names.length === 2 ? entriesOf(value, at) : itemsIn(value, at)
  const { locals } = machine
  const loop = { index: 0, hasNext: false }
  let leaving: Leaving | undefined
  try {
    for (let index = 0; index < rounds.size && leaving !== 'break' && leaving !== 'return'; index += 1) {
      machine.limits.turn(at)
      loop.index = index
      loop.hasNext = index + 1 < rounds.size
      machine.locals = { names, values: rounds.at(index), outer: locals, loop }
      leaving = machine.run(children)
    }
  } finally {
    machine.locals = locals
  }
  return { hasTurns: rounds.size > 0, leaving: leaving === 'return' ? leaving : undefined }
}

type Rounds = { readonly size: number; at(index: number): readonly (Value | undefined)[] }

function itemsIn(value: Value, at: number): Rounds {
  const listed =
    itemsOf(value) ??
    fail(
      at,
      `is ${typeOf(value)}, not a sequence${value instanceof Hash ? ': write ?keys or two loop variables' : ''}`,
    )
  return { size: listed.size, at: (index) => [listed.at(index)] }
}

function entriesOf(value: Value, at: number): Rounds {
  const hash = value === NOTHING ? new Hash(new Map()) : value
  if (!(hash instanceof Hash)) return fail(at, `is ${typeOf(value)}, not a hash`)
  const pairs = [...hash.entries]
  // A key may come from a parameter.
  return { size: pairs.length, at: (index) => [new Text(pairs[index]?.[0] ?? '', true), pairs[index]?.[1]] }
}
