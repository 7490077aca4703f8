import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { Miniflare } from 'miniflare'

import type { DatabaseTarget } from '../../src/ports/databases.ts'
import { openServerDatabases } from '../../workers/server/databases.ts'
import { bundleWorker } from '../hosts/bundle.ts'
import { answerCall } from '../hosts/database-calls.ts'
import { startTamperingProxy, withoutTls } from '../hosts/tampering-proxy.ts'
import type { Tamper, TamperingProxy } from '../hosts/tampering-proxy.ts'
import { hasMariadb, startMariadb } from '../hosts/mariadb.ts'
import type { Mariadb } from '../hosts/mariadb.ts'
import { hasPostgres, startPostgres } from '../hosts/postgres.ts'
import type { Postgres } from '../hosts/postgres.ts'
import { databasesContract, expectFewConnections } from './databases.contract.ts'
import type { Call, Dialect, Stage } from './databases.contract.ts'

const PASSWORD = 'a password of a database'
const HOSTS = ['bun', 'workerd'] as const
const servers = {} as { postgres: Postgres; mariadb: Mariadb }
const calls = {} as Record<(typeof HOSTS)[number], Call>
/** Workers in a platform that trusts the certificates of the servers, and in one that does not. */
let trusting: Miniflare | null = null
let strict: Miniflare | null = null
let callStrict: Call

beforeAll(async () => {
  const [postgres, mariadb, contents] = await Promise.all([
    hasPostgres ? startPostgres() : null,
    hasMariadb ? startMariadb() : null,
    bundleWorker(join(import.meta.dirname, '../hosts/databases-worker.ts')),
  ])
  const allowed: string[] = []
  if (postgres) {
    servers.postgres = postgres
    allowed.push(
      `127.0.0.1:${postgres.port}`,
      `db.example.org:${postgres.port}`,
      `other.example.org:${postgres.port}`,
    )
    await postgres.sql(POSTGRES)
  }
  if (mariadb) {
    servers.mariadb = mariadb
    allowed.push(
      ...['127.0.0.1', 'db.example.org', 'other.example.org'].map((name) => `${name}:${mariadb.port}`),
    )
    await mariadb.sql(MARIADB)
  }
  const addressesOf = (name: string) => Promise.resolve([name.endsWith('.example.org') ? '127.0.0.1' : name])
  const outboundAllow = new Set(allowed)
  const databases = openServerDatabases({ outboundAllow, addressesOf })
  calls.bun = ({ allowed: more = [], ...call }) => {
    for (const place of more) outboundAllow.add(place)
    return answerCall(databases, { abortAfterMs: null, batchesMax: null, ...call })
  }
  const start = async (trustedCertificates: string[]): Promise<readonly [Miniflare, Call]> => {
    const started = new Miniflare({
      modules: [{ type: 'ESModule', path: 'main.mjs', contents }],
      compatibilityDate: '2026-04-01',
      compatibilityFlags: ['nodejs_compat'],
      cf: false,
      outboundService: { network: { allow: ['public', 'private'], tlsOptions: { trustedCertificates } } },
      handleRuntimeStdio: (...streams: Readable[]) => {
        for (const stream of streams) stream.resume()
      },
    })
    const url = await started.ready
    const call: Call = async (asked) => {
      const body = JSON.stringify({ allowed, abortAfterMs: null, batchesMax: null, ...asked })
      return (await fetch(url, { method: 'POST', body })).json()
    }
    return [started, call]
  }
  const certificates = [postgres, mariadb].flatMap((server) => server?.certificate ?? [])
  ;[[trusting, calls.workerd], [strict, callStrict]] = await Promise.all([start(certificates), start([])])
}, 180_000)

afterAll(async () => {
  await Promise.all([
    trusting?.dispose(),
    strict?.dispose(),
    servers.postgres?.close(),
    servers.mariadb?.close(),
  ])
})

const POSTGRES = `
  create schema tidemark;
  create role writer login password '${PASSWORD}';
  create role reader login password '${PASSWORD}';
  grant usage on schema tidemark to reader;
  grant create, usage on schema tidemark to writer;
  create table tidemark.kept (id int); insert into tidemark.kept values (1);
  create table tidemark.written (id int);
  create table tidemark.described (id int not null, "label ""x""" text);
  create view tidemark.seen as select id from tidemark.described;
  comment on table tidemark.described is 'a table';
  comment on column tidemark.described.id is 'a number';
  grant select, insert, update, delete on all tables in schema tidemark to writer;
  grant select on all tables in schema tidemark to reader;`

const MARIADB = `
  create database tidemark;
  create user 'writer'@'%' identified by '${PASSWORD}';
  create user 'reader'@'%' identified by '${PASSWORD}';
  grant all on tidemark.* to 'writer'@'%'; grant select on tidemark.* to 'reader'@'%';
  use tidemark;
  create table kept (id int); insert into kept values (1);
  create table written (id int);
  create table described (id int not null comment 'a number', \`label "x"\` varchar(20)) comment 'a table';
  create view seen as select id from described;`

function targetOf(type: DatabaseTarget['type'], port: number, database: string): DatabaseTarget {
  return {
    type,
    host: '127.0.0.1',
    port,
    database,
    schema: type === 'postgresql' ? 'tidemark' : null,
    user: 'writer',
    password: PASSWORD,
    tls: 'disable',
    ca: null,
    name: `test ${type}`,
    connectionsMax: 10,
  }
}

const POSTGRESQL: Dialect = {
  sleep: (seconds) => `select pg_sleep(${seconds})`,
  working: `select count(*) from pg_stat_activity where application_name = 'tidemark' and state = 'active'`,
  sessions: `select count(*) from pg_stat_activity where application_name = 'tidemark'`,
  series: (count) => `select n from generate_series(1, ${count}) n`,
  placeholder: '$1',
  types: {
    text: `select 1::int2 as i, 9007199254740993::int8 as big, 7::int8 as small, 1.50::numeric as d, 'NaN'::numeric as dn, 0.1::float8 as f,
      'infinity'::float8 as fi, true as b, 'ä' as t, date '2026-03-01' as day, time '10:11:12.5' as clock,
      timestamp '2026-03-01 10:11:12.123456' as local, timestamptz '2026-03-01 10:11:12.123456+02' as at,
      'infinity'::timestamptz as never, '{"a":1}'::json as j, '\\x00ff'::bytea as bytes, interval '1 day 2 hours' as span,
      null::int as nothing, '{1,2}'::int[] as list`,
    columns: [
      { name: 'i', type: 'integer', isExact: false },
      { name: 'big', type: 'integer', isExact: true },
      { name: 'small', type: 'integer', isExact: true },
      { name: 'd', type: 'number', isExact: true },
      { name: 'dn', type: 'number', isExact: true },
      { name: 'f', type: 'number', isExact: false },
      { name: 'fi', type: 'number', isExact: false },
      { name: 'b', type: 'boolean', isExact: false },
      { name: 't', type: 'string', isExact: false },
      { name: 'day', type: 'date', isExact: false },
      { name: 'clock', type: 'time', isExact: false },
      { name: 'local', type: 'datetime', isExact: false },
      { name: 'at', type: 'datetime', isExact: false },
      { name: 'never', type: 'datetime', isExact: false },
      { name: 'j', type: 'json', isExact: false },
      { name: 'bytes', type: 'binary', isExact: false },
      { name: 'span', type: 'string', isExact: false },
      { name: 'nothing', type: 'integer', isExact: false },
      { name: 'list', type: 'string', isExact: false },
    ],
    row: [
      1,
      '9007199254740993',
      7,
      '1.50',
      null,
      0.1,
      null,
      true,
      'ä',
      '2026-03-01',
      '10:11:12.5',
      '2026-03-01T10:11:12.123456',
      '2026-03-01T08:11:12.123456Z',
      null,
      '{"a":1}',
      'AP8=',
      'P1DT2H',
      null,
      '{1,2}',
    ],
  },
  refused: [
    'delete from kept',
    'insert into kept values (2)',
    'create table more (id int)',
    'select 1; select 2',
    'select 1; delete from kept',
    `select set_config('transaction_read_only', 'off', true)`,
  ],
}

const MARIA: Dialect = {
  sleep: (seconds) => `select sleep(${seconds})`,
  working: `select count(*) from information_schema.processlist where user = 'writer' and command in ('Query', 'Execute')`,
  sessions: `select count(*) from information_schema.processlist where user = 'writer'`,
  series: (count) => `select seq from seq_1_to_${count}`,
  placeholder: '?',
  types: {
    text: `select cast(1 as signed) as i, 9007199254740993 as big, 1.50 as d, 0.1e0 as f, 'ä' as t, date '2026-03-01' as day,
      time '10:11:12' as clock, timestamp '2026-03-01 10:11:12.5' as local, from_unixtime(0) as epoch, x'00ff' as bytes,
      cast(null as signed) as nothing, date '0000-00-00' as never, timestamp '0000-00-00 00:00:00' as none, date '2026-00-01' as part`,
    columns: [
      { name: 'i', type: 'integer', isExact: false },
      { name: 'big', type: 'integer', isExact: true },
      { name: 'd', type: 'number', isExact: true },
      { name: 'f', type: 'number', isExact: false },
      { name: 't', type: 'string', isExact: false },
      { name: 'day', type: 'date', isExact: false },
      { name: 'clock', type: 'time', isExact: false },
      { name: 'local', type: 'datetime', isExact: false },
      { name: 'epoch', type: 'datetime', isExact: false },
      { name: 'bytes', type: 'binary', isExact: false },
      { name: 'nothing', type: 'integer', isExact: false },
      { name: 'never', type: 'date', isExact: false },
      { name: 'none', type: 'datetime', isExact: false },
      { name: 'part', type: 'date', isExact: false },
    ],
    row: [
      1,
      '9007199254740993',
      '1.50',
      0.1,
      'ä',
      '2026-03-01',
      '10:11:12',
      '2026-03-01T10:11:12.5',
      '1970-01-01T00:00:00',
      'AP8=',
      null,
      null,
      null,
      null,
    ],
  },
  refused: [
    'delete from kept',
    'insert into kept values (2)',
    'create table more (id int)',
    'create temporary table more (id int)',
    'select 1; select 2',
    'select 1; delete from kept',
  ],
}

/** The servers that there are, by the names of their products, as a host sees them. */
const stagesOf = (
  host: (typeof HOSTS)[number],
): readonly (readonly [product: string, stage: () => Stage])[] => [
  ...(hasPostgres
    ? [
        [
          'PostgreSQL',
          () => ({
            call: calls[host],
            target: () => targetOf('postgresql', servers.postgres.port, 'postgres'),
            sql: (statements: string) => servers.postgres.sql(statements),
            dialect: POSTGRESQL,
          }),
        ] as const,
      ]
    : []),
  ...(hasMariadb
    ? [
        [
          'MariaDB',
          () => ({
            call: calls[host],
            target: () => targetOf('mysql', servers.mariadb.port, 'tidemark'),
            sql: (statements: string) => servers.mariadb.sql(statements),
            dialect: MARIA,
          }),
        ] as const,
      ]
    : []),
]

describe.each(HOSTS)('databases on %s', (host) => {
  for (const [product, stage] of stagesOf(host)) databasesContract(product, stage)
})

// They wait, and do it together.
describe('a source of few connections', () => {
  for (const host of HOSTS)
    for (const [product, stage] of stagesOf(host))
      test.concurrent(
        `has no more than it allows with ${product} on ${host}, and refuses statements that wait for five seconds`,
        () => expectFewConnections(stage()),
        180_000,
      )
})

describe.if(hasPostgres)('a foreign table of PostgreSQL', () => {
  beforeAll(async () => {
    const { port } = servers.postgres
    await servers.postgres.sql(`create extension postgres_fdw;
      create table tidemark.near (id int); insert into tidemark.near values (1); grant all on tidemark.near to writer;
      create server other foreign data wrapper postgres_fdw options (host '127.0.0.1', port '${port}', dbname 'postgres');
      create user mapping for writer server other options (user 'writer', password '${PASSWORD}');
      create foreign table tidemark.far (id int) server other options (schema_name 'tidemark', table_name 'near');
      grant select on tidemark.far to writer;`)
  })

  test.each(HOSTS)('is read live on %s', async (host) => {
    const target = targetOf('postgresql', servers.postgres.port, 'postgres')
    const { result } = (await calls[host]({ method: 'schema', args: [target] })) as {
      readonly result: readonly { readonly table: string }[]
    }
    expect(result.filter(({ table }) => table === 'far')).toMatchObject([{ kind: 'table', name: 'id' }])
    const statement = { text: 'select count(*)::int as n from far', binds: [] }
    const limits = { timeoutMs: 20_000, rowsMax: 10, bytesMax: 1_000 }
    const count = async () => {
      const args = [target, { statement, access: 'read', session: {} }, limits]
      const answer = (await calls[host]({ method: 'query', args })) as {
        readonly result: { readonly rows: readonly (readonly number[])[] }
      }
      return answer.result.rows[0]?.[0] ?? 0
    }
    const before = await count()
    await servers.postgres.sql('insert into tidemark.near values (2)')
    expect(await count()).toBe(before + 1)
  })
})

describe.if(hasPostgres && hasMariadb)('TLS', () => {
  const TYPES = ['postgresql', 'mysql'] as const
  const serverOf = (type: DatabaseTarget['type']) => (type === 'mysql' ? servers.mariadb : servers.postgres)
  const ask = (
    host: (typeof HOSTS)[number],
    type: DatabaseTarget['type'],
    change: Partial<DatabaseTarget>,
  ) => {
    const database = type === 'mysql' ? 'tidemark' : 'postgres'
    const target = { ...targetOf(type, serverOf(type).port, database), ...change }
    return calls[host]({ method: 'probe', args: [target] })
  }

  test.each(TYPES)('to %s trusts the given certificate, for the names in it alone', async (type) => {
    const ca = serverOf(type).certificate
    const verified = (change: Partial<DatabaseTarget>) => ask('bun', type, { tls: 'verify-full', ...change })
    expect(await verified({ ca, host: 'db.example.org' })).toHaveProperty('result')
    for (const change of [{ host: 'db.example.org' }, { ca, host: 'other.example.org' }])
      expect(await verified(change)).toMatchObject({ code: 'source_unavailable' })
  })

  test.each(TYPES)('to %s with `require` encrypts and checks nothing', async (type) => {
    expect(await ask('bun', type, { tls: 'require' })).toHaveProperty('result')
    expect(await ask('bun', type, { tls: 'require', host: 'other.example.org' })).toHaveProperty('result')
  })

  test('to PostgreSQL is verified for addresses too', async () => {
    const ca = servers.postgres.certificate
    expect(await ask('bun', 'postgresql', { tls: 'verify-full', ca })).toHaveProperty('result')
  })

  test.each(TYPES)('to %s takes no own certificate on Workers', async (type) => {
    const ca = serverOf(type).certificate
    expect(await ask('workerd', type, { tls: 'verify-full', ca })).toMatchObject({
      code: 'tls_unsupported_here',
    })
  })

  test.each(TYPES)(
    'to %s on Workers is verified by the platform, for the names in the certificate',
    async (type) => {
      const { port } = serverOf(type)
      const probe = (call: Call, change: Partial<DatabaseTarget>) => {
        const target = { ...targetOf(type, port, type === 'mysql' ? 'tidemark' : 'postgres'), ...change }
        return call({ method: 'probe', args: [target], allowed: [`127.0.0.1:${port}`, `localhost:${port}`] })
      }
      for (const tls of ['verify-full', 'require'] as const) {
        expect(await probe(calls.workerd, { tls })).toHaveProperty('result')
        for (const [call, change] of [
          [calls.workerd, { host: 'localhost' }],
          [callStrict, {}],
        ] as const)
          expect(await probe(call, { tls, ...change })).toMatchObject({ code: 'source_unavailable' })
      }
    },
  )

  test.each(HOSTS)('on %s carries many rows, and a statement is cancelled', async (host) => {
    for (const type of TYPES) {
      const target = {
        ...targetOf(type, serverOf(type).port, type === 'mysql' ? 'tidemark' : 'postgres'),
        tls: 'require',
      }
      const { series, sleep, working } = type === 'mysql' ? MARIA : POSTGRESQL
      const query = (text: string, change: object = {}) => {
        const limits = { timeoutMs: 20_000, rowsMax: 1_000_000, bytesMax: 100_000_000 }
        const statement = { text, binds: [] }
        return calls[host]({
          method: 'query',
          args: [target, { statement, access: 'read', session: {} }, limits],
          ...change,
        })
      }
      const { result } = (await query(series(100_000))) as { result: { rows: number[][] } }
      expect([result.rows.length, result.rows.at(-1)]).toEqual([100_000, [100_000]])
      expect(await query(sleep(30), { abortAfterMs: 300 })).toMatchObject({ code: 'conflict' })
      await Bun.sleep(300)
      expect((await serverOf(type).sql(working)).trim()).toBe('0')
    }
  })
})

test.if(hasPostgres)(
  'a server that stops answering is given up, and its permit is free again',
  async () => {
    const target = {
      ...targetOf('postgresql', servers.postgres.port, 'postgres'),
      name: 'silent',
      connectionsMax: 1,
    }
    const statement = { text: 'select pg_sleep(20)', binds: [] }
    const limits = { timeoutMs: 1_000, rowsMax: 1, bytesMax: 100 }
    const args = [target, { statement, access: 'read', session: {} }, limits]
    const asking = calls.bun({ method: 'query', args })
    let backend = ''
    while (backend === '')
      backend = await servers.postgres.sql(
        `select pid from pg_stat_activity where application_name = 'tidemark' and state = 'active'`,
      )
    process.kill(Number(backend), 'SIGSTOP')
    try {
      expect(await asking).toMatchObject({ code: 'query_timeout' })
    } finally {
      process.kill(Number(backend), 'SIGCONT')
    }
    expect(await calls.bun({ method: 'probe', args: [target] })).toHaveProperty('result')
  },
  180_000,
)

/** The changes that a server in front of the real one makes to its answers. The rows of a query begin before byte 8,000. */
const LIES: readonly {
  readonly title: string
  readonly tamper: (type: DatabaseTarget['type']) => Tamper
  readonly tls?: DatabaseTarget['tls']
  readonly codes: RegExp
  /** The limit of the statement, ms: one second where only the limit ends it, or may end it. */
  readonly timeoutMs?: number
}[] = [
  { title: 'is silent from the beginning', tamper: () => () => 'silence', codes: /: source_unavailable$/ },
  { title: 'closes at once', tamper: () => () => null, codes: /: source_unavailable$/ },
  {
    title: 'speaks another protocol',
    tamper: () => () => Buffer.from('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
    codes: /: source_unavailable$/,
  },
  { title: 'refuses TLS', tamper: withoutTls, tls: 'require', codes: /: source_unavailable$/ },
  {
    title: 'dies within the rows',
    tamper: () => after(8_000, () => null),
    codes: /: source_unavailable$/,
    timeoutMs: 20_000,
  },
  {
    title: 'is silent within the rows',
    tamper: () => after(8_000, () => 'silence'),
    codes: /: query_timeout$/,
  },
  {
    title: 'claims a length that is negative or without end',
    tamper: () => after(8_000, (chunk) => Buffer.alloc(chunk.length, 0xff)),
    codes: /: (?:source_unavailable|query_timeout)$/,
  },
  {
    title: 'sends bytes of other types than it named',
    tamper: () =>
      after(8_000, (chunk) => chunk.map((byte, at) => (at % 3 === 0 ? byte ^ 0x55 : byte)) as Buffer),
    codes: /: (?:source_unavailable|query_timeout|query_failed|rows)$/,
  },
]

function after(bytes: number, tamper: (chunk: Buffer) => Buffer | null | 'silence'): Tamper {
  return (chunk, from) => (from + chunk.length < bytes ? chunk : tamper(chunk))
}

describe.if(hasPostgres && hasMariadb).each(HOSTS)('on %s a server', (host) => {
  const proxies: TamperingProxy[] = []
  afterAll(() => {
    for (const proxy of proxies) proxy.close()
  })

  /** The answer to a query through a server that lies, and then one through the same permit from the true one. */
  async function asked(
    type: DatabaseTarget['type'],
    tamper: Tamper,
    { tls = 'disable', timeoutMs: limitMs = 1_000 }: Pick<(typeof LIES)[number], 'tls' | 'timeoutMs'>,
  ) {
    const { port } = type === 'mysql' ? servers.mariadb : servers.postgres
    const proxy = await startTamperingProxy(port, tamper)
    proxies.push(proxy)
    const target = {
      ...targetOf(type, port, type === 'mysql' ? 'tidemark' : 'postgres'),
      name: `lies ${proxy.port}`,
      connectionsMax: 1,
    }
    const { series } = type === 'mysql' ? MARIA : POSTGRESQL
    const query = async (change: Partial<DatabaseTarget>, timeoutMs: number) => {
      const statement = { text: series(20_000), binds: [] }
      const limits = { timeoutMs, rowsMax: 50_000, bytesMax: 10_000_000 }
      const args = [{ ...target, ...change }, { statement, access: 'read', session: {} }, limits]
      const ports = [port, proxy.port].map((one) => `127.0.0.1:${one}`)
      return (await calls[host]({ method: 'query', args, allowed: ports })) as { code?: string }
    }
    const { code = 'rows' } = await query({ port: proxy.port, tls }, limitMs)
    const then = await query({}, 20_000)
    return [`${type}: ${code}`, then.code === undefined ? 'rows' : then] as const
  }

  test.concurrent.each(LIES)(
    'that $title is given up, and its permit is free again',
    async ({ tamper, codes, ...limits }) => {
      for (const [code, then] of await Promise.all(
        (['postgresql', 'mysql'] as const).map((type) => asked(type, tamper(type), limits)),
      )) {
        expect(code).toMatch(codes)
        expect(then).toBe('rows')
      }
    },
    180_000,
  )
})
