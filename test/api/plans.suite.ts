import { expect } from 'bun:test'

import { logIn, PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import { makeQueried, querySources } from './data-queries.suite.ts'
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

const REGION = { name: 'region', type: 'string', default: 'north' }
const TEXT =
  'SELECT a.region, count(*) AS n FROM orders a JOIN orders b ON b.id = a.id WHERE a.region = ${region} GROUP BY a.region ORDER BY n'
const SLOW: Readonly<Record<string, string>> = {
  postgresql: 'SELECT pg_sleep(20)',
  mysql: 'SELECT sleep(20)',
}

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
    async run(client) {
      for (const [kind, dataSourceId] of Object.entries(await querySources(client))) {
        const sleep = SLOW[kind]
        if (sleep !== undefined) {
          const answer = await explain(client, { dataSourceId, text: sleep })
          if (answer.status === 200) expect((answer.body as unknown as Plan).durationMs).toBeLessThan(10_000)
          else expectAnswer(answer, { answers: 'invalid' })
        }
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

export const plansSuite: Suite = {
  name: 'plans of data queries',
  scenarios: [...table(stage, rows), ...life],
}
