import { describe, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hasPostgres, startPostgres } from '../../hosts/postgres.ts'
import { startProcess } from '../../hosts/process.ts'
import { readUntil, until } from '../../until.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'
import { systemDatabase } from '../system-database.ts'

const ROWS = 5_000
const ADDED = 1_000
const KILLS = 6
/** When the hosts are killed, as shares of the time that the refreshes take. */
const SHARES = Array.from({ length: KILLS }, (_, kill) => kill / (KILLS - 1))

const HOSTS = [
  ['Bun', ['bun', 'workers/bun/main.ts']],
  ['workerd', ['bun', 'test/faults/edge-host.ts', 'light-hashes']],
] as const

type State = {
  readonly state: string
  readonly result: {
    readonly rows: number
    readonly failures: number
    readonly nextRefreshAt: string | null
    readonly error: { readonly code: string } | null
  }
}
type Answer = { readonly rows: readonly (readonly number[])[]; readonly refreshedAt: string | null }

/** Both results are read at their source with the number of the round: all of `whole` changes in a round, `growing` grows. */
const TABLES = `create role reader login password 'read'; create schema eu; grant usage on schema eu to reader;
  create table eu.rounds (round int); insert into eu.rounds values (0);
  create view eu.whole as select n, (select round from eu.rounds) as round from generate_series(1, ${ROWS}) n;
  create table eu.growing (n int, round int);
  create table eu.naps (seconds int); insert into eu.naps values (0);
  create view eu.napping as select seconds, pg_sleep(seconds)::text as nap from eu.naps; grant select on all tables in schema eu to reader;`

const nextRound = `update eu.rounds set round = round + 1;
  insert into eu.growing select (select count(*) from eu.growing) + n, (select round from eu.rounds) from generate_series(1, ${ADDED}) n`

/** A host with a data source over a server that has the tables. */
async function startStage(command: readonly string[]) {
  const server = await startPostgres()
  await server.sql(TABLES)
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-refreshes-'))
  const environment = { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` }
  const start = () => startProcess({ command, dataDir, environment })
  const host = await start()
  const session = await Session.open(host.url)
  const connection = { host: '127.0.0.1', port: server.port, database: 'postgres', schema: 'eu' }
  const dataSourceId = await session.create(host.url, '/dataSources', {
    name: 'eu',
    type: 'postgresql',
    connection: { ...connection, user: 'reader', password: 'read', tls: 'disable' },
  })
  /** A published data query over all columns of a table. */
  const make = async (table: string, materialization: object) => {
    const text = `SELECT * FROM ${table}`
    const query = { name: table, dataSourceId, text, materialization }
    const path = `/dataQueries/${await session.create(host.url, '/dataQueries', query)}`
    await session.send(host.url, `${path}/publish`, {}, { connection: 'close' })
    return path
  }
  return { server, dataDir, start, host, session, make }
}

describe.each(HOSTS)('results of data queries on %s', (_, command) => {
  test.skipIf(!hasPostgres)(
    `after ${KILLS} kills at any moment of refreshes are read whole, and the next refresh works`,
    async () => {
      const { server, dataDir, start, session, make, ...stage } = await startStage(command)
      let { host } = stage
      try {
        const index = { columns: ['round', 'n'], unique: true }
        const whole = await make('whole', { refresh: 'none', indexes: [index] })
        const growing = await make('growing', { refresh: 'none', incremental: { column: 'n', key: ['n'] } })
        const paths = [whole, growing]
        // A connection that workerd ends while it idles would break the next request.
        const ask = (path: string, body = {}) => session.send(host.url, path, body, { connection: 'close' })
        const refresh = (path: string, wait = 'PT60S') => ask(`${path}/refresh?wait=${wait}`)
        const stateOf = async (path: string) => (await session.get(host.url, path)) as unknown as State
        /** The rounds of the rows that are stored. */
        const roundsOf = async (path: string, rows: number) => {
          const read = await ask(`${path}/run?wait=PT60S`, { limit: 100_000 })
          expect(read.status).toBe(200)
          const answer = (await read.json()) as Answer
          expect(answer.refreshedAt).not.toBeNull()
          expect(new Set(answer.rows.map(([n]) => n)).size).toBe(answer.rows.length)
          expect(answer.rows.length).toBe(rows)
          return new Set(answer.rows.map(([, round]) => round))
        }
        const refreshAll = async () => {
          await server.sql(nextRound)
          for (const path of paths) await until(async () => (await refresh(path)).status === 200)
        }
        await refreshAll()
        const beganAt = performance.now()
        await refreshAll()
        const tookMs = performance.now() - beganAt
        let round = 2
        let shown = round
        const outcomes = new Set<string>()
        for (const share of SHARES) {
          await server.sql(nextRound)
          round += 1
          const ordered = paths.map((path) => refresh(path, 'PT0S').catch(() => null))
          await Bun.sleep(share * tookMs + randomInt(20))
          await killAll(host)
          await Promise.all(ordered)
          const system = await systemDatabase(dataDir)
          const held = system.query<Row, []>('SELECT lease_until_at AS until FROM data_query_results').all()
          outcomes.add(held.some(({ until: at }) => at !== null) ? 'during' : 'outside')
          // As if the minute of the lease were over; the last of them ends by itself.
          if (share < 1)
            system.run('UPDATE data_query_results SET lease_until_at = 1 WHERE lease IS NOT NULL')
          system.close()
          host = await start()
          const rounds = await roundsOf(whole, ROWS)
          expect([`${shown}`, `${round}`]).toContain([...rounds].join())
          const { result, state } = await stateOf(growing)
          expect([shown * ADDED, round * ADDED]).toContain(result.rows)
          expect((await roundsOf(growing, result.rows)).size).toBe(result.rows / ADDED)
          if (share < 1) expect(state).toBe('ready')
          for (const path of paths) {
            await readUntil(
              () => refresh(path),
              ({ status }) => status === 200,
            )
            const after = await stateOf(path)
            expect(after).toMatchObject({ state: 'ready', result: { failures: 0 } })
          }
          shown = round
          expect([...(await roundsOf(whole, ROWS))]).toEqual([round])
          expect((await roundsOf(growing, round * ADDED)).size).toBe(round)
        }
        expect(outcomes.has('during')).toBe(true)
        await killAll(host)
        const system = await systemDatabase(dataDir)
        // The rows of refreshes that were killed are dropped in time.
        const kept = system.query('SELECT id FROM data_generations WHERE drop_at IS NULL').all()
        system.close()
        expect(kept).toHaveLength(paths.length)
      } finally {
        await killAll(host)
        await rm(dataDir, { recursive: true })
        await server.close()
      }
    },
    900_000,
  )

  test.skipIf(!hasPostgres)(
    'a refresh over its time fails, keeps the former rows and is due later',
    async () => {
      const { server, dataDir, host, session, make } = await startStage(command)
      try {
        const path = await make('napping', { refresh: 'minutely' })
        const refresh = () =>
          session.send(host.url, `${path}/refresh?wait=PT60S`, {}, { connection: 'close' })
        await until(async () => (await refresh()).status === 200)
        await server.sql('update eu.naps set seconds = 60')
        const isOver = async () =>
          ((await session.get(host.url, path)) as unknown as State).state === 'failed'
        const beganAt = Date.now()
        await until(async () => (await refresh()).status === 422 || (await isOver()))
        const { state, result } = (await session.get(host.url, path)) as unknown as State
        expect([state, result.rows, result.error?.code]).toEqual(['failed', 1, 'query_timeout'])
        expect(Date.parse(result.nextRefreshAt ?? '')).toBeGreaterThanOrEqual(beganAt + 2 * 60_000)
      } finally {
        await killAll(host)
        await rm(dataDir, { recursive: true })
        await server.close()
      }
    },
    300_000,
  )
})

type Row = { readonly until: number | null }
