import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '@duckdb/node-api'
import { SQL } from 'bun'
import { Database } from 'bun:sqlite'
import { Client, types as pgTypes } from 'pg'

import { numbersFrom } from '../data/places.ts'
import { startPostgres } from '../hosts/postgres.ts'
import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import { COLLECTOR, READER, writeInstallation } from './installation.ts'
import { cpuSecondsOf, familyOf, machine, median, quantile, residentBytesOf, tableOf } from './measure.ts'
import { freePort, launch } from './peers/process.ts'
import type { Launched } from './peers/process.ts'

// Selects, distinct values, an import and scoped SQL of a table of 1,000,000 rows, beside PostgreSQL, bare DuckDB and, where they
// are installed, Datasette and roapi; deliveries beside the import, beside statements without an end, and beside tables that
// nothing reads. `-- --rows 100000` is shorter.

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '24' },
    imports: { type: 'string', default: '6' },
    'only-imports': { type: 'boolean', default: false },
    datasette: { type: 'string', default: 'datasette' },
    roapi: { type: 'string', default: 'roapi' },
  },
})

const ROWS = Number(options.rows)
const REQUESTS = Number(options.requests)
const CLIENTS = 8
const ROUNDS = 5
const REGIONS = 20
const DELIVERIES_MS = 5
const IMPORTS = Number(options.imports)
const IDLE_MS = Math.min(4_000, ROWS / 50)
const RUNAWAY_LIMIT_MS = 1_000
const REST_ROUNDS = 9
const REST_DELIVERIES = 2_000
const STATES = ['ok', 'minor', 'major']
const COLUMNS = 'id,region,state,value,qty,price,ts,note'
const KEYS = 'region, sum(value) s, avg(value) a, min(value) mi, max(value) ma, count(*) n'
const AGGREGATES = `select ${KEYS} from orders group by region`
const PAIRS =
  'select region, state, count(*) n from orders group by region, state order by n desc, region, state'
const MEDIANS =
  'select region, percentile_cont(0.5) within group (order by value) m, stddev_samp(value) d from orders group by region'
const OUT = `select ${COLUMNS} from orders limit 10000`

type Ask = (text: string) => Promise<unknown>
/** A system with the table; `ask` runs a statement and reads all of its rows. */
type Peer = {
  readonly name: string
  readonly ask: Ask
  readonly medians: string | null
  /** As `ask`, one after the other, as an application without a pool reads rows. */
  readonly out?: Ask
}
type Made = { readonly id: number }
type Line = Record<string, string | number>

const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-tables-'))
const closing: (() => unknown)[] = []

async function timed(run: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  await run()
  return performance.now() - beganAt
}

/** The milliseconds of a request when several clients send without a rest, and of the whole. */
async function underLoad(run: () => Promise<unknown>): Promise<number> {
  let left = REQUESTS
  const client = async () => {
    while (left-- > 0) await run()
  }
  const ms = await timed(() => Promise.all(Array.from({ length: CLIENTS }, client)))
  return ms / REQUESTS
}

const medianOf = async (run: () => Promise<unknown>) => {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(run))
  return median(times)
}

/** The table as CSV with quoted line breaks, numbers in scientific notation and leading zeros. */
async function writeCsv(path: string): Promise<void> {
  const next = numbersFrom(11)
  const file = Bun.file(path).writer()
  await file.write(`${COLUMNS}\r\n`)
  for (let id = 0; id < ROWS; id++) {
    const region = `region-${String(Math.floor(next() ** 2 * REGIONS)).padStart(2, '0')}`
    const state = STATES[Math.floor(next() ** 4 * STATES.length)]
    const value = (next() * 1_000 + 1).toExponential(6)
    const at = new Date(Date.UTC(2026, 0) + id * 20_000).toISOString().slice(0, 19)
    const note = id % 10 === 0 ? `"line one\r\nof ""${id}"""` : `a note of some words for order ${id}`
    await file.write(
      `${String(id).padStart(8, '0')},${region},${state},${value},${Math.floor(next() * 100)},${(next() * 100).toFixed(2)},${at}Z,${note}\r\n`,
    )
    if (id % 10_000 === 0) await file.flush()
  }
  await file.end()
}

const TYPES =
  'id text, region text, state text, value double precision, qty int, price double precision, ts timestamptz, note text'

async function postgresPeer(csv: string): Promise<{ readonly peer: Peer; readonly loadMs: number }> {
  const server = await startPostgres()
  closing.push(() => server.close())
  const copied = join('/dev/shm', `tidemark-bench-${process.pid}.csv`)
  await Bun.write(copied, Bun.file(csv))
  closing.push(() => rm(copied, { force: true }))
  await server.sql(
    `create role reader login password 'p'; create table orders (${TYPES}); grant select on orders to reader`,
  )
  const loadMs = await timed(() => server.sql(`copy orders from '${copied}' with (format csv, header)`))
  await server.sql('analyze orders')
  const client = new SQL({ url: `postgres://reader:p@127.0.0.1:${server.port}/postgres`, max: CLIENTS })
  closing.push(() => client.close())
  // The rows come by `pg`, with which the service reads PostgreSQL, as values of JavaScript.
  const reader = new Client({
    host: '127.0.0.1',
    port: server.port,
    database: 'postgres',
    user: 'reader',
    password: () => 'p',
    application_name: 'bench',
    connectionTimeoutMillis: 10_000,
    types: pgTypes,
    ssl: false,
  })
  reader.on('error', (error) => step(String(error)))
  await reader.connect()
  closing.push(() => reader.end())
  const out: Ask = async (text) => (await reader.query({ text, query_timeout: 600_000 })).rows
  return {
    peer: { name: 'PostgreSQL 15', ask: (text) => client.unsafe(text), out, medians: MEDIANS },
    loadMs,
  }
}

async function duckdbPeer(
  csv: string,
  parquet: string,
): Promise<{ readonly peer: Peer; readonly loadMs: number }> {
  const instance = await DuckDBInstance.create(join(directory, 'bare.duckdb'))
  const connections: DuckDBConnection[] = []
  for (let at = 0; at < CLIENTS; at++) connections.push(await instance.connect())
  const first = connections[0]
  if (!first) throw new Error('There is no connection')
  const types = `{${TYPES.replace(/double precision/g, 'double')
    .split(', ')
    .map((one) => one.split(' '))
    .map(([name, type]) => `'${name}': '${type}'`)
    .join(', ')}}`
  const loadMs = await timed(() =>
    first.run(`create table orders as select * from read_csv('${csv}', columns = ${types}, header = true)`),
  )
  await first.run(`copy orders to '${parquet}' (format parquet)`)
  let turn = 0
  const ask: Ask = async (sql) => (await connections[turn++ % CLIENTS]?.runAndReadAll(sql))?.getRows()
  return {
    peer: {
      name: 'bare DuckDB',
      ask,
      medians: MEDIANS,
    },
    loadMs,
  }
}

async function answerOf(request: Promise<Response>): Promise<unknown> {
  const answer = await request
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

async function datasettePeer(program: string, duckdb: Peer): Promise<Peer> {
  const path = join(directory, 'orders.sqlite')
  const database = new Database(path)
  database.run(
    'create table orders (id text, region text, state text, value real, qty int, price real, ts text, note text)',
  )
  const insert = database.prepare('insert into orders values (?, ?, ?, ?, ?, ?, ?, ?)')
  for (let at = 0; at < ROWS; at += 50_000) {
    const rows = (await duckdb.ask(
      `select id, region, state, value, qty, price, ts::varchar, note from orders order by id limit 50000 offset ${at}`,
    )) as string[][]
    database.run('begin')
    for (const row of rows) insert.run(...row)
    database.run('commit')
  }
  database.close()
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = ['sql_time_limit_ms', '600000', 'max_returned_rows', '10000'].flatMap((word, at) =>
    at % 2 === 0 ? ['--setting', word] : [word],
  )
  const running = await launch({
    place: { directory: join(directory, 'datasette'), jobs: 0, core: null },
    command: [program, 'serve', '-i', path, '-p', String(port), ...settings],
    isReady: async () => (await fetch(`${url}/-/versions.json`)).ok,
  })
  closing.push(() => running.stop())
  const ask: Ask = (sql) => answerOf(fetch(`${url}/orders.json?_shape=arrays&sql=${encodeURIComponent(sql)}`))
  return { name: 'Datasette', ask, medians: null }
}

async function roapiPeer(program: string, parquet: string): Promise<Peer> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const running: Launched = await launch({
    place: { directory: join(directory, 'roapi'), jobs: 0, core: null },
    command: [
      program,
      '--addr-http',
      `127.0.0.1:${port}`,
      '--addr-postgres',
      `127.0.0.1:${freePort()}`,
      '--table',
      `orders=${parquet}`,
    ],
    isReady: async () => (await fetch(`${url}/api/schema`)).ok,
  })
  closing.push(() => running.stop())
  const ask: Ask = (body) => answerOf(fetch(`${url}/api/sql`, { method: 'POST', body }))
  return {
    name: 'roapi',
    ask,
    medians: MEDIANS.replace(/percentile_cont.*?\) m/, 'median(value) m'),
  }
}

/** The service in a process of its own, with a job that takes deliveries. */
async function startService(name: string) {
  const dataDir = join(directory, name)
  const [job = 0] = await writeInstallation(dataDir, { count: 100, timeout: 'PT12H' })
  const command = [...AS_SERVICE, `${import.meta.dir}/host.ts`, 'whole']
  const host = await startProcess({ command, dataDir, environment: {} })
  closing.push(async () => {
    host.signal('SIGTERM')
    await host.exited
  })
  const authorization = `Basic ${btoa(`${READER.username}:${READER.password}`)}`
  const ask = async <Result = Made>(
    method: string,
    path: string,
    body?: Blob | object,
    as = authorization,
  ) => {
    const isJson = typeof body === 'object' && !(body instanceof Blob)
    const answer = await fetch(`${host.url}${path}`, {
      method,
      headers: {
        authorization: as,
        'cache-control': 'no-cache',
        'content-type': isJson ? 'application/json' : 'text/csv',
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    })
    const text = await answer.text()
    if (!answer.ok)
      throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`), { text })
    return (text === '' ? null : JSON.parse(text)) as Result
  }
  const login = (await answerOf(
    fetch(`${host.url}/session/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(COLLECTOR),
    }),
  )) as { readonly sessionId: string }
  const send = () =>
    fetch(`${host.url}/webcollector/jobs/${job}/values`, {
      method: 'POST',
      headers: { 'x-session-id': login.sessionId, 'content-type': 'application/json' },
      body: '{"returnValue1":12.5,"errorCode":0}',
    })
  // The service may have closed a connection that rested just when it was taken.
  const deliver = () =>
    answerOf(
      send().catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
        return send()
      }),
    )
  return { host, ask, deliver }
}
type Service = Awaited<ReturnType<typeof startService>>

/** The milliseconds of deliveries, 200 a second, until it is over. */
async function deliveries({ deliver }: Service, over: Promise<unknown>): Promise<number[]> {
  let isOver = false
  const end = over.finally(() => (isOver = true))
  const times: Promise<number>[] = []
  while (!isOver) {
    times.push(timed(deliver))
    await Bun.sleep(DELIVERIES_MS)
  }
  await end
  return Promise.all(times)
}

/** The most memory of the service and of its largest child until it is over, in MiB. */
async function peaks({ host }: Service, over: Promise<unknown>) {
  let isOver = false
  const end = over.finally(() => (isOver = true))
  let [own, child] = [0, 0]
  while (!isOver) {
    own = Math.max(own, await residentBytesOf(host.pid))
    for (const pid of (await familyOf(host.pid)).slice(1))
      child = Math.max(child, await residentBytesOf(pid).catch(() => 0))
    await Bun.sleep(100)
  }
  await end
  return { own: own / 1024 ** 2, child: child / 1024 ** 2 }
}

const step = (text: string) => process.stderr.write(`${text}\n`)

async function main(): Promise<void> {
  const load = loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')
  const csv = join(directory, 'orders.csv')
  const parquet = join(directory, 'orders.parquet')
  step('the file')
  await writeCsv(csv)
  step('the import')
  const service = await startService('tidemark')
  const { ask } = service
  const { id } = await ask('POST', '/dataSources', { name: 'orders', type: 'csv' })

  const imports = await besideImports(service, id, csv)
  if (options['only-imports']) {
    process.stdout.write(`${machine()}; load at the start ${load}\n${tableOf([imports.line])}\n`)
    return
  }

  step('the other systems')
  const duckdb = await duckdbPeer(csv, parquet)
  const postgres = await postgresPeer(csv)
  const peers: Peer[] = [postgres.peer, duckdb.peer]
  const [datasette, roapi] = [Bun.which(options.datasette), Bun.which(options.roapi)]
  if (datasette !== null) peers.push(await datasettePeer(datasette, duckdb.peer))
  if (roapi !== null) peers.push(await roapiPeer(roapi, parquet))

  const select = (body: object) => ask('POST', `/dataSources/${id}/tables/orders/select`, body)
  const fns = ['SUM', 'AVG', 'MIN', 'MAX'].map((fn) => ({ fn, column: 'value', as: fn }))
  const count = { fn: 'COUNT', expr: '*', as: 'n' }
  const own: readonly Reading[] = [
    ['5 aggregates by region, 8 clients', () => select({ groupBy: ['region'], aggregates: [...fns, count] })],
    ['10,000 rows out', () => select({ limit: 10_000 })],
    [
      'distinct pairs with counts, ordered',
      () =>
        ask(
          'GET',
          `/dataSources/${id}/tables/orders/distinctValues?column=region&column=state&orderBy=-count&orderBy=region`,
        ),
    ],
    [
      'median and stddev by region',
      () =>
        select({
          groupBy: ['region'],
          aggregates: ['MEDIAN', 'STDDEV_SAMP'].map((fn) => ({ fn, column: 'value', as: fn })),
        }),
    ],
  ]
  const lines = await compared(own, peers)
  step('scopes')
  const scopedLine = await scoped(service, id)
  step('deliveries beside statements without an end')
  const besideLine = await besideRunaways(service)
  step('deliveries beside a table at rest')
  const restingLine = await besideRest(service)
  process.stdout.write(
    `${machine()}; ${ROWS} rows; load at the start ${load}, at the end ${loadavg()[0]?.toFixed(1)}\n`,
  )
  for (const table of [
    lines,
    [loadsOf(csv, [imports.medianMs, duckdb.loadMs, postgres.loadMs])],
    [imports.line],
    [scopedLine],
    [besideLine],
    [restingLine],
  ])
    process.stdout.write(`\n${tableOf(table)}\n`)
}

type Reading = readonly [title: string, run: () => Promise<unknown>]

/** How long each reading takes here and elsewhere; the first one under load. */
async function compared(own: readonly Reading[], peers: readonly Peer[]): Promise<Line[]> {
  const texts = [AGGREGATES, OUT, PAIRS, null]
  const lines: Line[] = []
  for (const [at, [title, run]] of own.entries()) {
    const measure = at === 0 ? underLoad : medianOf
    step(title)
    await run()
    const line: Line = { 'ms of a request': title, Tidemark: (await measure(run)).toFixed(1) }
    for (const peer of peers) {
      const text = texts[at] ?? peer.medians
      if (text === null) {
        line[peer.name] = '–'
        continue
      }
      const read = (text === OUT ? peer.out : undefined) ?? peer.ask
      await read(text)
      line[peer.name] = (await measure(() => read(text))).toFixed(1)
    }
    lines.push(line)
  }
  return lines
}

/** The seconds in which each system took the file. */
function loadsOf(csv: string, times: readonly number[]): Line {
  const [own = '', readCsv = '', copy = ''] = times.map((ms) => (ms / 1_000).toFixed(1))
  const megabytes = (Bun.file(csv).size / 1e6).toFixed(0)
  return { import: `${megabytes} MB of CSV, s`, Tidemark: own, read_csv: readCsv, COPY: copy }
}

/** Imports the file until its first query. The upload is of a process of its own: 100 MB of it would delay what this one measures.
 * @returns the milliseconds of the upload and of the whole */
async function importOnce({ ask, host }: Service, id: number, csv: string) {
  let uploadMs = 0
  const wholeMs = await timed(async () => {
    let upload = ''
    uploadMs = await timed(async () => {
      const sending = Bun.spawn([
        'curl',
        '--silent',
        '--fail-with-body',
        '--user',
        `${READER.username}:${READER.password}`,
        '--header',
        'content-type: text/csv',
        '--upload-file',
        csv,
        '--request',
        'POST',
        `${host.url}/dataSources/${id}/uploads`,
      ])
      upload = (JSON.parse(await new Response(sending.stdout).text()) as { readonly id: string }).id
    })
    let work = await ask<{ readonly id: string; readonly state: string }>(
      'POST',
      `/dataSources/${id}/import?wait=PT0S`,
      { upload, table: 'orders', mode: 'replace' },
    )
    while (work.state === 'queued' || work.state === 'running') {
      await Bun.sleep(50)
      work = await ask('GET', `/operations/${work.id}`)
    }
    if (work.state !== 'succeeded') throw new Error(`The import ended: ${JSON.stringify(work)}`)
    await ask('POST', `/dataSources/${id}/tables/orders/select`, { limit: 1 })
  })
  return { uploadMs, wholeMs }
}

/** Deliveries beside imports of the file, in turn with deliveries alone. */
async function besideImports(service: Service, id: number, csv: string) {
  const { host } = service
  const [idle, busy, ratios, imported, uploaded]: [number[], number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
    [],
  ]
  const memory: { own: number; child: number }[] = []
  const p99 = (times: readonly number[]) => quantile(times, 0.99)
  // What a service compiles at its first deliveries is not measured.
  await deliveries(service, Bun.sleep(IDLE_MS))
  const restMib = (await residentBytesOf(host.pid)) / 1024 ** 2
  for (let at = 0; at < IMPORTS; at++) {
    const alone = await deliveries(service, Bun.sleep(IDLE_MS))
    const importing = importOnce(service, id, csv)
    const [beside, peak, { uploadMs, wholeMs }] = await Promise.all([
      deliveries(service, importing),
      peaks(service, importing),
      importing,
    ])
    idle.push(...alone)
    busy.push(...beside)
    ratios.push(p99(beside) / p99(alone))
    memory.push(peak)
    imported.push(wholeMs)
    uploaded.push(uploadMs)
  }
  const line: Line = {
    'deliveries beside imports': `${busy.length} of ${idle.length + busy.length}`,
    'upload, s': (median(uploaded) / 1_000).toFixed(1),
    'import, s': (median(imported) / 1_000).toFixed(1),
    'p99 alone': p99(idle).toFixed(1),
    'p99 beside': p99(busy).toFixed(1),
    ratio: (p99(busy) / p99(idle)).toFixed(2),
    'of each import': ratios.map((ratio) => ratio.toFixed(2)).join(', '),
    'service MiB': `${restMib.toFixed(0)} to ${memory.map(({ own }) => own.toFixed(0)).join(', ')}`,
    'child MiB': Math.max(...memory.map(({ child }) => child)).toFixed(0),
  }
  return { line, medianMs: median(imported) }
}

/** Hand-written SQL in a scope of 3 of 20 regions beside the same without, and a statement without an end beside pings. */
async function scoped({ ask, host }: Service, id: number): Promise<Line> {
  const user = await ask('POST', '/users', {
    username: 'scoped',
    password: 'a long password',
    role: 'Data_Editor',
  })
  const filter = { column: 'region', op: 'in', values: ['region-00', 'region-07', 'region-13'] }
  await ask('POST', `/dataSources/${id}/scopes`, {
    name: 'three',
    tables: ['orders'],
    subjects: { users: [user.id] },
    filter,
  })
  const within = ['region-00', 'region-07', 'region-13'].map((one) => `'${one}'`).join(', ')
  const preview = (text: string, as?: string) =>
    ask('POST', '/dataQueries/preview', { dataSourceId: id, text, limit: 1_000 }, as)
  const asScoped = `Basic ${btoa('scoped:a long password')}`
  const run = 'SELECT region, sum(value) AS s, count(*) AS n FROM orders GROUP BY region'
  const bare = await medianOf(() => preview(run.replace('GROUP', `WHERE region IN (${within}) GROUP`)))
  const inScope = await medianOf(() => preview(run, asScoped))
  const limited = await ask('POST', '/dataSources', {
    name: 'limited',
    type: 'csv',
    timeout: `PT${RUNAWAY_LIMIT_MS / 1_000}S`,
  })
  const pings: number[] = []
  let goneMs = 0
  const runaway = ask('POST', '/dataQueries/preview', {
    dataSourceId: limited.id,
    text: 'SELECT count(*) AS n FROM range(1000000000) a, range(1000) b',
    limit: 1,
  }).catch((error: unknown) => error)
  const running = (async () => {
    goneMs = await timed(() => runaway)
  })()
  let isOver = false
  const over = running.finally(() => (isOver = true))
  while (!isOver) {
    pings.push(await timed(() => fetch(`${host.url}/version`)))
    await Bun.sleep(5)
  }
  await over
  return {
    'SQL of users': 'ms',
    'filter in the text': bare.toFixed(1),
    'scope of 3 regions': inScope.toFixed(1),
    ratio: (inScope / bare).toFixed(2),
    'runaway ended, limit 1,000': goneMs.toFixed(0),
    'p99 of pings': quantile(pings, 0.99).toFixed(1),
  }
}

const RUNAWAYS = [
  'SELECT count(*) AS n FROM range(1000000000) a, range(1000) b',
  "SELECT length(repeat('x', 2000000000)) AS n",
  "SELECT length(lpad('x', 1000000000, 'y')) AS n",
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS n FROM r',
]

/** Deliveries beside statements without an end, in turn with as long times without them. */
async function besideRunaways(service: Service): Promise<Line> {
  const { ask } = service
  const { id } = await ask('POST', '/dataSources', {
    name: 'runaways',
    type: 'csv',
    timeout: `PT${RUNAWAY_LIMIT_MS / 1_000}S`,
  })
  const [alone, beside, ends]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < ROUNDS; round++)
    for (const text of RUNAWAYS) {
      alone.push(...(await deliveries(service, Bun.sleep(RUNAWAY_LIMIT_MS))))
      const ended = timed(() =>
        ask('POST', '/dataQueries/preview', { dataSourceId: id, text, limit: 1 }).catch(
          (error: unknown) => error,
        ),
      )
      beside.push(...(await deliveries(service, ended)))
      ends.push(await ended)
    }
  return {
    'deliveries beside statements without an end': `${beside.length}, limit 1,000 ms`,
    'p99 alone': quantile(alone, 0.99).toFixed(1),
    'p99 beside': quantile(beside, 0.99).toFixed(1),
    'longest statement': Math.max(...ends).toFixed(0),
  }
}

/** CPU of a delivery in this service, whose table and processes rest, and in one that has no source, in turn. */
async function besideRest(service: Service): Promise<Line> {
  const without = await startService('without')
  const costs = new Map<Service, number[]>([
    [service, []],
    [without, []],
  ])
  for (let round = 0; round <= REST_ROUNDS; round++)
    for (const [{ host, deliver }, micros] of costs) {
      const before = await cpuSecondsOf(host.pid)
      for (let at = 0; at < REST_DELIVERIES; at++) await deliver()
      // The first round warms up.
      if (round > 0) micros.push((((await cpuSecondsOf(host.pid)) - before) * 1e6) / REST_DELIVERIES)
    }
  const [own, other] = [median(costs.get(service) ?? []), median(costs.get(without) ?? [])]
  return {
    'CPU of a delivery, µs': `${REST_ROUNDS} × ${REST_DELIVERIES}`,
    'with a table at rest': own.toFixed(0),
    'without a source': other.toFixed(0),
    ratio: (own / other).toFixed(3),
  }
}

try {
  await main()
} finally {
  for (const close of closing.toReversed()) await close()
  await rm(directory, { recursive: true, force: true })
}
