import { expect } from 'bun:test'

import { logIn, PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import { importTable, makeDatabase, makeQueried, makeUser, OWN, querySources } from './data-queries.suite.ts'
import { hasSourceServer, mariadbServer } from './source-server.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Node = {
  readonly operation: string
  readonly name: string
  readonly relation: string | null
  readonly condition: string | null
  readonly estimatedRows: number | null
  readonly rows: number | null
  readonly children: readonly Node[]
}
type Plan = {
  readonly dialect: string
  readonly sql: string
  readonly values: readonly unknown[]
  readonly analyzed: boolean
  readonly plan: Node
  readonly text: string | null
  readonly warnings: readonly string[]
  readonly durationMs: number
}

type Clusters = {
  readonly features: readonly {
    readonly id: string
    readonly properties: { readonly point_count?: number }
  }[]
}

const REGION = { name: 'region', type: 'string', default: 'north' }
const TEXT =
  'SELECT a.region, count(*) AS n FROM orders a JOIN orders b ON b.id = a.id WHERE a.region = ${region} GROUP BY a.region ORDER BY n'
/** Would take longer than a data source waits; MariaDB ends it after 1,000 rows. */
const ENDLESS =
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 2000000000) SELECT count(*) AS n FROM r'

const explain = (client: Client, json: object, as: object = { as: 'Data_Editor' }) =>
  client.request('POST', '/dataQueries/explain', { json, ...as })

const nodesOf = (node: Node): readonly Node[] => [node, ...node.children.flatMap(nodesOf)]

let made = 0

const stage = once(async (client) => {
  const { imported = 0 } = await querySources(client)
  const json = { name: `explained ${++made}`, dataSourceId: imported, text: TEXT, parameters: [REGION] }
  const { id } = await good<{ id: number }>(client.request('POST', '/dataQueries', { json }))
  return { imported, query: id }
})

const CALL = 'POST /dataQueries/explain'
const rows: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: CALL,
    json: { queryId: 1 },
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'editor', call: CALL, json: { queryId: 1 }, as: 'editor', answers: 'forbidden' },
  { title: 'no data query', call: CALL, json: { queryId: 999_999 }, answers: 'not_found' },
  {
    title: 'no data source',
    call: CALL,
    json: { dataSourceId: 999_999, text: 'SELECT 1' },
    answers: 'not_found',
  },
  { title: 'nothing', call: CALL, json: {}, answers: 'invalid' },
  {
    title: 'a data query and a text',
    call: CALL,
    json: { queryId: 1, dataSourceId: 1, text: 'SELECT 1' },
    answers: 'invalid',
  },
]

const life: Scenario[] = [
  {
    title: 'an explanation goes on as an operation after its wait',
    async run(client) {
      const { imported: dataSourceId } = await stage(client)
      const begun = await client.request('POST', '/dataQueries/explain?wait=PT0S', {
        json: { dataSourceId, text: 'SELECT 1 AS n' },
        as: 'Data_Editor',
      })
      expectAnswer(begun, { answers: 202 })
    },
  },
  {
    title: 'a plan has the steps in the same words on each database, and the rows of a run if it is analyzed',
    async run(client) {
      for (const [kind, dataSourceId] of Object.entries(await querySources(client))) {
        const json = { dataSourceId, text: TEXT, parameters: [REGION], values: { region: 'south' } }
        for (const analyze of [false, true]) {
          const plan = await good<Plan>(explain(client, { ...json, analyze }))
          expect(plan).toMatchObject({ analyzed: analyze, values: ['south'] })
          expect(plan.sql).not.toContain('south')
          const nodes = nodesOf(plan.plan)
          const tables = nodes.filter(({ relation }) => /^(?:orders|[ab])$/.test(relation ?? ''))
          expect([kind, tables.length]).toEqual([kind, 2])
          expect(tables.every(({ operation }) => operation === 'scan' || operation === 'index')).toBe(true)
          expect(nodes.some((node) => node.rows !== null)).toBe(analyze)
          expect(plan.text).not.toMatch(/[0-9a-f]{32}/)
        }
      }
    },
  },
  {
    title: 'without analyze nothing runs, and with it nothing is written; statements that write are refused',
    decidedAbovePorts: 'plans',
    async run(client) {
      for (const [kind, dataSourceId] of Object.entries(await querySources(client))) {
        const { analyzed, plan } = await good<Plan>(explain(client, { dataSourceId, text: ENDLESS }))
        expect([kind, analyzed, nodesOf(plan).filter((node) => node.rows !== null)]).toEqual([
          kind,
          false,
          [],
        ])
        for (const text of [
          'DELETE FROM orders',
          'WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone',
          'SELECT 1; DELETE FROM orders',
          'EXPLAIN ANALYZE DELETE FROM orders',
          'ANALYZE DELETE FROM orders',
          'SELECT * INTO copied FROM orders',
        ])
          for (const analyze of [false, true])
            expectAnswer(await explain(client, { dataSourceId, text, analyze }), { answers: 'invalid' })
        const counted = await good<{ rows: readonly (readonly unknown[])[] }>(
          client.request('POST', '/dataQueries/preview', {
            json: { dataSourceId, text: 'SELECT count(*) AS n FROM orders' },
          }),
        )
        expect([kind, Number(counted.rows[0]?.[0])]).toEqual([kind, 4])
      }
    },
  },
  {
    title: 'the draft or the published version of a data query is explained with its values',
    decidedAbovePorts: 'plans',
    async run(client) {
      const { query } = await stage(client)
      expectAnswer(await explain(client, { queryId: query }), { answers: 'conflict' })
      const plan = await good<Plan>(explain(client, { queryId: query, version: 'draft' }))
      expect(plan.values).toEqual(['north'])
      const wrong = { queryId: query, version: 'draft', parameters: { region: 1 } }
      expectAnswer(await explain(client, wrong), { answers: 'invalid', pointers: ['/parameters/region'] })
    },
  },
  {
    title: 'the plan of a user with a scope tells no condition, no rows and no hidden column',
    decidedAbovePorts: 'plans',
    async run(client) {
      const source = await makeQueried(client)
      const filter = { column: 'margin', op: 'lt', value: 9 }
      const scope = {
        tables: ['orders'],
        subjects: { roles: ['Data_Editor'] },
        filter,
        hiddenColumns: ['margin'],
      }
      const json = { name: `explained ${++made}`, ...scope }
      await good(client.request('POST', `/dataSources/${source}/scopes`, { json }))
      const username = `explainer ${++made}`
      await good(
        client.request('POST', '/users', { json: { username, password: PASSWORD, role: 'Data_Editor' } }),
      )
      const session = await logIn(client, { username, password: PASSWORD })
      const as = { as: null, headers: { 'x-session-id': session } } as const
      for (const analyze of [false, true]) {
        const asked = { dataSourceId: source, text: 'SELECT id FROM orders WHERE id > 0', analyze }
        const answer = await explain(client, asked, as)
        const plan = await good<Plan>(Promise.resolve(answer))
        expect(answer.text).not.toContain('margin')
        expect(plan.text).toBeNull()
        expect(nodesOf(plan.plan).some((node) => node.rows ?? node.estimatedRows ?? node.condition)).toBe(
          false,
        )
        expect(nodesOf(plan.plan).some(({ relation }) => relation === 'orders')).toBe(true)
        const whole = await good<Plan>(explain(client, asked, {}))
        expect(whole.text).not.toBeNull()
      }
      const hidden = await explain(client, { dataSourceId: source, text: 'SELECT margin FROM orders' }, as)
      expectAnswer(hidden, { answers: 'query_failed' })
    },
  },
]

type Kind = 'imported' | 'postgresql' | 'mysql'

/** Texts that name rows, columns and tables out of the scope. */
const HIDDEN_TEXTS: Readonly<Record<Kind, readonly string[]>> = {
  imported: [
    'SELECT * FROM main.vault',
    "SELECT * FROM 'vault'",
    'SELECT * FROM sqlite_schema',
    'SELECT * FROM duckdb_tables()',
  ],
  postgresql: [
    'SELECT * FROM queried.orders',
    'SELECT * FROM pg_stats',
    "SELECT query_to_xml('SELECT * FROM vault', true, true, '')",
    "SELECT * FROM crosstab('SELECT region, region, margin FROM vault') AS ct (a text, b int)",
  ],
  mysql: [
    'SELECT * FROM queried.orders',
    'SELECT * FROM `vault`',
    'SELECT * FROM orders /*!, vault */',
    'SELECT * FROM every_order',
  ],
}
const HIDDEN_EVERYWHERE = [
  'SELECT margin FROM orders',
  'SELECT id FROM orders WHERE margin > 8',
  'SELECT * FROM vault',
  'WITH orders AS (SELECT * FROM vault) SELECT * FROM orders',
  'SELECT (SELECT count(*) FROM vault) AS n',
  'EXPLAIN SELECT * FROM vault',
]
const TABLES = ['vault', 'queried.vault', 'main.vault', '"orders"', 'ORDERS', 'orders --', 'orders, vault']
const COLUMNS = [
  'margin',
  '"margin"',
  'orders.margin',
  '(SELECT max(margin) FROM vault)',
  'id) FROM vault --',
]

async function scopedSource(client: Client, kind: Kind): Promise<number> {
  const source = await (kind === 'imported' ? makeQueried(client) : makeDatabase(client, kind))
  if (kind === 'imported') await importTable(client, source, 'vault')
  const closed = { name: 'closed', tables: ['vault'], subjects: { roles: ['administrator'] } }
  for (const json of [OWN, closed])
    await good(client.request('POST', `/dataSources/${source}/scopes`, { json }))
  return source
}

const hasServer: Readonly<Record<Kind, () => boolean>> = {
  imported: () => true,
  postgresql: () => hasSourceServer,
  mysql: () => mariadbServer() !== null,
}

const attacks = (['imported', 'postgresql', 'mysql'] as const).map((kind): Scenario => ({
  title: `${kind}: no spelling leads past a scope in a plan, a cluster or its leaves`,
  decidedAbovePorts: 'plans',
  async run(client) {
    if (!hasServer[kind]()) return
    const dataSourceId = await scopedSource(client, kind)
    const [north, none] = [await makeUser(client, 'north'), await makeUser(client, "north' OR '1'='1")]
    const asked = async (path: string, json: object) => {
      const answer = await client.request('POST', path, { json, ...north })
      expect(answer.text).not.toMatch(/south|neil/)
      return answer
    }
    for (const text of [...HIDDEN_EVERYWHERE, ...HIDDEN_TEXTS[kind]])
      for (const analyze of [false, true]) {
        const { status } = await asked('/dataQueries/explain', { dataSourceId, text, analyze })
        expect({ text, status }).toEqual({ text, status: 422 })
      }

    const points = { dataSourceId, table: 'orders', lat: 'amount', lon: 'id', key: 'id' }
    const clusters = (change: object, as: object = north) =>
      client.request('POST', '/gis/cluster', { json: { points: { ...points, ...change } }, ...as })
    const counted = async (as: object) =>
      (await good<Clusters>(clusters({}, as))).features.map(({ properties }) => properties.point_count ?? 1)
    const whole = await good<Clusters>(clusters({}, {}))
    expect(whole.features.map(({ properties }) => properties.point_count)).toEqual([4])
    expect(await counted(north)).toEqual([2])
    expect(await counted(none)).toEqual([])
    const leaves = (as: object) =>
      client.request(
        'GET',
        `/gis/cluster/${whole.features[0]?.id}/leaves?dataSourceId=${dataSourceId}&table=orders&lat=amount&lon=id&zoom=0`,
        as,
      )
    const own = await good<{ features: { properties: object }[] }>(leaves(north))
    expect(own.features.map(({ properties }) => properties)).toEqual([
      { id: 1, region: 'north', amount: 10.5 },
      { id: 3, region: 'north', amount: 30.25 },
    ])
    expectAnswer(await leaves(none), { answers: 'not_found' })

    for (const of of TABLES) {
      const named = { points: { ...points, table: of } }
      expect({ of, status: (await asked('/gis/cluster', named)).status }).toEqual({ of, status: 404 })
    }
    for (const column of COLUMNS)
      for (const change of [
        { lat: column },
        { key: column },
        { state: column },
        { aggregates: [{ fn: 'MAX', column }] },
        { filter: { column, op: 'gt', value: 8 } },
      ]) {
        const answer = await asked('/gis/cluster', { points: { ...points, ...change } })
        expect({ change, status: answer.status }).toEqual({ change, status: 422 })
      }
    const links = { dataSourceId, table: 'vault', from: 'id', to: 'margin' }
    expectAnswer(await asked('/gis/cluster', { points, links }), { answers: 'not_found' })
  },
}))

export const plansSuite: Suite = {
  name: 'plans of data queries',
  scenarios: [...table(stage, rows), ...life, ...attacks],
}
