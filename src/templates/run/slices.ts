import { Sequence, Text, itemsOf } from '../values/value.ts'
import type { Range, Value } from '../values/value.ts'
import { textOf } from './coercion.ts'
import { fail } from './machine.ts'
import type { Machine } from './machine.ts'

/** The part of a sequence or of a string that a range names. */
export function slice(machine: Machine, target: Value, range: Range, at: number): Value {
  const items = itemsOf(target)
  if (!items) return textSlice(textOf(machine, target, at), range, at)
  const length = countOf(range, items.size, at)
  machine.limits.step(at, length)
  return new Sequence(Array.from({ length }, (_, index) => items.at(range.from + index * range.step)))
}

function textSlice({ text, isTainted }: Text, range: Range, at: number): Text {
  const count = countOf(range, text.length, at)
  if (range.step > 0 || count <= 1) return new Text(text.slice(range.from, range.from + count), isTainted)
  // FreeMarker keeps an old fault for `text[n..n-1]`.
  if (count === 2 && range.isInclusive) return new Text('', isTainted)
  return fail(at, 'a string cannot be sliced backwards')
}

/** How many items of a target of this size the range names. */
function countOf(range: Range, size: number, at: number): number {
  const { from, step, isAdaptive } = range
  if (range.size === 0) return 0
  if (from < 0) fail(at, `the slice begins at ${from}`)
  if (isAdaptive && step === 1 ? from > size : from >= size)
    fail(at, `the slice begins at ${from}, and the target has ${size}`)
  if (range.size === Number.POSITIVE_INFINITY) return size - from
  const last = from + (range.size - 1) * step
  if (last < 0) return isAdaptive ? from + 1 : fail(at, `the slice ends at ${last}`)
  if (last < size) return range.size
  return isAdaptive
    ? Math.abs(size - from)
    : fail(at, `the slice ends at ${last}, and the target has ${size}`)
}
