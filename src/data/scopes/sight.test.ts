import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import * as fc from 'fast-check'

import { naiveSight, ROWS, scopesOfOrders } from '../../../test/data/scope-cases.ts'
import type { Cells } from '../../../test/data/scope-cases.ts'
import type { Role } from '../../context.ts'
import type { Column } from '../../domain/table.ts'
import { Refusal } from '../../lib/errors.ts'
import { conditionSql } from '../filters/emit.ts'
import { conditionOf } from '../filters/filter.ts'
import type { Filter } from '../filters/filter.ts'
import { writerIn } from '../sql/dialects/writers.ts'
import { boundOf } from '../sql/fragment.ts'
import { filledIn, withSamples } from './placeholders.ts'
import { commonSight, sightHash, sightOf } from './sight.ts'
import type { Access, Person, Relation, Scope, Sight } from './sight.ts'
import { filterWords } from './words.ts'

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'integer' },
  { name: 'region', type: 'string' },
  { name: 'qty', type: 'integer' },
  { name: 'margin', type: 'number' },
]
const ORDERS: Relation = { name: 'orders', kind: 'table', columns: COLUMNS }
const byName = new Map(COLUMNS.map((column) => [column.name, column]))

const database = new Database(':memory:')
database.run('create table orders (id integer, region text, qty integer, margin real)')
for (const { id, region, qty, margin } of ROWS)
  database.run('insert into orders values (?, ?, ?, ?)', [id, region, qty, margin])

const SQLITE = writerIn('sqlite', 'UTC')

/** The ids of the rows of a sight, as SQLite finds them. */
function idsOf(sight: Sight | null): number[] | null {
  if (!sight) return null
  const { text, binds } = sight.rows
    ? boundOf(conditionSql(sight.rows, SQLITE), SQLITE)
    : { text: '1 = 1', binds: [] }
  const values = Object.fromEntries(binds.map(({ value }, index) => [`$${index + 1}`, value]))
  return database
    .query<{ id: number }, [typeof values]>(`select id from orders where ${text} order by id`)
    .all(values)
    .map(({ id }) => id)
}

const namesOf = (sight: Sight | null) => sight && sight.columns.map(({ name }) => name)
const ALL = ROWS.map(({ id }) => id)
const idsWhere = (isWanted: (row: Cells) => boolean) => ROWS.filter(isWanted).map(({ id }) => id)

const person = (change: Partial<Person> = {}): Person => ({
  id: 7,
  username: 'ada',
  role: 'Data_Editor',
  properties: { region: 'north' },
  groupIds: [3],
  ...change,
})

const scope = (change: Partial<Scope> = {}): Scope => ({
  id: 1,
  name: 'own regions',
  tables: ['orders'],
  subjects: { users: [7], userGroups: [], roles: [] },
  access: 'read',
  filter: null,
  hiddenColumns: [],
  ...change,
})

const seen = (of: Person, scopes: readonly Scope[], access: Access = 'read', relation = ORDERS) =>
  sightOf(of, { relation, scopes }, access)

const OWN: Filter = { column: 'region', op: 'in', values: ['${user.properties.region}'] }

describe('sights', () => {
  test('a table without scopes is readable, and editable for administrators only', () => {
    expect(idsOf(seen(person(), []))).toEqual(ALL)
    expect(seen(person(), [], 'edit')).toBeNull()
    expect(idsOf(seen(person({ role: 'administrator' }), [], 'edit'))).toEqual(ALL)
  })

  test('a table with a scope is absent for everyone else but administrators', () => {
    const others = [scope({ subjects: { users: [8], userGroups: [4], roles: ['editor'] } })]
    expect(seen(person(), others)).toBeNull()
    expect(idsOf(seen(person({ role: 'administrator' }), others))).toEqual(ALL)
    expect(idsOf(seen(person(), [scope({ tables: ['other'] })]))).toEqual(ALL)
  })

  test('users, their groups and their roles are subjects', () => {
    for (const subjects of [
      { users: [7], userGroups: [], roles: [] },
      { users: [], userGroups: [3], roles: [] },
      { users: [], userGroups: [], roles: ['Data_Editor' as const] },
    ])
      expect(idsOf(seen(person(), [scope({ subjects })]))).toEqual(ALL)
  })

  test('a property is a value, with any characters', () => {
    const own = [scope({ filter: OWN })]
    for (const region of ['north', 'south', "' OR 1=1 --", '${user.id}', '%', 'north" OR "a"="a'])
      expect(idsOf(seen(person({ properties: { region } }), own))).toEqual(
        idsWhere((row) => row.region === region),
      )
    const qty = [scope({ filter: { column: 'qty', op: 'ge', value: '${user.properties.least}' } })]
    expect(idsOf(seen(person({ properties: { least: '2' } }), qty))).toEqual(idsWhere((row) => row.qty === 2))
  })

  test.each([
    ['a missing property', {}],
    ['a property of Object.prototype', { toString: 'x' }],
    ['a property that must be a number', { least: '1 OR 1=1' }],
  ])('%s yields no rows, also in a negation', (_, properties) => {
    const filter: Filter = {
      not: { column: 'qty', op: 'eq', value: '${user.properties.least}' },
    }
    expect(idsOf(seen(person({ properties }), [scope({ filter })]))).toEqual([])
    const constructed: Filter = {
      not: { column: 'region', op: 'eq', value: '${user.properties.constructor}' },
    }
    expect(idsOf(seen(person({ properties }), [scope({ filter: constructed })]))).toEqual([])
  })

  test('a filter over a column that went yields no rows', () => {
    const filter: Filter = { not: { column: 'gone', op: 'eq', value: 'x' } }
    expect(idsOf(seen(person(), [scope({ filter })]))).toEqual([])
  })

  test('one scope admits a row, any scope hides a column, also one that a filter uses', () => {
    const south: Filter = { column: 'region', op: 'eq', value: 'south' }
    const both = seen(person(), [
      scope({ filter: OWN, hiddenColumns: ['region', 'gone'] }),
      scope({ id: 2, filter: south, hiddenColumns: ['margin'] }),
    ])
    expect(idsOf(both)).toEqual(idsWhere(({ region }) => region === 'north' || region === 'south'))
    expect(namesOf(both)).toEqual(['id', 'qty'])
    expect(seen(person(), [scope({ hiddenColumns: COLUMNS.map(({ name }) => name) })])).toBeNull()
  })

  test('edit includes reading, and reading gives no editing', () => {
    const scopes = [
      scope({ hiddenColumns: ['margin'] }),
      scope({ id: 2, access: 'edit', filter: OWN, hiddenColumns: ['qty'] }),
    ]
    expect(idsOf(seen(person(), scopes, 'edit'))).toEqual(idsWhere(({ region }) => region === 'north'))
    expect(namesOf(seen(person(), scopes, 'edit'))).toEqual(['id', 'region'])
    expect(idsOf(seen(person(), scopes))).toEqual(ALL)
    expect(seen(person(), [scope()], 'edit')).toBeNull()
  })

  test('a view needs a scope of its own once its source has scopes', () => {
    const view: Relation = { ...ORDERS, name: 'regions', kind: 'view' }
    expect(idsOf(seen(person(), [], 'read', view))).toEqual(ALL)
    expect(seen(person(), [scope()], 'read', view)).toBeNull()
    expect(idsOf(seen(person(), [scope({ tables: ['regions'] })], 'read', view))).toEqual(ALL)
  })

  test('several users have the rows and columns that all of them have', () => {
    const north = seen(person(), [scope({ filter: OWN, hiddenColumns: ['qty'] })])
    const two = seen(person(), [scope({ filter: { column: 'qty', op: 'eq', value: 2 } })])
    const common = commonSight([north, two])
    expect(idsOf(common)).toEqual(idsWhere(({ region, qty }) => region === 'north' && qty === 2))
    expect(namesOf(common)).toEqual(['id', 'region', 'margin'])
    expect(commonSight([north, null])).toBeNull()
    expect(commonSight([])).toBeNull()
  })

  test('equal sights have equal hashes, and different ones have different hashes', async () => {
    const hash = async (region: string, hiddenColumns: readonly string[] = []) => {
      const sight = seen(person({ properties: { region } }), [scope({ filter: OWN, hiddenColumns })])
      return sight && sightHash(sight)
    }
    const north = await hash('north')
    expect(north).toMatch(/^[0-9a-f]{64}$/)
    expect(await hash('north')).toBe(north)
    expect(await hash('south')).not.toBe(north)
    expect(await hash('north', ['qty'])).not.toBe(north)
  })
})

describe('placeholders', () => {
  const fault = (filter: Filter) => {
    try {
      conditionOf(withSamples(filter, byName, '/filter'), byName, '/filter')
      return null
    } catch (error) {
      if (error instanceof Refusal) return error.errors[0]?.pointer
      throw error
    }
  }

  test.each([
    [{ column: 'qty', op: 'eq', value: '${user.id}' }, null],
    [{ column: 'region', op: 'starts_with', value: '${user.username}' }, null],
    [{ expr: 'qty * 2', op: 'between', values: ['${user.properties.a b}', 4] }, null],
    [{ column: 'region', op: 'eq', value: 'x${user.username}' }, '/filter/value'],
    [{ column: 'region', op: 'in', values: ['a', '${user.password}'] }, '/filter/values/1'],
    [{ and: [{ column: 'region', match: '=${user.username}' }] }, '/filter/and/0/match'],
    [{ or: [{ not: { expr: "region || '${user.id}'", op: 'is_null' } }] }, '/filter/or/0/not/expr'],
    [{ column: 'gone', op: 'eq', value: '${user.id}' }, '/filter/column'],
    [{ expr: 'gone + 1', op: 'eq', value: '${user.id}' }, '/filter/expr'],
  ] satisfies [Filter, string | null][])('%j: %p', (filter, pointer) => expect(fault(filter)).toBe(pointer))

  test('they are filled in at every depth, and a filter has a text for people', () => {
    const filter: Filter = {
      or: [
        { and: [OWN, { not: { column: 'qty', op: 'eq', value: '${user.id}' } }] },
        { column: 'region', match: 'nor%' },
        { expr: 'qty + 1', op: 'between', values: [1, 2] },
      ],
    }
    const filled = filledIn(filter, person())
    if ('missing' in filled) throw new Error('No property is missing.')
    expect(filterWords(filled)).toBe(
      '((region in ("north")) and (not (qty = "7"))) or (region matches nor%) or ((qty + 1) between 1 and 2)',
    )
    expect(filledIn(filter, person({ properties: {} }))).toEqual({ missing: 'region' })
  })
})

test('random scopes have the rows and columns of a naive evaluation', () => {
  const people = fc.record({
    properties: fc.constantFrom<Record<string, string>>({}, { region: 'north' }, { region: "' OR 1=1 --" }),
    role: fc.constantFrom<Role>('Data_Editor', 'editor', 'administrator'),
  })
  fc.assert(
    fc.property(scopesOfOrders, people, fc.constantFrom<Access>('read', 'edit'), (given, change, access) => {
      const user = person(change)
      const sight = seen(user, given, access)
      const naive = naiveSight(given, user, access)
      expect(idsOf(sight)).toEqual(naive && naive.rows.map(({ id }) => id))
      expect(namesOf(sight)).toEqual(naive && [...naive.columns])
    }),
    { numRuns: 500 },
  )
})
