import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { DatabaseTarget } from '../../src/automation/runs/protocol.ts'
import type { JobView } from '../../src/automation/runs/schema.ts'
import { databaseVariables } from '../../workers/runner/database.ts'
import type { Host } from '../hosts/host.ts'
import { hasMariadb, startMariadb } from '../hosts/mariadb.ts'
import type { Mariadb } from '../hosts/mariadb.ts'
import { hasPostgres, startPostgres } from '../hosts/postgres.ts'
import type { Postgres } from '../hosts/postgres.ts'
import { startHost } from '../hosts/start.ts'
import { administratorOf } from './administrator.ts'
import { openStage as openSandboxStage, PATH } from './sandbox-stage.ts'
import { openRunnerOf, openStage } from './stage.ts'
import { until } from '../until.ts'
import type { RunnerStage } from './stage.ts'

const registrationToken = 'a-token-of-this-test-with-32-characters-or-more'
const PASSWORD = 'canary: of a "database" \\ %'
const OUTCOMES = ['succeeded', 'failed']

/** Reads and writes by what the environment says alone. */
const PYTHON = `
import os, psycopg2
connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("select sum(amount) from orders")
print("sum", cursor.fetchone()[0])
cursor.execute("select ssl from pg_stat_ssl where pid = pg_backend_pid()")
print("tls", cursor.fetchone()[0])
try:
    cursor.execute("insert into orders values (100)")
    print("written")
except psycopg2.Error as error:
    print(str(error).splitlines()[0])
print(os.environ["SVC_DATABASE_PASSWORD"])
`

const SHELL =
  'psql -qAtc "insert into orders values (7) returning amount" && psql -qAtc "select current_schema()"'

/** The server that a job reaches at a port of its host, and at a port of the machine's proxy. */
const probing = (port: number) => `
import os, socket, urllib.request
def reached(host, port):
    try:
        socket.create_connection((host, port), 5).close()
        return "reached"
    except OSError:
        return "refused"
print(reached(os.environ["SVC_DATABASE_HOST"], int(os.environ["SVC_DATABASE_PORT"])))
print(reached("127.0.0.1", ${port}))
try:
    urllib.request.urlopen("http://127.0.0.1:${port}/")
except urllib.error.HTTPError as error:
    print(error.code)
`

describe.skipIf(!hasPostgres)('a script of a real PostgreSQL', () => {
  let postgres: Postgres
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('served') })

  beforeAll(async () => {
    postgres = await startPostgres()
    await postgres.sql(`create schema shop; create table shop.orders (amount integer);
      insert into shop.orders values (1), (2);
      create role script login password '${PASSWORD}';
      grant usage on schema shop to script; grant select, insert on shop.orders to script`)
  }, 180_000)
  afterAll(async () => {
    await postgres.close()
    await other.stop(true)
  })

  describe('run by the service and a runner', () => {
    let host: Host
    let node: RunnerStage
    let call: ReturnType<typeof administratorOf>['call']
    let json: ReturnType<typeof administratorOf>['json']

    beforeAll(async () => {
      host = await startHost('bun', { TIDEMARK_RUNNER_TOKEN: registrationToken })
      ;({ call, json } = administratorOf(host.url))
      const environment = { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${postgres.port}` }
      node = await openRunnerOf({ url: host.url, registrationToken }, environment)
    }, 180_000)
    afterAll(async () => {
      await node.close()
      await host.close()
    }, 180_000)

    async function ended(
      files: Readonly<Record<string, string>>,
      { access = 'read', port = postgres.port }: { access?: string; port?: number } = {},
    ) {
      const name = crypto.randomUUID()
      const source = await json<{ id: number }>('POST', '/dataSources', {
        name,
        type: 'postgresql',
        readOnly: access === 'read',
        connection: {
          host: '127.0.0.1',
          port,
          database: 'postgres',
          schema: 'shop',
          user: 'script',
          password: PASSWORD,
        },
      })
      const script = await json<{ id: number }>('POST', '/scripts', { name })
      const path = `/scripts/${script.id}`
      for (const [file, content] of Object.entries({ ...files, 'ca.pem': postgres.certificate }))
        await call('PUT', `${path}/files/${file}`, content)
      await json('POST', `${path}/runConfigurations`, {
        name: 'one',
        kind: 'database',
        database: { dataSourceId: source.id, access },
        envVariables: [{ key: 'PGSSLROOTCERT', value: 'ca.pem' }],
      })
      const { id } = await json<JobView>('POST', `${path}/run`, {})
      const read = () => json<JobView>('GET', `${path}/jobs/${id}`)
      await until(async () => OUTCOMES.includes((await read()).state))
      const log = await json<{ lines: { text: string }[] }>('GET', `${path}/jobs/${id}/log`)
      return { job: await read(), texts: log.lines.map(({ text }) => text) }
    }

    test('in Python reads what it may, writes nothing, and shows no password', async () => {
      const { job, texts } = await ended({ 'main.py': PYTHON })
      expect({ state: job.state, texts }).toEqual({
        state: 'succeeded',
        texts: ['sum 3', 'tls True', 'cannot execute INSERT in a read-only transaction', '***'],
      })
      expect(job.isolation).toBe(node.runner.about.isolation)
      expect(JSON.stringify(job)).not.toContain('canary')
    }, 180_000)

    test('in shell writes where its configuration is for that', async () => {
      const { job, texts } = await ended({ 'run.sh': SHELL }, { access: 'write' })
      expect({ state: job.state, texts }).toEqual({ state: 'succeeded', texts: ['7', 'shop'] })
      expect(await postgres.sql('select amount from shop.orders order by 1')).toBe('1\n2\n7\n')
    }, 180_000)

    test('reaches its database and no other port', async () => {
      const { texts } = await ended({ 'main.py': probing(other.port ?? 0) })
      const isShutIn = ['full', 'reduced'].includes(node.runner.about.isolation)
      // The line of the runner may come before or after that of the script.
      const named = `127.0.0.1:${other.port} is not in \`network\` of the run configuration.`
      expect(texts.filter((text) => text !== named)).toEqual([
        'reached',
        isShutIn ? 'refused' : 'reached',
        '403',
      ])
      expect(texts).toContain(named)
    }, 180_000)

    test('does not run where the operator of the runner has not let the database be reached', async () => {
      const { job } = await ended({ 'main.py': PYTHON }, { port: other.port ?? 0 })
      expect(job).toMatchObject({
        state: 'failed',
        exitCode: null,
        error: `127.0.0.1:${other.port} has a private address, and TIDEMARK_OUTBOUND_ALLOW of the runner does not list it.`,
      })
    }, 180_000)
  })

  describe('in a sandbox', () => {
    const databaseAt = (host: string): DatabaseTarget => ({
      type: 'postgresql',
      host,
      port: postgres.port,
      database: 'postgres',
      schema: null,
      user: 'script',
      password: PASSWORD,
      tls: 'verify-full',
      access: 'read',
      timeoutMs: 5_000,
    })

    test.each([
      ['of its own network', []],
      ['that shares the network of the machine', ['namespaces']],
    ] as const)(
      '%s it is found by its name, and another name is not that of its certificate',
      async (_title, without) => {
        const stage = await openSandboxStage({
          without: new Set(without),
          outboundAllow: new Set(['db.example.org', 'other.example.org']),
          addressesOf: () => Promise.resolve(['127.0.0.1']),
        })
        const ask = async (host: string) => {
          const cwd = await stage.room()
          await writeFile(join(cwd, 'ca.pem'), postgres.certificate)
          const database = databaseAt(host)
          return stage.shell('psql -qAtc "select 1"', {
            cwd,
            writable: [cwd],
            env: { PATH, PGSSLROOTCERT: 'ca.pem' },
            tunnel: { ...database, variables: (found) => databaseVariables(database, found) },
          })
        }
        expect(await ask('db.example.org')).toMatchObject({ stdout: '1\n', stderr: '', code: 0 })
        const stranger = await ask('other.example.org')
        expect(stranger).toMatchObject({ stdout: '', code: 2 })
        expect(stranger.stderr).toContain('does not match host name "other.example.org"')
        await stage.close()
      },
      180_000,
    )

    test('that is none it is found as well', async () => {
      const stage = await openStage({
        TIDEMARK_RUNNER_ISOLATION: 'off-as-root',
        TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${postgres.port}`,
      })
      const database = { ...databaseAt('127.0.0.1'), schema: 'shop' }
      const files = { 'main.py': PYTHON, 'ca.pem': postgres.certificate }
      const env = { PGSSLROOTCERT: 'ca.pem' }
      const job = stage.service.order({ files, runner: 'python', env, database })
      expect(await job.ended).toMatchObject({ outcome: 'succeeded' })
      const texts = job.lines.map(({ text }) => text)
      expect(texts.slice(1)).toEqual(['tls True', 'cannot execute INSERT in a read-only transaction', '***'])
      // Its operator is reminded at each start.
      expect(stage.logs.filter((line) => line.includes('scripts run without isolation'))).toHaveLength(1)
      await stage.close()
    }, 180_000)
  })
})

describe.skipIf(!hasMariadb)('a script of a real MariaDB', () => {
  let mariadb: Mariadb
  let stage: Awaited<ReturnType<typeof openStage>>

  beforeAll(async () => {
    mariadb = await startMariadb()
    stage = await openStage({ TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${mariadb.port}` })
  }, 180_000)
  afterAll(async () => {
    await stage.close()
    await mariadb.close()
  })

  test('reads, writes what its user may, and shows no password', async () => {
    await mariadb.sql(`create database shop; create table shop.orders (amount int); create table shop.notes (text text);
      insert into shop.orders values (1), (2);
      create user script identified by '${PASSWORD.replaceAll('\\', '\\\\')}';
      grant select on shop.orders to script; grant insert on shop.notes to script`)
    const ask = 'mysql --no-defaults -u "$SVC_DATABASE_USER" "$SVC_DATABASE_NAME" -Nse'
    const lines = [
      `${ask} "select sum(amount) from orders"`,
      `${ask} "insert into notes values ('kept')" && echo written`,
      `${ask} "insert into orders values (3)" 2>&1 | grep -o '^ERROR [0-9]*'`,
      'echo "$MYSQL_PWD"',
    ]
    const database: DatabaseTarget = {
      type: 'mysql',
      host: '127.0.0.1',
      port: mariadb.port,
      database: 'shop',
      schema: null,
      user: 'script',
      password: PASSWORD,
      tls: 'disable',
      access: 'read',
      timeoutMs: 0,
    }
    const job = stage.service.order({ files: { 'run.sh': lines.join('\n') }, database })
    expect(await job.ended).toMatchObject({ outcome: 'succeeded' })
    expect(job.lines.map(({ text }) => text)).toEqual(['3', 'written', 'ERROR 1142', '***'])
    expect(job.started).toEqual({ isolation: stage.runner.about.isolation })
  }, 180_000)
})
