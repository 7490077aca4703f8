import { expect } from 'bun:test'
import * as fc from 'fast-check'

import type { Filter } from '../../src/data/filters/filter.ts'
import type { Person, Scope } from '../../src/data/scopes/sight.ts'
import {
  COLUMN_NAMES,
  filtersOfOrders,
  naiveSight,
  ROWS,
  scopesOfOrders,
  truthOf,
} from '../data/scope-cases.ts'
import type { Cells } from '../data/scope-cases.ts'
import { logIn, PASSWORD } from './client.ts'
import type { Answer, Client } from './client.ts'
import { connectionTo, hasSourceServer, SOURCE_PASSWORD, sourceServer } from './source-server.ts'
import { expectAnswer, good, once } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Selected = { readonly rows: readonly Readonly<Record<string, unknown>>[] }
type Made = { readonly id: number }

let prepared: Promise<unknown> | null = null

const literal = (value: string | number | null) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** The tables of the cases, and a view over one of them. */
function tables(): Promise<unknown> {
  const rows = ROWS.map(
    ({ id, region, qty, margin }) => `(${[id, region, qty, margin].map(literal).join(',')})`,
  )
  return (prepared ??= sourceServer().sql(`
    create schema reads;
    create table reads.orders (id bigint primary key, region text, qty int, margin double precision);
    create table reads.other (like reads.orders);
    create view reads.totals as select region, sum(margin) as margin from reads.orders group by region;
    insert into reads.orders values ${rows.join(',')};
    insert into reads.other values (100, 'north', 1, 1);
    create schema secured;
    create role landlord login password '${SOURCE_PASSWORD}';
    create table secured.orders (id bigint primary key, owner_id bigint);
    insert into secured.orders select id, id from generate_series(1, 1000) id;
    alter table secured.orders owner to landlord;
    alter table secured.orders enable row level security;
    create policy own on secured.orders for select to reader
      using (owner_id = nullif(current_setting('tidemark.user_id', true), '')::bigint);
    grant usage on schema secured to reader, landlord;
    grant select on secured.orders to reader;
    grant usage on schema reads to reader;
    grant select on all tables in schema reads to reader;`))
}

let made = 0

const makeSource = async (client: Client, schema = 'reads', change: object = {}) => {
  await tables()
  const connection = connectionTo(schema)
  const json = { name: `scoped reads ${++made}`, type: 'postgresql', connection, ...change }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

async function makeUser(client: Client, properties: Readonly<Record<string, string>> = {}) {
  const username = `scoped reader ${++made}`
  const given = Object.entries(properties).map(([key, value]) => ({ key, value }))
  const json = { username, password: PASSWORD, role: 'Data_Editor', properties: given }
  const { id } = await good<Made>(client.request('POST', '/users', { json }))
  const session = await logIn(client, { username, password: PASSWORD })
  return { id, as: { as: null, headers: { 'x-session-id': session } } as const }
}

type Asker = Awaited<ReturnType<typeof makeUser>>['as'] | object

type At = { readonly client: Client; readonly source: number }

const select = ({ client, source }: At, json: object, as: Asker = {}, of = 'orders') =>
  client.request('POST', `/dataSources/${source}/tables/${encodeURIComponent(of)}/select`, {
    json: { format: 'objects', ...json },
    ...as,
  })

async function rowsOf(answer: Promise<Answer>) {
  return (await good<Selected>(answer)).rows
}

async function idsOf(answer: Promise<Answer>) {
  return (await rowsOf(answer)).map(({ id }) => Number(id)).sort((one, other) => one - other)
}

const idsWhere = (isWanted: (row: Cells) => boolean) => ROWS.filter(isWanted).map(({ id }) => id)
const ofRegion = (region: string) => idsWhere((row) => row.region === region)
const ALL = idsWhere(() => true)
const OWN: Filter = { column: 'region', op: 'eq', value: '${user.properties.region}' }

const makeScope = (client: Client, source: number, json: object) =>
  good<Made>(
    client.request('POST', `/dataSources/${source}/scopes`, {
      json: { name: `scope ${++made}`, tables: ['orders'], subjects: { roles: ['Data_Editor'] }, ...json },
    }),
  )

/** A data source on which users have the rows of their region, without margins. */
const stage = once(async (client) => {
  const source = await makeSource(client)
  const scope = await makeScope(client, source, { filter: OWN, hiddenColumns: ['margin'] })
  const north = await makeUser(client, { region: 'north' })
  const south = await makeUser(client, { region: 'south' })
  const bare = await makeUser(client)
  return { source, scope: scope.id, north, south, bare }
})

const fixed: Scenario[] = [
  {
    title: 'users have their own rows by select, aggregate and sub-conditions; without the property none',
    decidedAbovePorts: 'reads within scopes',
    async run(client) {
      const { source, north, bare } = await stage(client)
      expect(await idsOf(select({ client, source }, {}, north.as))).toEqual(ofRegion('north'))
      expect(await idsOf(select({ client, source }, {}, bare.as))).toEqual([])
      expect(await idsOf(select({ client, source }, {}))).toEqual(ALL)
      const filter = {
        or: [
          { column: 'region', op: 'ne', value: 'north' },
          { column: 'id', op: 'ge', value: 0 },
        ],
      }
      expect(await idsOf(select({ client, source }, { filter }, north.as))).toEqual(ofRegion('north'))
      const count = {
        aggregates: [
          { fn: 'COUNT', expr: '*', as: 'n' },
          { fn: 'MAX', column: 'id', as: 'last' },
        ],
      }
      const counted = async (as: Asker) =>
        (await rowsOf(select({ client, source }, count, as))).map(({ n }) => Number(n))
      expect(await counted(north.as)).toEqual([ofRegion('north').length])
      expect(await counted(bare.as)).toEqual([0])
      expect(await counted({})).toEqual([ALL.length])
      const total = await good<{ total: number }>(
        select({ client, source }, { total: 'exact', limit: 0 }, north.as),
      )
      expect(total.total).toBe(ofRegion('north').length)
    },
  },
  {
    title: 'a histogram counts the own rows, and a hidden column has none',
    decidedAbovePorts: 'reads within scopes',
    async run(client) {
      const { source, north, bare } = await stage(client)
      const read = (column: string, as: Asker) =>
        client.request('GET', `/dataSources/${source}/tables/orders/columns/${column}/histogram`, as)
      const counted = async (as: Asker) => {
        const { count, nullCount } = await good<{ count: number; nullCount: number }>(read('qty', as))
        return count + nullCount
      }
      expect(await counted(north.as)).toBe(ofRegion('north').length)
      expect(await counted(bare.as)).toBe(0)
      expect(await counted({})).toBe(ALL.length)
      for (const column of ['margin', 'nothing']) {
        expectAnswer(await read(column, north.as), { answers: 'not_found' })
        const values = `/dataSources/${source}/tables/orders/columns/${column}/values`
        expectAnswer(await client.request('GET', values, north.as), { answers: 'not_found' })
        const bySource = `/dataSources/${source}/distinctValues?table=orders&column=${column}`
        expectAnswer(await client.request('GET', bySource, north.as), {
          answers: 'invalid',
          pointers: ['?column'],
        })
      }
      const regions = `/dataSources/${source}/tables/orders/columns/region/values`
      expect(await good(client.request('GET', regions, north.as))).toEqual({
        items: [{ value: 'north', count: ofRegion('north').length }],
        total: 1,
        truncated: false,
      })
      expectAnswer(await read('margin', {}), { answers: 200 })
    },
  },
  {
    title: 'a hidden column is refused as an unknown one is, wherever it is named',
    decidedAbovePorts: 'reads within scopes',
    async run(client) {
      const { source, north } = await stage(client)
      const [row] = await rowsOf(select({ client, source }, {}, north.as))
      expect(Object.keys(row ?? {})).toEqual(['id', 'region', 'qty'])
      const naming: readonly ((column: string) => object)[] = [
        (column) => ({ columns: ['id', column] }),
        (column) => ({ columns: [{ expr: `${column} * 2`, as: 'x' }] }),
        (column) => ({ columns: [{ column, as: 'x' }] }),
        (column) => ({ filter: { column, op: 'gt', value: 1 } }),
        (column) => ({ filter: { not: { expr: `abs(${column})`, op: 'is_null' } } }),
        (column) => ({ orderBy: [{ column }] }),
        (column) => ({ groupBy: [column] }),
        (column) => ({ aggregates: [{ fn: 'SUM', column, as: 'x' }] }),
        (column) => ({ aggregates: [{ fn: 'SUM', expr: `${column} + 1`, as: 'x' }] }),
        (column) => ({
          aggregates: [{ fn: 'COUNT', expr: '*', as: 'n', filter: { column, op: 'is_null' } }],
        }),
        (column) => ({
          groupBy: ['region'],
          aggregates: [{ fn: 'COUNT', expr: '*', as: 'n' }],
          having: { column, op: 'is_null' },
        }),
      ]
      for (const body of naming) {
        const hidden = await select({ client, source }, body('margin'), north.as)
        const unknown = await select({ client, source }, body('nigram'), north.as)
        expectAnswer(hidden, { answers: 'invalid' })
        expect(hidden.body['errors']).toEqual(unknown.body['errors'])
      }
    },
  },
  {
    title: 'no spelling of a name leads past a scope',
    decidedAbovePorts: 'reads within scopes',
    async run(client) {
      const { source, north } = await stage(client)
      const text = async (json: object, of?: string) => {
        const answer = await select({ client, source }, json, north.as, of)
        expect(answer.text).not.toContain('south')
        return answer
      }
      for (const of of [
        'reads.orders',
        'main.orders',
        'public.orders',
        '"orders"',
        'ORDERS',
        'Orders',
        'orders ',
        ' orders',
        'orders --',
        'orders/**/',
        'orders;',
        'orders, orders',
        'U&"orders"',
        "orders' OR 'a'='a",
        'totals',
        'pg_stats',
        'pg_catalog.pg_stats',
        'pg_class',
        'information_schema.tables',
        'sqlite_schema',
        '(select * from orders)',
        "crosstab('select * from orders')",
        'query_to_xml',
        '*',
        '%',
        '..',
      ])
        expectAnswer(await text({}, of), { answers: 'not_found' })
      for (const expr of [
        '(select count(*) from orders)',
        '(select margin from reads.orders limit 1)',
        'orders.margin',
        'reads.orders.margin',
        '"margin"',
        't.margin',
        'orders',
        '*',
        'region; select 1',
        'region --',
        "query_to_xml('select * from reads.orders', true, true, '')",
        "crosstab('select * from orders')",
        "pg_read_file('/etc/passwd')",
        'current_user',
        "dblink('', '')",
        'U&"marg\\0069n"',
        'region /* */ || margin',
        'coalesce(margin, 1)',
        '$1',
        '?',
        '1) FROM reads.orders --',
      ])
        expectAnswer(await text({ columns: [{ expr, as: 'x' }] }), { answers: 'invalid' })
      for (const value of [
        "' OR 1=1 --",
        "') OR ('1'='1",
        '\\',
        '%',
        "north' UNION SELECT * FROM orders --",
      ]) {
        const filter = { column: 'region', op: 'eq', value }
        expect(await rowsOf(select({ client, source }, { filter }, north.as))).toEqual([])
      }
      for (const as of ['x" FROM reads.orders --', 'margin', "'"]) {
        const rows = await rowsOf(
          select({ client, source }, { columns: [{ column: 'region', as }] }, north.as),
        )
        expect(new Set(rows.map((row) => row[as]))).toEqual(new Set(['north']))
      }
    },
  },
  {
    title: 'a table without a scope for the user is answered like one that is not there',
    decidedAbovePorts: 'reads within scopes',
    async run(client) {
      const { source, north } = await stage(client)
      const scope = await makeScope(client, source, {
        tables: ['other'],
        subjects: { roles: ['administrator'] },
      })
      const asked = async (of: string, as: Asker) => {
        const { requestId: _, ...problem } = (await select({ client, source }, {}, as, of)).body
        return problem
      }
      expect(await asked('other', north.as)).toEqual(await asked('gone', north.as))
      expect(await idsOf(select({ client, source }, {}, {}, 'other'))).toEqual([100])
      await good(client.request('DELETE', `/dataSources/${source}/scopes/${scope.id}`))
      expect(await idsOf(select({ client, source }, {}, north.as, 'other'))).toEqual([100])
    },
  },
  {
    title: 'users in turn, and at once, never have rows of one another',
    decidedAbovePorts: 'reads within scopes',
    async run(client) {
      const { source, north, south } = await stage(client)
      const expected = [
        [north.as, ofRegion('north')],
        [south.as, ofRegion('south')],
        [{}, ALL],
      ] as const
      for (let round = 0; round < 3; round += 1)
        for (const [as, ids] of expected)
          expect(await idsOf(select({ client, source }, {}, as))).toEqual([...ids])
      const many = Array.from({ length: 4 }, () => expected).flat()
      const answers = await Promise.all(many.map(([as]) => idsOf(select({ client, source }, {}, as))))
      expect(answers).toEqual(many.map(([, ids]) => [...ids]))
    },
  },
  {
    title: 'a change of a scope, a property, a membership or a role applies to the next answer',
    decidedAbovePorts: 'reads within scopes',
    async run(client) {
      const source = await makeSource(client)
      const { id, as } = await makeUser(client, { region: 'north' })
      const ids = () => idsOf(select({ client, source }, {}, as))
      const put = (path: string, json: object) => good(client.request('PUT', path, { json }))
      expect(await ids()).toEqual(ALL)
      const subjects = { users: [id] }
      const scope = await makeScope(client, source, { subjects, filter: OWN })
      const path = `/dataSources/${source}/scopes/${scope.id}`
      const whole = { name: 'changed', tables: ['orders'], subjects }
      expect(await ids()).toEqual(ofRegion('north'))
      await put(`/users/${id}`, { properties: [{ key: 'region', value: 'south' }] })
      expect(await ids()).toEqual(ofRegion('south'))
      await put(path, { ...whole, filter: { not: OWN } })
      expect(await ids()).toEqual(idsWhere(({ region }) => region !== null && region !== 'south'))
      await put(`/users/${id}`, { properties: [] })
      expect(await ids()).toEqual([])
      const group = await good<Made>(
        client.request('POST', '/userGroups', { json: { name: `scoped readers ${++made}` } }),
      )
      await put(path, { ...whole, subjects: { userGroups: [group.id] } })
      expectAnswer(await select({ client, source }, {}, as), { answers: 'not_found' })
      await put(`/userGroups/${group.id}/users`, { userIds: [id] })
      expect(await ids()).toEqual(ALL)
      await put(path, { ...whole, subjects: { roles: ['editor'] } })
      expectAnswer(await select({ client, source }, {}, as), { answers: 'not_found' })
      await good(client.request('DELETE', path))
      expect(await ids()).toEqual(ALL)
    },
  },
]

const native: Scenario = {
  title: 'row security of the database knows the user, and scopes apply as well',
  async run(client) {
    const source = await makeSource(client, 'secured', { scopeMode: 'native' })
    const users = [await makeUser(client), await makeUser(client)]
    for (const { id, as } of [...users, ...users])
      expect(await idsOf(select({ client, source }, {}, as))).toEqual([id])
    const administrator = client.userIds.administrator
    expect(await idsOf(select({ client, source }, {}))).toEqual([administrator])
    const plain = await makeSource(client, 'secured')
    expect(await idsOf(select({ client, source: plain }, {}, users[0]?.as))).toEqual([])
    await makeScope(client, source, { filter: { column: 'id', op: 'eq', value: administrator } })
    for (const { as } of users) expect(await idsOf(select({ client, source }, {}, as))).toEqual([])
    const warned = async (user: string, scopeMode: string) => {
      const connection = connectionTo('secured', { user })
      const json = { name: 'tried', type: 'postgresql', connection, scopeMode }
      const { warnings } = await good<{ warnings: string[] }>(
        client.request('POST', '/dataSources/test', { json }),
      )
      return warnings.includes('above_row_security')
    }
    expect(await warned('reader', 'native')).toBe(false)
    expect(await warned('landlord', 'native')).toBe(true)
    expect(await warned('landlord', 'filters')).toBe(false)
  },
}

const CASES = 25

const random: Scenario = {
  title: 'random scopes and random selects have the rows of a naive evaluation',
  decidedAbovePorts: 'reads within scopes',
  async run(client) {
    const source = await makeSource(client)
    const user = await makeUser(client, { region: 'north' })
    const other = await makeUser(client)
    const groups = await Promise.all(
      [3, 4].map(() =>
        good<Made>(client.request('POST', '/userGroups', { json: { name: `random scopes ${++made}` } })),
      ),
    )
    const [mine, theirs] = groups.map(({ id }) => id)
    await good(client.request('PUT', `/userGroups/${mine}/users`, { json: { userIds: [user.id] } }))
    const person: Person = {
      id: 7,
      username: 'north',
      role: 'Data_Editor',
      properties: { region: 'north' },
      groupIds: [3],
    }
    const sent = ({ tables: of, subjects, access, filter, hiddenColumns }: Scope) => {
      const { users, userGroups, roles } = subjects
      return {
        tables: of,
        access,
        filter,
        hiddenColumns,
        subjects: {
          users: users.map((id) => (id === 7 ? user.id : other.id)),
          userGroups: userGroups.map((id) => (id === 3 ? mine : theirs)),
          roles: [...roles, 'administrator'],
        },
      }
    }
    const selects = fc.record({
      columns: fc.subarray(['region', 'qty', 'margin']),
      filter: fc.option(filtersOfOrders),
    })
    const cases = fc.sample(fc.tuple(scopesOfOrders, selects), { numRuns: CASES })
    let found = 0
    for (const [scopes, { columns, filter }] of cases) {
      const ids: number[] = []
      for (const scope of scopes) ids.push((await makeScope(client, source, sent(scope))).id)
      const answer = await select(
        { client, source },
        { columns: ['id', ...columns], ...(filter && { filter }) },
        user.as,
      )
      const naive = naiveSight(scopes, person, 'read')
      const named = [
        ...columns,
        ...COLUMN_NAMES.filter((name) => JSON.stringify(filter).includes(`"${name}"`)),
      ]
      const told = `${JSON.stringify({ scopes, columns, filter })}: ${answer.text}`
      if (!naive) expect(answer.status, told).toBe(404)
      else if (named.some((name) => !naive.columns.includes(name))) expect(answer.status, told).toBe(422)
      else {
        expect(answer.status, told).toBe(200)
        // In a select a placeholder is a text.
        const isMatch = (row: Cells) => !filter || truthOf(filter, row, '${user.properties.region}') === true
        const wanted = naive.rows.filter(isMatch).map((row) => {
          const cells = ['id', ...columns].map((name) => [name, row[name as keyof Cells]])
          return Object.fromEntries(cells) as Readonly<Record<string, unknown>>
        })
        const { rows } = answer.body as unknown as Selected
        const byId = [...rows].sort((one, another) => Number(one['id']) - Number(another['id']))
        expect(byId, told).toEqual(wanted)
        found += wanted.length
      }
      for (const id of ids) await good(client.request('DELETE', `/dataSources/${source}/scopes/${id}`))
    }
    expect(found).toBeGreaterThan(20)
  },
}

export const scopedReadsSuite: Suite = {
  name: 'reads within scopes',
  scenarios: hasSourceServer ? [...fixed, native, random] : [],
}
