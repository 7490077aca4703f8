import { describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hasMariadb, startMariadb } from '../../hosts/mariadb.ts'
import { hasPostgres, startPostgres } from '../../hosts/postgres.ts'
import { startProcess } from '../../hosts/process.ts'
import { startTamperingProxy, withoutTls } from '../../hosts/tampering-proxy.ts'
import { readUntil } from '../../until.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'

const CONNECTIONS_MAX = 60
const LOSSES = 20
/** Of a statement in the rounds of losses, and of a connection that is not answered, with a busy machine. */
const ANSWER_MAX_MS = 40_000
const PASSWORD = 'a password of a database'
const TIMEOUT = 120_000 * 5

/** The hosts, and so many data sources that their connections are more than all. */
const HOSTS = [
  ['Bun', { command: ['bun', 'workers/bun/main.ts'], sources: 7 }],
  ['workerd', { command: ['bun', 'test/faults/edge-host.ts', 'whole'], sources: 16 }],
] as const

type Backends = {
  readonly port: number
  /** The processes that work for the service. */
  readonly working: () => Promise<readonly number[]>
  readonly endWork: () => Promise<void>
  /** The process that accepts connections, and those that work for the service. */
  readonly processes: () => Promise<readonly number[]>
  readonly close: () => Promise<void>
}

const numbers = (lines: string) => lines.split('\n').filter(Boolean).map(Number)

async function postgresql(): Promise<Backends> {
  const server = await startPostgres()
  await server.sql(`create role reader login password '${PASSWORD}'; create schema slow; grant usage on schema slow to reader;
    create view slow.naps as select pg_sleep(14)::text as nap; create view slow.blinks as select 1 as blink;
    grant select on all tables in schema slow to reader`)
  const active = `from pg_stat_activity where application_name = 'tidemark' and state = 'active'`
  const working = async () => numbers(await server.sql(`select pid ${active}`))
  return {
    port: server.port,
    working,
    endWork: async () => void (await server.sql(`select pg_terminate_backend(pid) ${active}`)),
    async processes() {
      const file = join((await server.sql('show data_directory')).trim(), 'postmaster.pid')
      return [...(await working()), Number((await readFile(file, 'utf8')).split('\n')[0])]
    },
    close: () => server.close(),
  }
}

async function mysql(): Promise<Backends> {
  const server = await startMariadb()
  await server.sql(`create database slow; create view slow.naps as select sleep(14) as nap; create view slow.blinks as select 1 as blink;
    create user 'reader'@'%' identified by '${PASSWORD}'; grant select on slow.* to 'reader'@'%'`)
  const active = `from information_schema.processlist where user = 'reader' and command in ('Query', 'Execute')`
  const working = async () => numbers(await server.sql(`select id ${active}`))
  return {
    port: server.port,
    working,
    endWork: async () => void (await server.sql((await working()).map((id) => `kill ${id};`).join(' '))),
    // It works in threads.
    processes: async () => [Number(await readFile((await server.sql('select @@pid_file')).trim(), 'utf8'))],
    close: () => server.close(),
  }
}

/** A host with data sources over a server, and one over the same server that refuses TLS. */
async function startStage(
  type: 'postgresql' | 'mysql',
  { command, sources: count }: (typeof HOSTS)[number][1],
) {
  const server = await (type === 'mysql' ? mysql() : postgresql())
  const proxy = await startTamperingProxy(server.port, withoutTls(type))
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-connections-'))
  const allowed = [server.port, proxy.port].map((port) => `127.0.0.1:${port}`).join(',')
  const host = await startProcess({ command, dataDir, environment: { TIDEMARK_OUTBOUND_ALLOW: allowed } })
  const session = await Session.open(host.url)
  const source = (name: string, change: object, timeout: string) => {
    const own = type === 'mysql' ? { database: 'slow' } : { database: 'postgres', schema: 'slow' }
    const there = { host: '127.0.0.1', port: server.port, user: 'reader', password: PASSWORD }
    const connection = { ...there, ...own, tls: 'disable', maxConnections: 10, ...change }
    return session.create(host.url, '/dataSources', { name, type, timeout, connection })
  }
  const make = async (name: string, timeout: string, change: object = {}) => {
    const ids: number[] = []
    for (let number = 1; number <= count; number += 1)
      ids.push(await source(`${name} ${number}`, change, timeout))
    return ids
  }
  const run = async (dataSourceId: number, text: string) => {
    // A connection that workerd ends while it idles would break the next request.
    const fresh = { connection: 'close' }
    const body = { dataSourceId, text }
    const answer = await session.send(host.url, '/dataQueries/preview?wait=PT60S', body, fresh)
    const { code = null } = (await answer.json()) as { readonly code?: string }
    return { status: answer.status, code, retryAfter: answer.headers.get('retry-after') }
  }
  return {
    server,
    patient: await make('patient', 'PT30S'),
    brief: await make('brief', 'PT6S'),
    plain: await make('plain', 'PT6S', { port: proxy.port, tls: 'require' }),
    /** So many runs at once, over all of these data sources. */
    together: (ids: readonly number[], table: string, runs: number) =>
      Promise.all(
        Array.from({ length: runs }, (_, at) => run(ids[at % count] ?? 0, `SELECT * FROM ${table}`)),
      ),
    async close() {
      await killAll(host)
      proxy.close()
      await server.close()
      await rm(dataDir, { recursive: true })
    },
  }
}

const isThere = { postgresql: hasPostgres, mysql: hasMariadb }
const rows = (['postgresql', 'mysql'] as const).flatMap((type) =>
  HOSTS.map(([name, host]) => [type, name, host] as const).filter(() => isThere[type]),
)

describe.each(rows)('data queries of %s on %s', (type, _, host) => {
  test(
    `${CONNECTIONS_MAX + 1} at once have ${CONNECTIONS_MAX} connections, all of which come back after losses`,
    async () => {
      const stage = await startStage(type, host)
      const { server, together, patient, brief, plain } = stage
      const seen: number[] = []
      let isOver = false
      const watch = async () => {
        while (!isOver) seen.push((await server.working()).length)
      }

      const watched = watch()
      const answers = await together(patient, 'naps', CONNECTIONS_MAX + 1)
      isOver = true
      await watched
      expect(Math.max(...seen)).toBeLessThanOrEqual(CONNECTIONS_MAX)
      const refused = answers.filter(({ status }) => status !== 200)
      expect(refused.length).toBeGreaterThan(0)
      for (const { status, code, retryAfter } of refused) {
        // A busy machine may also take longer to connect than a connection waits.
        expect(code).toMatch(/^(?:pool_exhausted|source_unavailable)$/)
        expect([status, retryAfter]).toEqual([503, '5'])
      }

      /** All of the runs are answered with one of these codes, and in time. */
      const lost = async (runs: Promise<Awaited<typeof answers>>, codes: RegExp) => {
        const beganAt = performance.now()
        for (const { code } of await runs) expect(code).toMatch(codes)
        expect(performance.now() - beganAt).toBeLessThan(ANSWER_MAX_MS)
      }
      const naps = together(patient, 'naps', LOSSES)
      await readUntil(server.working, ({ length }) => length === LOSSES)
      await server.endWork()
      await lost(naps, /^source_unavailable$/)

      const stopped = together(brief, 'naps', LOSSES)
      await readUntil(server.working, ({ length }) => length > 0)
      const processes = await server.processes()
      for (const pid of processes) process.kill(pid, 'SIGSTOP')
      try {
        await lost(stopped, /^(?:query_timeout|source_unavailable|pool_exhausted)$/)
        await lost(together(brief, 'blinks', LOSSES), /^source_unavailable$/)
      } finally {
        for (const pid of processes) process.kill(pid, 'SIGCONT')
      }

      await lost(together(plain, 'blinks', LOSSES), /^source_unavailable$/)

      // On a busy machine so many connections may take longer than one waits: workerd needs 7 ms of a core for each.
      await readUntil(
        async () =>
          (await together(patient, 'blinks', CONNECTIONS_MAX)).filter(({ status }) => status !== 200),
        ({ length }) => length === 0,
      )
      await stage.close()
    },
    TIMEOUT,
  )
})
