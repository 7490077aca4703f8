import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { refreshWhenDue } from '../../src/data/refreshes/service/run.ts'
import { takeLease } from '../../src/data/refreshes/store/leases.ts'
import { startWorld } from '../backups/world.ts'
import type { World } from '../backups/world.ts'
import { until } from '../until.ts'
import { EVERY_FAULT } from '../faults/bounds.ts'
import { killAll } from '../faults/process-tree.ts'
import { Session } from '../faults/session.ts'
import { hasPostgres, startPostgres } from '../hosts/postgres.ts'
import type { Postgres } from '../hosts/postgres.ts'
import { startProcess } from '../hosts/process.ts'

setDefaultTimeout(240_000)
let server: Postgres

beforeAll(async () => {
  if (!hasPostgres) return
  server = await startPostgres()
  await server.sql(`create role reader login password 'read'; create schema eu; grant usage on schema eu to reader;
    create table eu.orders as select n as id from generate_series(1, 100) n;
    create view eu.slow as select id, pg_sleep(0.05)::text as s from eu.orders;
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
const foreign = (dataSourceId: number, table: string) => ({
  from: { kind: 'foreign', dataSourceId, table },
  every: 'PT1H',
})

type State = {
  readonly state: {
    readonly isRefreshing: boolean
    readonly failures: number
    readonly refreshedAt: string | null
  }
}

async function sourcesOf(world: World): Promise<readonly [files: number, database: number]> {
  const make = async (json: object) => (await world.good<{ id: number }>('POST', '/dataSources', { json })).id
  return [
    await make({ name: 'copies', type: 'csv' }),
    await make({ name: 'orders', type: 'postgresql', connection: connection() }),
  ]
}

test.skipIf(!hasPostgres)(
  'a due table is refreshed once, however many look; a failed one later',
  async () => {
    const world = await startWorld('bun', undefined, { variables: variables() })
    try {
      const [files, database] = await sourcesOf(world)
      const path = (table: string) => `/dataSources/${files}/tables/${table}/refresh`
      await world.good('PUT', path('orders'), { json: foreign(database, 'orders') })
      await world.good('PUT', path('broken'), { json: foreign(database, 'slow') })
      await server.sql('drop view eu.slow')
      const { ports } = world
      if (!ports) throw new Error('There are no ports')
      await Promise.all([refreshWhenDue(ports), refreshWhenDue(ports), refreshWhenDue(ports)])
      const generations = await world.rows('select id from data_generations')
      // Of each definition one, and of the refresh one; the failed one is abandoned before it has any.
      expect(generations).toHaveLength(3)
      const due = await world.rows(
        'select failures, next_at - failed_at as wait from data_refreshes order by table_id',
      )
      expect(due).toEqual([
        { failures: 0, wait: null },
        { failures: 1, wait: expect.any(Number) },
      ])
      expect(Number(due[1]?.['wait'])).toBeGreaterThanOrEqual(2 * 3_600_000)
      await refreshWhenDue(ports)
      expect((await world.good<State>('GET', path('broken'))).state.failures).toBe(1)
      await server.sql(`create view eu.slow as select id, pg_sleep(0.05)::text as s from eu.orders;
      grant select on eu.slow to reader`)
      await world.rows('update data_refreshes set next_at = 1')
      await refreshWhenDue(ports)
      expect((await world.good<State>('GET', path('broken'))).state).toMatchObject({ failures: 0 })
      expect(await world.rows('select rows from data_tables order by id')).toEqual([
        { rows: 100 },
        { rows: 100 },
      ])
      // While as many go on as may, no other one begins; one that goes on is not begun twice.
      const now = Date.now()
      const [one, other] = await world.rows('select table_id as id from data_refreshes order by table_id')
      const take = (row: typeof one, max: number) => {
        const lease = { kind: 'table', id: Number(row?.['id']), token: crypto.randomUUID() } as const
        return takeLease(ports.database, lease, { now, until: now + 60_000, max, isDue: false })
      }
      expect([await take(one, 1), await take(other, 1), await take(one, 2), await take(other, 2)]).toEqual([
        true,
        false,
        false,
        true,
      ])
    } finally {
      await world.close()
    }
  },
)

// By `npm run test:faults`.
const faultTest = EVERY_FAULT ? test.skipIf(!hasPostgres) : () => undefined
faultTest(
  'after a kill -9 during a refresh the rows of before are there, and the next one runs',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-refresh-'))
    const start = () =>
      startProcess({ command: ['bun', 'workers/bun/main.ts'], dataDir, environment: variables() })
    let host = await start()
    const session = await Session.open(host.url)
    const files = await session.create(host.url, '/dataSources', { name: 'copies', type: 'csv' })
    const database = await session.create(host.url, '/dataSources', {
      name: 'orders',
      type: 'postgresql',
      connection: connection(),
    })
    const path = `/dataSources/${files}/tables/orders/refresh`
    const state = async () => ((await session.get(host.url, path)) as unknown as State).state
    const put = await fetch(host.url + path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-session-id': session.id },
      body: JSON.stringify({ ...foreign(database, 'slow'), every: null }),
    })
    expect(put.status).toBe(201)
    await session.send(host.url, `${path}?wait=PT0S`, {})
    await until(async () => (await state()).isRefreshing)
    host.signal('SIGKILL')
    await host.exited
    // As if the minute of the lease were over.
    const system = new Database(join(dataDir, 'config.db'))
    system.run('UPDATE data_refreshes SET lease_until_at = 1')
    system.close()
    host = await start()
    expect(await state()).toMatchObject({ isRefreshing: false, refreshedAt: null, failures: 0 })
    const again = await session.send(host.url, path, {})
    expect([again.status, await again.json()]).toEqual([200, { table: 'orders', rows: 100 }])
    await killAll(host)
    await rm(dataDir, { recursive: true })
  },
)
