import { expect } from 'bun:test'

import { logIn, PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import {
  connectionTo,
  hasSourceServer,
  mariadbServer,
  SOURCE_PASSWORD,
  sourceServer,
} from './source-server.ts'
import { abovePorts, expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { until } from '../until.ts'

type Made = { readonly id: number }
type TemplateUser = Made & { readonly language: string; readonly timeZone: string }
type Query = Made & {
  readonly name: string
  readonly text: string
  readonly published: number
  readonly createdAt: string
  readonly errors: readonly {
    readonly phase: string
    readonly line: number | null
    readonly code: string
    readonly message: string
  }[]
}
type Group = Made & { readonly name: string; readonly parentId: number | null }
type Result = {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly rowCount: number
  readonly truncated: boolean
  readonly durationMs: number
}
type Version = {
  readonly number: number
  readonly text: string
  readonly description: string
  readonly publishedBy: number
}

const ROWS = [
  [1, 'north', 10.5, 7],
  [2, 'south', 20, 8],
  [3, 'north', 30.25, 9],
  [4, "o'neil", 40, 10],
] as const
const SQL_ROWS = ROWS.map(
  ([id, region, amount, margin]) => `(${id}, '${region.replaceAll("'", "''")}', ${amount}, ${margin})`,
).join(', ')
const CSV_ROWS = ['id,region,amount,margin', ...ROWS.map((row) => row.join(','))].join('\n')

/** PostgreSQL cuts longer names to so many bytes. */
const LONGEST_NAME = 'orders_of_'.padEnd(63, 'x')

let prepared: Promise<unknown> | null = null

/** The same table on each server. */
function tables(): Promise<unknown> {
  return (prepared ??= Promise.all([
    sourceServer().sql(`create schema queried;
      create table queried.orders (id bigint primary key, region text, amount double precision, margin int);
      insert into queried.orders values ${SQL_ROWS};
      create table queried.vault as select * from queried.orders;
      create view queried.long_run as select pg_sleep(600)::text as slept;
      create view queried.every_order as select * from queried.orders;
      create schema queried_more; create table queried_more.orders as select * from queried.orders;
      create table queried_more.beyond as select * from queried.orders;
      grant usage on schema queried_more to reader; grant select on all tables in schema queried_more to reader;
      grant select on queried.vault, queried.every_order, queried.long_run to reader;
      create extension if not exists tablefunc schema queried;
      grant usage on schema queried to reader; grant select on queried.orders to reader;
      create schema queried_long; create table queried_long.${LONGEST_NAME} as select * from queried.orders;
      grant usage on schema queried_long to reader; grant select on all tables in schema queried_long to reader;`),
    mariadbServer()?.sql(`create database queried character set utf8mb4; use queried;
      create table orders (id bigint primary key, region varchar(20), amount double, margin int);
      insert into orders values ${SQL_ROWS};
      create table vault as select * from orders; create view every_order as select * from orders;
      create view long_run as select id, sleep(600) as slept from orders where id = 1;
      create database queried_more; create table queried_more.orders as select * from orders;
      create table queried_more.beyond as select * from orders;
      create user 'querier'@'%' identified by '${SOURCE_PASSWORD}'; grant select on queried.* to 'querier'@'%';
      grant select on queried_more.* to 'querier'@'%'; grant show view on queried.* to 'querier'@'%';`),
  ]))
}

let made = 0

export async function importTable(
  client: Client,
  source: number,
  name: string,
  text = CSV_ROWS,
): Promise<void> {
  const file = await good<{ id: string }>(
    client.request('POST', `/dataSources/${source}/uploads`, {
      text,
      headers: { 'content-type': 'text/csv' },
    }),
  )
  await good(
    client.request('POST', `/dataSources/${source}/import`, { json: { upload: file.id, table: name } }),
  )
}

export async function makeQueried(client: Client): Promise<number> {
  const json = { name: `queried files ${++made}`, type: 'csv' }
  const { id } = await good<Made>(client.request('POST', '/dataSources', { json }))
  await importTable(client, id, 'orders')
  return id
}

export async function makeDatabase(
  client: Client,
  type: 'postgresql' | 'mysql',
  change: object = {},
): Promise<number> {
  await tables()
  const isMysql = type === 'mysql'
  const connection = {
    host: '127.0.0.1',
    port: isMysql ? mariadbServer()?.port : sourceServer().port,
    database: isMysql ? 'queried' : 'postgres',
    ...(isMysql ? {} : { schema: 'queried' }),
    user: isMysql ? 'querier' : 'reader',
    password: SOURCE_PASSWORD,
    tls: 'disable',
  }
  const json = { name: `queried ${type} ${++made}`, type, connection, ...change }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

/** The statements of the test of cancellations that run. */
const LONG_RUNS = {
  postgresql: `select count(*) from pg_stat_activity where query like '%long_run%' and state = 'active' and pid <> pg_backend_pid()`,
  mysql: `select count(*) from information_schema.processlist where info like '%long_run%' and id <> connection_id()`,
}

/** A source of each kind that is there, by its kind. */
export const querySources = once(async (client) => {
  const kinds: Record<string, number> = { imported: await makeQueried(client) }
  if (hasSourceServer) kinds['postgresql'] = await makeDatabase(client, 'postgresql')
  if (hasSourceServer && mariadbServer()) kinds['mysql'] = await makeDatabase(client, 'mysql')
  return kinds
})

const REGION = { name: 'region', type: 'string', default: 'north' }
const OF_REGION = 'SELECT id, amount FROM orders WHERE region = ${region} ORDER BY id'

const makeQuery = (client: Client, json: object) =>
  good<Query>(
    client.request('POST', '/dataQueries', { json: { name: `query ${++made}`, ...json }, as: 'Data_Editor' }),
  )

async function published(client: Client, json: object): Promise<Query> {
  const query = await makeQuery(client, json)
  return good(
    client.request('POST', `/dataQueries/${query.id}/publish`, { json: { force: true }, as: 'Data_Editor' }),
  )
}

const makeGroup = (client: Client, json: object) =>
  good<Group>(client.request('POST', '/dataQueries/groups', { json, as: 'Data_Editor' }))

const preview = (client: Client, json: object, as: object = { as: 'Data_Editor' }) =>
  client.request('POST', '/dataQueries/preview', { json, ...as })

const rowsOf = async (client: Client, json: object, as?: object) =>
  (await good<Result>(preview(client, json, as))).rows

const stage = once(async (client) => {
  const { imported = 0 } = await querySources(client)
  const { id: query } = await makeQuery(client, {
    dataSourceId: imported,
    text: OF_REGION,
    parameters: [REGION],
  })
  const taken = await makeQuery(client, { dataSourceId: imported, text: 'SELECT 1 AS one' })
  await good(client.request('POST', `/dataQueries/${query}/publish`, { json: {} }))
  const outer = await makeGroup(client, { name: 'Outer' })
  const group = await makeGroup(client, { name: 'Inner', parentId: outer.id })
  return { imported, query, taken: taken.id, outer: outer.id, group: group.id }
})

const LINES = [
  ['GET /dataQueries', undefined],
  ['GET /dataQueries/{query}', undefined],
  ['GET /dataQueries/{query}/versions', undefined],
  ['GET /dataQueries/{query}/dependents', undefined],
  ['GET /dataQueries/{query}/lineage', undefined],
  ['GET /dataQueries/groups', undefined],
  ['GET /dataQueries/groups/{group}', undefined],
  ['POST /dataQueries/groups', { name: 'not made' }],
  ['PUT /dataQueries/groups/{group}', { name: 'not changed' }],
  ['DELETE /dataQueries/groups/{group}', undefined],
  ['POST /dataQueries', { name: 'not made', dataSourceId: 1, text: '' }],
  ['PUT /dataQueries/{query}', { name: 'not changed', dataSourceId: 1, text: '' }],
  ['DELETE /dataQueries/{query}', undefined],
  ['POST /dataQueries/{query}/run', {}],
  ['POST /dataQueries/{query}/publish', {}],
  ['POST /dataQueries/{query}/versions/1/restore', undefined],
  ['POST /dataQueries/preview', { dataSourceId: 1, text: '' }],
] as const

const parameterOf = (change: object) => ({
  name: 'wrong',
  dataSourceId: 1,
  text: 'SELECT 1 AS one',
  parameters: [{ ...REGION, ...change }],
})
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `p${at}`, type: 'string' }))
const listOf = (count: number) => Array.from({ length: count }, () => 'x')

/** Bodies of which no data query is made, each with where it is wrong. */
const WRONG: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['no name', { ...parameterOf({}), name: ' ' }, '/name'],
  ['no data source', { ...parameterOf({}), dataSourceId: 0 }, '/dataSourceId'],
  ['100,001 characters', { ...parameterOf({}), text: 'x'.repeat(100_001) }, '/text'],
  ['a long description', { ...parameterOf({}), description: 'x'.repeat(4_001) }, '/description'],
  ['51 parameters', { ...parameterOf({}), parameters: many(51) }, '/parameters'],
  ['a parameter twice', { ...parameterOf({}), parameters: [REGION, REGION] }, '/parameters/1/name'],
  ['a name with a space', parameterOf({ name: 'a b' }), '/parameters/0/name'],
  ['a reserved name', parameterOf({ name: 'user' }), '/parameters/0/name'],
  ['65 characters', parameterOf({ name: 'x'.repeat(65) }), '/parameters/0/name'],
  ['an unknown type', parameterOf({ type: 'list' }), '/parameters/0/type'],
  ['a default of another type', parameterOf({ type: 'number' }), '/parameters/0/default'],
  ['a day that is not', parameterOf({ type: 'date', default: '2026-02-30' }), '/parameters/0/default'],
  [
    'an instant without a zone',
    parameterOf({ type: 'datetime', default: '2026-03-01T10:00' }),
    '/parameters/0/default',
  ],
  ['a default that is a list', parameterOf({ default: ['a'] }), '/parameters/0/default'],
  ['a default that lacks a list', parameterOf({ multi: true, default: 'a' }), '/parameters/0/default'],
  ['5,001 values', parameterOf({ multi: true, default: listOf(5_001) }), '/parameters/0/default'],
  ['a long value', parameterOf({ default: 'x'.repeat(10_001) }), '/parameters/0/default'],
  ['no choices', parameterOf({ type: 'enum' }), '/parameters/0/choices'],
  ['choices of a text', parameterOf({ choices: ['north'] }), '/parameters/0/choices'],
  ['201 choices', parameterOf({ type: 'enum', choices: listOf(201) }), '/parameters/0/choices'],
  [
    'a default beside the choices',
    parameterOf({ type: 'enum', choices: ['a'], default: 'b' }),
    '/parameters/0/default',
  ],
  ['no data query of values', parameterOf({ type: 'query' }), '/parameters/0/valuesQueryId'],
  ['values of a text', parameterOf({ valuesQueryId: 1 }), '/parameters/0/valuesQueryId'],
  ['an unknown field', { ...parameterOf({}), sql: '' }, '/sql'],
]

const RUN = 'POST /dataQueries/{query}/run'

const rows: readonly Row[] = [
  ...LINES.flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['dashboard_viewer', 'editor', 'collector'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...WRONG.flatMap(([title, json, ...pointers]): Row[] =>
    ['POST /dataQueries', 'PUT /dataQueries/{query}'].map((call) => ({
      title,
      call,
      json,
      as: 'Data_Editor',
      pointers,
      answers: 'invalid',
    })),
  ),
  { title: 'missing', call: 'GET /dataQueries/999999', answers: 'not_found' },
  { title: 'a group', call: 'GET /dataQueries/groups/{group}', as: 'Data_Editor', answers: 200 },
  { title: 'the same', call: 'PUT /dataQueries/groups/{outer}', json: { name: 'Outer' }, answers: 200 },
  {
    title: 'an old version',
    call: 'DELETE /dataQueries/groups/{group}',
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  { title: 'in the singular', call: 'GET /dataQuery/{query}', answers: 200 },
  { title: 'in the singular', call: 'GET /dataQuery/{query}/dependents', as: 'Data_Editor', answers: 200 },
  {
    title: 'in the singular',
    call: 'POST /dataQuery/{query}/run',
    json: {},
    as: 'collector',
    answers: 'forbidden',
  },
  { title: 'in the singular', call: 'GET /dataQuery', answers: 'not_found' },
  { title: 'missing', call: 'DELETE /dataQueries/999999', answers: 'not_found' },
  { title: 'missing', call: 'GET /dataQueries/999999/dependents', answers: 'not_found' },
  { title: 'missing', call: 'GET /dataQueries/999999/lineage', answers: 'not_found' },
  { title: 'one that was never published', call: 'GET /dataQueries/{taken}/lineage', answers: 'conflict' },
  {
    title: 'the lineage of another version',
    call: 'GET /dataQueries/{query}/lineage?version=1',
    answers: 'invalid',
    pointers: ['?version'],
  },
  { title: 'missing', call: 'GET /dataQueries/groups/999999', answers: 'not_found' },
  { title: 'missing', call: 'PUT /dataQueries/groups/999999', json: { name: 'x' }, answers: 'not_found' },
  { title: 'missing', call: 'DELETE /dataQueries/groups/999999', answers: 'not_found' },
  { title: 'no flag', call: 'DELETE /dataQueries/{query}?forceDelete=1', answers: 'invalid' },
  {
    title: 'no name',
    call: 'POST /dataQueries/groups',
    json: { name: '' },
    answers: 'invalid',
    pointers: ['/name'],
  },
  {
    title: 'a long description',
    call: 'POST /dataQueries/groups',
    json: { name: 'x', description: 'x'.repeat(4_001) },
    answers: 'invalid',
    pointers: ['/description'],
  },
  {
    title: 'no parent',
    call: 'POST /dataQueries/groups',
    json: { name: 'x', parentId: 999_999 },
    answers: 'invalid',
    pointers: ['/parentId'],
  },
  {
    title: 'a name that its parent has',
    call: 'POST /dataQueries/groups',
    json: { name: 'OUTER' },
    answers: 'name_taken',
    pointers: ['/name'],
  },
  {
    title: 'a name that its parent has',
    call: 'PUT /dataQueries/groups/{group}',
    json: { name: 'outer' },
    answers: 'name_taken',
    pointers: ['/name'],
  },
  {
    title: 'an old version',
    call: 'PUT /dataQueries/groups/{group}',
    json: { name: 'Inner' },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  {
    title: 'no group',
    call: 'POST /dataQueries',
    json: { ...parameterOf({}), groupId: 999_999 },
    answers: 'invalid',
    pointers: ['/groupId'],
  },
  { title: 'missing', call: 'POST /dataQueries/999999/run', json: {}, answers: 'not_found' },
  { title: 'missing', call: 'POST /dataQueries/999999/publish', json: {}, answers: 'not_found' },
  { title: 'missing', call: 'GET /dataQueries/999999/versions', answers: 'not_found' },
  { title: 'no version', call: 'POST /dataQueries/{query}/versions/9/restore', answers: 'not_found' },
  {
    title: 'never published',
    call: 'POST /dataQueries/{taken}/run',
    json: {},
    answers: 'conflict',
  },
  {
    title: 'an unknown parameter',
    call: RUN,
    json: { parameters: { 'an/other': 1 } },
    answers: 'invalid',
    pointers: ['/parameters/an~1other'],
  },
  {
    title: 'a value of another type',
    call: RUN,
    json: { parameters: { region: 1 } },
    answers: 'invalid',
    pointers: ['/parameters/region'],
  },
  {
    title: 'a list for one value',
    call: RUN,
    json: { parameters: { region: ['north'] } },
    answers: 'invalid',
    pointers: ['/parameters/region'],
  },
  { title: '100,001 rows', call: RUN, json: { limit: 100_001 }, answers: 'invalid', pointers: ['/limit'] },
  {
    title: 'a result of more than a day',
    call: RUN,
    json: { maxAge: 'PT24H0.001S' },
    answers: 'invalid',
    pointers: ['/maxAge'],
  },
  {
    title: 'an age of another form',
    call: RUN,
    json: { maxAge: '1m' },
    answers: 'invalid',
    pointers: ['/maxAge'],
  },
  { title: 'a result of a day', call: RUN, json: { maxAge: 'P1D' }, answers: 200 },
  { title: '100,000 rows', call: RUN, json: { limit: 100_000 }, answers: 200 },
  {
    title: 'an unknown version',
    call: RUN,
    json: { version: '1' },
    answers: 'invalid',
    pointers: ['/version'],
  },
  {
    title: 'an old version',
    call: 'PUT /dataQueries/{query}',
    json: { name: 'not changed', dataSourceId: 1, text: '' },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  {
    title: 'an old version',
    call: 'POST /dataQueries/{query}/publish',
    json: {},
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  {
    title: 'an old version',
    call: 'POST /dataQueries/{query}/versions/1/restore',
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
]

const life: Scenario[] = [
  {
    title: 'a data query is created, changed, listed, searched and deleted, and its name is used once',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const name = `Life of a Query ${++made}`
      const query = await makeQuery(client, { name, dataSourceId: imported, text: 'SELECT 1 AS one' })
      expect(query).toMatchObject({ name, published: 0, errors: [], updatedAt: query.createdAt })
      const again = await client.request('POST', '/dataQueries', {
        json: { name: name.toUpperCase(), dataSourceId: imported, text: '' },
      })
      expectAnswer(again, { answers: 'name_taken', pointers: ['/name'] })
      const path = `/dataQueries/${query.id}`
      const patched = await good<Query>(
        client.request('PATCH', path, {
          json: { description: 'of Numbers and Ämter' },
          headers: { 'content-type': 'application/merge-patch+json' },
          as: 'Data_Editor',
        }),
      )
      expect(patched).toMatchObject({ name, text: 'SELECT 1 AS one', description: 'of Numbers and Ämter' })
      const found = async (search: string) =>
        (
          await good<{ items: readonly Query[] }>(
            client.request('GET', `/dataQueries?search=${encodeURIComponent(search)}`, { as: 'Data_Editor' }),
          )
        ).items
          .map(({ id }) => id)
          .includes(query.id)
      expect(
        await Promise.all(['LIFE OF', 'numbers', 'Ämter', 'ämter', '% of', 'life_of'].map(found)),
      ).toEqual([true, true, true, true, false, false])
      expectAnswer(await client.request('DELETE', path, { as: 'Data_Editor' }), { answers: 204 })
      expectAnswer(await client.request('GET', path), { answers: 'not_found' })
    },
  },
  {
    title: 'a data query with errors is stored, reads with their places, and is published with force alone',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const errorsOf = async (text: string, dataSourceId = imported) =>
        (await makeQuery(client, { dataSourceId, text })).errors.map(({ phase, line, code }) => [
          phase,
          line,
          code,
        ])
      expect(await errorsOf('SELECT 1 AS one\n<#if x>')).toEqual([['template', 2, 'invalid']])
      expect(await errorsOf('SELECT\n${missing}')).toEqual([['template', 2, 'invalid']])
      expect(await errorsOf('SELECT 1;\nDELETE FROM orders')).toEqual([['statement', 1, 'invalid']])
      const stored = await makeQuery(client, { dataSourceId: imported, text: '<#if' })
      expect(
        await good<Query>(client.request('GET', `/dataQueries/${stored.id}`, { as: 'Data_Editor' })),
      ).toMatchObject({ text: '<#if', errors: stored.errors })
      expect(await errorsOf('SELECT 1 AS one', 999_999)).toEqual([['reference', null, 'not_found']])
      const query = await makeQuery(client, { dataSourceId: imported, text: '<#if' })
      const path = `/dataQueries/${query.id}`
      expectAnswer(await client.request('POST', `${path}/publish`, { json: {} }), {
        answers: 'conflict',
        pointers: ['/text'],
      })
      expect(
        await good<Query>(client.request('POST', `${path}/publish`, { json: { force: true } })),
      ).toMatchObject({ published: 1 })
      expectAnswer(await client.request('POST', `${path}/run`, { json: {} }), {
        answers: 'invalid',
        pointers: ['/text'],
      })
    },
  },
  {
    title: 'faults of references are read with their places, and refuse runs with the path to them',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const other = await makeQueried(client)
      const [name, far] = [`inner ${++made}`, `far ${++made}`]
      const text = `SELECT *\nFROM \${ref("${name}")} i`
      const outer = await published(client, { dataSourceId: imported, text })
      const read = async () => {
        const query = await good<Query>(client.request('GET', `/dataQueries/${outer.id}`))
        return query.errors.map(({ phase, line, code, message }) => [phase, line, code, message])
      }
      const run = () => client.request('POST', `/dataQueries/${outer.id}/run`, { json: {} })
      const path = `${outer.name} > ${name}`
      expect(await read()).toEqual([
        ['reference', 2, 'not_found', `there is no data query of this name: ${path}`],
      ])
      expectAnswer(await run(), { answers: 'invalid', pointers: ['/text'] })
      const inner = await makeQuery(client, { name, dataSourceId: imported, text: 'SELECT id FROM orders' })
      const change = (json: object) =>
        good(
          client.request('PUT', `/dataQueries/${inner.id}`, {
            json: { name, dataSourceId: imported, ...json },
          }),
        )
      const publish = () =>
        good(client.request('POST', `/dataQueries/${inner.id}/publish`, { json: { force: true } }))
      expect(await read()).toMatchObject([
        ['reference', 2, 'not_found', `the data query was never published: ${path}`],
      ])
      await publish()
      expect(await read()).toEqual([])
      expect((await good<Result>(run())).rowCount).toBe(4)
      await change({ text: 'SELECT ${missing}' })
      expect(await read()).toEqual([])
      await publish()
      expect(await read()).toMatchObject([
        [
          'template',
          2,
          'invalid',
          `in the data query ${name}, line 1, column 8: the value is null or missing`,
        ],
      ])
      await change({ text: `SELECT * FROM \${ref("${outer.name}")} o` })
      await publish()
      expect(await read()).toMatchObject([
        ['reference', 2, 'cycle', `refers to itself: ${path} > ${outer.name}`],
      ])
      const refused = await run()
      expectAnswer(refused, { answers: 'invalid', pointers: ['/text'] })
      expect(JSON.stringify(refused.body['errors'])).toContain(
        `line 2, column 8: refers to itself: ${path} > ${outer.name}`,
      )
      await published(client, { name: far, dataSourceId: other, text: 'SELECT 1 AS one' })
      await change({ text: `SELECT * FROM \${ref("${far}")} f` })
      await publish()
      expect(await read()).toMatchObject([
        ['reference', 2, 'invalid', `the data query reads another data source: ${path} > ${far}`],
      ])
      await change({ text: 'SELECT 1; SELECT 2' })
      await publish()
      expect(await read()).toMatchObject([
        ['template', 2, 'invalid', `in the data query ${name}, begins a second statement`],
      ])
      await good(client.request('DELETE', `/dataQueries/${inner.id}?forceDelete=true`))
      expect(await read()).toMatchObject([['reference', 2, 'not_found', expect.any(String)]])
    },
  },
  {
    title: 'a rename changes the references in drafts and published versions, and nothing else',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const text = (name: string) =>
        `SELECT '\${"ref"}' AS a /* ref("Low") */ FROM \${ref("${name}")} x, \${ref('${name}', {})} y <#-- ref("Low") -->`
      const name = `Low ${++made}`
      const low = await published(client, { name, dataSourceId: imported, text: 'SELECT id FROM orders' })
      const first = await published(client, { dataSourceId: imported, text: text(name) })
      const draft = await makeQuery(client, { dataSourceId: imported, text: text(name.toUpperCase()) })
      const second = await published(client, { dataSourceId: imported, text: text(name) })
      const other = { name: second.name, dataSourceId: imported, text: 'SELECT 1 AS one' }
      await good(client.request('PUT', `/dataQueries/${second.id}`, { json: other }))
      const dependents = await client.request('GET', `/dataQueries/${low.id}/dependents`, {
        as: 'Data_Editor',
      })
      expect(dependents.body['items']).toEqual([
        { id: first.id, name: first.name, draft: true, published: true },
        { id: draft.id, name: draft.name, draft: true, published: false },
        { id: second.id, name: second.name, draft: false, published: true },
      ])
      const renamed = `L"o'w \${x} ${made}`
      const change = (json: object, headers = {}) =>
        client.request('PATCH', `/dataQueries/${low.id}`, {
          json,
          headers: { 'content-type': 'application/merge-patch+json', ...headers },
          as: 'Data_Editor',
        })
      expectAnswer(await change({ name: renamed }, { 'if-match': '"99"' }), {
        answers: 'precondition_failed',
      })
      expectAnswer(await change({ name: second.name }), { answers: 'name_taken', pointers: ['/name'] })
      const textOf = async (id: number) =>
        (await good<Query>(client.request('GET', `/dataQueries/${id}`, { as: 'Data_Editor' }))).text
      expect(await textOf(first.id)).toBe(text(name))
      await good(change({ name: renamed }))
      const expected = text(name)
        .replace(`ref("${name}")`, `ref("L\\"o'w $\\{x} ${made}")`)
        .replace(`ref('${name}'`, `ref('L"o\\'w $\\{x} ${made}'`)
      expect([await textOf(first.id), await textOf(draft.id), await textOf(second.id)]).toEqual([
        expected,
        expected,
        other.text,
      ])
      for (const { id } of [first, second])
        expect(
          (await good<Result>(client.request('POST', `/dataQueries/${id}/run`, { json: { limit: 0 } })))
            .truncated,
        ).toBe(true)
      const left = await client.request('GET', `/dataQueries/${low.id}/dependents`)
      expect(left.body['items']).toEqual(dependents.body['items'])
      const refused = await client.request('DELETE', `/dataQueries/${low.id}`, { as: 'Data_Editor' })
      expectAnswer(refused, {
        answers: 'has_dependents',
        pointers: ['/dependents/0', '/dependents/1', '/dependents/2'],
      })
      expect(JSON.stringify(refused.body['errors'])).toContain(`the data query ${draft.id}, ${draft.name}`)
      expectAnswer(
        await client.request('DELETE', `/dataQueries/${low.id}?forceDelete=true`, { as: 'Data_Editor' }),
        { answers: 204 },
      )
      expectAnswer(await client.request('POST', `/dataQueries/${first.id}/run`, { json: {} }), {
        answers: 'invalid',
        pointers: ['/text'],
      })
    },
  },
  {
    title: 'groups are a tree: they are moved, list their data queries, and are deleted with all below them',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const number = ++made
      const name = (part: string) => `${part} ${number}`
      const [top, side] = [
        await makeGroup(client, { name: name('top') }),
        await makeGroup(client, { name: name('side') }),
      ]
      const mid = await makeGroup(client, { name: name('mid'), parentId: top.id })
      const low = await makeGroup(client, {
        name: name('mid'),
        parentId: mid.id,
        description: 'of the same name',
      })
      const move = (group: Group, parentId: number | null) =>
        client.request('PATCH', `/dataQueries/groups/${group.id}`, {
          json: { parentId },
          headers: { 'content-type': 'application/merge-patch+json' },
          as: 'Data_Editor',
        })
      for (const parent of [top, mid, low])
        expectAnswer(await move(top, parent.id), { answers: 'cycle', pointers: ['/parentId'] })
      expectAnswer(await move(low, top.id), { answers: 'name_taken', pointers: ['/name'] })
      expect((await good<Group>(move(low, side.id))).parentId).toBe(side.id)
      expect((await good<Group>(move(low, mid.id))).parentId).toBe(mid.id)
      const inner = await published(client, {
        groupId: low.id,
        dataSourceId: imported,
        text: 'SELECT 1 AS one',
      })
      const text = `SELECT * FROM \${ref("${inner.name}")} i`
      const beside = await makeQuery(client, { groupId: mid.id, dataSourceId: imported, text })
      const outside = await makeQuery(client, { groupId: side.id, dataSourceId: imported, text })
      const listed = async (query: string) => {
        const { body } = await client.request('GET', `/dataQueries?${query}`, { as: 'Data_Editor' })
        return (body['items'] as Query[]).map(({ id }) => id).sort((one, another) => one - another)
      }
      expect(await listed(`groupId=${top.id}`)).toEqual([])
      expect(await listed(`groupId=${mid.id}`)).toEqual([beside.id])
      expect(await listed(`groupId=${top.id}&recursive=true`)).toEqual([inner.id, beside.id])
      const listedGroups = (await client.request('GET', '/dataQueries/groups', { as: 'Data_Editor' })).body[
        'items'
      ] as Group[]
      expect(listedGroups.filter(({ parentId }) => parentId === mid.id)).toMatchObject([
        { id: low.id, name: name('mid') },
      ])
      const remove = (query = '') =>
        client.request('DELETE', `/dataQueries/groups/${top.id}${query}`, { as: 'Data_Editor' })
      const refused = await remove()
      expectAnswer(refused, { answers: 'has_dependents', pointers: ['/dependents/0'] })
      expect(JSON.stringify(refused.body['errors'])).toContain(outside.name)
      expect(await listed(`groupId=${top.id}&recursive=true`)).toEqual([inner.id, beside.id])
      expectAnswer(await remove('?forceDelete=true'), { answers: 204 })
      for (const path of [`groups/${top.id}`, `groups/${low.id}`, inner.id, beside.id])
        expectAnswer(await client.request('GET', `/dataQueries/${path}`), { answers: 'not_found' })
      expect(await listed(`groupId=${side.id}`)).toEqual([outside.id])
    },
  },
  {
    title: 'the list marks drafts with faults, and those that miss a data source or a data query now',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const mark = `marked ${++made}`
      const make = (name: string, text: string, more: object = {}) =>
        makeQuery(client, { name: `${mark} ${name}`, dataSourceId: imported, text, ...more })
      const named = (name: string) => `SELECT id FROM \${ref("${mark} ${name}")} q`
      const publish = ({ id }: Made) =>
        good(client.request('POST', `/dataQueries/${id}/publish`, { json: { force: true } }))
      const listed = async () => {
        const found = client.request('GET', `/dataQueries?search=${encodeURIComponent(mark)}`)
        const { items } = await good<{ items: readonly (Query & { readonly hasErrors: boolean })[] }>(found)
        // The list and the data query itself have the same mark.
        for (const { id, hasErrors } of items)
          expect((await good<Query>(client.request('GET', `/dataQueries/${id}`))).errors.length > 0).toBe(
            hasErrors,
          )
        return items.filter(({ hasErrors }) => hasErrors).map(({ name }) => name.slice(mark.length + 1))
      }
      const base = await make('Base', 'SELECT id FROM orders')
      const middle = await make('middle', named('base'))
      await make('top', named('middle'))
      await make('loop', named('loop'))
      await make('values', OF_REGION, {
        parameters: [{ name: 'region', type: 'query', valuesQueryId: base.id }],
      })
      await make('nowhere', 'SELECT 1 AS one', { dataSourceId: 999_999 })
      const broken = await make('broken', '<#if')
      expect(await listed()).toEqual(['broken', 'loop', 'middle', 'nowhere', 'top', 'values'])
      await publish(base)
      await publish(middle)
      expect(await listed()).toEqual(['broken', 'loop', 'nowhere'])
      const json = { name: `${mark} broken`, dataSourceId: imported, text: 'SELECT 1 AS one' }
      await good(client.request('PUT', `/dataQueries/${broken.id}`, { json }))
      await good(client.request('DELETE', `/dataQueries/${base.id}?forceDelete=true`))
      expect(await listed()).toEqual(['loop', 'middle', 'nowhere', 'top', 'values'])
      await publish(await make('Base', 'SELECT id FROM orders'))
      expect(await listed()).toEqual(['loop', 'nowhere', 'values'])
    },
  },
  {
    title: 'a data source that data queries read is not deleted or given another type, unless that is forced',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const id = await makeQueried(client)
      const other = await makeQueried(client)
      const query = await published(client, { dataSourceId: id, text: 'SELECT id FROM orders' })
      const draft = await makeQuery(client, { dataSourceId: id, text: '' })
      const moved = { name: query.name, dataSourceId: other, text: '' }
      await good(client.request('PUT', `/dataQueries/${query.id}`, { json: moved }))
      const refused = await client.request('DELETE', `/dataSources/${id}`)
      const pointers = ['/dependents/0', '/dependents/1']
      expectAnswer(refused, { answers: 'has_dependents', pointers })
      expect(JSON.stringify(refused.body['errors'])).toContain(`the data query ${query.id}, ${query.name}`)
      const connection = { host: 'db.example.org', database: 'd', user: 'u', password: 'p' }
      const json = { name: `queried ${++made}`, type: 'mysql', connection }
      expectAnswer(await client.request('PUT', `/dataSources/${id}`, { json }), {
        answers: 'has_dependents',
        pointers,
      })
      await good(client.request('PUT', `/dataSources/${id}`, { json: { name: json.name, type: 'csv' } }))
      expectAnswer(await client.request('DELETE', `/dataSources/${id}?forceDelete=true`), { answers: 204 })
      expect((await good<Query>(client.request('GET', `/dataQueries/${draft.id}`))).errors).toMatchObject([
        { phase: 'reference', line: null, code: 'not_found' },
      ])
      expectAnswer(await client.request('POST', `/dataQueries/${query.id}/run`, { json: {} }), {
        answers: 'not_found',
      })
    },
  },
  {
    title: 'a run has the published version until the draft is published; a version is restored as the draft',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const query = await makeQuery(client, { dataSourceId: imported, text: 'SELECT 1 AS one' })
      const path = `/dataQueries/${query.id}`
      const publish = (json: object) =>
        good<Query>(client.request('POST', `${path}/publish`, { json, as: 'Data_Editor' }))
      const run = async (json: object) =>
        (await good<Result>(client.request('POST', `${path}/run`, { json, as: 'Data_Editor' }))).rows
      await publish({ description: 'one' })
      const json = { name: query.name, dataSourceId: imported, text: 'SELECT 2 AS two' }
      await good(client.request('PUT', path, { json, as: 'Data_Editor' }))
      expect([await run({}), await run({ version: 'draft' })]).toEqual([[[1]], [[2]]])
      expect((await publish({ description: 'two' })).published).toBe(2)
      expect(await run({})).toEqual([[2]])
      const versions = async () =>
        (await good<{ items: readonly Version[] }>(client.request('GET', `${path}/versions`))).items
      const publishedBy = client.userIds.Data_Editor
      expect(await versions()).toMatchObject([
        { number: 2, description: 'two', text: 'SELECT 2 AS two', publishedBy },
        { number: 1, description: 'one', text: 'SELECT 1 AS one', publishedBy },
      ])
      const restored = await good<Query>(client.request('POST', `${path}/versions/1/restore`))
      expect(restored).toMatchObject({ text: 'SELECT 1 AS one', published: 2 })
      expect([await run({}), await run({ version: 'draft' })]).toEqual([[[2]], [[1]]])
      for (let count = 0; count < 49; count++) await publish({})
      expect((await versions()).map(({ number }) => number)).toEqual(
        Array.from({ length: 50 }, (_, at) => 51 - at),
      )
    },
  },
]

/** Texts that would do harm where they are not values. */
const HOSTILE = [
  `' OR 1=1 --`,
  `'; DROP TABLE orders; --`,
  `"; DROP TABLE orders; --`,
  '` OR 1=1 #',
  `\\`,
  `\\' OR 1=1 --`,
  `*/ OR 1=1 /*`,
  `-- comment`,
  `$1`,
  `?`,
  `$$ OR 1=1 $$`,
  '${user.username}',
  '<#if true>',
  `%' OR '%'='`,
  `x' || (SELECT 1) || 'x`,
  '\n;\nSELECT 1',
  'ʼ OR 1=1',
  '😀',
  '',
  'N',
]
const HOSTILE_PARAMETER = { name: 'x', type: 'string' }

const onEach = (
  title: string,
  run: (client: Client, id: number, kind: string) => Promise<void>,
): Scenario[] =>
  ['imported', ...(hasSourceServer ? ['postgresql', 'mysql'] : [])].map((kind) => ({
    title: `${kind}: ${title}`,
    // Workers have a dialect of their own for imported tables.
    decidedAbovePorts: kind === 'imported' ? undefined : 'data queries of databases',
    async run(client) {
      const id = (await querySources(client))[kind]
      if (id !== undefined) await run(client, id, kind)
    },
  }))

const onHostile = (title: string, values: readonly string[]): Scenario[] =>
  onEach(title, async (client, id, kind) => {
    const echo = "SELECT ${x} AS a, '${x}' AS b, ${x?sql_literal} AS c, '[${x}]' AS d"
    for (const x of values) {
      const ask = (text: string) =>
        preview(client, { dataSourceId: id, text, parameters: [HOSTILE_PARAMETER], values: { x } })
      expect({ x, rows: (await good<Result>(ask(echo))).rows }).toEqual({ x, rows: [[x, x, x, `[${x}]`]] })
      const named = await ask('SELECT 1 AS ${x?sql_identifier}')
      if (named.status === 200)
        // MariaDB removes spaces from the beginning of the name of a result's column.
        expect((named.body as unknown as Result).columns.map(({ name }) => name)).toEqual([
          kind === 'mysql' ? x.trimStart() : x,
        ])
      else expect({ x, code: named.body['code'] }).toEqual({ x, code: 'invalid' })
      const among = "SELECT id FROM orders WHERE region IN (${x}) OR region LIKE '${x}' AND region = ${x}"
      expect({ x, rows: (await good<Result>(ask(among))).rows }).toEqual({ x, rows: [] })
      for (const text of ['SELECT 1 /* ${x} */', 'SELECT 1 AS a${x}', 'SELECT id FROM orders ORDER BY ${x}'])
        expectAnswer(await ask(text), { answers: 'invalid', pointers: ['/text'] })
    }
    expect(await rowsOf(client, { dataSourceId: id, text: 'SELECT count(*) AS n FROM orders' })).toEqual([
      [4],
    ])
  })

const runs: Scenario[] = [
  ...onEach('a run has columns with types, rows of its parameters, and the duration', async (client, id) => {
    const query = await makeQuery(client, { dataSourceId: id, text: OF_REGION, parameters: [REGION] })
    const run = async (json: object) =>
      good<Result>(
        client.request('POST', `/dataQueries/${query.id}/run`, {
          json: { version: 'draft', ...json },
          as: 'Data_Editor',
        }),
      )
    const north = await run({})
    expect(north.columns.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'integer'],
      ['amount', 'number'],
    ])
    expect(north).toMatchObject({
      rows: [
        [1, 10.5],
        [3, 30.25],
      ],
      rowCount: 2,
      truncated: false,
    })
    expect(north.durationMs).toBeGreaterThanOrEqual(0)
    expect((await run({ parameters: { region: "o'neil" } })).rows).toEqual([[4, 40]])
    expect(await run({ limit: 1 })).toMatchObject({ rows: [[1, 10.5]], truncated: true })
    expect(await run({ limit: 0 })).toMatchObject({ rows: [], truncated: true })
    expect(await run({ limit: 2 })).toMatchObject({ rowCount: 2, truncated: false })
  }),
  ...onEach('the lineage has the data queries, tables and columns that are read', async (client, id) => {
    const inner = await published(client, { dataSourceId: id, text: 'SELECT id, region FROM orders' })
    const choices = await published(client, { dataSourceId: id, text: 'SELECT region FROM orders' })
    const parameters = [
      { name: 'region', type: 'query', valuesQueryId: choices.id, required: true },
      { name: 'least', type: 'number', required: true },
    ]
    const text = `SELECT amount FROM orders WHERE region = \${region} AND id > \${least} AND id IN (SELECT id FROM \${ref("${inner.name}")} i)`
    const query = await makeQuery(client, { dataSourceId: id, text, parameters })
    const read = (version: string) =>
      good(
        client.request('GET', `/dataQueries/${query.id}/lineage?version=${version}`, { as: 'Data_Editor' }),
      )
    expect(await read('draft')).toEqual({
      dataSourceId: id,
      queries: [
        { id: inner.id, name: inner.name, reads: 'rows', by: query.id },
        { id: choices.id, name: choices.name, reads: 'values', by: query.id },
      ],
      tables: [{ name: 'orders', kind: 'table', columns: ['id', 'region', 'amount'] }],
      errors: [],
    })
    await good(client.request('POST', `/dataQueries/${query.id}/publish`, { json: {} }))
    await good(client.request('DELETE', `/dataQueries/${inner.id}?forceDelete=true`))
    expect(await read('published')).toMatchObject({
      queries: [],
      tables: [],
      errors: [{ code: 'not_found' }],
    })
  }),
  ...onEach('values of every type, lists and templates reach the statement', async (client, id, kind) => {
    const ask = (text: string, parameters: readonly object[], values: object = {}) =>
      rowsOf(client, { dataSourceId: id, text, parameters, values })
    const ids = [{ name: 'ids', type: 'number', multi: true, default: [1, 4] }]
    const OF_IDS = 'SELECT id FROM orders WHERE id IN (${params.ids}) ORDER BY id'
    expect(await ask(OF_IDS, ids)).toEqual([[1], [4]])
    expect(await ask(OF_IDS, ids, { ids: [] })).toEqual([])
    // A statement of a Durable Object has at most 100 KB.
    const count = kind === 'imported' ? 1_500 : 5_000
    const hundreds = Array.from({ length: count }, (_, at) => at + 3)
    expect(await ask(OF_IDS, ids, { ids: hundreds })).toEqual([[3], [4]])
    const optional = [{ name: 'least', type: 'number' }]
    const ABOVE = 'SELECT id FROM orders <#if least??>WHERE amount >= ${least}</#if> ORDER BY id'
    expect(await ask(ABOVE, optional)).toEqual([[1], [2], [3], [4]])
    expect(await ask(ABOVE, optional, { least: 30.25 })).toEqual([[3], [4]])
    const sorted = [{ name: 'by', type: 'enum', choices: ['amount', 'region'], default: 'region' }]
    const SORTED = 'SELECT id FROM orders ORDER BY ${by?sql_identifier} DESC, id'
    expect(await ask(SORTED, sorted)).toEqual([[2], [4], [1], [3]])
    expect(await ask(SORTED, sorted, { by: 'amount' })).toEqual([[4], [3], [2], [1]])
    const typed = [
      { name: 'day', type: 'date', default: '2026-03-01' },
      { name: 'at', type: 'datetime', default: '2026-03-01T12:00:00+02:00' },
      { name: 'on', type: 'boolean', default: true },
    ]
    const [row] = await ask(
      `SELECT CASE WHEN \${day} < '2026-03-02' THEN 1 ELSE 0 END AS a, \${at} AS b, CASE WHEN \${on} THEN 1 ELSE 0 END AS c,
        \${"2026-03-01"?date} AS d, \${"2026-03-01T23:30:00Z"?datetime?date} AS e, \${"10:20:30"?time} AS f`,
      typed,
    )
    expect(row?.[0]).toBe(1)
    expect(String(row?.[1])).toMatch(/^2026-03-01[T ](?:10:00:00|11:00:00\+01:00)/)
    expect(row?.[2]).toBe(1)
    expect(row?.slice(3)).toEqual(['2026-03-01', '2026-03-02', '10:20:30'])
    const refused = await preview(client, {
      dataSourceId: id,
      text: OF_IDS,
      parameters: [{ name: 'ids', type: 'number', multi: true, required: true }],
    })
    expectAnswer(refused, { answers: 'invalid', pointers: ['/values/ids'] })
    const unfit = [{ name: 'n', type: 'number', default: 'x' }]
    const misfit = await preview(client, { dataSourceId: id, text: 'SELECT ${n} AS n', parameters: unfit })
    expectAnswer(misfit, { answers: 'invalid', pointers: ['/parameters/0/default'] })
    for (const [value, answers] of [
      [2 ** 53 - 1, []],
      [2 ** 53, ['/values/ids/1']],
      [-(2 ** 63), ['/values/ids/1']],
    ] as const) {
      const body = { dataSourceId: id, text: OF_IDS, parameters: ids, values: { ids: [3, value] } }
      const answer = await preview(client, body)
      if (answers.length > 0) expectAnswer(answer, { answers: 'invalid', pointers: answers })
      else expect(answer.body).toMatchObject({ rows: [[3]] })
    }
    if (kind !== 'imported') return
    const huge = '(SELECT 1e308 AS v UNION ALL SELECT 1e308) huge'
    expect(await ask(`SELECT max(v) AS a, sum(v) AS b, count(*) AS c FROM ${huge}`, [])).toEqual([
      [1e308, null, 2],
    ])
  }),
  ...onEach('a data query refers to others, which inherit its parameters', async (client, id) => {
    const inner = await published(client, { dataSourceId: id, text: `${OF_REGION};`, parameters: [REGION] })
    const text = `SELECT o.id, o.amount FROM \${ref("${inner.name}")} o`
    const mid = await published(client, {
      dataSourceId: id,
      text,
      parameters: [{ ...REGION, default: 'south' }],
    })
    const ask = (outer: string, values: object = {}) =>
      rowsOf(client, {
        dataSourceId: id,
        text: outer,
        parameters: [{ name: 'region', type: 'string' }],
        values,
      })
    const all = `SELECT id FROM \${ref("${mid.name.toUpperCase()}")} m ORDER BY id`
    expect(await ask(all)).toEqual([[2]])
    expect(await ask(all, { region: "o'neil" })).toEqual([[4]])
    const ids = await published(client, {
      dataSourceId: id,
      text: 'SELECT id FROM orders WHERE region = ${region}',
      parameters: [REGION],
    })
    const passed = `WITH m AS \${ref("${mid.name}", {"region": "north"})} SELECT id FROM m WHERE id IN \${ref("${ids.name}", {"region": region!"north"})} AND id IN (\${ref("${ids.name}", {"region": "north"})}) ORDER BY id`
    expect(await ask(passed)).toEqual([[1], [3]])
    expect(await ask(passed, { region: 'south' })).toEqual([])
  }),
  ...onEach('parameters are names of columns, and values of another data query', async (client, id) => {
    const by = { name: 'by', type: 'identifier', default: 'amount' }
    const SORTED = 'SELECT ${by} FROM orders ORDER BY ${by}'
    const ask = (values: object) =>
      preview(client, { dataSourceId: id, text: SORTED, parameters: [by], values })
    expect((await good<Result>(ask({}))).rows).toEqual([[10.5], [20], [30.25], [40]])
    expect((await good<Result>(ask({ by: 'margin' }))).columns).toMatchObject([{ name: 'margin' }])
    for (const wrong of ['nothing', 'id" --', 1, ''])
      expectAnswer(await ask({ by: wrong }), { answers: 'invalid', pointers: ['/values/by'] })
    const choices = await published(client, {
      dataSourceId: id,
      text: 'SELECT DISTINCT region, 1 FROM orders',
    })
    const chosen = { name: 'region', type: 'query', valuesQueryId: choices.id }
    const query = await published(client, { dataSourceId: id, text: OF_REGION, parameters: [chosen] })
    const run = (region: unknown) =>
      client.request('POST', `/dataQueries/${query.id}/run`, {
        json: { parameters: { region } },
        as: 'Data_Editor',
      })
    expect((await good<Result>(run("o'neil"))).rows).toEqual([[4, 40]])
    for (const wrong of ['west', 1, ['north']])
      expectAnswer(await run(wrong), { answers: 'invalid', pointers: ['/parameters/region'] })
    expectAnswer(await client.request('DELETE', `/dataQueries/${choices.id}`), {
      answers: 'has_dependents',
      pointers: ['/dependents/0'],
    })
    const outer = {
      dataSourceId: id,
      text: `SELECT id FROM \${ref("${query.name}", {"region": x})} q`,
      parameters: [HOSTILE_PARAMETER],
    }
    expect(await rowsOf(client, { ...outer, values: { x: 'south' } })).toEqual([[2]])
    expectAnswer(await preview(client, { ...outer, values: { x: 'west' } }), {
      answers: 'invalid',
      pointers: ['/text'],
    })
    await good(client.request('DELETE', `/dataQueries/${choices.id}?forceDelete=true`))
    const { errors } = await good<Query>(client.request('GET', `/dataQueries/${query.id}`))
    expect(errors).toMatchObject([{ phase: 'reference', line: null, code: 'not_found' }])
    expectAnswer(await run('north'), { answers: 'invalid', pointers: ['/text'] })
  }),
  ...onEach(
    'crosstab has one column for each category, with the same result everywhere',
    async (client, id) => {
      const source =
        "SELECT region, CASE WHEN id < 3 THEN ''old'' ELSE ''new'' END, amount FROM orders WHERE region <> ${x} ORDER BY 1, 2"
      const ask = (categories: string, x: string) =>
        rowsOf(client, {
          dataSourceId: id,
          text: `SELECT ct.* FROM crosstab('${source}', '${categories}') AS ct (region text, a double precision, b double precision) WHERE ct.region <> \${y} ORDER BY ct.region`,
          parameters: [HOSTILE_PARAMETER, { ...HOSTILE_PARAMETER, name: 'y' }],
          values: { x, y: 'west' },
        })
      const fixed = "SELECT ''old'' AS c UNION ALL SELECT ''new''"
      const north = ['north', 10.5, 30.25]
      const south = ['south', 20, null]
      expect(await ask(fixed, "o'neil")).toEqual([north, south])
      expect(await ask(fixed, "' OR ''='")).toEqual([north, ["o'neil", null, 40], south])
      const read = 'SELECT DISTINCT CASE WHEN id < 3 THEN 2 ELSE 1 END AS c FROM orders ORDER BY c'
      const byNumber = source.replace("''old''", '2').replace("''new''", '1')
      const text = `SELECT * FROM crosstab('${byNumber}', '${read}') AS ct (region text, n double precision, o double precision) WHERE region = 'north'`
      const parameters = [HOSTILE_PARAMETER]
      expect(await rowsOf(client, { dataSourceId: id, text, parameters, values: { x: 'south' } })).toEqual([
        ['north', 30.25, 10.5],
      ])
    },
  ),
  ...onHostile(
    'hostile values are values, literals, parts of strings or names, and nothing else',
    HOSTILE.slice(0, 3),
  ),
  ...abovePorts('data queries', onHostile('further hostile values are no more than that', HOSTILE.slice(3))),
  ...onEach(
    'a draft with an unknown table or column is stored, read with the place, and published with force alone',
    async (client, id) => {
      const asked = { dataSourceId: id, text: 'SELECT o.id,\n  o.region\nFROM later o' }
      const query = await makeQuery(client, asked)
      const path = `/dataQueries/${query.id}`
      const fault = { phase: 'plan', line: 3, column: 6, code: 'query_failed' }
      expect(query.errors).toMatchObject([fault])
      expect(query.errors[0]?.message).toContain('later')
      expect(await good<Query>(client.request('GET', path))).toMatchObject({ errors: query.errors })
      const refused = await client.request('POST', `${path}/publish`, { json: {} })
      expectAnswer(refused, { answers: 'conflict', pointers: ['/text'] })
      expect(JSON.stringify(refused.body['errors'])).toContain('the SQL, line 3, column 6')
      const forced = client.request('POST', `${path}/publish`, { json: { force: true } })
      expect(await good<Query>(forced)).toMatchObject({ published: 1, errors: query.errors })
      const change = { ...asked, name: query.name, text: 'SELECT id,\n  gone\nFROM orders' }
      const changed = await good<Query>(client.request('PUT', path, { json: change }))
      expect(changed.errors).toMatchObject([{ ...fault, line: 2, column: 3 }])
      const mended = { ...change, text: 'SELECT id FROM orders' }
      expect((await good<Query>(client.request('PUT', path, { json: mended }))).errors).toEqual([])
    },
  ),
  ...onEach(
    'only one statement that reads is run, and the database says why it refuses one',
    async (client, id) => {
      const refused = async (text: string) => {
        const answer = await preview(client, { dataSourceId: id, text })
        expectAnswer(answer, { answers: 'invalid', pointers: ['/text'] })
        return answer
      }
      for (const text of [
        '',
        'DELETE FROM orders',
        'SELECT 1; DELETE FROM orders',
        'INSERT INTO orders (id) VALUES (5)',
        'WITH x AS (DELETE FROM orders RETURNING id) SELECT * FROM x',
        'SELECT id INTO other FROM orders',
        'SET x = 1',
        'DROP TABLE orders',
        'SELECT pg_sleep(9)',
        "SELECT load_file('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT getenv('HOME')",
        'SELECT (1',
        "SELECT 'open",
      ])
        await refused(text)
      const places = await refused('SELECT 1 AS a,\n  pg_sleep(9) AS b')
      expect(JSON.stringify(places.body['errors'])).toContain('line 2, column 3')
      const unknown = await preview(client, { dataSourceId: id, text: 'SELECT nothing FROM orders' })
      expectAnswer(unknown, { answers: 'query_failed' })
      expect(String(unknown.body['detail'])).toContain('nothing')
      expect(
        await rowsOf(client, { dataSourceId: id, text: 'SELECT count(*) AS n FROM orders;  -- all' }),
      ).toEqual([[4]])
    },
  ),
]

/** Values that become SQL, which administrators alone may store. */
const legacy: Scenario = {
  title: 'administrators store templates whose values become SQL; other users run them at most',
  decidedAbovePorts: 'data queries',
  async run(client) {
    const { imported = 0 } = await querySources(client)
    const json = {
      dataSourceId: imported,
      name: `legacy ${++made}`,
      text: "SELECT id FROM orders WHERE ${condition} AND region = '${region?replace(\"'\", \"''\")}' ORDER BY id",
      parameters: [REGION, { name: 'condition', type: 'string', default: '1 = 1' }],
      escaping: 'legacy',
    }
    const send = (
      method: string,
      path: string,
      body: object,
      as: 'administrator' | 'Data_Editor' = 'administrator',
    ) => client.request(method, path, { json: body, as })
    expectAnswer(await send('POST', '/dataQueries', json, 'Data_Editor'), { answers: 'forbidden' })
    const accessible = { ...json, accessibleFromDashboards: true }
    expectAnswer(await send('POST', '/dataQueries', accessible), {
      answers: 'invalid',
      pointers: ['/escaping'],
    })
    const query = await good<Query & { readonly warnings: readonly object[] }>(
      send('POST', '/dataQueries', json),
    )
    expect([query.errors, query.warnings]).toEqual([
      [],
      [expect.objectContaining({ code: 'legacy_escaping' })],
    ])
    const path = `/dataQueries/${query.id}`
    expectAnswer(await send('PATCH', path, { description: 'x' }, 'Data_Editor'), { answers: 'forbidden' })
    expectAnswer(await send('POST', `${path}/publish`, {}, 'Data_Editor'), { answers: 'forbidden' })
    await good(send('POST', `${path}/publish`, {}))
    const run = (parameters: object) => send('POST', `${path}/run`, { parameters }, 'Data_Editor')
    expect((await good<Result>(run({ region: 'north', condition: 'id > 1' }))).rows).toEqual([[3]])
    expect((await good<Result>(run({ region: "o'neil" }))).rows).toEqual([[4]])
    const drop = '1 = 1; DROP TABLE orders'
    expectAnswer(await run({ region: 'north', condition: drop }), { answers: 'invalid', pointers: ['/text'] })
    const { text, parameters, escaping } = json
    const unstored = { dataSourceId: imported, text, parameters, escaping, values: { condition: 'id < 2' } }
    expect((await good<Result>(preview(client, unstored, { as: 'administrator' }))).rows).toEqual([[1]])
    expectAnswer(await preview(client, unstored), { answers: 'forbidden' })
    const explain = (as: 'administrator' | 'Data_Editor') =>
      client.request('POST', '/dataQueries/explain', { json: unstored, as })
    expect((await good<{ sql: string }>(explain('administrator'))).sql).toContain(
      "id < 2 AND region = 'north'",
    )
    expectAnswer(await explain('Data_Editor'), { answers: 'forbidden' })
    // The draft writes binds and dashboards may show it, but the published version still writes SQL.
    await good(
      send('PATCH', path, {
        escaping: 'bind',
        text: 'SELECT 1 AS one',
        parameters: [],
        accessibleFromDashboards: true,
      }),
    )
    expectAnswer(await send('POST', `${path}/versions/1/restore`, {}), {
      answers: 'invalid',
      pointers: ['/escaping'],
    })
    expectAnswer(await send('POST', `${path}/versions/1/restore`, {}, 'Data_Editor'), {
      answers: 'forbidden',
    })
    const above = { dataSourceId: imported, text: `SELECT * FROM \${ref("${json.name}")} l` }
    expectAnswer(await preview(client, above), { answers: 'invalid', pointers: ['/text'] })
  },
}

export async function makeUser(
  client: Client,
  region: string,
): Promise<{ readonly as: null; readonly headers: Readonly<Record<string, string>> }> {
  const username = `queries ${++made}`
  const properties = [{ key: 'region', value: region }]
  const json = { username, password: PASSWORD, role: 'Data_Editor', properties }
  await good(client.request('POST', '/users', { json }))
  const session = await logIn(client, { username, password: PASSWORD })
  return { as: null, headers: { 'x-session-id': session } } as const
}

/** The rows of the own region, without margins. */
export const OWN = {
  name: 'own',
  tables: ['orders'],
  subjects: { roles: ['Data_Editor'] },
  filter: { column: 'region', op: 'eq', value: '${user.properties.region}' },
  hiddenColumns: ['margin'],
}

const scoped: Scenario[] = [
  {
    title: 'scopes of imported tables apply to SQL of users: no other row, column or table has a name',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const id = await makeQueried(client)
      await importTable(client, id, 'secret')
      await good(client.request('POST', `/dataSources/${id}/scopes`, { json: OWN }))
      const closed = { name: 'closed', tables: ['secret'], subjects: { roles: ['administrator'] } }
      await good(client.request('POST', `/dataSources/${id}/scopes`, { json: closed }))
      const north = await makeUser(client, 'north')
      const hostile = await makeUser(client, "north' OR '1'='1")
      const ask = (text: string, as: object) => preview(client, { dataSourceId: id, text }, as)
      const idsOf = async (text: string, as: object) =>
        (await good<Result>(ask(text, as))).rows.map(([one]) => Number(one)).sort((one, other) => one - other)
      for (const text of [
        'SELECT id FROM orders',
        'SELECT id FROM "orders"',
        'SELECT id FROM ORDERS',
        'SELECT o.id FROM /* x */ orders AS o JOIN orders p ON p.id = o.id',
        'WITH x AS (SELECT * FROM orders) SELECT id FROM x',
        'SELECT id FROM (SELECT * FROM orders) WHERE 1 = 1 OR id > 0',
      ]) {
        expect({ text, ids: await idsOf(text, north) }).toEqual({ text, ids: [1, 3] })
        expect({ text, ids: await idsOf(text, hostile) }).toEqual({ text, ids: [] })
        expect({ text, ids: await idsOf(text, {}) }).toEqual({ text, ids: [1, 2, 3, 4] })
      }
      const whole = await good<Result>(ask('SELECT * FROM orders', north))
      expect(whole.columns.map(({ name }) => name)).toEqual(['id', 'region', 'amount'])
      for (const text of [
        'SELECT margin FROM orders',
        'SELECT id FROM orders ORDER BY margin',
        'SELECT id FROM orders WHERE margin > 8',
        'SELECT * FROM secret',
        'SELECT * FROM "secret"',
        'SELECT * FROM main.secret',
        'WITH orders AS (SELECT * FROM secret) SELECT * FROM orders',
        'SELECT (SELECT count(*) FROM secret) AS n',
        'SELECT * FROM sqlite_schema',
        'SELECT * FROM sqlite_master',
        'SELECT * FROM information_schema.tables',
        'SELECT * FROM duckdb_tables()',
        "SELECT * FROM pragma_table_info('orders')",
        "SELECT * FROM query('SELECT * FROM secret')",
        "SELECT * FROM 'secret'",
      ]) {
        const { status, body } = await ask(text, north)
        expect({ text, status }).toEqual({ text, status: 422 })
        expect(JSON.stringify(body)).not.toContain("o'neil")
      }
      const all = await published(client, { dataSourceId: id, text: 'SELECT * FROM orders' })
      const hidden = await published(client, { dataSourceId: id, text: 'SELECT id FROM secret' })
      expect(await idsOf(`SELECT id FROM \${ref("${all.name}")} a`, north)).toEqual([1, 3])
      for (const text of [
        `SELECT margin FROM \${ref("${all.name}")} a`,
        `SELECT * FROM \${ref("${hidden.name}")} h`,
      ])
        expectAnswer(await ask(text, north), { answers: 'query_failed' })
      expect(await idsOf('SELECT id FROM secret', {})).toEqual([1, 2, 3, 4])
      const main = await ask('SELECT id FROM main.orders', north)
      const seen = (main.body as unknown as Partial<Result>).rows ?? []
      expect([200, 422]).toContain(main.status)
      expect(seen.every(([one]) => one === 1 || one === 3)).toBe(true)
    },
  },
  {
    title: 'templates without an end, too deep or with too much output are refused, and the next one runs',
    async run(client) {
      const { imported: dataSourceId = 0 } = await querySources(client)
      for (const text of [
        '<#list 1.. as x>x</#list>',
        '<#macro m><@m/></#macro><@m/>',
        '<#assign x = "0123456789"><#list 1..9000 as i><#assign x = x + x></#list>${x}',
        '<#list 1..9000 as i>' + 'x'.repeat(2_000) + '</#list>',
        '('.repeat(5_000),
        'SELECT ${' + '('.repeat(5_000) + '1',
      ]) {
        expectAnswer(await preview(client, { dataSourceId, text }), {
          answers: 'invalid',
          pointers: ['/text'],
        })
        expect(await rowsOf(client, { dataSourceId, text: 'SELECT ${1 + 1} AS two' })).toEqual([[2]])
      }
    },
  },
  {
    title: 'templates know their user, whose properties and groups are values',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const { imported = 0 } = await querySources(client)
      const text = 'SELECT id FROM orders WHERE region = ${user.properties.region} ORDER BY id'
      const ask = (as: object) => rowsOf(client, { dataSourceId: imported, text }, as)
      expect(await ask(await makeUser(client, 'north'))).toEqual([[1], [3]])
      expect(await ask(await makeUser(client, `' OR 1=1 --`))).toEqual([])
      const inner = await published(client, { dataSourceId: imported, text })
      const outer = { dataSourceId: imported, text: `SELECT id FROM \${ref("${inner.name}")} i ORDER BY id` }
      const north = await makeUser(client, 'north')
      expect(await rowsOf(client, outer, north)).toEqual([[1], [3]])
      const { user } = await good<{ readonly user: TemplateUser }>(client.request('GET', '/session', north))
      const userGroupIds: number[] = []
      for (const name of ["west' --", 'east'].map((part) => `${part} of ${user.id}`))
        userGroupIds.push((await good<Made>(client.request('POST', '/userGroups', { json: { name } }))).id)
      await good(client.request('PUT', `/userGroups/users/${user.id}`, { json: { userGroupIds } }))
      const me = {
        dataSourceId: imported,
        text: `SELECT \${user.language} AS l, \${user.timeZone} AS z, <#list user.groups as group>\${group} AS "g\${group?index}", </#list>
          CASE WHEN 'x' IN (\${user.groups}) THEN 1 ELSE 0 END AS n`,
      }
      const [[language, zone, ...others] = []] = await rowsOf(client, me, north)
      expect([language, zone]).toEqual([user.language, user.timeZone])
      expect(others).toEqual([`east of ${user.id}`, `west' -- of ${user.id}`, 0])
      const bare = { ...me, text: 'SELECT ${user.groups?size} AS n' }
      expect(await rowsOf(client, bare, await makeUser(client, 'south'))).toEqual([[0]])
    },
  },
]

const CANCELLED = [
  ['postgresql', 'run'],
  ['mysql', 'run'],
  ['postgresql', 'explain'],
  ['mysql', 'explain'],
] as const

const onDatabases: Scenario[] = [
  ...(['postgresql', 'mysql'] as const).map((type): Scenario => ({
    title: `${type}: scopes apply to SQL of users, and no spelling leads past them`,
    decidedAbovePorts: 'data queries',
    async run(client) {
      if (type === 'mysql' && !mariadbServer()) return
      const id = await makeDatabase(client, type)
      const scope = (json: object) => good(client.request('POST', `/dataSources/${id}/scopes`, { json }))
      await scope(OWN)
      await scope({ name: 'closed', tables: ['vault'], subjects: { roles: ['administrator'] } })
      const north = await makeUser(client, 'north')
      const bare = await makeUser(client, "north' OR '1'='1")
      const ask = (text: string, as: object, json: object = {}) =>
        preview(client, { dataSourceId: id, text, ...json }, as)
      const idsOf = async (text: string, as: object, json: object = {}) =>
        (await good<Result>(ask(text, as, json))).rows.map(([one]) => Number(one))
      const all = await published(client, { dataSourceId: id, text: 'SELECT * FROM orders' })
      for (const text of [
        'SELECT id FROM orders ORDER BY id DESC',
        'SELECT o.id FROM /* x */ Orders AS o JOIN orders p ON p.id = o.id ORDER BY 1 DESC',
        'WITH x AS (SELECT * FROM orders) SELECT id FROM x ORDER BY id DESC',
        'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT id FROM orders WHERE id IN (SELECT i FROM n) ORDER BY id DESC',
        'SELECT id FROM (SELECT * FROM orders) q WHERE 1 = 1 OR id > 0 ORDER BY id DESC; -- end',
        'SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM orders x WHERE x.id = 3) ORDER BY id DESC',
        `SELECT id FROM \${ref("${all.name}")} a ORDER BY id DESC`,
      ]) {
        expect({ text, ids: await idsOf(text, north) }).toEqual({ text, ids: [3, 1] })
        expect({ text, ids: await idsOf(text, bare) }).toEqual({ text, ids: [] })
      }
      expect(await idsOf('SELECT id FROM vault ORDER BY id', {})).toEqual([1, 2, 3, 4])
      const bound = { parameters: [REGION], values: { region: 'north' } }
      expect(await idsOf('SELECT id FROM orders WHERE region = ${region} ORDER BY id', north, bound)).toEqual(
        [1, 3],
      )
      const whole = await good<Result>(ask('SELECT * FROM orders', north))
      expect(whole.columns.map(({ name }) => name)).toEqual(['id', 'region', 'amount'])
      const more = 'queried_more'
      for (const text of [
        'SELECT * FROM vault',
        'SELECT * FROM VAULT',
        'SELECT * FROM queried.vault',
        'SELECT * FROM queried.orders',
        `SELECT * FROM ${more}.orders`,
        `SELECT * FROM ${more} . beyond`,
        `SELECT * FROM orders o, ((${more}.beyond b JOIN orders p ON true))`,
        `SELECT * FROM (TABLE ${more}.beyond) t`,
        'SELECT * FROM every_order',
        'WITH orders AS (SELECT 1 AS id) SELECT * FROM orders',
        'SELECT (SELECT count(*) FROM vault) AS n',
        'SELECT * FROM information_schema.tables',
        type === 'mysql' ? 'SELECT * FROM `vault`' : 'SELECT * FROM "vault"',
        type === 'mysql' ? 'SELECT * FROM mysql.user' : 'SELECT * FROM pg_stats',
        type === 'mysql'
          ? 'SELECT * FROM orders /*!, vault */'
          : "SELECT * FROM crosstab('SELECT region, region, margin FROM vault') AS ct (a text, b int)",
        type === 'mysql'
          ? "SELECT load_file('/etc/passwd')"
          : "SELECT query_to_xml('SELECT * FROM vault', true, true, '')",
        type === 'mysql'
          ? 'SELECT @@version'
          : "SELECT * FROM crosstab('SELECT id, region, id FROM orders') AS ct (a bigint, b bigint)",
      ]) {
        const { status, body } = await ask(text, north)
        expect({ text, status }).toEqual({ text, status: 422 })
        expect(JSON.stringify(body)).not.toContain("o'neil")
      }
      expectAnswer(await ask('SELECT * FROM vault', north), { answers: 'scope_unsupported_reference' })
      for (const text of ['SELECT margin FROM orders', 'SELECT id FROM orders WHERE margin > 8'])
        expectAnswer(await ask(text, north), { answers: 'query_failed' })
      const cast = await ask('SELECT id FROM orders WHERE CAST(region AS decimal) > 1', north)
      expect(JSON.stringify(cast.body)).not.toMatch(/south|neil/)
      const plan = await client.request('POST', '/dataQueries/explain', {
        json: { dataSourceId: id, text: 'SELECT id FROM orders', analyze: true },
        ...north,
      })
      expectAnswer(plan, { answers: 200 })
      expect(plan.body).toMatchObject({ sql: 'SELECT id FROM orders', values: [], text: null })
      expect(plan.text).not.toMatch(/region|margin|north/)
    },
  })),
  {
    title: 'postgresql: a name that the database cuts has the rows of the scope of the table',
    decidedAbovePorts: 'data queries',
    async run(client) {
      const id = await makeDatabase(client, 'postgresql', { connection: connectionTo('queried_long') })
      const json = { ...OWN, tables: [LONGEST_NAME] }
      await good(client.request('POST', `/dataSources/${id}/scopes`, { json }))
      const north = await makeUser(client, 'north')
      for (const name of [LONGEST_NAME, `${LONGEST_NAME}_of_all_regions`, `"${LONGEST_NAME}ü"`]) {
        const text = `SELECT id FROM ${name} ORDER BY id`
        expect({ text, rows: await rowsOf(client, { dataSourceId: id, text }, north) }).toEqual({
          text,
          rows: [[1], [3]],
        })
      }
    },
  },
  ...CANCELLED.map(([type, verb]): Scenario => ({
    title: `${type}: ${verb === 'run' ? 'a run' : 'a plan with its run'} after its wait is cancelled at the server`,
    async run(client) {
      const server = type === 'mysql' ? mariadbServer() : sourceServer()
      if (!server) return
      // Longer than the waits below: a statement that is not cancelled fails them.
      const id = await makeDatabase(client, type, { timeout: 'PT10M' })
      const text = 'SELECT slept FROM long_run'
      const query = await published(client, { dataSourceId: id, text })
      const [path, json] =
        verb === 'run'
          ? [`/dataQueries/${query.id}/run`, {}]
          : ['/dataQueries/explain', { queryId: query.id, analyze: true }]
      const answer = await client.request('POST', `${path}?wait=PT0.2S`, { json, as: 'Data_Editor' })
      expectAnswer(answer, { answers: 202 })
      const running = (count: string) =>
        until(async () => (await server.sql(LONG_RUNS[type])).trim() === count)
      await running('1')
      const place = answer.headers.get('location') ?? ''
      expectAnswer(await client.request('DELETE', place), { answers: 'not_found' })
      expectAnswer(await client.request('DELETE', place, { as: 'Data_Editor' }), { answers: 204 })
      await running('0')
      expectAnswer(await client.request('DELETE', place, { as: 'Data_Editor' }), { answers: 204 })
      await until(async () => {
        const ended = await good<{ state: string }>(client.request('GET', place, { as: 'Data_Editor' }))
        expect(ended.state).toMatch(/^(?:cancelled|running)$/)
        return ended.state === 'cancelled'
      })
    },
  })),
  {
    title: 'a statement ends at the time limit of its data source; a result after the wait is an operation',
    async run(client) {
      const id = await makeDatabase(client, 'postgresql', { timeout: 'PT1S' })
      const endless = 'SELECT slept FROM long_run'
      expectAnswer(await preview(client, { dataSourceId: id, text: endless }), { answers: 'query_timeout' })
      const query = await makeQuery(client, { dataSourceId: id, text: 'SELECT 7 AS n' })
      const late = await client.request('POST', `/dataQueries/${query.id}/run?wait=PT0S`, {
        json: { version: 'draft' },
        as: 'Data_Editor',
      })
      expectAnswer(late, { answers: 202 })
      const json = { dataSourceId: id, text: 'SELECT 7 AS n' }
      const previewed = await client.request('POST', '/dataQueries/preview?wait=PT0S', {
        json,
        as: 'Data_Editor',
      })
      expectAnswer(previewed, { answers: 202 })
      const place = late.headers.get('location') ?? ''
      const read = () => good<typeof late.body>(client.request('GET', place, { as: 'Data_Editor' }))
      await until(async () => (await read())['resultUrl'] !== null)
      expect(await good(client.request('GET', `${place}/result`, { as: 'Data_Editor' }))).toMatchObject({
        rows: [[7]],
      })
    },
  },
]

export const dataQueriesSuite: Suite = {
  name: 'data queries',
  scenarios: [
    ...table(stage, rows),
    ...life,
    ...runs,
    legacy,
    ...scoped,
    ...(hasSourceServer ? onDatabases : []),
  ],
}
