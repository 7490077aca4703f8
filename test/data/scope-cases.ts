import * as fc from 'fast-check'

import type { Role } from '../../src/context.ts'
import type { Filter } from '../../src/data/filters/filter.ts'
import type { Access, Person, Scope } from '../../src/data/scopes/sight.ts'

/** A row of the table `orders` of these cases. */
export type Cells = {
  readonly id: number
  readonly region: string | null
  readonly qty: number | null
  readonly margin: number
}
export const COLUMN_NAMES = ['id', 'region', 'qty', 'margin'] as const

export const ROWS: readonly Cells[] = ['north', 'south', 'south', null, "' OR 1=1 --", '${user.id}'].flatMap(
  (region, index) =>
    [1, 2, null].map((qty, part) => ({ id: index * 3 + part, region, qty, margin: index * 1.5 })),
)

/** A comparison with null is unknown, as in SQL. */
type Truth = boolean | null

/** Whether a row satisfies a filter of `filtersOfOrders`. */
export function truthOf(filter: Filter, row: Cells, region: string | undefined): Truth {
  if ('and' in filter) return allOf(filter.and.map((part) => truthOf(part, row, region)))
  if ('or' in filter) return negated(allOf(filter.or.map((part) => negated(truthOf(part, row, region)))))
  if ('not' in filter) return negated(truthOf(filter.not, row, region))
  if (!('op' in filter) || !('column' in filter)) throw new Error('The generator makes no such filter.')
  const cell = row[filter.column as 'region' | 'qty']
  if (filter.op === 'is_null') return cell === null
  const wanted = (filter.values ?? [filter.value]).map((value) =>
    value === '${user.properties.region}' ? region : value,
  )
  if (cell === null) return null
  return filter.op === 'ne' ? cell !== wanted[0] : wanted.includes(cell)
}

const negated = (truth: Truth): Truth => (truth === null ? null : !truth)

function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false
  return truths.includes(null) ? null : true
}

/** The rows and columns that a user has of `orders`, found row by row; null where the table does not exist for the user. */
export function naiveSight(
  scopes: readonly Scope[],
  user: Person,
  access: Access,
): { readonly rows: readonly Cells[]; readonly columns: readonly string[] } | null {
  const isMine = ({ subjects }: Scope) =>
    subjects.users.includes(user.id) ||
    subjects.userGroups.some((id) => user.groupIds.includes(id)) ||
    subjects.roles.includes(user.role)
  const own = scopes.filter(({ tables }) => tables.includes('orders'))
  const mine = own.filter(isMine)
  const granting = access === 'edit' ? mine.filter((one) => one.access === 'edit') : mine
  const isFree = user.role === 'administrator' || (own.length === 0 && access === 'read')
  const region = user.properties['region']
  const admits = ({ filter }: Scope, row: Cells) => {
    if (filter === null) return true
    const isMissing = JSON.stringify(filter).includes('${') && region === undefined
    return !isMissing && truthOf(filter, row, region) === true
  }
  if (!isFree && granting.length === 0) return null
  return {
    rows: ROWS.filter((row) => isFree || granting.some((one) => admits(one, row))),
    columns: COLUMN_NAMES.filter(
      (name) => isFree || !mine.some(({ hiddenColumns }) => hiddenColumns.includes(name)),
    ),
  }
}

const leaves: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    column: fc.constant('region'),
    op: fc.constantFrom('eq' as const, 'ne' as const),
    value: fc.constantFrom('north', 'south', "' OR 1=1 --", '${user.properties.region}'),
  }),
  fc.record({
    column: fc.constant('qty'),
    op: fc.constant('in' as const),
    values: fc.array(fc.constantFrom(1, 2, 3), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ column: fc.constantFrom('region', 'qty'), op: fc.constant('is_null' as const) }),
)

/** Filters over `region` and `qty`. */
export const filtersOfOrders = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaves,
    fc.record({ and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
  ),
})).filter

/** Mostly the usual value: so that several scopes of a table apply to a user, whose rows are less than all. */
const mostly = <Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: usual, weight: 3 }, { arbitrary: other, weight: 1 })

const scope: fc.Arbitrary<Scope> = fc.record({
  id: fc.nat(9),
  name: fc.constant('scope'),
  tables: mostly<string[]>(fc.constant(['orders']), fc.constantFrom(['other'], ['other', 'orders'])),
  subjects: fc.record({
    users: mostly<number[]>(fc.constant([7]), fc.constantFrom([8], [])),
    userGroups: fc.constantFrom([3], [4], []),
    roles: fc.constantFrom<Role[]>([], ['Data_Editor'], ['editor']),
  }),
  access: fc.constantFrom('read' as const, 'edit' as const),
  filter: mostly<Filter | null>(filtersOfOrders, fc.constant(null)),
  hiddenColumns: mostly(fc.constant<string[]>([]), fc.subarray(['qty', 'margin', 'region'])),
})

/** Scopes of the user 7 and of others. */
export const scopesOfOrders: fc.Arbitrary<Scope[]> = mostly(
  fc.array(scope, { minLength: 2, maxLength: 4 }),
  fc.array(scope, { maxLength: 1 }),
)
