import { Decimal } from '../values/decimal.ts'
import {
  DateValue,
  Fragment,
  Matches,
  NOTHING,
  Range,
  Routine,
  Sequence,
  Text,
  hashOf,
  itemsOf,
} from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { optional } from '../run/presence.ts'
import type { BuiltIn } from './call.ts'

const is =
  (test: (value: Value) => boolean): BuiltIn =>
  (call) =>
    test(call.target)

const isDate = (kind: DateValue['kind']) => is((value) => value instanceof DateValue && value.kind === kind)
const isSequence = is((value) => itemsOf(value) !== undefined)
const isAnyDate = is((value) => value instanceof DateValue)
const isHash = is((value) => hashOf(value) !== undefined)

/** Whether a value is there, and is not an empty text, sequence or hash. */
function hasContent(value: Value | undefined): boolean {
  if (value === undefined || value === NOTHING) return false
  if (value instanceof Text) return value.text !== ''
  if (value instanceof Fragment)
    return value.pieces.some((piece) => piece.kind !== 'text' || piece.text !== '')
  if (value instanceof Sequence || value instanceof Range) return value.size > 0
  const entries = hashOf(value)?.entries
  if (entries) return entries.size > 0
  return value instanceof Decimal || value instanceof DateValue || typeof value === 'boolean'
}

export const TYPES: Readonly<Record<string, BuiltIn>> = {
  is_string: is((value) => value instanceof Text || value === NOTHING),
  is_number: is((value) => value instanceof Decimal),
  is_boolean: is((value) => typeof value === 'boolean' || value instanceof Matches),
  is_date: isAnyDate,
  is_date_like: isAnyDate,
  is_date_only: isDate('date'),
  is_time: isDate('time'),
  is_datetime: isDate('datetime'),
  is_unknown_date_like: is(() => false),
  is_hash: isHash,
  is_hash_ex: isHash,
  is_sequence: isSequence,
  is_enumerable: isSequence,
  is_indexable: isSequence,
  is_collection: is((value) => value === NOTHING),
  is_macro: is((value) => value instanceof Routine),
  is_directive: is((value) => value instanceof Routine),
  is_method: is(() => false),
  is_markup_output: is((value) => value instanceof Fragment),
  has_content: (call) => hasContent(optional(call.machine, call.of)),
}
