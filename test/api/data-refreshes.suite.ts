import { expect } from 'bun:test'

import type { Client } from './client.ts'
import {
  connectionTo,
  hasSourceServer,
  mariadbServer,
  SOURCE_PASSWORD,
  sourceServer,
} from './source-server.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { readUntil, until } from '../until.ts'

type Made = { readonly id: number }
type State = {
  readonly failures: number
  readonly age: string | null
  readonly isRefreshing: boolean
  readonly refreshedAt: string | null
  readonly errorCode: string | null
}
type Refresh = { readonly state: State; readonly error: { readonly code: string } | null }

let prepared: Promise<unknown> | null = null

/** The tables that are copied. */
function tables(): Promise<unknown> {
  return (prepared ??= Promise.all([
    sourceServer().sql(`
      create schema copied;
      create table copied.orders (id bigint primary key, region text, price numeric, paid boolean, day date,
        at timestamptz, more json, raw bytea, margin int);
      insert into copied.orders values
        (1, 'north', 1.5, true, '2026-03-29', '2026-03-29 01:30:00.25+00', '{"a":[1]}', '\\x0001', 7),
        (9007199254740993, 'south', null, false, null, null, null, null, 8),
        (3, 'north', -2e-7, null, '0001-01-01', '1969-12-31 23:59:59+00', 'null', '\\x', null);
      create view copied.regions as select distinct region from copied.orders;
      create table copied.many as select n, 'x' || n as text from generate_series(1, 20000) n;
      create table copied.wide as select ${Array.from({ length: 101 }, (_, at) => `${at} as c${at}`).join(', ')};
      create view copied.slow as select n, pg_sleep(0.05)::text as s from generate_series(1, 10000) n;
      grant usage on schema copied to reader; grant select on all tables in schema copied to reader;`),
    mariadbServer()?.sql(`create database copied character set utf8mb4; use copied;
      create table orders (id bigint primary key, region varchar(20), price double, at datetime);
      insert into orders values (1, 'nörth', 1.5, '2026-03-29 01:30:00'), (2, null, null, null);
      create user 'copier'@'%' identified by '${SOURCE_PASSWORD}'; grant select on copied.* to 'copier'@'%';`),
  ]))
}

let made = 0

async function makeDatabase(client: Client, change: object = {}): Promise<number> {
  await tables()
  const connection = connectionTo('copied')
  const json = { name: `copied ${++made}`, type: 'postgresql', connection, ...change }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

const makeFiles = async (client: Client): Promise<number> => {
  const json = { name: `copies ${++made}`, type: 'csv' }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

const pathOf = (id: number, name = 'orders') => `/dataSources/${id}/tables/${name}`
const from = (dataSourceId: number, more: object = {}) => ({
  kind: 'foreign',
  dataSourceId,
  table: 'orders',
  ...more,
})

const define = (client: Client, id: number, origin: object) =>
  good<Refresh>(client.request('PUT', `${pathOf(id)}/refresh`, { json: { from: origin, every: null } }))

const refresh = (client: Client, id: number) => client.request('POST', `${pathOf(id)}/refresh`)

const rowsIn = async (client: Client, id: number, as: object = {}) => {
  const call = client.request('POST', `${pathOf(id)}/select`, {
    json: { orderBy: [{ column: 'id' }] },
    ...as,
  })
  return (await good<{ rows: readonly unknown[] }>(call)).rows
}

const stateOf = (client: Client, id: number) => good<Refresh>(client.request('GET', `${pathOf(id)}/refresh`))

const stage = once(async (client) => {
  const [source, database] = [await makeFiles(client), await makeDatabase(client)]
  const native = await makeDatabase(client, { scopeMode: 'native' })
  const own = { name: 'own', columns: [{ name: 'a', type: 'string' }] }
  await good(client.request('POST', `/dataSources/${source}/tables`, { json: own }))
  await define(client, source, from(database))
  return { source, database, native }
})

const PUT = 'PUT /dataSources/{source}/tables/orders/refresh'
const put = (title: string, change: object, answers: Row['answers'], ...pointers: string[]): Row => ({
  title: `a refresh with ${title}`,
  call: PUT,
  json: { from: from(1), ...change },
  answers,
  ...(pointers.length > 0 && { pointers }),
})

const rows: readonly Row[] = [
  ...['GET', 'PUT', 'POST', 'DELETE'].flatMap((method): Row[] => {
    const call = `${method} /dataSources/{source}/tables/orders/refresh`
    const json = method === 'PUT' ? { from: from(1) } : undefined
    return [
      { title: `${method} without a session`, call, json, as: null, answers: 'unauthenticated' },
      { title: `${method} by a Data_Editor`, call, json, as: 'Data_Editor', answers: 'forbidden' },
      {
        title: `${method} of an unknown source`,
        call: call.replace('{source}', '999999'),
        json,
        answers: 'not_found',
      },
    ]
  }),
  ...['GET', 'POST', 'DELETE'].map((method): Row => ({
    title: `${method} of a table without one`,
    call: `${method} /dataSources/{source}/tables/own/refresh`,
    answers: 'not_found',
  })),
  put('a short interval', { every: 'PT4M59S' }, 'invalid', '/every'),
  put('a long interval', { every: 'P32D' }, 'invalid', '/every'),
  put('no interval of time', { every: 'hourly' }, 'invalid', '/every'),
]

/** Bodies with the ids of the stage. */
const refusals: readonly [title: string, origin: object, answers: Row['answers'], pointer?: string][] = [
  ['no columns', { columns: [] }, 'invalid', '/from/columns'],
  ['an unknown column', { columns: ['id', 'none'] }, 'invalid', '/from/columns/1'],
  ['a column twice', { columns: ['id', 'id'] }, 'invalid', '/from/columns/1'],
  ['101 columns', { table: 'wide' }, 'invalid', '/from/columns'],
  ['an unknown table', { table: 'none' }, 'invalid', '/from/table'],
  [
    'a filter of an unknown column',
    { filter: { column: 'none', op: 'is_null' } },
    'invalid',
    '/from/filter/column',
  ],
  ['an unknown kind', { kind: 'ftp' }, 'invalid', '/from/kind'],
  ['an unknown source', { dataSourceId: 999_999 }, 'invalid', '/from/dataSourceId'],
]

const scenarios: Scenario[] = [
  {
    title: 'what a refresh cannot copy is refused',
    decidedAbovePorts: 'refreshes of tables',
    async run(client) {
      const { source, database, native } = await stage(client)
      const ask = (name: string, origin: object) =>
        client.request('PUT', `${pathOf(source, name)}/refresh`, { json: { from: origin } })
      for (const [, change, answers, pointer] of refusals)
        expectAnswer(await ask('orders', from(database, change)), {
          answers,
          ...(pointer !== undefined && { pointers: [pointer] }),
        })
      expectAnswer(await ask('orders', from(source)), {
        answers: 'invalid',
        pointers: ['/from/dataSourceId'],
      })
      expectAnswer(await ask('orders', from(native)), { answers: 'conflict' })
      expectAnswer(await ask('own', from(database)), { answers: 'name_taken' })
      expectAnswer(
        await client.request('PUT', `${pathOf(database)}/refresh`, { json: { from: from(database) } }),
        { answers: 'conflict' },
      )
      const tagged = { json: { from: from(database) }, headers: { 'if-match': '"999"' } }
      expectAnswer(await client.request('PUT', `${pathOf(source)}/refresh`, tagged), {
        answers: 'precondition_failed',
      })
    },
  },
  {
    title: 'a table has the rows of a database after a refresh; the former rows stay when a refresh fails',
    async run(client) {
      const [id, database] = [await makeFiles(client), await makeDatabase(client)]
      const columns = ['id', 'region', 'price', 'paid', 'day', 'at', 'more', 'raw']
      const filter = { column: 'id', op: 'ne', value: 77 }
      const path = `${pathOf(id)}/refresh`
      const json = { from: from(database, { columns, filter }), every: 'PT1H' }
      const defined = await client.request('PUT', path, { json })
      expectAnswer(defined, { answers: 201 })
      expect(await rowsIn(client, id)).toEqual([])
      expect(await good(refresh(client, id))).toEqual({ table: 'orders', rows: 3 })
      const all = await rowsIn(client, id)
      expect(all).toEqual([
        [1, 'north', 1.5, true, '2026-03-29', '2026-03-29T03:30:00.25+02:00', '{"a":[1]}', 'AAE='],
        [3, 'north', -2e-7, null, '0001-01-01', '1970-01-01T00:59:59+01:00', 'null', ''],
        ['9007199254740993', 'south', null, false, null, null, null, null],
      ])
      const listed = (await good(client.request('GET', `/dataSources/${id}/tables`))) as unknown as readonly {
        refresh: State
      }[]
      expect(listed[0]?.refresh).toMatchObject({ failures: 0, errorCode: null, isRefreshing: false })
      expect(listed[0]?.refresh.age).toMatch(/^PT\d+S$/)
      const edit = { key: ['id'], rows: [{ id: 1, region: 'x' }] }
      for (const call of [
        client.request('PATCH', `${pathOf(id)}/rows`, { json: edit }),
        client.request('PATCH', pathOf(id), { json: { drop: ['raw'] } }),
      ])
        expectAnswer(await call, { answers: 'conflict' })
      await good(
        client.request('PUT', path, { json: { ...json, from: from(database, { columns: ['id'] }) } }),
      )
      await sourceServer().sql('revoke select on copied.orders from reader')
      const failed = await refresh(client, id)
      await sourceServer().sql('grant select on copied.orders to reader')
      expectAnswer(failed, { answers: 'query_failed' })
      expect(await rowsIn(client, id)).toEqual(all)
      const { state, error } = await stateOf(client, id)
      expect([state.failures, state.errorCode, error?.code]).toEqual([1, 'query_failed', 'query_failed'])
      const { warnings } = await good<{ warnings: { code: string }[] }>(client.request('GET', '/readyz'))
      expect(warnings.map(({ code }) => code)).toContain('refreshes_failed')
      await good(refresh(client, id))
      expect(await rowsIn(client, id)).toEqual([[1], [3], ['9007199254740993']])
      await good(client.request('DELETE', path))
      expect(await rowsIn(client, id)).toHaveLength(3)
      expectAnswer(await client.request('GET', path), { answers: 'not_found' })
    },
  },
  {
    title: 'a copy of a table with scopes has no rows for others until it has scopes of its own',
    async run(client) {
      const [id, database] = [await makeFiles(client), await makeDatabase(client)]
      await define(client, id, from(database, { columns: ['id', 'region'] }))
      await good(refresh(client, id))
      const as = { as: 'Data_Editor' } as const
      const select = () => client.request('POST', `${pathOf(id)}/select`, { json: {}, ...as })
      expect(await rowsIn(client, id, as)).toHaveLength(3)
      const scope = { name: 'own', tables: ['orders'], subjects: { roles: ['Data_Editor'] }, access: 'read' }
      const north = { ...scope, filter: { column: 'region', op: 'eq', value: 'north' } }
      await good(client.request('POST', `/dataSources/${database}/scopes`, { json: scope }))
      expectAnswer(await select(), { answers: 'not_found' })
      // Without its refresh, or with another source, the copy would be open again.
      const stopped = await client.request('DELETE', `${pathOf(id)}/refresh`)
      expectAnswer(stopped, { answers: 'conflict' })
      const elsewhere = { json: { from: from(await makeDatabase(client), { columns: ['id', 'region'] }) } }
      expectAnswer(await client.request('PUT', `${pathOf(id)}/refresh`, elsewhere), { answers: 'conflict' })
      expect(await good(client.request('GET', `/dataSources/${id}/tables`, as))).toEqual([] as never)
      await good(client.request('POST', `/dataSources/${id}/scopes`, { json: north }))
      await good(refresh(client, id))
      expect(await rowsIn(client, id, as)).toEqual([
        [1, 'north'],
        [3, 'north'],
      ])
      const gone = { json: { from: from(database, { columns: ['id'] }) } }
      expectAnswer(await client.request('PUT', `${pathOf(id)}/refresh`, gone), { answers: 'conflict' })
      const { items: scopes } = await good<{ items: readonly Made[] }>(
        client.request('GET', `/dataSources/${id}/scopes`),
      )
      await good(client.request('DELETE', `/dataSources/${id}/scopes/${scopes[0]?.id}`))
      const kept = await client.request('DELETE', `/dataSources/${database}`)
      expectAnswer(kept, { answers: 'has_dependents' })
      expect(kept.body['errors']).toMatchObject([
        {
          pointer: '/dependents/0',
          message: expect.stringContaining(`the copy orders in the data source ${id}`) as string,
        },
      ])
      // Its scopes went with the database, but the rows are still here.
      await good(client.request('DELETE', `/dataSources/${database}?forceDelete=true`))
      expectAnswer(await select(), { answers: 'not_found' })
      expectAnswer(await refresh(client, id), { answers: 'not_found' })
      expect(await rowsIn(client, id)).toHaveLength(3)
    },
  },
  {
    title: 'a refresh is an operation that is cancelled at the server, of which one goes on at a time',
    async run(client) {
      const [id, database] = [await makeFiles(client), await makeDatabase(client)]
      await define(client, id, from(database, { table: 'slow' }))
      const begun = await client.request('POST', `${pathOf(id)}/refresh?wait=PT0S`)
      expectAnswer(begun, { answers: 202 })
      const running = () =>
        sourceServer().sql(
          `select 1 from pg_stat_activity where state = 'active' and query like '%slow%' and pid <> pg_backend_pid()`,
        )
      await readUntil(running, ({ length }) => length > 0)
      expect((await stateOf(client, id)).state.isRefreshing).toBe(true)
      expectAnswer(await refresh(client, id), { answers: 'conflict' })
      const path = begun.headers.get('location') ?? ''
      await good(client.request('DELETE', path))
      await readUntil(running, ({ length }) => length === 0)
      let operation = await good<{ state: string }>(client.request('GET', path))
      for (; ['queued', 'running'].includes(operation.state); await Bun.sleep(100))
        operation = await good<{ state: string }>(client.request('GET', path))
      expect(operation.state).toBe('cancelled')
      const { state } = await stateOf(client, id)
      expect(state).toMatchObject({ failures: 0, refreshedAt: null, isRefreshing: false })
      await define(client, id, from(database, { table: 'many' }))
      expect(await good(refresh(client, id))).toEqual({ table: 'orders', rows: 20_000 })
    },
  },
  {
    title:
      'a refresh ends when its definition is replaced, and the next one has the rows of the new definition',
    async run(client) {
      const [id, database] = [await makeFiles(client), await makeDatabase(client)]
      await define(client, id, from(database, { table: 'slow' }))
      const begun = await client.request('POST', `${pathOf(id)}/refresh?wait=PT0S`)
      expectAnswer(begun, { answers: 202 })
      await until(async () => (await stateOf(client, id)).state.isRefreshing)
      await define(client, id, from(database, { table: 'many' }))
      expect(await good(refresh(client, id))).toEqual({ table: 'orders', rows: 20_000 })
      const path = begun.headers.get('location') ?? ''
      const former = await readUntil(
        () => good<{ state: string }>(client.request('GET', path)),
        ({ state }) => !['queued', 'running'].includes(state),
      )
      expect(former.state).toBe('failed')
    },
  },
  {
    title: 'a table of MySQL is copied as well',
    decidedAbovePorts: 'refreshes of tables',
    async run(client) {
      const server = mariadbServer()
      if (!server) return
      await tables()
      const connection = {
        host: '127.0.0.1',
        port: server.port,
        database: 'copied',
        user: 'copier',
        password: SOURCE_PASSWORD,
        tls: 'disable',
      }
      const json = { name: `copied mysql ${++made}`, type: 'mysql', connection }
      const { id: database } = await good<Made>(client.request('POST', '/dataSources', { json }))
      const id = await makeFiles(client)
      await define(client, id, from(database))
      await good(refresh(client, id))
      expect(await rowsIn(client, id)).toEqual([
        [1, 'nörth', 1.5, '2026-03-29T03:30:00+02:00'],
        [2, null, null, null],
      ])
    },
  },
]

export const dataRefreshesSuite: Suite = {
  name: 'refreshes of tables',
  scenarios: hasSourceServer ? [...table(stage, rows), ...scenarios] : [],
}
