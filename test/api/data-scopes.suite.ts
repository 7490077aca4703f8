import { expect } from 'bun:test'

import type { Role } from '../../src/context.ts'
import { ROLES } from '../../src/context.ts'
import { logIn, PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import { connectionTo, hasSourceServer, SOURCE_PASSWORD, sourceServer } from './source-server.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Scope = Readonly<Record<string, unknown>> & { readonly id: number }
type Part = { readonly rows: string; readonly words: string; readonly filter: unknown } | null
type Effective = {
  readonly items: readonly {
    readonly table: string
    readonly read: Part
    readonly edit: Part
    readonly hiddenColumns: readonly string[]
    readonly reason: string
    readonly scopes: readonly {
      readonly name: string
      readonly appliesBy: readonly unknown[]
      readonly rows: string
      readonly why: string | null
    }[]
  }[]
}

let prepared: Promise<unknown> | null = null

/** The tables that the scopes of this suite are about. */
function tables(): Promise<unknown> {
  return (prepared ??= sourceServer().sql(`
    create schema scoped;
    create table scoped.orders (id bigint primary key, region text, qty int, margin numeric);
    create table scoped.people (id bigint primary key, region text);
    create table scoped.prices (id bigint primary key);
    create table scoped.parts (id bigint, region text) partition by list (region);
    create table scoped.parts_of_north partition of scoped.parts for values in ('north');
    create view scoped.totals as select region, sum(margin) as margin from scoped.orders group by region;
    grant usage on schema scoped to reader;
    grant select on all tables in schema scoped to reader;`))
}

const stage = once(async (client) => {
  await tables()
  const connection = connectionTo('scoped')
  const makeSource = (name: string) =>
    good<Scope>(client.request('POST', '/dataSources', { json: { name, type: 'postgresql', connection } }))
  const { id: source } = await makeSource('scoped')
  const { id: other } = await makeSource('scoped elsewhere')
  const { id: scope } = await makeScope(client, source, { name: 'staged' })
  const { id: taken } = await makeScope(client, source, { name: 'taken' })
  for (const id of [scope, taken]) await good(client.request('GET', `/dataSources/${source}/scopes/${id}`))
  return { source, other, scope, user: client.userIds.Data_Editor }
})

/** A scope for administrators alone. */
const SCOPE = { tables: ['prices'], subjects: { roles: ['administrator'] } }

const makeScope = (client: Client, source: number, json: object) =>
  good<Scope>(client.request('POST', `/dataSources/${source}/scopes`, { json: { ...SCOPE, ...json } }))

const READS = [
  'GET /dataSources/{source}/scopes',
  'GET /dataSources/{source}/scopes/{scope}',
  'GET /dataSources/{source}/scopes/effective?userId={user}',
]
const WRITES = [
  ['POST /dataSources/{source}/scopes', { name: 'not made', ...SCOPE }],
  ['PUT /dataSources/{source}/scopes/{scope}', { name: 'not changed', ...SCOPE }],
  ['DELETE /dataSources/{source}/scopes/{scope}', undefined],
] as const

const long = (length: number) => 'x'.repeat(length)
const list = <Item>(length: number, item: (index: number) => Item) =>
  Array.from({ length }, (_, index) => item(index))
const onOrders = (filter: unknown) => ({ ...SCOPE, tables: ['orders'], filter })
const nested = (depth: number, filter: object): object =>
  depth === 0 ? filter : { not: nested(depth - 1, filter) }
const many = (count: number) => ({ column: 'id', op: 'in', values: list(count, (index) => index) })
const ID = { column: 'id', op: 'is_null' }

/** Bodies that no scope is made of, each with where it is wrong. */
const WRONG: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['no name', { ...SCOPE, name: ' ' }, '/name'],
  ['a long name', { ...SCOPE, name: long(256) }, '/name'],
  ['no tables', { ...SCOPE, tables: [] }, '/tables'],
  ['101 tables', { ...SCOPE, tables: list(101, () => 'prices') }, '/tables'],
  ['a table that is not there', { ...SCOPE, tables: ['prices', 'gone'] }, '/tables/1'],
  ['a table of another schema', { ...SCOPE, tables: ['elsewhere'] }, '/tables/0'],
  ['no subjects', { ...SCOPE, subjects: {} }, '/subjects'],
  ['an unknown role', { ...SCOPE, subjects: { roles: ['root'] } }, '/subjects/roles/0'],
  ['an unknown user', { ...SCOPE, subjects: { users: [1, 999_999] } }, '/subjects/users/1'],
  ['an unknown user group', { ...SCOPE, subjects: { userGroups: [999_999] } }, '/subjects/userGroups/0'],
  ['1,001 users', { ...SCOPE, subjects: { users: list(1_001, () => 1) } }, '/subjects/users'],
  ['201 user groups', { ...SCOPE, subjects: { userGroups: list(201, () => 1) } }, '/subjects/userGroups'],
  ['an unknown access', { ...SCOPE, access: 'write' }, '/access'],
  ['a hidden column that is not there', { ...SCOPE, hiddenColumns: ['gone'] }, '/hiddenColumns/0'],
  ['201 hidden columns', { ...SCOPE, hiddenColumns: list(201, () => 'id') }, '/hiddenColumns'],
  ['an unknown field', { ...SCOPE, mode: 'native' }, '/mode'],
  ['a filter that is a text', onOrders('region = 1'), '/filter'],
  ['a filter without an operator', onOrders({ column: 'region' }), '/filter'],
  ['an unknown operator', onOrders({ and: [{ column: 'id', op: 'like' }] }), '/filter/and/0/op'],
  ['an unknown column', onOrders({ or: [{ column: 'gone', op: 'is_null' }] }), '/filter/or/0/column'],
  [
    'a column that one table has not',
    { ...onOrders({ column: 'qty', op: 'is_null' }), tables: ['orders', 'people'] },
    '/filter/column',
  ],
  ['a value of another type', onOrders({ column: 'qty', op: 'eq', value: 'many' }), '/filter/value'],
  ['SQL in an expression', onOrders({ expr: '(select 1)', op: 'is_null' }), '/filter/expr'],
  ['17 levels', onOrders(nested(17, ID)), ...['/filter'].map((at) => at + '/not'.repeat(17))],
  ['a filter without end', onOrders(nested(3_000, ID)), '/filter' + '/not'.repeat(17)],
  ['501 values', onOrders(many(501)), '/filter/values'],
  ['a long text', onOrders({ column: 'region', op: 'eq', value: long(10_001) }), '/filter/value'],
  ['half a placeholder', onOrders({ column: 'region', op: 'eq', value: 'a${user.id}' }), '/filter/value'],
  [
    'an unknown placeholder',
    onOrders({ column: 'region', op: 'in', values: ['${user.password}'] }),
    '/filter/values/0',
  ],
  [
    'a placeholder as a pattern',
    onOrders({ column: 'region', op: 'like', value: '${user.username}' }),
    '/filter/value',
  ],
  ['a placeholder in a match', onOrders({ column: 'region', match: '=${user.username}' }), '/filter/match'],
]

const others = ROLES.filter((role) => role !== 'administrator')

const rows: readonly Row[] = [
  ...READS.flatMap((call): Row[] => [
    { title: 'a request without credentials', call, as: null, answers: 'unauthenticated' },
    ...others.map((as): Row => ({ title: as, call, as, answers: 'forbidden' })),
  ]),
  ...WRITES.flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...others.map((as): Row => ({ title: as, call, json, as, answers: 'forbidden' })),
  ]),
  ...WRONG.flatMap(([title, json, ...pointers]): Row[] =>
    WRITES.slice(0, 2).map(([call]) => ({
      title,
      call,
      json: { name: 'wrong', ...json },
      answers: 'invalid',
      pointers,
    })),
  ),
  ...WRITES.slice(0, 2).map(([call]): Row => ({
    title: 'a name that is taken',
    call,
    json: { ...SCOPE, name: 'TAKEN' },
    answers: 'name_taken',
    pointers: ['/name'],
  })),
  {
    title: 'an old version',
    call: 'PUT /dataSources/{source}/scopes/{scope}',
    json: { name: 'staged', ...SCOPE },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  {
    title: 'an old version',
    call: 'DELETE /dataSources/{source}/scopes/{scope}',
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  ...['GET', 'PUT', 'DELETE'].flatMap((method) =>
    ['/dataSources/{source}/scopes/999999', '/dataSources/{other}/scopes/{scope}'].map((path): Row => ({
      title: 'a scope that is not of this data source',
      call: `${method} ${path}`,
      ...(method === 'PUT' && { json: { name: 'x', ...SCOPE } }),
      answers: 'not_found',
    })),
  ),
  ...['GET', 'POST'].map((method): Row => ({
    title: 'a data source that is not there',
    call: `${method} /dataSources/999999/scopes`,
    ...(method === 'POST' && { json: { name: 'x', ...SCOPE } }),
    answers: 'not_found',
  })),
  {
    title: 'a data source that is not there',
    call: 'GET /dataSources/999999/scopes/effective?userId=1',
    answers: 'not_found',
  },
  {
    title: 'no user',
    call: 'GET /dataSources/{source}/scopes/effective',
    answers: 'invalid',
    pointers: ['?userId'],
  },
  {
    title: 'an unknown user',
    call: 'GET /dataSources/{source}/scopes/effective?userId=999999',
    answers: 'invalid',
    pointers: ['?userId'],
  },
  {
    title: 'an unknown table',
    call: 'GET /dataSources/{source}/scopes/effective?userId={user}&table=gone',
    answers: 'invalid',
    pointers: ['?table'],
  },
]

let made = 0

/** A user of a role, with properties, who can be signed in as. */
async function userOf(client: Client, role: Role, properties: Readonly<Record<string, string>> = {}) {
  const username = `scoped user ${++made}`
  const given = Object.entries(properties).map(([key, value]) => ({ key, value }))
  const json = { username, password: PASSWORD, role, properties: given }
  const { id } = await good<{ id: number }>(client.request('POST', '/users', { json }))
  const session = await logIn(client, { username, password: PASSWORD })
  return { id, as: { as: null, headers: { 'x-session-id': session } } as const }
}

async function effective(client: Client, source: number, userId: number, of: string) {
  const path = `/dataSources/${source}/scopes/effective?userId=${userId}&table=${of}`
  const { items } = await good<Effective>(client.request('GET', path))
  const [item] = items
  if (!item || items.length > 1) throw new Error(`One table was to be shown, and ${items.length} were.`)
  return item
}

const wordsOf = async (...of: Parameters<typeof effective>) => {
  const { read, edit } = await effective(...of)
  return [read && read.words, edit && edit.words]
}

const REGION = { column: 'region', op: 'eq', value: '${user.properties.region}' }

const kept: Scenario[] = [
  {
    title: 'a scope is added, read, listed, changed and deleted, each on record',
    decidedAbovePorts: 'scopes',
    async run(client) {
      const { source } = await stage(client)
      const { id: user } = await userOf(client, 'Data_Editor')
      const { id: group } = await good<Scope>(
        client.request('POST', '/userGroups', { json: { name: `scoped group ${made}` } }),
      )
      const sent = {
        name: ' Own regions ',
        tables: ['people', 'orders', 'people'],
        subjects: { users: [user, 1, user], userGroups: [group], roles: ['editor', 'Data_Editor'] },
        access: 'edit',
        filter: { and: [REGION, { not: { column: 'id', match: '>=10' } }] },
        hiddenColumns: ['margin'],
      }
      const added = await client.request('POST', `/dataSources/${source}/scopes`, { json: sent })
      expectAnswer(added, { answers: 201 })
      const scope = added.body as Scope
      expect(scope).toMatchObject({
        ...sent,
        name: 'Own regions',
        tables: ['people', 'orders'],
        subjects: { users: [1, user], userGroups: [group], roles: ['Data_Editor', 'editor'] },
      })
      const path = added.headers.get('location') ?? ''
      expect(path).toBe(`/dataSources/${source}/scopes/${scope.id}`)
      const one = await client.request('GET', path)
      expect(one.body).toEqual(added.body)
      const listed = await good<{ items: Scope[] }>(client.request('GET', `/dataSources/${source}/scopes`))
      expect(listed.items).toContainEqual(scope)
      const tag = { 'if-match': one.headers.get('etag') ?? '' }
      const json = { ...scope, subjects: { users: [user] }, filter: null, hiddenColumns: [] }
      const changed = await client.request('PUT', path, { json, headers: tag })
      expect(changed.body).toMatchObject({
        id: scope.id,
        subjects: { users: [user], userGroups: [], roles: [] },
        filter: null,
        hiddenColumns: [],
      })
      expectAnswer(await client.request('PUT', path, { json: scope, headers: tag }), {
        answers: 'precondition_failed',
      })
      const patch = { json: { access: 'read' }, headers: { 'content-type': 'application/merge-patch+json' } }
      expect((await client.request('PATCH', path, patch)).body).toMatchObject({
        access: 'read',
        subjects: { users: [user] },
      })
      // Without subjects a scope applies to no user.
      await good(client.request('DELETE', `/users/${user}`))
      expect((await client.request('GET', path)).body).toMatchObject({ subjects: { users: [] } })
      expectAnswer(await client.request('DELETE', path), { answers: 204 })
      expectAnswer(await client.request('GET', path), { answers: 'not_found' })
      const record = await client.request('GET', `/audit?objectType=dataSourceScope&objectId=${scope.id}`)
      const { items } = record.body as { items: { action: string; after: object | null }[] }
      expect(items.map(({ action }) => action)).toEqual(['delete', 'update', 'update', 'create'])
      expect(items.at(-1)?.after).toMatchObject({ name: 'Own regions', filter: sent.filter })
    },
  },
  {
    title: 'everything may be as long and as many as it is said',
    decidedAbovePorts: 'scopes',
    async run(client) {
      const { other } = await stage(client)
      const largest = {
        name: long(255),
        tables: list(100, (index) => (index % 2 === 0 ? 'orders' : 'people')),
        subjects: { users: list(1_000, () => 1), userGroups: [], roles: [...ROLES] },
        filter: { and: [nested(15, ID), { column: 'region', op: 'ne', value: long(10_000) }] },
        hiddenColumns: list(200, (index) => (index % 2 === 0 ? 'margin' : 'qty')),
      }
      const { id } = await makeScope(client, other, largest)
      const path = `/dataSources/${other}/scopes/${id}`
      expect(await good(client.request('GET', path))).toMatchObject({
        name: long(255),
        tables: ['orders', 'people'],
        filter: largest.filter,
      })
      const json = { ...SCOPE, name: 'values', tables: ['orders'], filter: many(500) }
      expect(await good(client.request('PUT', path, { json }))).toMatchObject({ filter: many(500) })
      const deep = { ...json, filter: nested(16, ID) }
      expect(await good(client.request('PUT', path, { json: deep }))).toMatchObject({ filter: deep.filter })
      await good(client.request('DELETE', path))
    },
  },
  {
    title: 'a data source has 100 scopes, and they go with it',
    decidedAbovePorts: 'scopes',
    async run(client) {
      const { source } = await stage(client)
      const original = await good<{ connection: object }>(client.request('GET', `/dataSources/${source}`))
      const connection = { ...original.connection, password: SOURCE_PASSWORD }
      const json = { name: 'full of scopes', type: 'postgresql', connection }
      const { id } = await good<Scope>(client.request('POST', '/dataSources', { json }))
      for (let index = 0; index < 100; index += 1) await makeScope(client, id, { name: `scope ${index}` })
      const more = await client.request('POST', `/dataSources/${id}/scopes`, {
        json: { ...SCOPE, name: 'one too many' },
      })
      expectAnswer(more, { answers: 'conflict' })
      await good(client.request('DELETE', `/dataSources/${id}`))
      expectAnswer(await client.request('GET', `/dataSources/${id}/scopes`), { answers: 'not_found' })
    },
  },
]

const applied: Scenario[] = [
  {
    title: 'a user has the rows of the scopes for the user, the user groups and the role, with the reasons',
    async run(client) {
      const { other } = await stage(client)
      const { id: user } = await userOf(client, 'Data_Editor', { region: "O'Brien" })
      const { id: bare } = await userOf(client, 'Data_Editor')
      const words = (id: number, of = 'orders') => wordsOf(client, other, id, of)
      expect(await words(user)).toEqual(['all rows', null])
      expect(await words(1)).toEqual(['all rows', 'all rows'])
      const own = await makeScope(client, other, {
        name: 'own',
        tables: ['orders'],
        subjects: { roles: ['Data_Editor'] },
        filter: REGION,
        hiddenColumns: ['margin'],
      })
      expect(await words(user)).toEqual([`region = "O'Brien"`, null])
      expect(await words(1)).toEqual(['all rows', 'all rows'])
      expect(await words(client.userIds.editor)).toEqual([null, null])
      const missing = await effective(client, other, bare, 'orders')
      expect(missing).toMatchObject({
        read: { rows: 'none', words: 'no rows' },
        hiddenColumns: ['margin'],
        reason: 'scopes',
        scopes: [
          { name: 'own', appliesBy: [{ by: 'role' }], rows: 'none', why: 'The user has no property region.' },
        ],
      })
      // Another table is as it was, and a view over the table is not.
      expect(await words(user, 'people')).toEqual(['all rows', null])
      expect(await effective(client, other, user, 'totals')).toMatchObject({
        read: null,
        reason: 'view_without_scope',
      })
      const { id: group } = await good<Scope>(
        client.request('POST', '/userGroups', { json: { name: `scoped group ${++made}` } }),
      )
      await makeScope(client, other, {
        name: 'large ones',
        tables: ['orders'],
        subjects: { userGroups: [group] },
        access: 'edit',
        filter: { column: 'qty', op: 'ge', value: 100 },
        hiddenColumns: ['id'],
      })
      expect(await words(user)).toEqual([`region = "O'Brien"`, null])
      await good(client.request('PUT', `/userGroups/${group}/users`, { json: { userIds: [user] } }))
      expect(await words(user)).toEqual([`(region = "O'Brien") or (qty >= 100)`, 'qty >= 100'])
      expect(await effective(client, other, user, 'orders')).toMatchObject({
        hiddenColumns: ['id', 'margin'],
        scopes: [
          { name: 'own', appliesBy: [{ by: 'role' }] },
          { name: 'large ones', appliesBy: [{ by: 'userGroup', userGroupId: group }] },
        ],
      })
      await good(client.request('DELETE', `/dataSources/${other}/scopes/${own.id}`))
      expect(await words(user)).toEqual(['qty >= 100', 'qty >= 100'])
      expect(await effective(client, other, bare, 'orders')).toMatchObject({
        read: null,
        reason: 'no_scope_applies',
      })
    },
  },
  {
    title:
      'columns are listed as far as the caller may read them, and a change counts from the next answer on',
    decidedAbovePorts: 'scopes',
    async run(client) {
      const { source } = await stage(client)
      const { id, as } = await userOf(client, 'Data_Editor', { region: 'north' })
      const path = `/dataSources/${source}/columns`
      const columns = async (request = {}) =>
        (await good<{ table: string; name: string }[]>(client.request('GET', path, request))).map(
          (column) => `${column.table}.${column.name}`,
        )
      const all = await columns()
      expect(all).toEqual([
        'orders.id',
        'orders.region',
        'orders.qty',
        'orders.margin',
        // Its partition is not listed: it would have the rows past the scopes of the table.
        'parts.id',
        'parts.region',
        'people.id',
        'people.region',
        'prices.id',
        'totals.region',
        'totals.margin',
      ])
      // The staged scopes leave prices to administrators, and the view has none.
      const open = all.filter((name) => !/^(?:prices|totals)/.test(name))
      expect(await columns(as)).toEqual(open)
      const scope = await makeScope(client, source, {
        name: 'columns',
        tables: ['orders'],
        subjects: { users: [id] },
        hiddenColumns: ['margin', 'qty'],
      })
      expect(await columns(as)).toEqual(open.filter((name) => !/margin|qty/.test(name)))
      expect(await columns({ as: 'Data_Editor' })).toEqual(open.filter((name) => !name.startsWith('orders')))
      expect(await columns()).toEqual(all)
      const json = { ...scope, hiddenColumns: ['id', 'region', 'qty', 'margin'] }
      await good(client.request('PUT', `/dataSources/${source}/scopes/${scope.id}`, { json }))
      expect(await columns(as)).toEqual(open.filter((name) => !name.startsWith('orders')))
      await good(client.request('DELETE', `/dataSources/${source}/scopes/${scope.id}`))
      expect(await columns(as)).toEqual(open)
    },
  },
  {
    title:
      'tables are listed as far as the caller may read them, with an estimate only of rows that are all visible',
    decidedAbovePorts: 'scopes',
    async run(client) {
      const { source } = await stage(client)
      await sourceServer().sql('analyze scoped.orders, scoped.people')
      await good(client.request('POST', `/dataSources/${source}/syncSchema`))
      const { id, as } = await userOf(client, 'Data_Editor', { region: 'north' })
      type Table = {
        readonly name: string
        readonly columns: number
        readonly approximateRows: number | null
      }
      const listed = async (request = {}) =>
        (await good<Table[]>(client.request('GET', `/dataSources/${source}/tables`, request))).map(
          ({ name, columns, approximateRows }) => [name, columns, approximateRows],
        )
      const all = [
        ['orders', 4, 0],
        ['parts', 2, null],
        ['people', 2, 0],
        ['prices', 1, null],
        ['totals', 2, null],
      ]
      expect(await listed()).toEqual(all)
      const scope = await makeScope(client, source, {
        name: 'tables',
        tables: ['orders'],
        subjects: { users: [id] },
        hiddenColumns: ['margin'],
        filter: { column: 'region', op: 'eq', value: 'north' },
      })
      expect(await listed(as)).toEqual([
        ['orders', 3, null],
        ['parts', 2, null],
        ['people', 2, 0],
      ])
      expect(await listed({ as: 'Data_Editor' })).toEqual([
        ['parts', 2, null],
        ['people', 2, 0],
      ])
      await good(client.request('DELETE', `/dataSources/${source}/scopes/${scope.id}`))
    },
  },
]

export const dataScopesSuite: Suite = {
  name: 'scopes of data sources',
  scenarios: hasSourceServer ? [...table(stage, rows), ...kept, ...applied] : [],
}
