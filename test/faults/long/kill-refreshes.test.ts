import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hasPostgres, startPostgres } from '../../hosts/postgres.ts'
import { startProcess } from '../../hosts/process.ts'
import { readUntil, until } from '../../until.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'

const ROWS = 5_000
const ADDED = 1_000
const KILLS = 6
/** When the hosts are killed, as shares of the time that the refreshes take. */
const SHARES = Array.from({ length: KILLS }, (_, kill) => kill / (KILLS - 1))

/** The hosts, and the files among their data that may be the system database. */
const HOSTS = [
  ['Bun', ['bun', 'workers/bun/main.ts'], 'config.db'],
  ['workerd', ['bun', 'test/faults/edge-host.ts', 'light-hashes'], 'd1/**/*.sqlite'],
] as const

type State = { readonly state: string; readonly result: { readonly rows: number; readonly failures: number } }
type Answer = { readonly rows: readonly (readonly number[])[]; readonly refreshedAt: string | null }

/** Both results are read at their source with the number of the round: all of `whole` changes in a round, `growing` grows. */
const TABLES = `create role reader login password 'read'; create schema eu; grant usage on schema eu to reader;
  create table eu.rounds (round int); insert into eu.rounds values (0);
  create view eu.whole as select n, (select round from eu.rounds) as round from generate_series(1, ${ROWS}) n;
  create table eu.growing (n int, round int); grant select on all tables in schema eu to reader;`

const nextRound = `update eu.rounds set round = round + 1;
  insert into eu.growing select (select count(*) from eu.growing) + n, (select round from eu.rounds) from generate_series(1, ${ADDED}) n`

describe.each(HOSTS)('results of data queries on %s', (_, command, files) => {
  test.skipIf(!hasPostgres)(
    `after ${KILLS} kills at any moment of refreshes are read whole, and the next refresh works`,
    async () => {
      const server = await startPostgres()
      const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-refreshes-'))
      const environment = { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` }
      const start = () => startProcess({ command, dataDir, environment })
      await server.sql(TABLES)
      let host = await start()
      try {
        const session = await Session.open(host.url)
        const connection = { host: '127.0.0.1', port: server.port, database: 'postgres', schema: 'eu' }
        const dataSourceId = await session.create(host.url, '/dataSources', {
          name: 'eu',
          type: 'postgresql',
          connection: { ...connection, user: 'reader', password: 'read', tls: 'disable' },
        })
        const make = async (name: string, materialization: object) => {
          const text = `SELECT n, round FROM ${name}`
          const id = await session.create(host.url, '/dataQueries', {
            name,
            dataSourceId,
            text,
            materialization,
          })
          await session.send(host.url, `/dataQueries/${id}/publish`, {}, { connection: 'close' })
          return `/dataQueries/${id}`
        }
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
          const system = await systemDatabase(dataDir, files)
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
        const system = await systemDatabase(dataDir, files)
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
})

type Row = { readonly until: number | null }

/** The database with the results, while no host has it open. */
async function systemDatabase(dataDir: string, files: string): Promise<Database> {
  for await (const file of new Bun.Glob(files).scan({ cwd: dataDir, absolute: true })) {
    const database = new Database(file)
    const found = database.query(`SELECT 1 FROM sqlite_master WHERE name = 'data_query_results'`).get()
    if (found) return database
    database.close()
  }
  throw new Error('There is no system database.')
}
