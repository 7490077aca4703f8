import { Decimal } from '../values/decimal.ts'
import { DateValue, Sequence, Text, hashOf, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import type { Call } from './call.ts'

type List = readonly (Value | undefined)[]
const COLLATOR = new Intl.Collator('en-US')

/** Strings by the alphabet, numbers and dates by size, false before true. */
export function sorted(call: Call, items: List): List {
  return inOrder(
    call,
    items.map((item) => ({ item, key: item })),
  )
}

/** By a key of the items, or by a path of keys. */
export function sortedBy(call: Call, items: List): List {
  const by = call.value(0)
  const path = by instanceof Sequence ? by.items : [by]
  const keys = path.map((key) =>
    key instanceof Text ? key.text : call.fail('takes a key or a sequence of keys'),
  )
  const keyed = items.map((item) => ({
    item,
    key: keys.reduce<Value | undefined>((of, key) => {
      const hash = hashOf(of) ?? call.fail(`is of hashes, not of ${typeOf(of)}`)
      return hash.entries.get(key)
    }, item),
  }))
  return inOrder(call, keyed)
}

function inOrder(
  call: Call,
  keyed: readonly { readonly item: Value | undefined; readonly key: Value | undefined }[],
): List {
  call.machine.limits.step(call.at, keyed.length * 4)
  const type = kindOf(keyed[0]?.key)
  for (const { key } of keyed)
    if (kindOf(key) !== type || type === undefined) call.fail(`cannot order ${typeOf(key)} here`)
  return keyed.toSorted((left, right) => order(left.key, right.key)).map(({ item }) => item)
}

function kindOf(value: Value | undefined): string | undefined {
  if (value instanceof Text) return 'text'
  if (value instanceof Decimal) return 'number'
  if (value instanceof DateValue) return 'date'
  return typeof value === 'boolean' ? 'boolean' : undefined
}

function order(left: Value | undefined, right: Value | undefined): number {
  if (left instanceof Text && right instanceof Text) return COLLATOR.compare(left.text, right.text)
  if (left instanceof Decimal && right instanceof Decimal) return left.compare(right)
  if (left instanceof DateValue && right instanceof DateValue) return left.ms - right.ms
  return Number(left) - Number(right)
}
