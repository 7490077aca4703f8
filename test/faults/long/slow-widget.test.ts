import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { dataBody } from '../../../src/analytics/dashboards/data/schema.ts'
import { readData } from '../../../src/analytics/dashboards/data/service.ts'
import { noValues, openBoards } from '../../analytics/dashboard-stage.ts'
import { connect } from '../../api/client.ts'
import type { Client } from '../../api/client.ts'
import {
  closeSourceServer,
  connectionTo,
  hasSourceServer,
  sourceServer,
  startSourceServer,
} from '../../api/source-server.ts'
import { good } from '../../api/suite.ts'
import { makeDevice, makeJob } from '../../api/tree-stage.ts'
import { HOST_NAMES, startHost } from '../../hosts/start.ts'

/** Widgets that have their data, beside three that have none. */
const GOOD = 17
const WIDGET_MAX_MS = 10_000
const ALL_MAX_MS = 30_000
const TEST_MAX_MS = 300_000

test('a widget whose source never answers is 503 after 10 seconds, and the others have their data', async () => {
  const stage = await openBoards(GOOD + 1, (series, query) =>
    query.mode === 'max' ? new Promise(() => undefined) : noValues(series, query),
  )
  try {
    const [slow = 0, ...ids] = stage.ids
    const board = await stage.makeBoard({
      slow: { kind: 'history', series: [{ jobId: slow, mode: 'max' }] },
      missing: { kind: 'value', source: { type: 'job', jobId: 999_999 } },
      states: { kind: 'states', objects: { ids: [slow] }, depth: 1 },
      ...Object.fromEntries(ids.map((jobId) => [`h${jobId}`, { kind: 'history', series: [{ jobId }] }])),
    })
    const beganAt = performance.now()
    const { widgets } = await readData(stage.context, board, dataBody.parse({}))
    const { slow: late, missing, states, ...others } = widgets
    expect(late).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 5 })
    expect([missing?.status, states?.status]).toEqual([404, 200])
    expect(Object.values(others).map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect(performance.now() - beganAt).toBeLessThan(ALL_MAX_MS)
  } finally {
    await stage.close()
  }
})

type Made = { readonly id: number }
type Data = {
  readonly widgets: Readonly<Record<string, { readonly status: number; readonly code?: string }>>
}

async function makeQuery(client: Client, dataSourceId: number, fields: object) {
  const json = { dataSourceId, accessibleFromDashboards: true, ...fields }
  const { id } = await good<Made>(client.request('POST', '/dataQueries', { json }))
  await good(client.request('POST', `/dataQueries/${id}/publish`, { json: { force: true } }))
  return id
}

/** A dashboard for all users with 20 widgets: 17 of jobs, and three of data queries that fail. */
async function makeBoard(client: Client): Promise<number> {
  const source = await good<Made>(
    client.request('POST', '/dataSources', {
      json: { name: 'Slow shop', type: 'postgresql', connection: connectionTo('eu') },
    }),
  )
  const slow = await makeQuery(client, source.id, { name: 'slow', text: 'SELECT nap FROM naps' })
  const regions = { text: 'SELECT region FROM regions' }
  const secret = { ...regions, name: 'secret', accessibleFromDashboards: false }
  const [quick, hidden] = [
    await makeQuery(client, source.id, { ...regions, name: 'quick' }),
    await makeQuery(client, source.id, secret),
  ]
  const device = await makeDevice(client)
  const fields = { parameters: { returnValue: [{ valueName: 'level' }] } }
  const jobs: number[] = []
  for (let made = 0; made < GOOD; made++) jobs.push(await makeJob(client, device, fields))
  const value = (of: object) => ({ kind: 'value', source: of })
  const widgets = {
    slow: { kind: 'table', dataQueryId: slow },
    hidden: { kind: 'table', dataQueryId: hidden },
    wrong: value({ type: 'dataQuery', dataQueryId: quick, column: 'none' }),
    ...Object.fromEntries(jobs.map((jobId) => [`job${jobId}`, value({ type: 'job', jobId })])),
  }
  const { id } = await good<Made>(
    client.request('POST', '/dashboards', { json: { name: 'Slow', definition: { widgets } } }),
  )
  await good(
    client.request('PUT', `/dashboards/${id}/grants`, { json: { items: [{ subjectType: 'everyone' }] } }),
  )
  return id
}

describe.if(hasSourceServer)('a database that does not answer', () => {
  let variables: Readonly<Record<string, string>> = {}
  beforeAll(async () => {
    variables = await startSourceServer()
    await sourceServer().sql(
      'create view eu.naps as select pg_sleep(120)::text as nap; grant select on eu.naps to reader',
    )
  }, TEST_MAX_MS)
  afterAll(closeSourceServer)

  test.each(HOST_NAMES)(
    'on %s, of 20 widgets only those without access, without data and of the slow data query fail',
    async (name) => {
      const host = await startHost(name, variables)
      try {
        const client = await connect(host)
        const board = await makeBoard(client)
        const beganAt = performance.now()
        const request = client.request('POST', `/dashboards/${board}/data`, {
          json: {},
          as: 'dashboard_viewer',
        })
        const { slow, hidden, wrong, ...others } = (await good<Data>(request)).widgets
        const tookMs = performance.now() - beganAt
        expect(slow).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 5 })
        expect(hidden).toMatchObject({ status: 403, code: 'forbidden' })
        expect(wrong).toMatchObject({ status: 422, code: 'invalid' })
        expect(Object.values(others).map(({ status }) => status)).toEqual(
          Array.from({ length: GOOD }, () => 200),
        )
        expect(tookMs).toBeGreaterThanOrEqual(WIDGET_MAX_MS - 1_000)
        expect(tookMs).toBeLessThan(ALL_MAX_MS)
      } finally {
        await host.close()
      }
    },
    TEST_MAX_MS,
  )
})
