import { expect, setDefaultTimeout, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hasPostgres, startPostgres } from '../../hosts/postgres.ts'
import { startProcess } from '../../hosts/process.ts'
import { until } from '../../until.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'

setDefaultTimeout(240_000)

const ROWS = 5_000
const KILLS_MS = [30, 300, 800]

test.skipIf(!hasPostgres)(
  'after kill -9 in any step of an incremental refresh no row is missing or stored twice',
  async () => {
    const server = await startPostgres()
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-increment-'))
    const add = () =>
      server.sql(`insert into eu.growing select n from generate_series(
      (select coalesce(max(n), 0) + 1 from eu.growing), (select coalesce(max(n), 0) + ${ROWS} from eu.growing)) n`)
    await server.sql(`create role reader login password 'read'; create schema eu; grant usage on schema eu to reader;
    create table eu.growing (n int); grant select on eu.growing to reader;`)
    await add()
    const environment = { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` }
    const start = () => startProcess({ command: ['bun', 'workers/bun/main.ts'], dataDir, environment })
    let host = await start()
    try {
      const session = await Session.open(host.url)
      const connection = { host: '127.0.0.1', port: server.port, database: 'postgres', schema: 'eu' }
      const dataSourceId = await session.create(host.url, '/dataSources', {
        name: 'eu',
        type: 'postgresql',
        connection: { ...connection, user: 'reader', password: 'read', tls: 'disable' },
      })
      const query = await session.create(host.url, '/dataQueries', {
        name: 'growing',
        dataSourceId,
        text: 'SELECT n FROM growing',
        materialization: { refresh: 'none', incremental: { column: 'n' } },
      })
      const path = `/dataQueries/${query}`
      await session.send(host.url, `${path}/publish`, {})
      expect((await session.send(host.url, `${path}/refresh`, {})).status).toBe(200)
      let total = ROWS
      for (const afterMs of KILLS_MS) {
        await add()
        total += ROWS
        await session.send(host.url, `${path}/refresh?wait=PT0S`, {})
        await Bun.sleep(afterMs)
        host.signal('SIGKILL')
        await host.exited
        // As if the minute of the lease were over.
        const system = new Database(join(dataDir, 'config.db'))
        system.run('UPDATE data_query_results SET lease_until_at = 1 WHERE lease IS NOT NULL')
        system.close()
        host = await start()
        await until(async () => (await session.send(host.url, `${path}/refresh`, {})).status === 200)
        const counting = { dataSourceId, text: 'SELECT n FROM growing' }
        expect(((await session.get(host.url, path)) as { result?: unknown }).result).toMatchObject({
          rows: total,
          failures: 0,
        })
        expect((await session.send(host.url, '/dataQueries/preview', { ...counting, limit: 1 })).status).toBe(
          200,
        )
        const read = await session.send(host.url, `${path}/run`, { limit: 100_000 })
        const { rows } = (await read.json()) as { rows: number[][] }
        expect(new Set(rows.map(([n]) => n)).size).toBe(rows.length)
      }
    } finally {
      await killAll(host)
      await rm(dataDir, { recursive: true })
      await server.close()
    }
  },
)
