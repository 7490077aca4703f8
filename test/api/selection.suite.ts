import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { hasSourceServer, mariadbServer, SOURCE_PASSWORD, sourceServer } from './source-server.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { readUntil } from '../until.ts'

type Selection = {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly exact: boolean }[]
  readonly rows: readonly unknown[]
  readonly rowCount: number
  readonly total: number | null
  readonly truncated: boolean
}

type Distinct = {
  readonly columns: readonly string[]
  readonly items: readonly { readonly values: readonly unknown[]; readonly count: number }[]
  readonly total: number
  readonly truncated: boolean
}

type Histogram = {
  readonly min: number | null
  readonly max: number | null
  readonly count: number
  readonly nullCount: number
  readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[]
}

const TABLE = `o"r\`d;er.ä`
const mark = (text: string, quote: string) => quote + text.replaceAll(quote, quote + quote) + quote
const PLACES = ['north', 'south', null, `' OR 1=1 --`]

/** 1,200 orders: 600 north, 300 south, 200 without region, 100 of another. */
function statements(quote: '"' | '`', instant: string): string {
  const named = mark(TABLE, quote)
  const rows = Array.from({ length: 1_200 }, (_, id) => {
    const place = PLACES[[600, 900, 1_100, 1_200].findIndex((end) => id < end)]
    const region = place == null ? 'null' : `'${place.replaceAll("'", "''")}'`
    const at = new Date(Date.UTC(2026, 9, 24, 22) + id * 60_000).toISOString().slice(0, 19).replace('T', ' ')
    return `(${id}, ${region}, ${id % 7 === 0 ? 'null' : id % 10}, ${id}.25, '${at}', ${id % 2 === 0})`
  })
  return `create table ${named} (id bigint primary key, region varchar(20), qty int, ${mark('unit price', quote)} numeric(12,2),
      ${mark('value', quote)} ${instant}, is_open boolean);
    insert into ${named} values ${rows.join(',')};`
}

const SOURCES = ['postgresql', 'mysql'] as const
type Type = (typeof SOURCES)[number]

let prepared: Promise<unknown> | null = null

function tables(): Promise<unknown> {
  return (prepared ??= Promise.all([
    sourceServer()
      .sql(`set time zone 'UTC'; create schema selected; set search_path to selected; ${statements('"', 'timestamptz')}
      create view slow as select id, pg_sleep(20)::text as slept from ${mark(TABLE, '"')};
      create table typed (f real, j json, u uuid, b bytea, t time, d date, l timestamp);
      insert into typed values (0.1, '{"a":1}', '00000000-0000-0000-0000-000000000001', '\\x00ff', '10:11:12', '2026-03-01', '2026-03-01 10:11:12');
      create table odd (x double precision);
      insert into odd values (1), (2), (3), (null), ('NaN'), ('Infinity'), ('-Infinity');
      grant usage on schema selected to reader; grant select on all tables in schema selected to reader;`),
    mariadbServer()
      ?.sql(`create database selected character set utf8mb4; use selected; set names utf8mb4; set time_zone = '+00:00';
      ${statements('`', 'datetime')}
      create view slow as select id, sleep(20) as slept from ${mark(TABLE, '`')};
      create user 'reader'@'%' identified by '${SOURCE_PASSWORD}'; grant select, show view on selected.* to 'reader'@'%';`),
  ]))
}

const stage = once(async (client) => {
  await tables()
  const make = async (type: Type, change: object) => {
    const connection = {
      host: '127.0.0.1',
      user: 'reader',
      password: SOURCE_PASSWORD,
      tls: 'disable',
      ...change,
    }
    const json = { name: `selected ${type}`, type, connection }
    return (await good<{ id: number }>(client.request('POST', '/dataSources', { json }))).id
  }
  const postgresql = await make('postgresql', {
    port: sourceServer().port,
    database: 'postgres',
    schema: 'selected',
  })
  const { port } = mariadbServer() ?? {}
  const mysql = port === undefined ? postgresql : await make('mysql', { port, database: 'selected' })
  return { postgresql, mysql, table: encodeURIComponent(TABLE) }
})

const SELECT = 'POST /dataSources/{postgresql}/tables/{table}/select'
const COUNT = { fn: 'COUNT', expr: '*', as: 'n' }
const nested = (depth: number): object =>
  depth === 0 ? { column: 'id', op: 'eq', value: 1 } : { not: nested(depth - 1) }
const among = (count: number) => ({
  column: 'id',
  op: 'in',
  values: Array.from({ length: count }, (_, at) => at),
})

const DISTINCT = 'GET /dataSources/{postgresql}/tables/{table}/distinctValues'

/** Queries that are refused, each with where it is wrong. */
const WRONG_DISTINCT = [
  ['nothing', '', '?column'],
  ['an unknown column', 'column=nothing', '?column'],
  ['a column twice', 'column=id&column=id', '?column'],
  ['11 columns', Array.from({ length: 11 }, (_, at) => `column=c${at}`).join('&'), '?column'],
  ['an order of another column', 'column=region&orderBy=qty', '?orderBy'],
  ['a search in numbers', 'column=qty&search=1', '?search'],
  ['a filter that is not JSON', 'column=qty&filter=x', '?filter'],
  ['no rows', 'column=qty&limit=0', '?limit'],
  ['100,001 rows', 'column=qty&limit=100001', '?limit'],
] as const

const HISTOGRAM = 'GET /dataSources/{postgresql}/tables/{table}/columns'

const BY_SOURCE = 'GET /dataSources/{postgresql}/distinctValues'

/** Lists of values that are refused. */
const WRONG_VALUES: readonly Row[] = [
  { title: 'values by nobody', call: `${HISTOGRAM}/qty/values`, as: null, answers: 'unauthenticated' },
  { title: 'values of an unknown column', call: `${HISTOGRAM}/nothing/values`, answers: 'not_found' },
  {
    title: 'values of JSON',
    call: 'GET /dataSources/{postgresql}/tables/typed/columns/j/values',
    answers: 'invalid',
    pointers: ['{column}'],
  },
  {
    title: 'distinct values of JSON',
    call: 'GET /dataSources/{postgresql}/tables/typed/distinctValues?column=j',
    answers: 'invalid',
    pointers: ['?column'],
  },
  ...['limit=0', 'limit=100001'].map((query): Row => ({
    title: 'values beyond the limits',
    call: `${HISTOGRAM}/qty/values?${query}`,
    answers: 'invalid',
    pointers: ['?limit'],
  })),
  {
    title: 'values in the order of another column',
    call: `${HISTOGRAM}/qty/values?orderBy=region`,
    answers: 'invalid',
    pointers: ['?orderBy'],
  },
  {
    title: 'distinct values of no table',
    call: `${BY_SOURCE}?column=qty`,
    answers: 'invalid',
    pointers: ['?table'],
  },
  {
    title: 'distinct values of an unknown table',
    call: `${BY_SOURCE}?table=nothing&column=qty`,
    answers: 'not_found',
  },
  {
    title: 'distinct values of a source by nobody',
    call: `${BY_SOURCE}?table=typed&column=d`,
    as: null,
    answers: 'unauthenticated',
  },
]

/** Histograms that are refused. */
const WRONG_HISTOGRAMS: readonly Row[] = (
  [
    ['no bins', 'qty/histogram?bins=0', 'invalid', '?bins'],
    ['101 bins', 'qty/histogram?bins=101', 'invalid', '?bins'],
    ['half a bin', 'qty/histogram?bins=1.5', 'invalid', '?bins'],
    ['texts', 'region/histogram', 'invalid', '{column}'],
    ['days and times', 'value/histogram', 'invalid', '{column}'],
    [
      'a filter of nothing',
      `qty/histogram?filter=${encodeURIComponent('{"column":"x","op":"is_null"}')}`,
      'invalid',
      '?filter/column',
    ],
    ['an unknown column', 'nothing/histogram', 'not_found'],
  ] as const
).map(([title, of, answers, ...pointers]) => ({
  title: `a histogram of ${title}`,
  call: `${HISTOGRAM}/${of}`,
  answers,
  ...(pointers.length > 0 && { pointers }),
}))

/** Bodies that are refused, each with where it is wrong. */
const WRONG: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['an unknown column', { columns: ['id', 'nothing'] }, '/columns/1'],
  ['no column', { columns: [] }, '/columns'],
  [
    '101 columns',
    { columns: Array.from({ length: 101 }, (_, at) => ({ column: 'id', as: `c${at}` })) },
    '/columns',
  ],
  ['a name twice', { columns: ['id', { expr: 'qty', as: 'id' }] }, '/columns/1'],
  ['an expression without a name', { columns: [{ expr: 'qty' }] }, '/columns/0'],
  ['columns of groups', { columns: ['id'], groupBy: ['region'] }, '/columns'],
  ['an unknown key', { groupBy: ['nothing'] }, '/groupBy/0'],
  ['an unknown function', { aggregates: [{ fn: 'MODE', column: 'qty', as: 'x' }] }, '/aggregates/0'],
  ['a sum of texts', { aggregates: [{ fn: 'SUM', column: 'region', as: 'x' }] }, '/aggregates/0/column'],
  ['a sum of everything', { aggregates: [{ fn: 'SUM', expr: '*', as: 'x' }] }, '/aggregates/0/expr'],
  ['the least boolean', { aggregates: [{ fn: 'MIN', column: 'is_open', as: 'x' }] }, '/aggregates/0/column'],
  [
    'a percentile without a share',
    { aggregates: [{ fn: 'PERCENTILE', column: 'qty', as: 'x' }] },
    '/aggregates/0/p',
  ],
  ['a share of a sum', { aggregates: [{ fn: 'SUM', column: 'qty', as: 'x', p: 0.5 }] }, '/aggregates/0/p'],
  [
    'a share above 1',
    { aggregates: [{ fn: 'PERCENTILE', column: 'qty', as: 'x', p: 1.01 }] },
    '/aggregates/0/p',
  ],
  ['an unknown bucket', { groupBy: [{ column: 'value', bucket: 'PT7M' }] }, '/groupBy/0/bucket'],
  ['a bucket of numbers', { groupBy: [{ column: 'qty', bucket: 'PT1H' }] }, '/groupBy/0/column'],
  ['an unknown zone', { groupBy: [{ column: 'value', bucket: 'PT1H', timeZone: 'Mars' }] }, '/groupBy/0'],
  ['an order of nothing', { orderBy: [{ column: 'nothing' }] }, '/orderBy/0/column'],
  ['an order of no result', { groupBy: ['region'], orderBy: [{ column: 'qty' }] }, '/orderBy/0/column'],
  ['an order of two ways', { orderBy: [{ column: 'id', dir: 'up' }] }, '/orderBy/0/dir'],
  ['having without groups', { having: { column: 'n', op: 'gt', value: 1 } }, '/having'],
  [
    'having of a key',
    { groupBy: ['region'], aggregates: [COUNT], having: { column: 'region', op: 'is_null' } },
    '/having/column',
  ],
  ['100,001 rows', { limit: 100_001 }, '/limit'],
  ['fewer than no rows', { limit: -1 }, '/limit'],
  ['a negative offset', { offset: -1 }, '/offset'],
  ['an unknown format', { format: 'csv' }, '/format'],
  ['an unknown field', { sql: 'select 1' }, '/sql'],
  // Check 15.
  ['a filter of depth 17', { filter: nested(17) }, `/filter${'/not'.repeat(17)}`],
  [
    '501 values',
    { filter: { and: [among(500), { column: 'id', op: 'eq', value: 1 }] } },
    '/filter/and/1/value',
  ],
  ['a match that ends early', { filter: { column: 'region', match: 'OR(a' } }, '/filter/match'],
  // Check 16.
  ['NUL in a value', { filter: { column: 'region', op: 'eq', value: 'a\0b' } }, '/filter/value'],
  ['half of a character', { filter: { column: 'region', op: 'eq', value: '\uD800' } }, '/filter/value'],
  // Check 17.
  ['a statement as an expression', { columns: [{ expr: '(select 1)', as: 'x' }] }, '/columns/0/expr'],
  ['a call of the database', { columns: [{ expr: 'pg_sleep(9)', as: 'x' }] }, '/columns/0/expr'],
  ['an unknown column of an expression', { columns: [{ expr: 'nothing + 1', as: 'x' }] }, '/columns/0/expr'],
]

const rows: readonly Row[] = [
  { title: 'a request without credentials', call: SELECT, json: {}, as: null, answers: 'unauthenticated' },
  ...(['editor', 'collector', 'dashboard_viewer'] as const).map((as): Row => ({
    title: as,
    call: SELECT,
    json: {},
    as,
    answers: 'forbidden',
  })),
  ...WRONG.map(([title, json, ...pointers]): Row => ({
    title,
    call: SELECT,
    json,
    answers: 'invalid',
    pointers,
  })),
  {
    title: 'distinct values by nobody',
    call: `${DISTINCT}?column=region`,
    as: null,
    answers: 'unauthenticated',
  },
  ...WRONG_DISTINCT.map(([title, query, pointer]): Row => ({
    title: `distinct values of ${title}`,
    call: `${DISTINCT}?${query}`,
    answers: 'invalid',
    pointers: [pointer],
  })),
  {
    title: 'a histogram by nobody',
    call: `${HISTOGRAM}/qty/histogram`,
    as: null,
    answers: 'unauthenticated',
  },
  ...WRONG_HISTOGRAMS,
  ...WRONG_VALUES,
  {
    title: 'no source',
    call: 'POST /dataSources/999999/tables/{table}/select',
    json: {},
    answers: 'not_found',
  },
  ...['hidden', 'pg_class', 'selected.typed', '%22typed%22'].map((name): Row => ({
    title: 'a table that is not there',
    call: `POST /dataSources/{postgresql}/tables/${name}/select`,
    json: {},
    answers: 'not_found',
  })),
  { title: 'a long wait', call: `${SELECT}?wait=PT61S`, json: {}, answers: 'invalid', pointers: ['?wait'] },
  ...[nested(16), among(500)].map((filter): Row => ({
    title: 'the largest filter',
    call: SELECT,
    json: { filter },
    answers: 200,
  })),
  { title: 'the largest number of rows', call: SELECT, json: { limit: 100_000 }, answers: 200 },
]

const at = async (client: Client, type: Type, of = 'table') => {
  const names = await stage(client)
  return `/dataSources/${names[type]}/tables/${of === 'table' ? names.table : of}`
}
const select = async (client: Client, type: Type, json: object) =>
  good<Selection>(client.request('POST', `${await at(client, type)}/select`, { json, as: 'Data_Editor' }))

function onEach(title: string, run: (client: Client, type: Type) => Promise<void>): Scenario[] {
  return SOURCES.map((type) => ({
    title: `${title} (${type})`,
    decidedAbovePorts: type === 'mysql' ? 'selects from MySQL' : undefined,
    run: async (client) => (type === 'mysql' && !mariadbServer() ? undefined : run(client, type)),
  }))
}

const answers: Scenario[] = [
  ...onEach('rows have the columns of the table, and are cut at the limit', async (client, type) => {
    const first = await select(client, type, { orderBy: [{ column: 'id' }], limit: 2, total: 'exact' })
    expect(first).toMatchObject({
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'region', type: 'string' },
        { name: 'qty', type: 'integer' },
        { name: 'unit price', type: 'number', exact: true },
        { name: 'value', type: 'datetime' },
        { name: 'is_open' },
      ],
      rowCount: 2,
      total: 1_200,
      truncated: true,
    })
    const [id, region, qty, price, value] = first.rows[1] as unknown[]
    expect([id, region, qty, price]).toEqual([1, 'north', 1, '1.25'])
    // A DATETIME of MySQL has no zone.
    expect(value).toBe(type === 'mysql' ? '2026-10-24T22:01:00' : '2026-10-25T00:01:00+02:00')
    const whole = await select(client, type, {})
    expect(whole).toMatchObject({ rowCount: 1_000, total: null, truncated: true })
    const rest = await select(client, type, { columns: ['id'], orderBy: [{ column: 'id' }], offset: 1_195 })
    expect(rest).toMatchObject({ rows: [[1_195], [1_196], [1_197], [1_198], [1_199]], truncated: false })
    const none = await select(client, type, { limit: 0, total: 'exact' })
    expect(none).toMatchObject({ rows: [], rowCount: 0, total: 1_200, truncated: true })
  }),
  ...onEach('rows can be objects, with expressions beside columns', async (client, type) => {
    const json = {
      columns: [
        { column: 'region', as: 'select' },
        { expr: '"unit price" * (qty - 1)', as: 'x;--"' },
      ],
      filter: { column: 'id', op: 'eq', value: 13 },
      format: 'objects',
    }
    const { rows: found } = await select(client, type, json)
    expect(found).toEqual([{ select: 'north', 'x;--"': 26.5 }])
  }),
  ...onEach('groups are counted, ordered and chosen by their aggregates', async (client, type) => {
    const json = {
      groupBy: ['region'],
      aggregates: [
        COUNT,
        { fn: 'COUNT', column: 'qty', as: 'with qty' },
        { fn: 'MEDIAN', column: 'id', as: 'middle' },
        { fn: 'COUNT', expr: '*', as: 'open', filter: { column: 'qty', op: 'ge', value: 5 } },
      ],
      orderBy: [{ column: 'n', dir: 'desc' }],
      total: 'exact',
    }
    const all = await select(client, type, json)
    expect(all.rows).toMatchObject([
      ['north', 600, 514, 299.5, 257],
      ['south', 300, 257, 749.5, 128],
      [null, 200, 171, 999.5, 86],
      [`' OR 1=1 --`, 100, 86, 1_149.5, 43],
    ])
    expect(all.total).toBe(4)
    const having = { column: 'n', op: 'lt', value: 300 }
    const some = await select(client, type, {
      ...json,
      having,
      orderBy: [{ column: 'region', nulls: 'first' }],
    })
    expect(some.rows.map((row) => (row as unknown[])[0])).toEqual([null, `' OR 1=1 --`])
    expect(some.total).toBe(2)
    const distinct = await select(client, type, {
      columns: ['region'],
      distinct: true,
      orderBy: [{ column: 'region', dir: 'desc' }],
    })
    expect(distinct.rows).toEqual([['south'], ['north'], [`' OR 1=1 --`], [null]])
  }),
  ...onEach('the hour that is there twice is two buckets', async (client, type) => {
    const { rows: found, columns } = await select(client, type, {
      groupBy: [{ column: 'value', bucket: 'PT1H', timeZone: 'Europe/Zurich', as: 'hour' }],
      aggregates: [COUNT],
      orderBy: [{ column: 'hour' }],
      limit: 5,
    })
    expect(columns[0]).toMatchObject({ name: 'hour', type: 'datetime' })
    expect(found).toEqual([
      ['2026-10-25T00:00:00+02:00', 60],
      ['2026-10-25T01:00:00+02:00', 60],
      ['2026-10-25T02:00:00+02:00', 60],
      ['2026-10-25T02:00:00+01:00', 60],
      ['2026-10-25T03:00:00+01:00', 60],
    ])
  }),
  ...onEach('filters take what is in them literally', async (client, type) => {
    const count = async (filter: object) => (await select(client, type, { aggregates: [COUNT], filter })).rows
    expect(await count({ column: 'region', op: 'eq', value: `' OR 1=1 --` })).toEqual([[100]])
    for (const value of ['\\', '%', '_', '"', '`', 'x'.repeat(10_000)])
      expect(await count({ column: 'region', op: 'eq', value })).toEqual([[0]])
    for (const [value, number] of [
      ['NO%H', 600],
      ['%OR%', 700],
      ['%', 1_000],
      ['_orth', 0],
      ['north', 600],
      ['nor', 0],
    ] as const)
      expect(await count({ column: 'region', op: 'like', value })).toEqual([[number]])
    expect(await count({ column: 'region', match: 'AND(OR(nor%,so%),NOT("=south"))' })).toEqual([[900]])
    expect(await count({ column: 'region', match: 'AND(OR(nor%,so%),NOT(="south"))' })).toEqual([[600]])
    expect(
      await count({
        and: [
          { column: 'qty', match: 'BETWEEN(2,3)' },
          { column: 'region', match: '%' },
        ],
      }),
    ).toEqual([[172]])
  }),
  {
    title: 'values of all types are answered',
    async run(client) {
      const path = `${await at(client, 'postgresql', 'typed')}/select`
      const answer = await good<Selection>(client.request('POST', path, { json: {} }))
      expect(answer.rows).toEqual([
        [
          0.1,
          '{"a":1}',
          '00000000-0000-0000-0000-000000000001',
          'AP8=',
          '10:11:12',
          '2026-03-01',
          '2026-03-01T10:11:12',
        ],
      ])
      const json = {
        groupBy: ['u', 'b', 't', 'd', 'l'],
        aggregates: [
          { fn: 'SUM', column: 'f', as: 's' },
          { fn: 'DISTINCT_COUNT', column: 'u', as: 'n' },
        ],
      }
      const grouped = await good<Selection>(client.request('POST', path, { json }))
      expect(grouped.rowCount).toBe(1)
      for (const [body, pointer] of [
        [{ groupBy: ['j'] }, '/groupBy/0'],
        [{ columns: ['j'], distinct: true }, '/columns/0'],
        [{ groupBy: [{ column: 'd', bucket: 'PT1H' }] }, '/groupBy/0/bucket'],
        [{ orderBy: [{ column: 'j' }] }, '/orderBy/0/column'],
        [{ aggregates: [{ fn: 'DISTINCT_COUNT', column: 'j', as: 'x' }] }, '/aggregates/0/column'],
      ] as const)
        expectAnswer(await client.request('POST', path, { json: body }), {
          answers: 'invalid',
          pointers: [pointer],
        })
    },
  },
  {
    title: 'a scope limits the rows and columns of a select',
    async run(client) {
      const names = await stage(client)
      const scopes = `/dataSources/${names.postgresql}/scopes`
      const json = {
        name: 'selected',
        tables: [TABLE],
        subjects: { roles: ['Data_Editor'] },
        filter: { column: 'region', op: 'eq', value: 'south' },
        hiddenColumns: ['qty', 'region'],
      }
      const { id } = await good<{ id: number }>(client.request('POST', scopes, { json }))
      const counted = await select(client, 'postgresql', { aggregates: [COUNT] })
      expect(counted.rows).toEqual([[300]])
      const whole = await select(client, 'postgresql', { limit: 1, total: 'exact' })
      expect(whole.columns.map(({ name }) => name)).toEqual(['id', 'unit price', 'value', 'is_open'])
      expect(whole.total).toBe(300)
      const hidden = await client.request('POST', `${await at(client, 'postgresql')}/select`, {
        json: { filter: { column: 'region', op: 'eq', value: 'north' } },
        as: 'Data_Editor',
      })
      expectAnswer(hidden, { answers: 'invalid', pointers: ['/filter/column'] })
      await good(client.request('DELETE', `${scopes}/${id}`))
    },
  },
]

const WORKING: Readonly<Record<Type, string>> = {
  postgresql: `select count(*) from pg_stat_activity where application_name = 'tidemark' and query like '%slept%' and state = 'active'`,
  mysql: `select count(*) from information_schema.processlist where user = 'reader' and command in ('Query', 'Execute') and info like '%slept%'`,
}
const working = async (type: Type) =>
  (await (type === 'mysql' ? mariadbServer() : sourceServer())?.sql(WORKING[type]))?.trim()

async function until(type: Type, wanted: string): Promise<string | undefined> {
  const beganAt = performance.now()
  let seen = await working(type)
  while (seen !== wanted && performance.now() - beganAt < 15_000) {
    await Bun.sleep(50)
    seen = await working(type)
  }
  return seen
}

const SLOW = { columns: ['slept'], limit: 5 }

const waits: Scenario[] = [
  ...onEach(
    'a select that takes longer than its wait is an operation, whose cancellation ends it at the server',
    async (client, type) => {
      const path = `${await at(client, type, 'slow')}/select?wait=PT0.3S`
      const answer = await client.request('POST', path, { json: SLOW, as: 'Data_Editor' })
      expectAnswer(answer, { answers: 202 })
      expect(answer.body).toMatchObject({ kind: 'select', state: 'running' })
      expect(await until(type, '1')).toBe('1')
      const place = answer.headers.get('location') ?? ''
      expectAnswer(await client.request('GET', place), { answers: 'not_found' })
      await good(client.request('DELETE', place, { as: 'Data_Editor' }))
      expect(await until(type, '0')).toBe('0')
      const { state } = await readUntil(
        () => good<{ state: string }>(client.request('GET', place, { as: 'Data_Editor' })),
        (operation) => operation.state !== 'running',
      )
      expect(state).toBe('cancelled')
    },
  ),
  ...onEach('a select ends at the server when its caller leaves', async (client, type) => {
    // Workers drop the work of a caller who left, and MySQL sees that its client is gone when the statement ends.
    if (client.host.name === 'edge' && type === 'mysql') return
    const leaving = new AbortController()
    const path = `${await at(client, type, 'slow')}/select`
    const asked = client
      .request('POST', path, { json: SLOW, as: 'Data_Editor', signal: leaving.signal })
      .catch(() => null)
    expect(await until(type, '1')).toBe('1')
    leaving.abort()
    await asked
    expect(await until(type, '0')).toBe('0')
  }),
  ...onEach('distinct values have counts that add up to the rows', async (client, type) => {
    const path = `${await at(client, type)}/distinctValues`
    const read = async (query: string) =>
      good<Distinct>(client.request('GET', `${path}?${query}`, { as: 'Data_Editor' }))
    const regions = await read('column=region')
    expect(regions).toEqual({
      columns: ['region'],
      items: [
        { values: ['north'], count: 600 },
        { values: ['south'], count: 300 },
        { values: [null], count: 200 },
        { values: [`' OR 1=1 --`], count: 100 },
      ],
      total: 4,
      truncated: false,
    })
    const names = await stage(client)
    const bySource = `/dataSources/${names[type]}/distinctValues?table=${names.table}&column=region`
    expect(await good<Distinct>(client.request('GET', bySource, { as: 'Data_Editor' }))).toEqual(regions)
    const values = `${await at(client, type)}/columns/region/values`
    expect(await good(client.request('GET', `${values}?limit=3`, { as: 'Data_Editor' }))).toEqual({
      items: [
        { value: 'north', count: 600 },
        { value: 'south', count: 300 },
        { value: null, count: 200 },
      ],
      total: 4,
      truncated: true,
    })
    const found = await good<{ items: object[] }>(
      client.request('GET', `${values}?search=OUT&orderBy=region`, { as: 'Data_Editor' }),
    )
    expect(found.items).toEqual([{ value: 'south', count: 300 }])
    for (const slow of [`${values}?wait=PT0S`, `${bySource}&wait=PT0S`])
      expectAnswer(await client.request('GET', slow, { as: 'Data_Editor' }), { answers: 202 })
    const pairs = await read('column=region&column=is_open&column=qty&limit=5&orderBy=-count&orderBy=region')
    const all = await read('column=region&column=is_open&column=qty')
    expect(all.items.reduce((sum, { count }) => sum + count, 0)).toBe(1_200)
    expect([pairs.items.length, pairs.total, pairs.truncated]).toEqual([5, all.items.length, true])
    const filter = encodeURIComponent(JSON.stringify({ column: 'id', op: 'lt', value: 650 }))
    const later = await client.request('GET', `${path}?column=region&wait=PT0S`, { as: 'Data_Editor' })
    expectAnswer(later, { answers: 202 })
    expect((await read(`column=region&search=OUT&filter=${filter}`)).items).toEqual([
      { values: ['south'], count: 50 },
    ])
  }),
  ...onEach('a histogram counts the rows in ranges of equal width', async (client, type) => {
    const path = `${await at(client, type)}/columns`
    const read = async (query: string) =>
      good<Histogram>(client.request('GET', `${path}/${query}`, { as: 'Data_Editor' }))
    // 1,200 prices: 0.25, 1.25, …
    const prices = await read('unit%20price/histogram?bins=12')
    const borders = Array.from(
      { length: 13 },
      (_, place) => 0.25 * (1 - place / 12) + 1_199.25 * (place / 12),
    )
    expect(prices).toMatchObject({ min: 0.25, max: 1_199.25, count: 1_200, nullCount: 0 })
    for (const [place, { from, to, count }] of prices.bins.entries()) {
      const [least = 0, end = 0] = [borders[place], borders[place + 1]]
      expect(from).toBeCloseTo(least, 9)
      expect(to).toBeCloseTo(end, 9)
      const own = Array.from({ length: 1_200 }, (_, id) => id + 0.25).filter(
        (price) => price >= from && (price < to || place === 11),
      )
      expect(count).toBe(own.length)
    }
    const filter = encodeURIComponent(JSON.stringify({ column: 'region', op: 'eq', value: 'south' }))
    const quantities = await read(`qty/histogram?bins=3&filter=${filter}`)
    expect(quantities).toMatchObject({ min: 0, max: 9, count: 257, nullCount: 43 })
    expect(quantities.bins.map(({ from, to }) => [from, to])).toEqual([
      [0, 3],
      [3, 6],
      [6, 9],
    ])
    const one = encodeURIComponent(JSON.stringify({ column: 'qty', op: 'eq', value: 4 }))
    expect((await read(`qty/histogram?filter=${one}`)).bins).toEqual([{ from: 4, to: 4, count: 103 }])
    const none = encodeURIComponent(JSON.stringify({ column: 'id', op: 'lt', value: 0 }))
    expect(await read(`qty/histogram?filter=${none}`)).toEqual({
      min: null,
      max: null,
      count: 0,
      nullCount: 0,
      bins: [],
    })
    const later = await client.request('GET', `${path}/qty/histogram?bins=100&wait=PT0S`, {
      as: 'Data_Editor',
    })
    expectAnswer(later, { answers: 202 })
  }),
  {
    title: 'a histogram counts NaN and the infinities as no numbers',
    async run(client) {
      const path = `${await at(client, 'postgresql', 'odd')}/columns/x/histogram?bins=2`
      expect(await good<Histogram>(client.request('GET', path))).toEqual({
        min: 1,
        max: 3,
        count: 3,
        nullCount: 4,
        bins: [
          { from: 1, to: 2, count: 1 },
          { from: 2, to: 3, count: 2 },
        ],
      })
    },
  },
  ...onEach(
    'a result that came after the wait is read as the result of the operation',
    async (client, type) => {
      const path = `${await at(client, type)}/select?wait=PT0S`
      const json = { aggregates: [COUNT] }
      const answer = await client.request('POST', path, { json, as: 'Data_Editor' })
      expectAnswer(answer, { answers: 202 })
      const place = answer.headers.get('location') ?? ''
      let operation = answer.body
      for (let tried = 0; operation['resultUrl'] === null && tried < 100; tried++) {
        await Bun.sleep(50)
        operation = await good<typeof operation>(client.request('GET', place, { as: 'Data_Editor' }))
      }
      expect(await good(client.request('GET', `${place}/result`, { as: 'Data_Editor' }))).toMatchObject({
        rows: [[1_200]],
      })
    },
  ),
]

export const selectionSuite: Suite = {
  name: 'selecting from data sources',
  scenarios: hasSourceServer ? [...table(stage, rows), ...answers, ...waits] : [],
}
