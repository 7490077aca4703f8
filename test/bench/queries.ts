import { loadavg } from 'node:os'

import type { Context } from '../../src/context.ts'
import type { Row } from '../../src/domain/table.ts'
import { refreshResultsWhenDue } from '../../src/data/queries/results/service/refresh.ts'
import { previewQuery } from '../../src/data/queries/service/run.ts'
import { openReader } from '../../src/data/sources/service/connect.ts'
import type { RowStream } from '../../src/ports/databases.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { Tables } from '../../src/ports/tables.ts'
import { startWorld } from '../backups/world.ts'
import type { World } from '../backups/world.ts'
import { hasPostgres, startPostgres } from '../hosts/postgres.ts'
import { machine, quantile, tableOf } from './measure.ts'

// What templates, scopes and the gate of statements add to a bare statement; stored results beside a bare cursor of PostgreSQL,
// with reads during the replacement; and refreshes that are due at once. `-- --rows 100000` is shorter.

const at = process.argv.indexOf('--rows')
const ROWS = at < 0 ? 1_000_000 : Number(process.argv[at + 1])
const RUNS = 200
const RUNS_BEFORE = 2_000
const READS = 1_000
const DUE = 100
const OVERHEAD_MAX_MS = 2
const RATIO_MAX = 3
const NEVER = new AbortController().signal
const asking = { signal: NEVER, onBackend: () => undefined }
const LIMITS = { timeoutMs: 600_000, rowsMax: 10_000_000, bytesMax: 8 * 1024 ** 3 }

type Made = { readonly id: number }
type Line = Readonly<Record<string, string | number>>

const ms = (value: number) => value.toFixed(1)

async function counted({ rows }: RowStream): Promise<number> {
  let count = 0
  for await (const batch of rows) count += batch.length
  return count
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  await run()
  return performance.now() - beganAt
}

const callerOf = (ports: Ports, userId: number, role: 'administrator' | 'Data_Editor'): Context => ({
  ports,
  caller: { kind: 'user', userId, username: 'bench', role, sessionHash: null },
  requestId: 'bench',
})

async function publish(world: World, json: object): Promise<number> {
  const { id } = await world.good<Made>('POST', '/dataQueries', { json })
  await world.good('POST', `/dataQueries/${id}/publish`, { json: {} })
  return id
}

/** A statement over an imported table, bare and as a data query of a user with a scope, in turn. */
async function overhead(world: World, ports: Ports): Promise<Line> {
  const { id } = await world.good<Made>('POST', '/dataSources', { json: { name: 'files', type: 'csv' } })
  const lines = Array.from({ length: 20_000 }, (_, row) => `${row},region-${row % 20},${row / 8}`)
  const { id: upload } = await world.good<{ id: string }>('POST', `/dataSources/${id}/uploads`, {
    bytes: new TextEncoder().encode(`id,region,amount\n${lines.join('\n')}\n`),
    headers: { 'content-type': 'text/csv' },
  })
  await world.good('POST', `/dataSources/${id}/import`, { json: { upload, table: 'orders' } })
  const properties = [{ key: 'region', value: 'region-3' }]
  const user = await world.good<Made>('POST', '/users', {
    json: { username: 'bench', password: 'a long password', role: 'Data_Editor', properties },
  })
  const filter = { column: 'region', op: 'eq', value: '${user.properties.region}' }
  const scope = { name: 'own', tables: ['orders'], subjects: { users: [user.id] }, filter }
  await world.good('POST', `/dataSources/${id}/scopes`, { json: scope })
  const [row] = await world.rows('select generation_id as id from data_tables')
  const view = {
    name: 'orders',
    of: { sourceId: id, tableId: Number(row?.['id']), key: 'rows' },
    columns: ['id', 'region', 'amount'],
    where: null,
  }
  const text =
    "SELECT region, sum(amount) AS total FROM orders WHERE region = 'region-3' AND amount > 10 GROUP BY region"
  const bareQuery = { views: [view], statement: { text, binds: [] }, timeZone: 'UTC' }
  const context = callerOf(ports, user.id, 'Data_Editor')
  const parameter = { name: 'least', type: 'number', multi: false, required: false, default: 10 } as const
  const body = {
    dataSourceId: id,
    text: 'SELECT region, sum(amount) AS total FROM orders <@where><@and><#if least??>amount > ${least}</#if></@and></@where> GROUP BY region',
    parameters: [{ ...parameter, choices: [], valuesQueryId: null }],
    escaping: 'bind' as const,
    values: {},
    limit: 100,
  }
  const alone: Context = { ...context, ports: { ...ports, tables: ready(ports.tables) } }
  const [bare, whole, service]: [number[], number[], number[]] = [[], [], []]
  // A service compiles what it runs often.
  for (let run = 0; run < RUNS_BEFORE; run++) await previewQuery(alone, body, asking)
  for (let run = 0; run < RUNS; run++) {
    bare.push(await timed(async () => counted(await ports.tables.query(bareQuery, LIMITS, NEVER))))
    whole.push(await timed(() => previewQuery(context, body, asking)))
    service.push(await timed(() => previewQuery(alone, body, asking)))
  }
  const added = quantile(whole, 0.5) - quantile(bare, 0.5)
  if (added > OVERHEAD_MAX_MS) process.exitCode = 1
  return {
    'a statement over 20,000 rows': 'p50 ms',
    bare: ms(quantile(bare, 0.5)),
    'template, scope and gate': ms(quantile(whole, 0.5)),
    added: ms(added),
    'with an engine that answers at once': ms(quantile(service, 0.5)),
  }
}

const rowsOf = (rows: readonly Row[]) =>
  new ReadableStream<readonly Row[]>({
    start(controller) {
      controller.enqueue(rows)
      controller.close()
    },
  })

/** An engine that answers one row without any work. */
function ready(tables: Tables): Tables {
  const columns = [{ name: 'region', type: 'string' as const, isExact: false }]
  const query = () => Promise.resolve({ columns, rows: rowsOf([['region-3']]) })
  return new Proxy(tables, {
    get: (target, key: keyof Tables) => {
      const own: unknown = target[key]
      if (key === 'query') return query
      return typeof own === 'function' ? (own.bind(target) as unknown) : own
    },
  })
}

/** A stored result of many rows of PostgreSQL beside its bare cursor, and reads while it is replaced. */
async function materialized(world: World, ports: Ports, port: number): Promise<Line> {
  const connection = {
    host: '127.0.0.1',
    port,
    database: 'postgres',
    user: 'reader',
    password: 'read',
    tls: 'disable',
  }
  const { id } = await world.good<Made>('POST', '/dataSources', {
    json: { name: 'eu', type: 'postgresql', timeout: 'PT10M', connection: { ...connection, schema: 'eu' } },
  })
  const text = 'SELECT id, region, amount, day, note FROM orders'
  const indexes = [{ columns: ['region', 'day'] }]
  const query = await publish(world, {
    name: 'all',
    dataSourceId: id,
    text,
    materialization: { refresh: 'daily', indexes },
  })
  const reader = await openReader(callerOf(ports, 1, 'administrator'), id)
  const bare = await timed(async () => counted(await reader.query({ text, binds: [] }, LIMITS, NEVER)))
  const first = await timed(() => world.good('POST', `/dataQueries/${query}/refresh`))
  let [failed, reads] = [0, 0]
  let isOver = false
  const refreshing = world.good('POST', `/dataQueries/${query}/refresh`).finally(() => (isOver = true))
  const read = async () => {
    for (; !isOver || reads < READS; reads++)
      await world.good('POST', `/dataQueries/${query}/run`, { json: { limit: 1 } }).catch(() => (failed += 1))
  }
  await Promise.all([read(), read(), refreshing])
  if (failed > 0 || first > RATIO_MAX * bare) process.exitCode = 1
  return {
    [`${ROWS} rows of PostgreSQL`]: 's',
    'bare cursor': (bare / 1_000).toFixed(1),
    'stored, with an index': (first / 1_000).toFixed(1),
    ratio: (first / bare).toFixed(2),
    'failed reads': `${failed} of ${reads}`,
  }
}

/** Stored results of imported tables that are due at once. */
async function dueAtOnce(world: World, ports: Ports): Promise<Line> {
  const [row] = await world.rows("select id from data_sources where name = 'files'")
  const text = 'SELECT region, sum(amount) AS total FROM orders GROUP BY region'
  for (let index = 0; index < DUE; index++) {
    const materialization = { refresh: 'hourly' }
    await publish(world, { name: `due ${index}`, dataSourceId: Number(row?.['id']), text, materialization })
  }
  let most = 0
  let isOver = false
  const watch = async () => {
    for (; !isOver; await Bun.sleep(20)) {
      const [found] = await world.rows(
        `select count(*) as n from data_query_results where lease_until_at > ${Date.now()}`,
      )
      most = Math.max(most, Number(found?.['n']))
    }
  }
  const watching = watch()
  const tookMs = await timed(() => Promise.all([1, 2, 3, 4, 5, 6].map(() => refreshResultsWhenDue(ports))))
  isOver = true
  await watching
  const [left] = await world.rows('select count(*) as n from data_query_results where refreshed_at is null')
  if (most > 8 || Number(left?.['n']) > 0) process.exitCode = 1
  return {
    [`${DUE} refreshes due at once`]: 's',
    'until the last': (tookMs / 1_000).toFixed(1),
    'most at once': most,
  }
}

const server = hasPostgres ? await startPostgres() : null
await server?.sql(`create role reader login password 'read'; create schema eu; grant usage on schema eu to reader;
  create table eu.orders as select n as id, 'region-' || n % 20 as region, n / 8.0::float8 as amount,
    date '2020-01-01' + n % 2000 as day, 'note of ' || n as note from generate_series(1, ${ROWS}) n;
  grant select on all tables in schema eu to reader;`)
const variables = { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server?.port ?? 0}` }
const world = await startWorld('bun', undefined, { variables })
try {
  const { ports } = world
  if (!ports) throw new Error('There are no ports')
  process.stdout.write(`${machine()}; load ${loadavg()[0]?.toFixed(1)}\n`)
  process.stdout.write(`${tableOf([await overhead(world, ports)])}\n\n`)
  process.stdout.write(`${tableOf([await dueAtOnce(world, ports)])}\n\n`)
  if (server) process.stdout.write(`${tableOf([await materialized(world, ports, server.port)])}\n`)
} finally {
  await world.close()
  await server?.close()
}
