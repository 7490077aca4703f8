import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hasPostgres, startPostgres } from '../../hosts/postgres.ts'
import { startProcess } from '../../hosts/process.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'

const CONNECTIONS_MAX = 60
const SOURCES = 7
const LOSSES = 20
const ACTIVE = `from pg_stat_activity where application_name = 'tidemark' and state = 'active'`

test.if(hasPostgres)(
  `${CONNECTIONS_MAX + 1} queries of ${SOURCES} data sources have ${CONNECTIONS_MAX} connections, all of which come back after ${LOSSES} losses`,
  async () => {
    const server = await startPostgres()
    await server.sql(`create role reader login password 'p'; create schema slow; grant usage on schema slow to reader;
      create view slow.naps as select pg_sleep(14)::text as nap; create view slow.blinks as select 1 as blink;
      grant select on all tables in schema slow to reader`)
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-connections-'))
    const environment = { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` }
    const host = await startProcess({ command: ['bun', 'workers/bun/main.ts'], dataDir, environment })
    const session = await Session.open(host.url)
    const connection = {
      host: '127.0.0.1',
      port: server.port,
      database: 'postgres',
      schema: 'slow',
      user: 'reader',
      password: 'p',
      tls: 'disable',
      maxConnections: 10,
    }
    const sources: number[] = []
    for (let number = 1; number <= SOURCES; number += 1)
      sources.push(
        await session.create(host.url, '/dataSources', {
          name: `source ${number}`,
          type: 'postgresql',
          connection,
        }),
      )
    const select = (at: number, table: string) =>
      session.send(
        host.url,
        `/dataSources/${sources[at % SOURCES]}/tables/${table}/select?wait=PT40S`,
        {},
        { 'cache-control': 'no-cache' },
      )
    const together = (table: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => select(at, table)))
    const seen: number[] = []
    let isOver = false
    const watch = async () => {
      while (!isOver) seen.push(Number(await server.sql(`select count(*) ${ACTIVE}`)))
    }

    const watched = watch()
    const answers = await together('naps', CONNECTIONS_MAX + 1)
    isOver = true
    await watched
    expect(Math.max(...seen)).toBeLessThanOrEqual(CONNECTIONS_MAX)
    const refused = answers.filter(({ status }) => status === 503)
    expect(answers.filter(({ status }) => status !== 503 && status !== 200)).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await answer.json()).toMatchObject({ code: 'pool_exhausted' })
    }

    for (let loss = 1; loss <= LOSSES; loss += 1) {
      const lost = together('naps', 3)
      while (Number(await server.sql(`select count(*) ${ACTIVE}`)) < 3) await Bun.sleep(20)
      await server.sql(`select pg_terminate_backend(pid) ${ACTIVE}`)
      for (const { status } of await lost) expect(status).toBeGreaterThanOrEqual(400)
    }
    const blinks = await together('blinks', CONNECTIONS_MAX)
    expect(blinks.map(({ status }) => status)).toEqual(blinks.map(() => 200))
    await killAll(host)
    await server.close()
    await rm(dataDir, { recursive: true })
  },
  240_000,
)
