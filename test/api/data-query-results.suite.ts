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
import { readUntil } from '../until.ts'

type Made = { readonly id: number }
type Query = Made & {
  readonly state: string
  readonly published: number
  readonly errors: readonly { readonly phase: string }[]
  readonly result: {
    readonly rows: number
    readonly version: number
    readonly failures: number
    readonly refreshedAt: string | null
    readonly nextRefreshAt: string | null
    readonly isRefreshing: boolean
    readonly error: { readonly code: string; readonly detail: string } | null
  } | null
}
type Result = {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly refreshedAt: string | null
  readonly age: string | null
}

const ROWS = 'id,region,day,paid\n1,north,2026-03-01,true\n2,south,2026-03-02,false\n3,north,2026-03-03,\n'
const BY_REGION = 'SELECT region, count(*) AS n, min(id) AS first FROM orders GROUP BY region'

let made = 0

async function makeFiles(client: Client): Promise<number> {
  const json = { name: `result files ${++made}`, type: 'csv' }
  const { id } = await good<Made>(client.request('POST', '/dataSources', { json }))
  const file = await good<{ id: string }>(
    client.request('POST', `/dataSources/${id}/uploads`, {
      text: ROWS,
      headers: { 'content-type': 'text/csv' },
    }),
  )
  await good(
    client.request('POST', `/dataSources/${id}/import`, { json: { upload: file.id, table: 'orders' } }),
  )
  return id
}

const insert = (client: Client, source: number, row: object) =>
  good(client.request('POST', `/dataSources/${source}/tables/orders/rows`, { json: { rows: [row] } }))

const hourly = { refresh: 'hourly' }
const make = (client: Client, json: object) =>
  good<Query>(client.request('POST', '/dataQueries', { json: { name: `result ${++made}`, ...json } }))
const change = (client: Client, { id }: Made, json: object) =>
  good<Query>(client.request('PATCH', `/dataQueries/${id}`, { json }))
const publish = (client: Client, { id }: Made, json: object = {}) =>
  good<Query>(client.request('POST', `/dataQueries/${id}/publish`, { json }))
const read = (client: Client, { id }: Made) => good<Query>(client.request('GET', `/dataQueries/${id}`))
const refresh = (client: Client, { id }: Made, as: object = {}) =>
  client.request('POST', `/dataQueries/${id}/refresh`, as)
/** Refreshes a result that is due, or waits for the refresh that has begun by itself. */
async function refreshDue(client: Client, query: Made): Promise<void> {
  const answer = refresh(client, query)
  if ((await answer).status === 409)
    await readUntil(
      () => read(client, query),
      ({ state }) => state === 'ready',
    )
  else await good(answer)
}
const run = (client: Client, { id }: Made, json: object = {}, as: object = {}) =>
  good<Result>(client.request('POST', `/dataQueries/${id}/run`, { json, ...as }))
const preview = (client: Client, json: object, as: object = {}) =>
  good<Result>(client.request('POST', '/dataQueries/preview', { json, ...as }))

async function stored(client: Client, json: object): Promise<Query> {
  const query = await make(client, { materialization: hourly, ...json })
  await publish(client, query)
  await good(refresh(client, query))
  return query
}

const stage = once(async (client) => {
  const source = await makeFiles(client)
  const plain = await publish(client, await make(client, { dataSourceId: source, text: BY_REGION }))
  return { source, plain: plain.id }
})

const bad = (title: string, materialization: object, ...pointers: string[]): Row => ({
  title: `a materialization with ${title}`,
  call: 'POST /dataQueries',
  json: { name: 'bad', dataSourceId: 1, text: 'SELECT 1', materialization },
  answers: 'invalid',
  pointers: pointers.map((pointer) => `/materialization${pointer}`),
})
const wrong = (title: string, assertion: object, at: string): Row => ({
  title: `an assertion with ${title}`,
  call: 'POST /dataQueries',
  json: { name: 'bad', dataSourceId: 1, text: 'SELECT 1', assertions: [assertion] },
  answers: 'invalid',
  pointers: [`/assertions/0${at}`],
})
const columns = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`)
const indexes = (count: number) => Array.from({ length: count }, () => ({ columns: ['a'] }))

const rows: readonly Row[] = [
  ...['refresh', 'cancel'].flatMap((verb): Row[] => [
    { title: verb, call: `POST /dataQueries/{plain}/${verb}`, as: null, answers: 'unauthenticated' },
    {
      title: `${verb} by an editor`,
      call: `POST /dataQueries/{plain}/${verb}`,
      as: 'editor',
      answers: 'forbidden',
    },
    {
      title: `${verb} of an unknown data query`,
      call: `POST /dataQueries/999999/${verb}`,
      answers: 'not_found',
    },
    {
      title: `${verb} of one whose result is not stored`,
      call: `POST /dataQueries/{plain}/${verb}`,
      answers: 'conflict',
    },
  ]),
  bad('another interval', { refresh: 'weekly' }, '/refresh'),
  bad('too many indexes', { ...hourly, indexes: indexes(11) }, '/indexes'),
  bad(
    'an index of too many columns',
    { ...hourly, indexes: [{ columns: columns(9) }] },
    '/indexes/0/columns',
  ),
  bad('an index without columns', { ...hourly, indexes: [{ columns: [] }] }, '/indexes/0/columns'),
  bad('a column twice', { ...hourly, indexes: [{ columns: ['a', 'A'] }] }, '/indexes/0/columns'),
  bad(
    'a key of too many columns',
    { ...hourly, incremental: { column: 'a', key: columns(9) } },
    '/incremental/key',
  ),
  bad(
    'a key with a column twice',
    { ...hourly, incremental: { column: 'a', key: ['a', 'A'] } },
    '/incremental/key',
  ),
  bad(
    'a lookback without a key',
    { ...hourly, incremental: { column: 'a', lookback: 'PT1H' } },
    '/incremental/key',
  ),
  ...['P367D', '-PT1H', 'P1M', 'an hour', ''].map((lookback) =>
    bad(
      `the lookback ${lookback || 'empty'}`,
      { ...hourly, incremental: { column: 'a', key: ['a'], lookback } },
      '/incremental/lookback',
    ),
  ),
  bad('no column of its new rows', { ...hourly, incremental: { key: ['a'] } }, '/incremental/column'),
  wrong('another kind', { kind: 'positive', columns: ['a'] }, '/kind'),
  wrong('no columns', { kind: 'unique', columns: [] }, '/columns'),
  wrong('nine columns', { kind: 'unique', columns: columns(9) }, '/columns'),
  wrong('a range of two columns', { kind: 'range', columns: ['a', 'b'], min: 1 }, '/columns'),
  wrong('a range without bounds', { kind: 'range', columns: ['a'] }, '/min'),
  wrong('a bound of another kind', { kind: 'unique', columns: ['a'], max: 1 }, '/min'),
  {
    title: '21 assertions',
    call: 'POST /dataQueries',
    json: {
      name: 'bad',
      dataSourceId: 1,
      text: 'SELECT 1',
      assertions: Array.from({ length: 21 }, () => ({ kind: 'unique', columns: ['a'] })),
    },
    answers: 'invalid',
    pointers: ['/assertions'],
  },
  {
    title: 'a materialization at its limits',
    call: 'POST /dataQueries',
    json: {
      name: 'at the limits',
      dataSourceId: 1,
      text: 'SELECT 1',
      materialization: {
        ...hourly,
        indexes: [{ columns: columns(8), unique: true }, ...indexes(9)],
        incremental: { column: 'a', key: columns(8), lookback: 'P366D' },
      },
      assertions: Array.from({ length: 20 }, () => ({ kind: 'unique', columns: columns(8) })),
    },
    answers: 201,
  },
]

const scenarios: readonly Scenario[] = [
  {
    title: 'a stored result is read until the next refresh, by runs and by other data queries',
    async run(client) {
      const source = await makeFiles(client)
      const query = await make(client, {
        dataSourceId: source,
        text: BY_REGION,
        materialization: { ...hourly, indexes: [{ columns: ['region', 'n'], unique: true }] },
      })
      expect([query.state, query.result]).toEqual(['draft', null])
      const fresh = await publish(client, query)
      expect([fresh.state, fresh.result?.version, fresh.result?.refreshedAt]).toEqual(['stale', 0, null])
      expect(await run(client, query)).toMatchObject({ refreshedAt: null, age: null })
      expect(await good(refresh(client, query))).toEqual({ rows: 2, added: null })
      const ready = await read(client, query)
      expect([ready.state, ready.result?.version, ready.result?.rows]).toEqual(['ready', 1, 2])
      const { items } = await good<{ items: readonly Query[] }>(client.request('GET', '/dataQueries'))
      // Seconds may pass between the two reads.
      const listed = items.find(({ id }) => id === query.id)?.result
      expect({ ...listed, age: null }).toEqual({ ...ready.result, age: null } as never)

      const before = await run(client, query)
      expect(before.columns.map(({ name, type }) => [name, type])).toEqual([
        ['region', 'string'],
        ['n', 'integer'],
        ['first', 'integer'],
      ])
      expect(before.rows).toContainEqual(['north', 2, 1])
      expect(before.refreshedAt).toBe(ready.result?.refreshedAt ?? '')
      expect(before.age).toMatch(/^PT/)
      await insert(client, source, { id: 4, region: 'north', day: '2026-03-04', paid: true })
      expect((await run(client, query)).rows).toEqual(before.rows)
      const text = `SELECT s.n FROM \${ref("result ${made}")} s JOIN orders o ON o.region = s.region WHERE o.id = 1`
      const outer = { dataSourceId: source, text }
      expect(await preview(client, outer)).toMatchObject({ rows: [[2]], refreshedAt: before.refreshedAt })
      const narrow = `SELECT s.first FROM \${ref("result ${made}")} s WHERE s.region = 'north' AND s.n = 2`
      const explained = { dataSourceId: source, text: narrow }
      const plan = await good<{ dialect: string; text: string }>(
        client.request('POST', '/dataQueries/explain', { json: explained }),
      )
      // DuckDB reads the columns.
      if (plan.dialect === 'sqlite') expect(plan.text).toMatch(/INDEX .*\(region=\? AND n=\?\)/)
      await good(refresh(client, query))
      expect((await run(client, query)).rows).toContainEqual(['north', 3, 1])
      expect((await preview(client, outer)).rows).toEqual([[3]])
      expect((await run(client, query, { limit: 1 })).rows).toHaveLength(1)
    },
  },
  {
    title:
      'publishing makes a result due; a new text has no result; without materialization nothing is stored',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const query = await stored(client, { dataSourceId: source, text: 'SELECT id FROM orders' })
      await change(client, query, { materialization: { refresh: 'none', indexes: [{ columns: ['id'] }] } })
      const same = await publish(client, query)
      expect([same.state, same.result?.version, same.published]).toEqual(['stale', 2, 2])
      expect((await run(client, query)).refreshedAt).not.toBeNull()
      await refreshDue(client, query)
      const ready = await read(client, query)
      expect([ready.state, ready.result?.nextRefreshAt]).toEqual(['ready', null])
      await change(client, query, { text: 'SELECT id, region FROM orders' })
      expect((await run(client, query)).rows[0]).toHaveLength(1)
      const other = await publish(client, query)
      expect([other.state, other.result?.version]).toEqual(['stale', 2])
      expect(await run(client, query)).toMatchObject({
        refreshedAt: null,
        rows: [
          [1, 'north'],
          [2, 'south'],
          [3, 'north'],
        ],
      })
      await refreshDue(client, query)
      expect((await run(client, query)).refreshedAt).not.toBeNull()
      await change(client, query, { materialization: null })
      const none = await publish(client, query)
      expect([none.state, none.result]).toEqual(['ready', null])
      expect((await run(client, query)).refreshedAt).toBeNull()
      await good(client.request('POST', `/dataQueries/${query.id}/versions/1/restore`))
      expect(await read(client, query)).toMatchObject({ materialization: { refresh: 'hourly', indexes: [] } })
    },
  },
  {
    title: 'a minutely result has 100,000 rows and no more; a failure doubles the time to the next refresh',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const dataSourceId = await makeFiles(client)
      const digits = Array.from({ length: 10 }, (_, digit) => `(${digit})`).join()
      const text = `WITH e (n) AS (VALUES ${digits}) SELECT a.n + b.n * 10 + c.n * 100 + f.n * 1000 + g.n * 10000 AS n
        FROM e AS a CROSS JOIN e AS b CROSS JOIN e AS c CROSS JOIN e AS f CROSS JOIN e AS g`
      const query = await stored(client, { dataSourceId, text, materialization: { refresh: 'minutely' } })
      expect((await read(client, query)).result).toMatchObject({ rows: 100_000, failures: 0 })
      await change(client, query, { text: `${text} UNION ALL SELECT -1` })
      await publish(client, query)
      const beganAt = Date.now()
      expectAnswer(await refresh(client, query), { answers: 'query_too_large' })
      const { state, result } = await read(client, query)
      expect([state, result?.rows, result?.error?.code]).toEqual(['failed', 100_000, 'query_too_large'])
      expect(Date.parse(result?.nextRefreshAt ?? '')).toBeGreaterThanOrEqual(beganAt + 2 * 60_000)
    },
  },
  {
    title: 'a refresh that fails leaves the former rows, and its error is told',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const query = await stored(client, {
        dataSourceId: source,
        text: 'SELECT region, id FROM orders',
        materialization: { refresh: 'daily', indexes: [{ columns: ['id', 'region'], unique: true }] },
      })
      await insert(client, source, { id: 1, region: 'west' })
      await good(refresh(client, query))
      const indexed = await change(client, query, {
        materialization: { refresh: 'daily', indexes: [{ columns: ['day'] }] },
      })
      expect(indexed.errors).toMatchObject([
        {
          phase: 'materialization',
          message: expect.stringContaining('an index names the column day') as string,
        },
      ])
      expectAnswer(await client.request('POST', `/dataQueries/${query.id}/publish`, { json: {} }), {
        answers: 'conflict',
        pointers: ['/materialization'],
      })
      await good(client.request('POST', `/dataQueries/${query.id}/versions/1/restore`))
      await insert(client, source, { id: 3, region: 'north' })
      expectAnswer(await refresh(client, query), { answers: 'import_failed' })
      const failed = await read(client, query)
      expect([failed.state, failed.result?.failures, failed.result?.rows]).toEqual(['failed', 1, 4])
      expect(failed.result?.error?.detail).toBe('Two rows have the same id, region, which must be unique.')
      expect((await run(client, query)).rows).toHaveLength(4)
      const { warnings } = await good<{ warnings: { code: string }[] }>(client.request('GET', '/readyz'))
      expect(warnings.map(({ code }) => code)).toContain('refreshes_failed')
      const cases = [
        ['SELECT id, region AS id FROM orders', /two columns have the name/],
        ['SELECT region FROM orders', /an index names the column id/],
        ['SELECT id FROM nothing', /./],
      ] as const
      for (const [text, detail] of cases) {
        await change(client, query, { text })
        await publish(client, query, { force: true })
        const answer = await refresh(client, query)
        expect(answer.status).toBe(422)
        expect(answer.text).toMatch(detail)
      }
    },
  },
  {
    title:
      'an incremental refresh adds newer rows, and replaces rows of one key; another definition reads all rows anew',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const add = (id: number, region: string, day: string) => insert(client, source, { id, region, day })
      const by = (column: string, ...key: readonly string[]) => ({
        refresh: 'none',
        incremental: { column, key },
      })
      const text = 'SELECT id, region, day FROM orders'
      const query = await stored(client, { dataSourceId: source, text, materialization: by('id') })
      const again = () => good(refresh(client, query))
      const republish = async (json: object) => {
        await change(client, query, json)
        await publish(client, query)
        return refresh(client, query)
      }
      const ids = async () =>
        (await run(client, query)).rows.map(([id]) => Number(id)).toSorted((a, b) => a - b)
      expect(await again()).toEqual({ rows: 3, added: 0 })
      await add(5, 'west', '2026-03-03')
      await add(4, 'west', '2026-03-03')
      expect(await again()).toEqual({ rows: 5, added: 2 })
      await add(0, 'below', '2026-01-01')
      expect(await again()).toEqual({ rows: 5, added: 0 })
      expect(await ids()).toEqual([1, 2, 3, 4, 5])

      expect((await republish({ materialization: by('day', 'id') })).body).toEqual({ rows: 6, added: null })
      const changed = [{ id: 5, region: 'east' }]
      await good(
        client.request('PATCH', `/dataSources/${source}/tables/orders/rows`, {
          json: { key: ['id'], rows: changed },
        }),
      )
      await add(6, 'west', '2026-03-09')
      expect(await again()).toEqual({ rows: 7, added: 4 })
      expect((await run(client, query)).rows).toContainEqual([5, 'east', '2026-03-03'])
      expect(await ids()).toEqual([0, 1, 2, 3, 4, 5, 6])

      const late = {
        refresh: 'none',
        incremental: { column: 'day', key: ['id'], lookback: 'P3D' },
      }
      expect((await republish({ materialization: late })).body).toEqual({ rows: 7, added: null })
      await add(7, 'late', '2026-03-06')
      await add(8, 'too late', '2026-03-05')
      expect(await again()).toEqual({ rows: 8, added: 2 })
      expect(await ids()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])

      const narrow = await republish({ text: 'SELECT id, day FROM orders WHERE id > 0' })
      expect(narrow.body).toEqual({ rows: 8, added: null })
    },
  },
  {
    title: 'an incremental refresh that has no key or column of rows fails, and keeps the former result',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const text = 'SELECT id, region, day FROM orders'
      const by = (column: string, key: string) => ({ refresh: 'none', incremental: { column, key: [key] } })
      const query = await stored(client, { dataSourceId: source, text, materialization: by('day', 'id') })
      const cases = [
        [`${text} UNION ALL ${text}`, by('day', 'id'), 'import_failed', 'id'],
        ['SELECT NULL AS id, day FROM orders', by('day', 'id'), 'import_failed', 'null'],
        [text, by('region', 'id'), 'invalid', 'region'],
        [text, by('id', 'none'), 'invalid', 'none'],
        [
          text,
          { refresh: 'none', incremental: { column: 'id', key: ['id'], lookback: 'PT1H' } },
          'invalid',
          'lookback',
        ],
      ] as const
      for (const [other, materialization, answers, detail] of cases) {
        await change(client, query, { text: other, materialization })
        await publish(client, query, { force: true })
        const answer = await refresh(client, query)
        expectAnswer(answer, { answers })
        expect(answer.text).toContain(detail)
        expect((await read(client, query)).result?.rows).toBe(3)
      }
    },
  },
  {
    title: 'a run counts the rows that break assertions; a refresh that breaks one keeps the former rows',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const assertions = [
        { kind: 'not_null', columns: ['day'] },
        { kind: 'unique', columns: ['region'] },
        { kind: 'range', columns: ['id'], min: 2, max: 9 },
        { kind: 'range', columns: ['day'], max: '2026-03-02' },
      ]
      const text = 'SELECT id, region, day FROM orders'
      const query = await publish(client, await make(client, { dataSourceId: source, text, assertions }))
      const checked = (failures: readonly number[]) => ({
        assertions: assertions.map(({ kind, columns: of }, at) => ({
          kind,
          columns: of,
          failures: failures[at],
        })),
      })
      expect(await run(client, query, { check: true, limit: 1 })).toMatchObject(checked([0, 1, 1, 1]))
      expect(await run(client, query)).toMatchObject({ assertions: null })
      await change(client, query, {
        assertions: assertions.slice(0, 1),
        materialization: { refresh: 'none' },
      })
      await publish(client, query)
      await good(refresh(client, query))
      await insert(client, source, { id: 4, region: 'west' })
      expectAnswer(await refresh(client, query), { answers: 'import_failed' })
      const { state, result } = await read(client, query)
      expect([state, result?.rows, result?.error?.detail]).toEqual([
        'failed',
        3,
        'The assertion that day is not null does not hold for 1 rows.',
      ])
      expect(await run(client, query, { check: true })).toMatchObject({
        assertions: [{ failures: 0 }],
        rowCount: 3,
      })
    },
  },
  {
    title: 'a result that cannot be stored is an error of its draft',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const of = { dataSourceId: source, materialization: hourly }
      const parameters = [{ name: 'region', type: 'string', required: true }]
      const cases = [
        { text: 'SELECT id FROM orders WHERE region = ${region}', parameters },
        { text: 'SELECT id FROM orders WHERE region = ${user.properties.region}' },
        { text: 'SELECT id FROM orders WHERE region = ${(user.properties.region)!"north"}' },
      ]
      for (const one of cases) {
        const query = await make(client, { ...of, ...one })
        expect(query.errors).toHaveLength(1)
        expectAnswer(await client.request('POST', `/dataQueries/${query.id}/publish`, { json: {} }), {
          answers: 'conflict',
        })
        await good(client.request('POST', `/dataQueries/${query.id}/publish`, { json: { force: true } }))
        expectAnswer(await refresh(client, query), { answers: 'invalid' })
      }
      const open = {
        ...of,
        text: 'SELECT ${n} AS n',
        parameters: [{ name: 'n', type: 'number', default: 7 }],
      }
      const query = await stored(client, open)
      expect((await run(client, query)).rows).toEqual([[7]])
      expect(await run(client, query, { parameters: { n: 8 } })).toMatchObject({
        rows: [[8]],
        refreshedAt: null,
      })
      expect((await run(client, query, { parameters: { n: null } })).refreshedAt).not.toBeNull()
    },
  },
  {
    title: 'a user with scopes reads no stored result, but the rows of a run',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const query = await stored(client, {
        dataSourceId: source,
        text: 'SELECT id, region FROM orders ORDER BY id',
      })
      const as = { as: 'Data_Editor' } as const
      const outer = { dataSourceId: source, text: `SELECT id FROM \${ref("result ${made}")} s ORDER BY id` }
      expect((await run(client, query, {}, as)).refreshedAt).not.toBeNull()
      const north = { column: 'region', op: 'eq', value: 'north' }
      const scope = { name: 'own', tables: ['orders'], subjects: { roles: ['Data_Editor'] }, access: 'read' }
      await good(
        client.request('POST', `/dataSources/${source}/scopes`, { json: { ...scope, filter: north } }),
      )
      for (const again of [false, true]) {
        if (again) await good(refresh(client, query, as))
        const own = await run(client, query, {}, as)
        expect([own.refreshedAt, own.rows]).toEqual([
          null,
          [
            [1, 'north'],
            [3, 'north'],
          ],
        ])
        expect(await preview(client, outer, as)).toMatchObject({ refreshedAt: null, rows: [[1], [3]] })
        expect((await preview(client, outer)).rows).toEqual([[1], [2], [3]])
        expect((await run(client, query)).refreshedAt).not.toBeNull()
      }
      for (const name of ['tidemark_result_', 'TIDEMARK_RESULT_'])
        expectAnswer(
          await client.request('POST', '/dataQueries/preview', {
            json: { dataSourceId: source, text: `SELECT * FROM ${name}${query.id}` },
            ...as,
          }),
          { answers: 'query_failed' },
        )
    },
  },
  {
    title:
      'a deleted data query takes its result with it, and a deleted source the results of its data queries',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeFiles(client)
      const [one, other] = [
        await stored(client, { dataSourceId: source, text: 'SELECT id FROM orders' }),
        await stored(client, { dataSourceId: source, text: 'SELECT id FROM orders' }),
      ]
      await good(client.request('DELETE', `/dataQueries/${one.id}`))
      await good(client.request('DELETE', `/dataSources/${source}?forceDelete=true`))
      expectAnswer(await client.request('POST', `/dataQueries/${other.id}/run`, { json: {} }), {
        answers: 'not_found',
      })
      expectAnswer(await refresh(client, other), { answers: 'not_found' })
    },
  },
]

const onDatabases: readonly Scenario[] = [
  {
    title: 'readers meet whole results while refreshes replace them, and none fails',
    async run(client) {
      await sourceServer().sql(`create schema results; create table results.generation (v int);
        insert into results.generation values (0);
        create view results.numbered as select n, v, n / 7.0 as share from generate_series(1, 2000) n, results.generation;
        create view results.slow as select n, pg_sleep(0.05)::text as s from generate_series(1, 10000) n;
        grant usage on schema results to reader; grant select on all tables in schema results to reader;`)
      const source = await makeDatabase(client)
      const query = await stored(client, { dataSourceId: source, text: 'SELECT n, v FROM numbered' })
      let isOver = false
      const seen = new Set<unknown>()
      const reader = async () => {
        while (!isOver) {
          const { rows: got, refreshedAt } = await run(client, query, { limit: 5000 })
          expect([got.length, new Set(got.map(([, v]) => v)).size]).toEqual([2000, 1])
          expect(refreshedAt).not.toBeNull()
          seen.add(got[0]?.[1])
        }
      }
      const readers = [reader(), reader()]
      for (let round = 0; round < 4; round += 1) {
        await sourceServer().sql('update results.generation set v = v + 1')
        await good(refresh(client, query))
      }
      isOver = true
      await Promise.all(readers)
      expect(seen.size).toBeGreaterThan(1)
      expect((await run(client, query)).rows[0]?.[1]).toBe(4)
    },
  },
  {
    title: 'an incremental refresh knows instants to the microsecond, with and without a zone',
    async run(client) {
      await sourceServer()
        .sql(`create schema increments; grant usage on schema increments to reader; create table increments.logged (n int, at timestamptz, local timestamp);
        insert into increments.logged values (1, '2026-03-29 01:00:00.000001+01', '2026-03-29 02:30:00.000001');
        grant select on increments.logged to reader;`)
      const source = await makeDatabase(client, 'increments')
      for (const column of ['at', 'local']) {
        const materialization = { refresh: 'none', incremental: { column } }
        const text = `SELECT n, ${column} FROM logged`
        const query = await stored(client, { dataSourceId: source, text, materialization })
        expect(await good(refresh(client, query))).toMatchObject({ added: 0 })
        await sourceServer().sql(
          `insert into increments.logged select max(n) + 1, max(at) + interval '1 microsecond', max(local) + interval '1 microsecond' from increments.logged`,
        )
        expect(await good(refresh(client, query))).toMatchObject({ added: 1 })
        expect(await good(refresh(client, query))).toMatchObject({ added: 0 })
        const numbers = (await run(client, query)).rows.map(([n]) => n)
        expect(new Set(numbers).size).toBe(numbers.length)
      }
    },
  },
  ...(['postgresql', 'mysql'] as const).map((type): Scenario => ({
    title: `${type}: an incremental refresh takes late and changed rows within its lookback, and assertions judge all rows`,
    decidedAbovePorts: 'results of data queries',
    run: (client) => lateRows(client, type),
  })),
  {
    title: '8 refreshes go on at once in the whole installation; further ones are 503 until one ends',
    run: manyRefreshes,
  },
  {
    title: 'a refresh is cancelled at the server, and one goes on at a time',
    async run(client) {
      const source = await makeDatabase(client)
      const query = await make(client, {
        dataSourceId: source,
        text: 'SELECT n, s FROM slow',
        // Its time limit is longer than the waits below: a statement that is not cancelled fails them.
        materialization: { refresh: 'daily' },
      })
      await publish(client, query)
      const cancel = () => good(client.request('POST', `/dataQueries/${query.id}/cancel`))
      await cancel()
      expectAnswer(await client.request('POST', `/dataQueries/${query.id}/refresh?wait=PT0S`), {
        answers: 202,
      })
      const running = () =>
        sourceServer().sql(
          `select 1 from pg_stat_activity where state = 'active' and query ilike '%FROM slow%' and pid <> pg_backend_pid()`,
        )
      await readUntil(running, ({ length }) => length > 0)
      expect((await read(client, query)).state).toBe('refreshing')
      expectAnswer(await refresh(client, query), { answers: 'conflict' })
      await cancel()
      await readUntil(running, ({ length }) => length === 0)
      const { state, result } = await read(client, query)
      expect([state, result?.isRefreshing, result?.failures]).toEqual(['stale', false, 0])
    },
  },
  {
    title: 'a database with row security stores no results',
    decidedAbovePorts: 'results of data queries',
    async run(client) {
      const source = await makeDatabase(client)
      const query = await stored(client, { dataSourceId: source, text: 'SELECT n FROM numbered' })
      const native = await client.request('PATCH', `/dataSources/${source}`, {
        json: { scopeMode: 'native' },
      })
      expectAnswer(native, { answers: 200 })
      expect((await run(client, query)).refreshedAt).toBeNull()
      expectAnswer(await refresh(client, query), { answers: 'invalid' })
      expect((await read(client, query)).errors).toMatchObject([{ phase: 'materialization' }])
    },
  },
]

const AT_ONCE = 8

/** Refreshes that do not end by themselves, of several data sources, since each has few connections. */
async function manyRefreshes(client: Client): Promise<void> {
  const schema = `many_${++made}`
  await sourceServer().sql(`create schema ${schema}; grant usage on schema ${schema} to reader;
    create view ${schema}.endless as select pg_sleep(600)::text as s; create view ${schema}.quick as select 1 as n;
    grant select on all tables in schema ${schema} to reader`)
  const sources = [1, 2, 3].map(() => makeDatabase(client, schema))
  const begun: Query[] = []
  let refused = false
  for (let at = 0; at <= AT_ONCE && !refused; at += 1) {
    const dataSourceId = await sources[at % sources.length]
    const materialization = { refresh: 'none' }
    const query = await make(client, { dataSourceId, text: 'SELECT s FROM endless', materialization })
    await publish(client, query)
    const answer = await client.request('POST', `/dataQueries/${query.id}/refresh?wait=PT0S`)
    expectAnswer(answer, { answers: 202 })
    const place = answer.headers.get('location') ?? ''
    const both = async () => ({
      state: (await read(client, query)).state,
      work: (await good<{ state: string }>(client.request('GET', place))).state,
    })
    const seen = await readUntil(both, ({ state, work }) => state === 'refreshing' || work === 'failed')
    refused = seen.state !== 'refreshing'
    if (!refused) begun.push(query)
  }
  expect(refused).toBe(true)
  expect(begun.length).toBeLessThanOrEqual(AT_ONCE)
  const quick = await make(client, {
    dataSourceId: await sources[0],
    text: 'SELECT n FROM quick',
    materialization: { refresh: 'none' },
  })
  await publish(client, quick)
  const answer = await refresh(client, quick)
  expectAnswer(answer, { answers: 'overloaded' })
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  for (const { id } of begun) await good(client.request('POST', `/dataQueries/${id}/cancel`))
  const states = () => Array.fromAsync(begun, async (query) => (await read(client, query)).state)
  await readUntil(states, (all) => !all.includes('refreshing'))
  expect(await good(refresh(client, quick))).toEqual({ rows: 1, added: null })
}

/** Rows of a database that come late or change, added to a stored result. */
async function lateRows(client: Client, type: 'postgresql' | 'mysql'): Promise<void> {
  const server = type === 'mysql' ? mariadbServer() : sourceServer()
  if (!server) return
  const schema = `late_${++made}`
  await server.sql(`create schema ${schema};
    create table ${schema}.logged (n int, region varchar(20), at ${type === 'mysql' ? 'datetime(6)' : 'timestamptz'});
    insert into ${schema}.logged values (1, 'north', '2026-03-29 00:30:00.000001'), (2, 'south', '2026-03-29 03:30:00');`)
  await server.sql(
    type === 'mysql'
      ? `create user late@'127.0.0.1' identified by '${SOURCE_PASSWORD}'; grant select on ${schema}.* to late@'127.0.0.1'`
      : `grant usage on schema ${schema} to reader; grant select on ${schema}.logged to reader`,
  )
  const { port = 0 } = mariadbServer() ?? {}
  const connection =
    type === 'mysql'
      ? { host: '127.0.0.1', port, database: schema, user: 'late', password: SOURCE_PASSWORD, tls: 'disable' }
      : connectionTo(schema)
  const { id: dataSourceId } = await good<Made>(
    client.request('POST', '/dataSources', { json: { name: schema, type, connection } }),
  )
  const query = await stored(client, {
    dataSourceId,
    text: 'SELECT n, region, at FROM logged',
    materialization: { refresh: 'none', incremental: { column: 'at', key: ['n'], lookback: 'PT1H' } },
    assertions: [
      { kind: 'not_null', columns: ['region'] },
      { kind: 'range', columns: ['n'], min: 1 },
    ],
  })
  const again = () => refresh(client, query)
  expect((await again()).body).toEqual({ rows: 2, added: 1 })
  // One at the beginning of the lookback, one a microsecond before it, and one that changed.
  await server.sql(`insert into ${schema}.logged values (3, 'late', '2026-03-29 02:30:00'), (4, 'too late', '2026-03-29 02:29:59.999999');
    update ${schema}.logged set region = 'changed' where n = 2;`)
  expect((await again()).body).toEqual({ rows: 3, added: 2 })
  const rowsNow = async () =>
    (await run(client, query)).rows
      .map(([n, region]) => [Number(n), region] as const)
      .toSorted(([one], [other]) => one - other)
  const whole: readonly (readonly [number, string])[] = [
    [1, 'north'],
    [2, 'changed'],
    [3, 'late'],
  ]
  expect(await rowsNow()).toEqual([...whole])
  await server.sql(`insert into ${schema}.logged values (5, null, '2026-03-29 04:00:00')`)
  expectAnswer(await again(), { answers: 'import_failed' })
  expect(await rowsNow()).toEqual([...whole])
  await server.sql(`update ${schema}.logged set region = 'west' where n = 5`)
  expect((await again()).body).toEqual({ rows: 4, added: 3 })
  expect(await run(client, query, { check: true, limit: 1 })).toMatchObject({
    assertions: [{ failures: 0 }, { failures: 0 }],
  })
}

async function makeDatabase(client: Client, schema = 'results'): Promise<number> {
  const connection = connectionTo(schema)
  const json = { name: `results ${++made}`, type: 'postgresql', connection }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

export const dataQueryResultsSuite: Suite = {
  name: 'results of data queries',
  scenarios: [...table(stage, rows), ...scenarios, ...(hasSourceServer ? onDatabases : [])],
}
