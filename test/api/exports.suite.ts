import { expect } from 'bun:test'
import { connect } from 'node:net'

import { until } from '../until.ts'
import type { Client } from './client.ts'
import { hasSourceServer, mariadbServer, SOURCE_PASSWORD, sourceServer } from './source-server.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const ROWS = 30_000
const PAD_CHARS = 2_000
const BROKEN_AT = 20_000
const CSV = { accept: 'text/csv' }
const NDJSON = { accept: 'application/x-ndjson' }
const COUNT = { fn: 'COUNT', expr: '*', as: 'n' }
const ORDERS = ['id,region,amount', '007,nord,1.5', '008,"süd, ""x""",-2', '009,=1+1,', '010,,4', ''].join(
  '\r\n',
)

type Made = { readonly id: number }
type Type = 'postgresql' | 'mysql'

let prepared: Promise<unknown> | null = null

/** Views with more rows than the buffers between a server and a client have room for; one of them breaks off. */
function views(): Promise<unknown> {
  return (prepared ??= Promise.all([
    sourceServer().sql(`create schema exported; set search_path to exported;
      create view many as select i as id, repeat('x', ${PAD_CHARS}) as pad from generate_series(1, ${ROWS}) i;
      create view broken as select i as id, repeat('x', ${PAD_CHARS}) as pad, 1 / (${BROKEN_AT} - i) as q from generate_series(1, ${ROWS}) i;
      create table typed (b boolean, n numeric(20,2), t timestamptz, j json, s text);
      insert into typed values (true, -123456789012345678.90, '2026-03-01 10:11:12+00', '{"a":1}', ''), (null, null, null, null, null);
      grant usage on schema exported to reader; grant select on all tables in schema exported to reader;`),
    mariadbServer()?.sql(`create database exported; use exported;
      create view many as select seq as id, repeat('x', ${PAD_CHARS}) as pad from seq_1_to_${ROWS};
      create view broken as select seq as id, repeat('x', ${PAD_CHARS}) as pad, exp(if(seq = ${BROKEN_AT}, 1000, 1)) as q from seq_1_to_${ROWS};
      create user 'exporter'@'%' identified by '${SOURCE_PASSWORD}'; grant select, show view on exported.* to 'exporter'@'%';`),
  ]))
}

const stage = once(async (client) => {
  await views()
  const make = async (json: object) => (await good<Made>(client.request('POST', '/dataSources', { json }))).id
  const reached = { host: '127.0.0.1', password: SOURCE_PASSWORD, tls: 'disable' }
  // The time limit of a statement of MySQL includes the time that its reader takes, here on a busy machine.
  const timeout = 'PT10M'
  const postgresql = await make({
    name: 'exported postgresql',
    type: 'postgresql',
    timeout,
    connection: {
      ...reached,
      port: sourceServer().port,
      user: 'reader',
      database: 'postgres',
      schema: 'exported',
    },
  })
  const port = mariadbServer()?.port
  const mysql =
    port === undefined
      ? postgresql
      : await make({
          name: 'exported mysql',
          type: 'mysql',
          timeout,
          connection: { ...reached, port, user: 'exporter', database: 'exported' },
        })
  const files = await make({ name: 'exported files', type: 'csv' })
  const { id: upload } = await good<{ id: string }>(
    client.request('POST', `/dataSources/${files}/uploads`, {
      text: ORDERS,
      headers: { 'content-type': 'text/csv' },
    }),
  )
  await good(client.request('POST', `/dataSources/${files}/import`, { json: { upload, table: 'orders' } }))
  return { postgresql, mysql, files }
})

const MANY = 'POST /dataSources/{postgresql}/tables/many/select'
const rows: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: MANY,
    json: {},
    headers: CSV,
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'a viewer', call: MANY, json: {}, headers: CSV, as: 'dashboard_viewer', answers: 'forbidden' },
  {
    title: 'an unknown column',
    call: MANY,
    json: { columns: ['x'] },
    headers: CSV,
    answers: 'invalid',
    pointers: ['/columns/0'],
  },
  {
    title: 'a total',
    call: MANY,
    json: { total: 'exact' },
    headers: NDJSON,
    answers: 'invalid',
    pointers: ['/total'],
  },
  {
    title: '10,000,001 rows',
    call: MANY,
    json: { limit: 10_000_001 },
    headers: CSV,
    answers: 'invalid',
    pointers: ['/limit'],
  },
  {
    title: 'safe for another program',
    call: `${MANY}?safe=calc`,
    json: {},
    headers: CSV,
    answers: 'invalid',
    pointers: ['?safe'],
  },
  {
    title: 'no table',
    call: 'POST /dataSources/{postgresql}/tables/none/select',
    json: {},
    headers: CSV,
    answers: 'not_found',
  },
  {
    title: 'the largest number of rows',
    call: MANY,
    json: { limit: 10_000_000, filter: { column: 'id', op: 'lt', value: 3 } },
    headers: NDJSON,
    answers: 200,
  },
]

const ask = async (
  client: Client,
  of: string,
  { json = {}, headers = CSV, query = '' }: { json?: object; headers?: object; query?: string } = {},
) => {
  const names: Readonly<Record<string, number>> = await stage(client)
  const [source = '', name = ''] = of.split('.')
  return client.request('POST', `/dataSources/${names[source]}/tables/${name}/select${query}`, {
    json,
    headers: headers as Record<string, string>,
    as: 'Data_Editor',
  })
}

/** A request whose answer is read as fast as the test says. */
async function slowly(client: Client, type: Type, name: string) {
  const names = await stage(client)
  const { hostname, port } = new URL(client.host.url)
  const socket = connect(Number(port), hostname)
  let [bytes, tail, isClosed] = [0, '', false]
  socket.on('data', (data: Buffer) => {
    bytes += data.length
    tail = (tail + data.toString('latin1')).slice(-64)
  })
  socket.on('error', () => undefined)
  socket.on('close', () => (isClosed = true))
  socket.write(
    `POST /dataSources/${names[type]}/tables/${name}/select HTTP/1.1\r\nhost: localhost\r\naccept: text/csv\r\n` +
      `x-session-id: ${client.sessionIds.Data_Editor}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
  )
  return {
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    leave: () => socket.destroy(),
    bytes: () => bytes,
    tail: () => tail,
    isOver: () => isClosed || tail.endsWith('\r\n0\r\n\r\n'),
  }
}

const STATEMENTS: Readonly<Record<Type, string>> = {
  postgresql: `select count(*) from pg_stat_activity where application_name = 'tidemark' and query like '%many%' and pid <> pg_backend_pid()`,
  mysql: `select count(*) from information_schema.processlist where user = 'exporter'`,
}
const statements = async (type: Type) =>
  (await (type === 'mysql' ? mariadbServer() : sourceServer())?.sql(STATEMENTS[type]))?.trim()

/** Ends the connection of the export that goes on. */
async function endConnection(type: Type): Promise<void> {
  if (type === 'postgresql') {
    await sourceServer().sql(STATEMENTS.postgresql.replace('count(*)', 'pg_terminate_backend(pid)'))
    return
  }
  const server = mariadbServer()
  const id = await server?.sql(STATEMENTS.mysql.replace('count(*)', 'id'))
  await server?.sql(`kill ${Number(id)}`)
}

/** Workers end the answer as if it were whole: there the last record says why it is not. */
function expectBrokenOff(client: Client, tail: string, reason: RegExp): void {
  if (client.host.name === 'edge') expect(tail).toMatch(reason)
  else expect(tail).not.toEndWith('\r\n0\r\n\r\n')
}

function onEach(title: string, run: (client: Client, type: Type) => Promise<void>): Scenario[] {
  return (['postgresql', 'mysql'] as const).map((type) => ({
    title: `${title} (${type})`,
    decidedAbovePorts: type === 'mysql' ? 'exports from MySQL' : undefined,
    run: async (client) => (type === 'mysql' && !mariadbServer() ? undefined : run(client, type)),
  }))
}

const answers: Scenario[] = [
  {
    title: 'an imported table is exported as CSV and NDJSON',
    async run(client) {
      const orderBy = [{ column: 'id' }]
      const csv = await ask(client, 'files.orders', { json: { orderBy } })
      expectAnswer(csv, { answers: 200 })
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(csv.text).toBe(ORDERS)
      const safe = await ask(client, 'files.orders', { json: { orderBy }, query: '?safe=excel' })
      expect(safe.text).toBe(ORDERS.replace('=1+1', `'=1+1`))
      const lines = await ask(client, 'files.orders', {
        json: { orderBy, limit: 3, offset: 1 },
        headers: NDJSON,
      })
      expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
      expect(
        lines.text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual([
        { id: '008', region: 'süd, "x"', amount: -2 },
        { id: '009', region: '=1+1', amount: null },
        { id: '010', region: null, amount: 4 },
      ])
      const groups = {
        groupBy: ['region'],
        aggregates: [COUNT],
        filter: { column: 'region', op: 'eq', value: 'nord' },
      }
      expect((await ask(client, 'files.orders', { json: groups })).text).toBe('region,n\r\nnord,1\r\n')
      const none = { filter: { column: 'region', op: 'eq', value: 'x' } }
      expect((await ask(client, 'files.orders', { json: none })).text).toBe('id,region,amount\r\n')
      expect((await ask(client, 'files.orders', { json: none, headers: NDJSON })).text).toBe('')
    },
  },
  {
    title: 'the best of the accepted types is chosen, and JSON by default',
    async run(client) {
      const typeOf = async (accept: string) =>
        (await ask(client, 'files.orders', { headers: { accept } })).headers
          .get('content-type')
          ?.split(';')[0]
      expect(await typeOf('*/*')).toBe('application/json')
      expect(await typeOf('image/png')).toBe('application/json')
      expect(await typeOf('text/csv;q=0.5, application/json')).toBe('application/json')
      expect(await typeOf('application/json;q=0.5, text/csv')).toBe('text/csv')
      expect(await typeOf('application/x-ndjson, */*;q=0.1')).toBe('application/x-ndjson')
    },
  },
  {
    title: 'values of all types are exported',
    async run(client) {
      expect((await ask(client, 'postgresql.typed')).text).toBe(
        'b,n,t,j,s\r\ntrue,-123456789012345678.90,2026-03-01T11:11:12+01:00,"{""a"":1}",""\r\n,,,,\r\n',
      )
    },
  },
  ...onEach('all rows are exported, more than a select has', async (client, type) => {
    const { text } = await ask(client, `${type}.many`, { json: { columns: ['id'] } })
    expect(text.split('\r\n').length).toBe(ROWS + 2)
    const few = await ask(client, `${type}.many`, { json: { columns: ['id'], limit: 5 } })
    expect(few.text.split('\r\n').length).toBe(5 + 2)
  }),
  {
    title: 'an export has the rows and columns of the scope of its user',
    async run(client) {
      const { files } = await stage(client)
      const json = {
        name: 'exported',
        tables: ['orders'],
        subjects: { roles: ['Data_Editor'] },
        filter: { column: 'id', op: 'lt', value: '009' },
        hiddenColumns: ['amount'],
      }
      const { id } = await good<Made>(client.request('POST', `/dataSources/${files}/scopes`, { json }))
      const csv = await ask(client, 'files.orders', { json: { orderBy: [{ column: 'id' }] } })
      expect(csv.text).toBe('id,region\r\n007,nord\r\n008,"süd, ""x"""\r\n')
      const hidden = await ask(client, 'files.orders', { json: { columns: ['amount'] }, headers: NDJSON })
      expectAnswer(hidden, { answers: 'invalid', pointers: ['/columns/0'] })
      await good(client.request('DELETE', `/dataSources/${files}/scopes/${id}`))
    },
  },
  ...onEach('a reader that pauses is waited for, and the statement with it', async (client, type) => {
    const reading = await slowly(client, type, 'many')
    await until(() => reading.bytes() > 0)
    reading.pause()
    await Bun.sleep(2_000)
    const before = reading.bytes()
    expect(before).toBeLessThan((ROWS * PAD_CHARS) / 2)
    expect(await statements(type)).toBe('1')
    reading.resume()
    await until(() => reading.isOver())
    expect(reading.tail()).toEndWith('\r\n0\r\n\r\n')
    expect(reading.bytes()).toBeGreaterThan(ROWS * PAD_CHARS)
    await until(async () => (await statements(type)) === '0')
    reading.leave()
  }),
  ...onEach('the statement ends when its reader leaves', async (client, type) => {
    const reading = await slowly(client, type, 'many')
    await until(() => reading.bytes() > 0)
    reading.pause()
    expect(await statements(type)).toBe('1')
    reading.leave()
    await until(async () => (await statements(type)) === '0')
  }),
  ...onEach('a failure behind the first rows breaks the answer off', async (client, type) => {
    const reading = await slowly(client, type, 'broken')
    await until(() => reading.isOver())
    expect(reading.bytes()).toBeGreaterThan(PAD_CHARS * 1_000)
    expectBrokenOff(client, reading.tail(), /\(SQLSTATE /)
  }),
  ...onEach('the end of the connection to the database breaks the answer off', async (client, type) => {
    const reading = await slowly(client, type, 'many')
    await until(() => reading.bytes() > 0)
    reading.pause()
    await endConnection(type)
    reading.resume()
    await until(() => reading.isOver())
    expect(reading.bytes()).toBeLessThan(ROWS * PAD_CHARS)
    expectBrokenOff(client, reading.tail(), /administrator command|closed the connection/)
  }),
]

export const exportsSuite: Suite = {
  name: 'exports of tables',
  scenarios: hasSourceServer ? [...table(stage, rows), ...answers] : [],
}
