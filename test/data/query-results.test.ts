import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { refreshResultsWhenDue } from '../../src/data/queries/results/service/refresh.ts'
import { sweepGenerations } from '../../src/data/tables/service.ts'
import { importTable, PASSPHRASE, startWorld } from '../backups/world.ts'
import type { World } from '../backups/world.ts'
import { until } from '../until.ts'
import { EVERY_FAULT } from '../faults/bounds.ts'
import { killAll } from '../faults/process-tree.ts'
import { Session } from '../faults/session.ts'
import type { Body } from '../faults/session.ts'
import { startEdge } from '../hosts/edge.ts'
import { hasPostgres, startPostgres } from '../hosts/postgres.ts'
import type { Postgres } from '../hosts/postgres.ts'
import { startProcess } from '../hosts/process.ts'

setDefaultTimeout(240_000)
const LATER_MS = 2 * 60 * 60_000
let server: Postgres

beforeAll(async () => {
  if (!hasPostgres) return
  server = await startPostgres()
  await server.sql(`create role reader login password 'read'; create schema eu; grant usage on schema eu to reader;
    create view eu.slow as select n, pg_sleep(0.01)::text as s from generate_series(1, 60) n;
    create view eu.endless as select pg_sleep(60)::text as s;
    create view eu.many as select n from generate_series(1, 100001) n;
    grant select on all tables in schema eu to reader;`)
})
afterAll(() => (hasPostgres ? server.close() : undefined))

const connection = () => ({
  host: '127.0.0.1',
  port: server.port,
  database: 'postgres',
  schema: 'eu',
  user: 'reader',
  password: 'read',
  tls: 'disable',
})
const variables = () => ({ TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` })

type Made = { readonly id: number }
type Query = {
  readonly state: string
  readonly result: {
    readonly rows: number
    readonly version: number
    readonly failures: number
    readonly error: { readonly code: string } | null
  }
}

async function publish(world: World, json: object): Promise<number> {
  const { id } = await world.good<Made>('POST', '/dataQueries', { json })
  await world.good('POST', `/dataQueries/${id}/publish`, { json: {} })
  return id
}

test.skipIf(!hasPostgres)(
  'due results are refreshed, 8 at once; one over its limits fails and is due later',
  async () => {
    const world = await startWorld('bun', undefined, { variables: variables() })
    try {
      const { ports } = world
      if (!ports) throw new Error('There are no ports')
      const { id: dataSourceId } = await world.good<Made>('POST', '/dataSources', {
        json: { name: 'eu', type: 'postgresql', connection: { ...connection(), maxConnections: 20 } },
      })
      const minutely = { refresh: 'minutely' }
      const over = [
        await publish(world, {
          name: 'endless',
          dataSourceId,
          text: 'SELECT s FROM endless',
          materialization: minutely,
        }),
        await publish(world, {
          name: 'many',
          dataSourceId,
          text: 'SELECT n FROM many',
          materialization: minutely,
        }),
      ]
      for (let at = 0; at < 14; at += 1)
        await publish(world, {
          name: `slow ${at}`,
          dataSourceId,
          text: 'SELECT n, s FROM slow',
          materialization: { refresh: 'daily' },
        })
      const leased = async () => {
        const [row] = await world.rows(
          `select count(*) as n from data_query_results where lease_until_at > ${Date.now()}`,
        )
        return Number(row?.['n'])
      }
      const ordered = await publish(world, {
        name: 'ordered',
        dataSourceId,
        text: 'SELECT s FROM endless',
        materialization: minutely,
      })
      const order = world.ask('POST', `/dataQueries/${ordered}/refresh?wait=PT60S`)
      await until(async () => (await leased()) === 1)
      let most = 0
      let isOver = false
      const watch = async () => {
        for (; !isOver; await Bun.sleep(20)) most = Math.max(most, await leased())
      }
      const watching = watch()
      await Promise.all(Array.from({ length: 6 }, () => refreshResultsWhenDue(ports)))
      isOver = true
      await watching
      const late = await order
      expect([late.status, await late.json()]).toMatchObject([422, { code: 'query_timeout' }])
      expect(most).toBeGreaterThan(2)
      expect(most).toBeLessThanOrEqual(8)
      const states = await world.rows('select rows, failures from data_query_results order by query_id')
      expect(states).toEqual([
        { rows: 0, failures: 1 },
        { rows: 0, failures: 1 },
        ...Array.from({ length: 14 }, () => ({ rows: 60, failures: 0 })),
        { rows: 0, failures: 1 },
      ])
      const codes: (string | undefined)[] = []
      for (const id of over)
        codes.push((await world.good<Query>('GET', `/dataQueries/${id}`)).result.error?.code)
      expect(codes).toEqual(['query_timeout', 'query_too_large'])
      const waits = await world.rows(
        'select next_at - failed_at as wait from data_query_results where failures > 0',
      )
      for (const { wait } of waits) expect(Number(wait)).toBeGreaterThanOrEqual(2 * 60_000)
    } finally {
      await world.close()
    }
  },
)

test('a restore leaves stored results out, which are computed anew', async () => {
  const world = await startWorld('bun')
  try {
    const { ports } = world
    if (!ports) throw new Error('There are no ports')
    const dataSourceId = await importTable(world, { rows: 5 })
    const id = await publish(world, {
      name: 'codes',
      dataSourceId,
      text: 'SELECT code FROM Readings',
      materialization: { refresh: 'daily', indexes: [{ columns: ['code'] }] },
    })
    await refreshResultsWhenDue(ports)
    const { url } = await world.good<{ url: string }>('POST', '/backups', {
      json: { passphrase: PASSPHRASE },
    })
    await world.good('POST', `${url}/restore`, { json: { passphrase: PASSPHRASE, replace: true } })
    await world.signIn()
    expect(await world.rows('select query_id from data_query_results')).toEqual([])
    await refreshResultsWhenDue(ports)
    expect(await world.good<Query>('GET', `/dataQueries/${id}`)).toMatchObject({
      state: 'ready',
      result: { rows: 6, version: 1 },
    })
    await sweepGenerations({ ...ports, clock: { ...ports.clock, now: () => ports.clock.now() + LATER_MS } })
    expect(await world.rows('select id from data_generations')).toHaveLength(2)
  } finally {
    await world.close()
  }
})

const daily = { refresh: 'daily' }
/** The definitions of a stored result, of one that is not stored and reads it, and of a stored one above both. */
const levels = (dataSourceId: number) =>
  [
    ['base', 'SELECT count(*) AS n FROM counted', daily],
    ['middle', 'SELECT n FROM ${ref("base")} b', null],
    ['top', 'SELECT n FROM ${ref("middle")} m', { refresh: 'none' }],
    ['other', 'SELECT n FROM ${ref("top")} t', daily],
  ].map(([name, text, materialization]) => ({ name, text, materialization, dataSourceId }))
const counted = { name: 'counted', columns: [{ name: 'n', type: 'integer' }] }

test('a result that reads another one is refreshed after it', async () => {
  const world = await startWorld('bun')
  try {
    const { ports } = world
    if (!ports) throw new Error('There are no ports')
    const { id } = await world.good<Made>('POST', '/dataSources', { json: { name: 'files', type: 'csv' } })
    await world.good('POST', `/dataSources/${id}/tables`, { json: counted })
    const add = () =>
      world.good('POST', `/dataSources/${id}/tables/counted/rows`, { json: { rows: [{ n: 1 }] } })
    const [base = 0, , top = 0, other = 0] = await Array.fromAsync(levels(id), (json) => publish(world, json))
    const counts = () =>
      Array.fromAsync([base, top, other], async (query) => {
        const { rows } = await world.good<{ rows: number[][] }>('POST', `/dataQueries/${query}/run`, {
          json: {},
        })
        return rows[0]?.[0]
      })
    await refreshResultsWhenDue(ports)
    expect(await counts()).toEqual([0, 0, 0])
    await add()
    // The upper ones are due for longer.
    await world.rows(`update data_query_results set next_at = 1000 - query_id`)
    await refreshResultsWhenDue(ports)
    expect(await counts()).toEqual([1, 1, 1])
    await add()
    await world.good('POST', `/dataQueries/${base}/refresh`)
    await refreshResultsWhenDue(ports)
    expect(await counts()).toEqual([2, 1, 1])
    await world.good('POST', `/dataQueries/${base}/refresh?dependents=true`)
    await refreshResultsWhenDue(ports)
    expect(await counts()).toEqual([2, 2, 2])
    const due = () => world.rows(`select query_id from data_query_results where next_at <= ${Date.now()}`)
    expect(await due()).toEqual([])
    // A circle fails, and what reads it does not wait for it again.
    const first = {
      name: 'base',
      text: 'SELECT n FROM ${ref("other")} o',
      materialization: daily,
      dataSourceId: id,
    }
    await world.good('PUT', `/dataQueries/${base}`, { json: first })
    await world.good('POST', `/dataQueries/${base}/publish`, { json: { force: true } })
    await world.rows(`update data_query_results set next_at = 1`)
    await refreshResultsWhenDue(ports)
    expect(await world.rows('select failures from data_query_results order by query_id')).toEqual([
      { failures: 1 },
      { failures: 1 },
      { failures: 1 },
    ])
    await world.rows(`update data_query_results set next_at = null, failures = 0`)
    await world.good('PUT', `/dataQueries/${base}`, {
      json: { ...first, text: 'SELECT nothing FROM counted' },
    })
    await world.good('POST', `/dataQueries/${base}/publish`, { json: { force: true } })
    await world.rows(`update data_query_results set next_at = 1`)
    // After a failure those above follow in the next round. The last one reads rows of before.
    for (let round = 0; round < 3; round += 1) await refreshResultsWhenDue(ports)
    expect(await world.rows('select failures from data_query_results order by query_id')).toEqual([
      { failures: 1 },
      { failures: 1 },
      { failures: 0 },
    ])
    expect(await due()).toEqual([])
  } finally {
    await world.close()
  }
})

test('on Workers the trigger of every minute refreshes what is due, in order', async () => {
  const host = await startEdge()
  try {
    const session = await Session.open(host.url)
    const files = await session.create(host.url, '/dataSources', { name: 'levels', type: 'csv' })
    const good = async (path: string, json: object) =>
      expect((await session.send(host.url, path, json as Body)).status).toBeLessThan(300)
    await good(`/dataSources/${files}/tables`, counted)
    const ids: number[] = []
    for (const json of levels(files)) {
      ids.push(await session.create(host.url, '/dataQueries', json))
      await good(`/dataQueries/${ids.at(-1)}/publish`, {})
    }
    await host.scheduled('* * * * *')
    await good(`/dataSources/${files}/tables/counted/rows`, { rows: [{ n: 1 }] })
    await good(`/dataQueries/${ids[0]}/refresh?dependents=true`, {})
    await host.scheduled('* * * * *')
    const read = await session.send(host.url, `/dataQueries/${ids[3]}/run`, {})
    expect(await read.json()).toMatchObject({ rows: [[1]], refreshedAt: expect.any(String) as string })
    const source = await session.create(host.url, '/dataSources', { name: 'files', type: 'csv' })
    const query = await session.create(host.url, '/dataQueries', {
      name: 'one',
      dataSourceId: source,
      text: 'SELECT 1 AS one',
      materialization: { refresh: 'minutely' },
    })
    await session.send(host.url, `/dataQueries/${query}/publish`, {})
    await host.scheduled('* * * * *')
    expect(await session.get(host.url, `/dataQueries/${query}`)).toMatchObject({
      state: 'ready',
      result: { rows: 1, version: 1 },
    })
  } finally {
    await host.close()
  }
})

test.skipIf(!hasPostgres)(
  'after kill -9 in any step of a refresh the former result is read, and the next refresh works',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-result-'))
    const start = () =>
      startProcess({ command: ['bun', 'workers/bun/main.ts'], dataDir, environment: variables() })
    let host = await start()
    const session = await Session.open(host.url)
    const source = await session.create(host.url, '/dataSources', {
      name: 'eu',
      type: 'postgresql',
      connection: connection(),
    })
    const query = await session.create(host.url, '/dataQueries', {
      name: 'many',
      dataSourceId: source,
      text: 'SELECT n, s.s FROM many, (SELECT max(s) AS s FROM slow) s',
      materialization: { refresh: 'none', indexes: [{ columns: ['n'], unique: true }] },
    })
    const path = `/dataQueries/${query}`
    await session.send(host.url, `${path}/publish`, {})
    expect(await (await session.send(host.url, `${path}/refresh`, {})).json()).toEqual({
      rows: 100_001,
      added: null,
    })
    for (const afterMs of EVERY_FAULT ? [50, 650, 800, 1_000, 1_200] : [1_000]) {
      await session.send(host.url, `${path}/refresh?wait=PT0S`, {})
      await until(
        async () => ((await session.get(host.url, path)) as unknown as Query).state === 'refreshing',
      )
      await Bun.sleep(afterMs)
      host.signal('SIGKILL')
      await host.exited
      // As if the minute of the lease were over.
      const system = new Database(join(dataDir, 'config.db'))
      system.run('UPDATE data_query_results SET lease_until_at = 1 WHERE lease IS NOT NULL')
      system.close()
      host = await start()
      expect(await session.get(host.url, path)).toMatchObject({
        state: 'ready',
        result: { rows: 100_001, failures: 0 },
      })
      const read = await session.send(host.url, `${path}/run`, { limit: 3 })
      expect(((await read.json()) as { refreshedAt: string | null }).refreshedAt).not.toBeNull()
      expect((await session.send(host.url, `${path}/refresh`, {})).status).toBe(200)
    }
    await killAll(host)
    await rm(dataDir, { recursive: true })
  },
)
