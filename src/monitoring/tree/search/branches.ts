import { OBJECT_TYPES } from '../schema.ts'
import type { ObjectType } from '../schema.ts'
import type { Condition, Filter, Test } from './filter.ts'
import type { TextField } from './items.ts'
import type { Branch } from './store/search.ts'

/** Splits a filter into searches below a path: one for `and`, one for each condition for `or`. Searches that cannot
 * match are left out.
 * @param tops only these objects and objects below them match; null for no such limit */
export function branchesOf(
  { type, mode, conditions }: Filter,
  path: string,
  tops: readonly number[] | null,
): Branch[] {
  const within: Condition[] = tops === null ? [] : [{ test: { kind: 'within', tops }, negated: false }]
  const groups =
    mode === 'and' || conditions.length === 0 ? [conditions] : conditions.map((condition) => [condition])
  return groups.flatMap((group) => {
    const possible = group.map(typesOf)
    const types = OBJECT_TYPES.filter(
      (known) => (type === null || known === type) && possible.every((some) => some.includes(known)),
    )
    return types.length === 0
      ? []
      : [{ path, types, conditions: [...group.filter(({ test }) => test.kind !== 'type'), ...within] }]
  })
}

const TYPE_OF_FIELD: Readonly<Partial<Record<TextField, ObjectType>>> = {
  address: 'device',
  netmask: 'device',
  deviceName: 'job',
  deviceAddress: 'job',
  deviceNetmask: 'job',
  valueKey: 'job',
  valueName: 'job',
}

const TYPE_OF_KIND: Readonly<Partial<Record<Test['kind'], ObjectType>>> = {
  interval: 'job',
  stopped: 'job',
  value: 'job',
}

/** The types of objects that can meet a condition. */
function typesOf({ test, negated }: Condition): readonly ObjectType[] {
  if (test.kind === 'nothing') return []
  if (test.kind === 'type') return OBJECT_TYPES.filter((type) => (type === test.type) !== negated)
  const only = test.kind === 'text' ? TYPE_OF_FIELD[test.field] : TYPE_OF_KIND[test.kind]
  return only ? [only] : OBJECT_TYPES
}
