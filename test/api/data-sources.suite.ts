import { expect } from 'bun:test'

import type { Answer, Client } from './client.ts'
import { connectionTo, hasSourceServer, sourceServer } from './source-server.ts'
import { configurationOf, scriptOf, stageOf } from './runs-stage.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Source = {
  readonly id: number
  readonly name: string
  readonly readOnly: boolean
  readonly connection: Readonly<Record<string, unknown>>
}
type RunConfiguration = { readonly id: number; readonly database: object | null }

const CANARY = 'canary-of-a-data-source'
const ANOTHER = 'canary-of-another-password'
const CONNECTION = { host: 'db.example.org', database: 'sales', user: 'reader' }
const SOURCE = { type: 'postgresql', connection: { ...CONNECTION, password: CANARY } }

let made = 0

const make = (client: Client, json: object = {}) =>
  good<Source>(
    client.request('POST', '/dataSources', { json: { name: `source ${++made}`, ...SOURCE, ...json } }),
  )

const stage = once(async (client) => {
  const { id: source } = await make(client, { name: 'staged' })
  const { id: other } = await make(client, { name: 'another' })
  return { source, other }
})

const READS = ['GET /dataSources', 'GET /dataSources/{source}']
const CONNECTING = 'POST /dataSources/test'
const WRITES = [
  ['POST /dataSources', { name: 'not made', ...SOURCE }],
  ['PUT /dataSources/{source}', { name: 'not changed', ...SOURCE }],
  ['DELETE /dataSources/{source}', undefined],
  [CONNECTING, { name: 'not tried', ...SOURCE }],
  ['POST /dataSources/{source}/syncSchema', undefined],
] as const

const long = (length: number) => 'x'.repeat(length)
/** A certificate as far as its outermost bytes say. */
const CA = '-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n'
const padded = (length: number) => CA + '\n'.repeat(length - CA.length)
const longHost = (length: number) => `${'a.'.repeat(125)}b${'b'.repeat(length - 251)}`
const reached = (change: object) => ({ ...SOURCE, connection: { ...CONNECTION, ...change } })

/** Bodies that no data source is made of, each with where it is wrong. */
const WRONG: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['no name', { ...SOURCE, name: ' ' }, '/name'],
  ['a long name', { ...SOURCE, name: long(256) }, '/name'],
  ['a long description', { ...SOURCE, description: long(4_001) }, '/description'],
  ['no type', { connection: CONNECTION }, '/type'],
  ...['xlsx', 'script', 'foreign', 'oracle'].map(
    (type) => [`the type ${type}`, { ...SOURCE, type }, '/type'] as const,
  ),
  ['no connection', { type: 'postgresql' }, '/connection'],
  ['no host', { ...SOURCE, connection: { database: 'd', user: 'u' } }, '/connection/host'],
  ['a long host', reached({ host: longHost(254) }), '/connection/host'],
  ...['', 'db:5432', '[::1]', 'a b', '127.1', 'postgresql://db', 'db/x', 'u@db'].map(
    (host) => [`the host ${host}`, reached({ host }), '/connection/host'] as const,
  ),
  ...[0, 65_536, 1.5, '5432'].map(
    (port) => [`the port ${port}`, reached({ port }), '/connection/port'] as const,
  ),
  ...['database', 'user', 'schema'].flatMap((field) =>
    ['', long(129), 'a\nb'].map(
      (text) => [`${field} of ${text.length}`, reached({ [field]: text }), `/connection/${field}`] as const,
    ),
  ),
  ['no database', { ...SOURCE, connection: { host: 'db', user: 'u' } }, '/connection/database'],
  ['no user', { ...SOURCE, connection: { host: 'db', database: 'd' } }, '/connection/user'],
  ['an empty password', reached({ password: '' }), '/connection/password'],
  ['a long password', reached({ password: long(1_025) }), '/connection/password'],
  ['a password with NUL', reached({ password: 'a\0b' }), '/connection/password'],
  ['an unknown tls', reached({ tls: 'prefer' }), '/connection/tls'],
  ['a schema of MySQL', { ...reached({ schema: 'public' }), type: 'mysql' }, '/connection/schema'],
  ...['30', 'PT-1S', 'P1M', 'PT1H0.001S'].map(
    (timeout) => [`the timeout ${timeout}`, { ...SOURCE, timeout }, '/timeout'] as const,
  ),
  ['an unknown mode of scopes', { ...SOURCE, scopeMode: 'none' }, '/scopeMode'],
  ['row security of MySQL', { ...SOURCE, type: 'mysql', scopeMode: 'native' }, '/scopeMode'],
  ['readOnly as a text', { ...SOURCE, readOnly: 'yes' }, '/readOnly'],
  ['a field that is none', { ...SOURCE, cacheTtl: 'PT1S' }, '/cacheTtl'],
  ['certificates that are none', reached({ ca: '/etc/ssl/ca.pem' }), '/connection/ca'],
  ['a private key', reached({ ca: CA.replaceAll('CERTIFICATE', 'PRIVATE KEY') }), '/connection/ca'],
  ['long certificates', reached({ ca: padded(16_385) }), '/connection/ca'],
  ['certificates that nothing checks', reached({ ca: CA, tls: 'require' }), '/connection/ca'],
  ...[0, 61, 1.5, '2'].map(
    (maxConnections) =>
      [`${maxConnections} connections`, reached({ maxConnections }), '/connection/maxConnections'] as const,
  ),
  ['a field of a connection that is none', reached({ via: 'direct' }), '/connection/via'],
]

const rows: readonly Row[] = [
  ...READS.flatMap((call): Row[] => [
    { title: 'a request without credentials', call, as: null, answers: 'unauthenticated' },
    ...(['editor', 'collector', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      as,
      answers: 'forbidden',
    })),
    { title: 'Data_Editor', call, as: 'Data_Editor', answers: 200 },
  ]),
  ...WRITES.flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['editor', 'Data_Editor', 'collector', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...WRONG.flatMap(([title, json, ...pointers]): Row[] =>
    ['POST /dataSources', 'PUT /dataSources/{source}', CONNECTING].map((call) => ({
      title,
      call,
      json: { name: 'wrong', ...json },
      answers: 'invalid',
      pointers,
    })),
  ),
  ...['POST /dataSources', 'PUT /dataSources/{source}'].map((call): Row => ({
    title: 'a name that is taken',
    call,
    json: { ...SOURCE, name: 'ANOTHER' },
    answers: 'name_taken',
    pointers: ['/name'],
  })),
  {
    title: 'an old version',
    call: 'PUT /dataSources/{source}',
    json: { name: 'staged', ...SOURCE },
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
  { title: 'what is not there', call: 'GET /dataSources/999999', answers: 'not_found' },
  {
    title: 'what is not there',
    call: 'PUT /dataSources/999999',
    json: { name: 'x', ...SOURCE },
    answers: 'not_found',
  },
  { title: 'what is not there', call: 'DELETE /dataSources/999999', answers: 'not_found' },
  ...['GET /dataSources/{source}/columns', 'GET /dataSources/{source}/tables'].flatMap((call): Row[] => [
    { title: 'a request without credentials', call, as: null, answers: 'unauthenticated' },
    ...(['editor', 'collector', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      as,
      answers: 'forbidden',
    })),
    { title: 'what is not there', call: call.replace('{source}', '999999'), answers: 'not_found' },
  ]),
  { title: 'what is not there', call: 'POST /dataSources/999999/syncSchema', answers: 'not_found' },
  { title: 'no flag', call: 'DELETE /dataSources/{source}?forceDelete=1', answers: 'invalid' },
]

const kept: Scenario[] = [
  {
    title:
      'a data source is added, read, listed, changed by what was read, and taken away; its password is in no answer',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const added = await client.request('POST', '/dataSources', { json: { name: ' Büros ', ...SOURCE } })
      expectAnswer(added, { answers: 201 })
      const source = added.body as Source
      expect(source).toMatchObject({
        name: 'Büros',
        description: '',
        type: 'postgresql',
        readOnly: true,
        timeout: 'PT30S',
        scopeMode: 'filters',
        connection: { ...CONNECTION, port: 5_432, schema: null, tls: 'verify-full', passwordSet: true },
      })
      const path = added.headers.get('location') ?? ''
      expect(path).toBe(`/dataSources/${source.id}`)
      const one = await client.request('GET', path, { as: 'Data_Editor' })
      expect(one.body).toEqual(added.body)
      const list = await client.request('GET', '/dataSources', { as: 'Data_Editor' })
      expect((list.body as { items: Source[] }).items).toContainEqual(source)
      const changed = await client.request('PUT', path, {
        json: { ...source, name: 'Offices', readOnly: false, timeout: 'PT0S' },
        headers: { 'if-match': one.headers.get('etag') ?? '' },
      })
      expect(changed.body).toMatchObject({
        id: source.id,
        name: 'Offices',
        readOnly: false,
        timeout: 'PT0S',
        connection: source.connection,
      })
      const late = await client.request('PUT', path, {
        json: source,
        headers: { 'if-match': one.headers.get('etag') ?? '' },
      })
      expectAnswer(late, { answers: 'precondition_failed' })
      for (const answer of [added, one, list, changed, late]) expect(answer.text).not.toContain(CANARY)
      expectAnswer(await client.request('DELETE', path), { answers: 204 })
      expectAnswer(await client.request('GET', path), { answers: 'not_found' })
    },
  },
  {
    title: 'a password stays unless another one is sent, null takes it away, and the record tells of neither',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const { id } = await make(client, { name: 'rotated' })
      const put = async (change: object) => {
        const json = { name: 'rotated', ...reached(change) }
        const { connection } = await good<Source>(client.request('PUT', `/dataSources/${id}`, { json }))
        return connection['passwordSet']
      }
      expect(await put({})).toBe(true)
      expect(await put({ password: ANOTHER })).toBe(true)
      for (const elsewhere of [{ host: 'db.example.net' }, { port: 5_433 }, { tls: 'disable' }]) {
        const json = { name: 'rotated', ...reached(elsewhere) }
        const sent = await client.request('PUT', `/dataSources/${id}`, { json })
        expectAnswer(sent, { answers: 'invalid', pointers: ['/connection/password'] })
      }
      expect(await put({ password: null })).toBe(false)
      expect(await put({})).toBe(false)
      const record = await client.request('GET', `/audit?objectType=dataSource&objectId=${id}`)
      const { items } = record.body as { items: { action: string; before: object; after: object }[] }
      expect(items.map(({ action, after }) => [action, Object.keys(after)])).toEqual([
        ['update', []],
        ['update', ['password']],
        ['update', ['password']],
        ['update', []],
        ['create', ['name', 'description', 'type', 'readOnly', 'timeout', 'scopeMode', 'connection', 'ca']],
      ])
      expect(items.at(-1)?.after).toMatchObject({ connection: CONNECTION })
      expect(record.text).not.toContain('canary')
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title: 'everything may be as long and as large as it is said, and as short',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const largest = {
        name: long(255),
        description: long(4_000),
        timeout: 'PT1H',
        connection: {
          host: longHost(253),
          port: 65_535,
          database: long(128),
          schema: long(128),
          user: long(128),
          password: long(1_024),
          tls: 'verify-full',
          ca: padded(16_384),
          maxConnections: 60,
        },
      }
      const { password: _, ...shown } = largest.connection
      const large = await make(client, largest)
      expect(large).toMatchObject({ ...largest, connection: shown })
      const smallest = {
        name: 'x',
        type: 'mysql',
        timeout: 'PT0S',
        connection: {
          host: '2001:DB8::0:1',
          port: 1,
          database: 'd',
          user: 'u',
          password: 'p',
          tls: 'require',
          ca: null,
          maxConnections: 1,
        },
      }
      const small = await make(client, smallest)
      expect(small.connection).toMatchObject({
        host: '2001:db8::1',
        port: 1,
        schema: null,
        ca: null,
        maxConnections: 1,
      })
      const { connection } = await make(client, { name: 'y', type: 'mysql', connection: CONNECTION })
      expect(connection).toMatchObject({ port: 3_306, passwordSet: false, ca: null, maxConnections: 10 })
      const { items } = await good<{ items: Source[] }>(client.request('GET', '/dataSources'))
      for (const { id, name } of items)
        if (['x', 'y', large.name].includes(name)) await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
]

/** A script with a configuration that names a data source. */
async function naming(client: Client, source: Source, access = 'read') {
  const scriptId = await scriptOf(client)
  const id = await configurationOf(client, scriptId, {
    kind: 'database',
    database: { dataSourceId: source.id, access },
  })
  const path = `/scripts/${scriptId}/runConfigurations/${id}`
  const own = await good<RunConfiguration>(client.request('GET', path))
  const put = (change: object, as: 'administrator' | 'Data_Editor' = 'administrator') =>
    client.request('PUT', path, { json: { ...own, ...change }, as })
  return { scriptId, id, own, put }
}

const named: Scenario[] = [
  {
    title: 'a run configuration names a data source that is there, and writes to none that is read-only',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const { id: closed } = await make(client)
      const open = await make(client, { readOnly: false })
      const { own, put } = await naming(client, open)
      expect(own).toMatchObject({ kind: 'database', database: { dataSourceId: open.id, access: 'read' } })
      const writing = { dataSourceId: open.id, access: 'write' }
      expect((await put({ database: writing })).body).toMatchObject({ database: writing })
      const refused = async (database: object, pointer: string) =>
        expectAnswer(await put({ database }), { answers: 'invalid', pointers: [pointer] })
      await refused({ dataSourceId: 999_999 }, '/database/dataSourceId')
      await refused({ dataSourceId: closed, access: 'write' }, '/database/access')
      await refused({ dataSourceId: closed, access: 'all' }, '/database/access')
      await refused({ dataSourceId: 'sales' }, '/database/dataSourceId')
      await refused({}, '/database/dataSourceId')
    },
  },
  {
    title:
      'administrators say which data source a script uses; who edits configurations leaves it, or asks for less',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const source = await make(client, { readOnly: false })
      const other = await make(client, { readOnly: false })
      const { scriptId, put } = await naming(client, source, 'write')
      const at = `/scripts/${scriptId}/runConfigurations`
      const database = (dataSourceId: number, access: string) => ({ database: { dataSourceId, access } })
      const as = 'Data_Editor'
      const json = { name: 'mine', kind: 'database', ...database(source.id, 'read') }
      expectAnswer(await client.request('POST', at, { json, as }), { answers: 'forbidden' })
      expectAnswer(await put(database(other.id, 'read'), as), { answers: 'forbidden' })
      // Whether it is there is not told either.
      expectAnswer(await put(database(999_999, 'read'), as), { answers: 'forbidden' })
      expectAnswer(await put({ arguments: ['x'] }, as), { answers: 200 })
      expectAnswer(await put(database(source.id, 'read'), as), { answers: 200 })
      expectAnswer(await put(database(source.id, 'write'), as), { answers: 'forbidden' })
      expectAnswer(await put({ kind: 'standard', database: null }, as), { answers: 200 })
      expectAnswer(await put(database(source.id, 'read'), as), { answers: 'forbidden' })
    },
  },
  {
    title: 'what run configurations name goes by force alone, and they stay as they are',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const source = await make(client)
      const { scriptId, id, own, put } = await naming(client, source)
      const refused = await client.request('DELETE', `/dataSources/${source.id}`)
      expectAnswer(refused, { answers: 'has_dependents', pointers: ['/dependents/0'] })
      expect(refused.text).toContain(`the run configuration ${id}, `)
      expect(refused.text).toContain(`of script ${scriptId}, `)
      expectAnswer(await client.request('DELETE', `/dataSources/${source.id}?forceDelete=false`), {
        answers: 'has_dependents',
      })
      expectAnswer(await client.request('DELETE', `/dataSources/${source.id}?forceDelete=true`), {
        answers: 204,
      })
      const path = `/scripts/${scriptId}/runConfigurations/${id}`
      expect(await good<RunConfiguration>(client.request('GET', path))).toEqual(own)
      expectAnswer(await put({}), { answers: 'invalid', pointers: ['/database/dataSourceId'] })
      expectAnswer(await put({ kind: 'standard', database: null }), { answers: 200 })
    },
  },
]

const runs: Scenario[] = [
  {
    title: 'a run is given the connection as it is when it is assigned, with the password',
    async run(client) {
      const source = await make(client, {
        timeout: 'PT5S',
        readOnly: false,
        connection: { ...CONNECTION, schema: 'eu', password: CANARY },
      })
      const database = { dataSourceId: source.id, access: 'write' }
      const { order, runner, read: readJob } = await stageOf(client, { kind: 'database', database })
      const first = await order()
      const held = await runner.next()
      expect(held.assignment.database).toEqual({
        type: 'postgresql',
        ...CONNECTION,
        port: 5_432,
        schema: 'eu',
        tls: 'verify-full',
        password: CANARY,
        access: 'write',
        timeoutMs: 5_000,
      })
      await held.begin()
      await held.finish()
      const second = await order()
      const json = { ...source, connection: { ...source.connection, port: 6_432, password: ANOTHER } }
      await good(client.request('PUT', `/dataSources/${source.id}`, { json }))
      const again = await runner.next()
      expect(again.assignment.database).toMatchObject({ port: 6_432, password: ANOTHER })
      await again.begin()
      await again.finish()
      for (const { id } of [first, second]) expect(await readJob(id)).toMatchObject({ state: 'succeeded' })
      const plain = await stageOf(client)
      await plain.order()
      const other = await plain.runner.next()
      expect(other.assignment.database).toBeNull()
      await other.begin()
      await other.finish()
    },
  },
  {
    title: 'a run fails that waits while its data source goes, or becomes read-only',
    async run(client) {
      const endAfter = async (change: (source: Source) => Promise<unknown>) => {
        const source = await make(client, { readOnly: false })
        const database = { dataSourceId: source.id, access: 'write' }
        const { order, runner, read } = await stageOf(client, { kind: 'database', database })
        const { id } = await order()
        await change(source)
        const leaving = new AbortController()
        const polling = runner.poll(1, [], leaving.signal).catch(() => [])
        while ((await read(id)).state === 'queued') await Bun.sleep(5)
        leaving.abort()
        await polling
        return { source, job: await read(id) }
      }
      const closed = await endAfter((source) =>
        good(client.request('PUT', `/dataSources/${source.id}`, { json: { ...source, readOnly: true } })),
      )
      expect(closed.job).toMatchObject({
        state: 'failed',
        startedAt: null,
        error: `The data source ${closed.source.name} is read-only, but the run configuration requests write access.`,
      })
      const gone = await endAfter(({ id }) =>
        good(client.request('DELETE', `/dataSources/${id}?forceDelete=true`)),
      )
      expect(gone.job).toMatchObject({
        state: 'failed',
        startedAt: null,
        error: `The data source ${gone.source.id} no longer exists.`,
      })
    },
  },
]

/** The connection to the server under test. */
const reachable = (change: object = {}) => connectionTo('eu', change)

const NAPPING = `select count(*) from pg_stat_activity where application_name = 'tidemark' and query like '%naps%' and state = 'active'`

const connected: Scenario[] = [
  {
    title: 'a test of a connection tells the version, and what is wrong, and keeps nothing',
    async run(client) {
      const test = async (change: object, more: object = {}) => {
        const json = { name: 'tried', type: 'postgresql', connection: reachable(change), ...more }
        const answer = await client.request('POST', '/dataSources/test', { json })
        expectAnswer(answer, { answers: 200 })
        expect(answer.text).not.toContain('canary')
        return answer.body
      }
      expect(await test({})).toMatchObject({
        ok: true,
        writable: false,
        problem: null,
        warnings: ['unencrypted'],
      })
      expect((await test({}))['serverVersion']).toMatch(/^\d+\.\d+/)
      expect(await test({}, { readOnly: false })).toMatchObject({
        warnings: ['read_only_user', 'unencrypted'],
      })
      const problem = (code: string) => ({
        ok: false,
        serverVersion: null,
        writable: null,
        problem: { code },
      })
      expect(await test({ password: 'canary of a wrong one' })).toMatchObject(problem('source_unavailable'))
      expect(await test({ database: 'absent' })).toMatchObject(problem('source_unavailable'))
      expect(await test({ tls: 'verify-full' })).toMatchObject(problem('source_unavailable'))
      expect(await test({ port: 1 })).toMatchObject(problem('forbidden'))
      const { items } = await good<{ items: Source[] }>(client.request('GET', '/dataSources'))
      expect(items.map(({ name }) => name)).not.toContain('tried')
    },
  },
  {
    title: 'the certificates of a data source are trusted in place of the public ones, on Workers never',
    async run(client) {
      const test = async (change: object) => {
        const connection = reachable({ tls: 'verify-full', ...change })
        const json = { name: 'tried', type: 'postgresql', connection }
        return (await client.request('POST', '/dataSources/test', { json })).body
      }
      const problem = (code: string) => ({ ok: false, problem: { code } })
      const own = { ca: sourceServer().certificate }
      if (client.host.name === 'edge') {
        expect(await test(own)).toMatchObject(problem('tls_unsupported_here'))
        return
      }
      expect(await test(own)).toMatchObject({ ok: true, warnings: [] })
      // The certificate is not of an authority.
      expect(await test({ ca: CA })).toMatchObject(problem('source_unavailable'))
      const { id, connection } = await make(client, { connection: reachable({ tls: 'verify-full', ...own }) })
      expect(connection).toMatchObject(own)
      expectAnswer(await client.request('GET', `/dataSources/${id}/columns`), { answers: 200 })
      const [entry] = (
        (await client.request('GET', `/audit?objectType=dataSource&objectId=${id}`)).body as {
          items: { after: object }[]
        }
      ).items
      expect(entry?.after).toMatchObject(own)
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title: 'a data source has as many connections at once as it may',
    async run(client) {
      await sourceServer().sql(
        `create schema slow; create view slow.naps as select pg_sleep(12)::text as nap; grant usage on schema slow to reader; grant select on slow.naps to reader`,
      )
      const sources = await Promise.all(
        [1, 2].map((maxConnections) =>
          make(client, { connection: reachable({ schema: 'slow', maxConnections }) }),
        ),
      )
      const outcomes = sources.map(async ({ id }) => {
        const naps = client.request('POST', `/dataSources/${id}/tables/naps/select?wait=PT0S`, { json: {} })
        const operation = (await naps).headers.get('location') ?? ''
        while (Number(await sourceServer().sql(NAPPING)) < sources.length) await Bun.sleep(20)
        const columns = await client.request('POST', `/dataSources/${id}/syncSchema`)
        await good(client.request('DELETE', operation))
        return columns
      })
      const [one, two] = await Promise.all(outcomes)
      expectAnswer(one as Answer, { answers: 'pool_exhausted' })
      expectAnswer(two as Answer, { answers: 200 })
      for (const { id } of sources) await good(client.request('DELETE', `/dataSources/${id}`))
      await sourceServer().sql('drop schema slow cascade')
    },
  },
  {
    title: 'no private host is reached unless the operator allows it, whatever name it has',
    async run(client) {
      for (const host of ['localhost', '10.0.0.1', '::1', 'db.internal', '169.254.169.254']) {
        const json = { name: 'tried', type: 'mysql', connection: { ...CONNECTION, host } }
        const answer = await client.request('POST', '/dataSources/test', { json })
        const code = client.host.name === 'edge' ? /^(?:forbidden|tls_unsupported_here)$/ : /^forbidden$/
        expect((answer.body['problem'] as { code: string }).code).toMatch(code)
      }
      const { id } = await make(client, { connection: { ...CONNECTION, host: '10.0.0.1' } })
      expectAnswer(await client.request('GET', `/dataSources/${id}/columns`), { answers: 'forbidden' })
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title:
      'the columns of a data source are those of its schema that its user may read, with types and comments',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const source = await make(client, { connection: reachable() })
      const columns = () => client.request('GET', `/dataSources/${source.id}/columns`, { as: 'Data_Editor' })
      const first = await columns()
      expect(first.body as unknown).toEqual([
        column('orders', 1, { name: 'id', type: 'integer', nativeType: 'bigint', nullable: false }),
        column('orders', 2, { name: 'region', nativeType: 'character varying(20)', comment: 'Where' }),
        column('orders', 3, {
          name: 'placed',
          type: 'datetime',
          nativeType: 'timestamp with time zone',
          nullable: false,
        }),
        column('regions', 1, { name: 'region', nativeType: 'character varying(20)' }),
      ])
      await sourceServer().sql('alter table eu.orders add column late int')
      await Bun.sleep(1_100)
      expect((await columns()).text).toContain('"late"')
      await sourceServer().sql('alter table eu.orders drop column late')
      await good(client.request('DELETE', `/dataSources/${source.id}`))
      const wrong = await make(client, { connection: reachable({ password: 'wrong' }) })
      expectAnswer(await client.request('GET', `/dataSources/${wrong.id}/columns`), {
        answers: 'source_unavailable',
      })
      await good(client.request('DELETE', `/dataSources/${wrong.id}`))
    },
  },
]

const listed: Scenario[] = [
  {
    title:
      'the tables of a data source are those of its schema that its user may read, with comments and estimates of rows',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      await sourceServer().sql(
        'insert into eu.orders select n, null, now() from generate_series(1, 7) n; analyze eu.orders',
      )
      const { id } = await make(client, { connection: reachable() })
      const tables = await client.request('GET', `/dataSources/${id}/tables`, { as: 'Data_Editor' })
      const none = { annotations: {}, etag: null, refresh: null }
      expect(tables.body as unknown).toEqual([
        { ...none, name: 'orders', kind: 'table', comment: 'Orders', approximateRows: 7, columns: 3 },
        { ...none, name: 'regions', kind: 'view', comment: null, approximateRows: null, columns: 1 },
      ])
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
  {
    title:
      'a sync lists the tables that are new, gone and changed since the last one, and is in listings at once',
    decidedAbovePorts: 'settings of data sources',
    async run(client) {
      const { id } = await make(client, { connection: reachable() })
      const sync = () => good<object>(client.request('POST', `/dataSources/${id}/syncSchema`))
      const none = { added: [], removed: [], changed: [], unmatchedNotes: [] }
      expect(await sync()).toMatchObject({ ...none, tables: 2, columns: 4, added: ['orders', 'regions'] })
      await sourceServer().sql('insert into eu.orders values (99, null, now()); analyze eu.orders')
      expect(await sync()).toMatchObject({ ...none, tables: 2, columns: 4 })
      await sourceServer().sql(
        `create table eu.fresh (id int); grant select on eu.fresh to reader; comment on column eu.orders.id is 'Number'`,
      )
      expect(await sync()).toMatchObject({ ...none, tables: 3, added: ['fresh'], changed: ['orders'] })
      expect((await client.request('GET', `/dataSources/${id}/tables`)).text).toContain('"fresh"')
      await sourceServer().sql('drop table eu.fresh; comment on column eu.orders.id is null')
      expect(await sync()).toMatchObject({ ...none, removed: ['fresh'], changed: ['orders'] })
      const record = await client.request('GET', `/audit?objectType=dataSource&objectId=${id}&action=sync`)
      const { items } = record.body as { items: { after: object }[] }
      expect(items.map(({ after }) => after)).toEqual([
        { added: 0, removed: 1, changed: 1 },
        { added: 1, removed: 0, changed: 1 },
        { added: 0, removed: 0, changed: 0 },
        { added: 2, removed: 0, changed: 0 },
      ])
      await good(client.request('DELETE', `/dataSources/${id}`))
    },
  },
]

function column(of: string, position: number, change: object): object {
  const [tableKind, tableComment] = of === 'orders' ? ['table', 'Orders'] : ['view', null]
  const fields = { table: of, tableKind, tableComment, position }
  return { ...fields, type: 'string', nullable: true, comment: null, annotations: {}, ...change }
}

export const dataSourcesSuite: Suite = {
  name: 'data sources',
  scenarios: [
    ...table(stage, rows),
    ...kept,
    ...named,
    ...(hasSourceServer ? [...connected, ...listed] : []),
    ...runs,
  ],
}
