import { expect } from 'bun:test'

import type { Answer, Body, Client } from './client.ts'
import { good, statusesOf } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'
import { makeDevice } from './tree-stage.ts'

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }
const WRITERS = 20

type Made = { readonly id: number }

/** A new object, and how a test reads and patches it. */
type Patched = {
  readonly what: string
  readonly make: (client: Client) => Promise<string>
  /** Makes the read answer everything that a body may have. */
  readonly query?: string
  readonly patch: Body
  /** A field that reads show and only the service sets. */
  readonly shown?: string
}

let count = 0

async function made(client: Client, path: string, json: object): Promise<string> {
  const { id } = await good<Made>(
    client.request('POST', path, { json: { name: `patched ${++count}`, ...json } }),
  )
  return `${path.split('?', 1)[0] ?? ''}/${id}`
}

const script = (client: Client) => made(client, '/scripts', {})

const PATCHED: readonly Patched[] = [
  {
    what: 'a group',
    make: (client) =>
      made(client, '/groups?parentId=1', { isTemplate: true, properties: [{ key: 'a', value: 'b' }] }),
    patch: { name: 'renamed group' },
    shown: 'hasChildren',
  },
  {
    what: 'a device',
    make: (client) =>
      made(client, '/devices?parentId=1', { address: '192.0.2.1', parameter: { a: 1, b: 2 } }),
    patch: { netmask: '255.255.255.0' },
    shown: 'templateId',
  },
  {
    what: 'a job',
    make: async (client) =>
      made(client, `/jobs?parentId=${await makeDevice(client)}`, {
        interval: 'PT1M',
        parameters: { timeout: 'PT5M', returnValue: [{ valueName: 'load', valueUnit: '%' }] },
        thresholds: {
          major: { mode: 'or', conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] },
        },
      }),
    query: '?thresholds=true',
    patch: { name: 'renamed job' },
    shown: 'errorCode',
  },
  {
    what: 'a service level object',
    make: (client) => made(client, '/slos?parentId=1', { major: 2, parameters: { costsPerMin: 3 } }),
    patch: { isReason: true },
    shown: 'currentState',
  },
  {
    what: 'a service level container',
    make: (client) => made(client, '/slcs?parentId=1', { limit: 99, target: 99.5 }),
    patch: { warnAt: 50 },
    shown: 'currentState',
  },
  {
    what: 'maintenance',
    make: async (client) =>
      made(client, `/devices/${await makeDevice(client)}/revaluations`, {
        begin: '2040-01-01T00:00:00Z',
        end: '2040-01-02T00:00:00Z',
        incident: 'T-1',
      }),
    patch: { comment: 'patched' },
    shown: 'createdBy',
  },
  {
    what: 'a user',
    make: async (client) => {
      const json = { username: `patched-${++count}`, password: 'a long password', role: 'editor', phone: '1' }
      const { id } = await good<Made>(client.request('POST', '/users', { json }))
      return `/users/${id}`
    },
    patch: { fullname: 'A. Patched' },
    shown: 'id',
  },
  {
    what: 'a user group',
    make: (client) => made(client, '/userGroups', {}),
    // Names of user groups are unique.
    get patch() {
      return { name: `renamed ${++count}` }
    },
    shown: 'id',
  },
  {
    what: 'a recipient',
    make: (client) =>
      made(client, '/alarmrecipients', {
        type: 'email',
        target: { addresses: ['a@example.org'] },
        minState: 'major',
      }),
    patch: { recovery: false },
    shown: 'lastResult',
  },
  {
    what: 'a data source',
    make: (client) =>
      made(client, '/dataSources', {
        type: 'mysql',
        connection: { host: 'db.example.org', database: 'd', user: 'u', password: 'secret' },
      }),
    patch: { description: 'patched' },
    shown: 'createdAt',
  },
  { what: 'a script', make: script, patch: { timeout: 60 }, shown: 'runner' },
  {
    what: 'the settings of a script',
    make: async (client) => `${await script(client)}/settings`,
    patch: { description: 'patched' },
  },
  {
    what: 'a run configuration',
    make: async (client) =>
      made(client, `${await script(client)}/runConfigurations`, {
        arguments: ['a'],
        envVariables: [{ key: 'API_TOKEN', value: 'secret' }],
      }),
    patch: { retries: 2 },
    shown: 'createdAt',
  },
  {
    what: 'a schedule configuration',
    make: async (client) =>
      made(client, `${await script(client)}/scheduleConfigurations`, {
        cron: '0 0 * * *',
        misfire: 'run_once',
      }),
    patch: { enabled: false },
    shown: 'nextRuns',
  },
  {
    what: 'a group of scripts',
    make: (client) => made(client, '/scripts/groups', { description: 'kept' }),
    patch: { description: 'patched' },
    shown: 'createdAt',
  },
]

const patch = (client: Client, path: string, json: Body, headers: Record<string, string> = {}) =>
  client.request('PATCH', path, {
    text: JSON.stringify(json),
    headers: { ...MERGE_PATCH, ...headers },
  })

const refusal = ({ status, body }: Answer) => [
  status,
  body['code'],
  ...((body['errors'] ?? []) as { pointer: string }[]).map(({ pointer }) => pointer),
]

/** The fields of each object, without those that follow from a change. */
function lasting(body: Body): Body {
  const { updatedAt: _updatedAt, nextRuns: _nextRuns, ...rest } = body
  return rest
}

const ofEach: readonly Scenario[] = PATCHED.flatMap(({ what, make, query = '', patch: change, ...facts }) => [
  {
    title: `PATCH of ${what} changes the fields in its body, and no others`,
    async run(client) {
      const path = await make(client)
      const { body: before } = await client.request('GET', path + query)
      const answer = await patch(client, path, change)
      expect(answer.status, answer.text).toBe(200)
      const after = await client.request('GET', path + query)
      expect(lasting(after.body)).toEqual(lasting({ ...before, ...change }))
      expect(lasting(answer.body)).toMatchObject(change)
      expect(answer.headers.get('etag')).toBe(after.headers.get('etag'))
      const asJson = await client.request('PATCH', path, { json: {} })
      expect(asJson.status, asJson.text).toBe(200)
      const again = await client.request('GET', path + query)
      expect(lasting(again.body)).toEqual(lasting(after.body))
    },
  },
  {
    title: `PATCH of ${what} rejects unknown fields, read-only fields, and other media types`,
    decidedAbovePorts: 'patches',
    async run(client) {
      const path = await make(client)
      const before = await client.request('GET', path + query)
      expect(refusal(await patch(client, path, { unknown: 1 }))).toEqual([422, 'invalid', '/unknown'])
      if (facts.shown !== undefined) {
        const shown = { [facts.shown]: 'another' }
        expect(refusal(await patch(client, path, shown))).toEqual([422, 'invalid', `/${facts.shown}`])
        const same = await patch(client, path, { [facts.shown]: before.body[facts.shown] })
        expect(same.status, same.text).toBe(200)
      }
      const text = await client.request('PATCH', path, {
        text: '{}',
        headers: { 'content-type': 'application/json-patch+json' },
      })
      expect(refusal(text)).toEqual([415, 'unsupported_media_type'])
      const after = await client.request('GET', path + query)
      expect(lasting(after.body)).toEqual(lasting(before.body))
    },
  },
])

const ofVersions: readonly Scenario[] = PATCHED.map(({ what, make, patch: change }) => ({
  title: `PATCH, PUT and DELETE of ${what} obey If-Match`,
  decidedAbovePorts: 'patches',
  async run(client) {
    const path = await make(client)
    const { body, headers } = await client.request('GET', path)
    const old = headers.get('etag') ?? ''
    const weak = await patch(client, path, change, { 'if-match': `W/${old}` })
    expect(weak.status, weak.text).toBe(200)
    const stale = { 'if-match': old }
    const now = await client.request('GET', path)
    expect(now.headers.get('etag')).not.toBe(old)
    expect(refusal(await patch(client, path, change, stale))).toEqual([412, 'precondition_failed'])
    const put = await client.request('PUT', path, { json: body, headers: stale })
    expect(refusal(put)).toEqual([412, 'precondition_failed'])
    expect((await client.request('GET', path)).body).toEqual(now.body)
    if (path.endsWith('/settings')) return
    const gone = await client.request('DELETE', path, { headers: stale })
    expect(refusal(gone)).toEqual([412, 'precondition_failed'])
    expect((await client.request('GET', path)).status).toBe(200)
    const fresh = { 'if-match': (await client.request('GET', path)).headers.get('etag') ?? '' }
    expect((await client.request('DELETE', path, { headers: fresh })).status).toBe(204)
    expect((await client.request('GET', path)).status).toBe(404)
  },
}))

const races: readonly Scenario[] = [
  {
    title: 'concurrent patches of different fields are all stored',
    async run(client) {
      const path = await made(client, '/devices?parentId=1', {})
      const fields = ['address', 'netmask', 'deviceName']
      const answers = await Promise.all(fields.map((field) => patch(client, path, { [field]: field })))
      expect(statusesOf(answers)).toEqual([200, 200, 200])
      expect(await good(client.request('GET', path))).toMatchObject({
        address: 'address',
        netmask: 'netmask',
        deviceName: 'deviceName',
      })
    },
  },
  ...PATCHED.slice(0, 5).map(({ what, make }): Scenario => ({
    title: `each of many concurrent replacements of ${what} gets its own result`,
    decidedAbovePorts: 'concurrent replacements',
    async run(client) {
      const path = await make(client)
      const { body: before } = await client.request('GET', path)
      const names = Array.from({ length: WRITERS }, (_, index) => `writer ${index}`)
      const answers = await Promise.all(
        names.map((name) =>
          client.request('PUT', path, {
            json: { ...before, name, properties: [{ key: name, value: name }] },
          }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
      expect(answers.map(({ body }) => body['name'])).toEqual(names)
      for (const [index, { body }] of answers.entries())
        expect(body['properties']).toMatchObject([{ key: names[index], value: names[index] }])
      expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(WRITERS)
    },
  })),
]

const fields: readonly Scenario[] = [
  {
    title: 'null in a patch sets the default, or null if that is a value; a required field stays',
    decidedAbovePorts: 'patches',
    async run(client) {
      const job = await made(client, `/jobs?parentId=${await makeDevice(client)}`, {
        interval: 'PT1M',
        stopped: true,
        thresholds: null,
        flapping: {},
      })
      const cleared = { interval: null, stopped: null, flapping: null, parameters: { timeout: null } }
      const patched = await patch(client, job, cleared)
      expect(patched.status, patched.text).toBe(200)
      expect(patched.body).toMatchObject({ interval: 'PT0S', stopped: false, flapping: null })
      expect(refusal(await patch(client, job, { name: null }))).toEqual([422, 'invalid', '/name'])
      const slc = await made(client, '/slcs?parentId=1', { limit: 99, target: 99.5 })
      expect((await patch(client, slc, { target: null })).body['target']).toBeNull()
      expect(refusal(await patch(client, slc, { timezone: null }))).toEqual([422, 'invalid', '/timezone'])
    },
  },
  {
    title: 'null in a patch of the thresholds removes a severity and keeps the others',
    decidedAbovePorts: 'patches',
    async run(client) {
      const limit = (value: number) => ({
        mode: 'or',
        conditions: [{ key: 'returnValue1', operator: '>', value }],
      })
      const job = await made(client, `/jobs?parentId=${await makeDevice(client)}`, {
        parameters: { returnValue: [{ valueName: 'load' }] },
        thresholds: { major: limit(90), minor: limit(80), warning: limit(70) },
      })
      const severities = async (thresholds: Body | null) => {
        const patched = await patch(client, job, { thresholds })
        expect(patched.status, patched.text).toBe(200)
        const { body } = await client.request('GET', `${job}?thresholds=true`)
        expect(body['thresholds']).toEqual(patched.body['thresholds'])
        return Object.keys(body['thresholds'] as object)
      }
      expect(await severities({ minor: null })).toEqual(['major', 'warning'])
      // A severity that is not there stays so.
      expect(await severities({ minor: null, warning: limit(60) })).toEqual(['major', 'warning'])
      await good(client.request('POST', `/webcollector${job}/values`, { json: { returnValue1: 85 } }))
      expect((await client.request('GET', job)).body['currentState']).toBe('warning')
      expect(refusal(await patch(client, job, { thresholds: { other: limit(1) } }))).toEqual([
        422,
        'invalid',
        '/thresholds/other',
      ])
      expect(await severities(null)).toEqual([])
    },
  },
  {
    title: 'a patch of a part of a connection keeps its other parts and its password',
    decidedAbovePorts: 'patches',
    async run(client) {
      const connection = { host: 'db.example.org', database: 'd', user: 'u', password: 'secret' }
      const path = await made(client, '/dataSources', { type: 'mysql', connection })
      const other = await patch(client, path, { connection: { database: 'e' } })
      expect(other.body['connection']).toMatchObject({ database: 'e', user: 'u', passwordSet: true })
      const host = 'db2.example.org'
      expect(refusal(await patch(client, path, { connection: { host } }))).toEqual([
        422,
        'invalid',
        '/connection/password',
      ])
      const moved = await patch(client, path, { connection: { host, password: 'secret' } })
      expect(moved.body['connection']).toMatchObject({ host, database: 'e', passwordSet: true })
      const cleared = await patch(client, path, { connection: { password: null } })
      expect(cleared.body['connection']).toMatchObject({ host, passwordSet: false })
      const pointer = '/connection/passwordSet'
      expect(refusal(await patch(client, path, { connection: { passwordSet: true } }))).toEqual([
        422,
        'invalid',
        pointer,
      ])
    },
  },
  {
    title: 'a patch of a script, a file and a style needs the right to write',
    decidedAbovePorts: 'patches',
    async run(client) {
      const path = await script(client)
      const asEditor = await client.request('PATCH', path, { json: { timeout: 1 }, as: 'editor' })
      expect(asEditor.status).toBe(403)
      const own = `/users/${client.userIds.editor}`
      const asOneself = (json: Body) => client.request('PATCH', own, { json, as: 'editor' })
      expect((await asOneself({ phone: '123' })).body['phone']).toBe('123')
      expect((await asOneself({ phone: null })).body['phone']).toBe('')
      expect(refusal(await asOneself({ role: 'administrator' }))).toEqual([403, 'forbidden', '/role'])
      const other = { json: { phone: '1' }, as: 'editor' } as const
      expect((await client.request('PATCH', `/users/${client.userIds.collector}`, other)).status).toBe(403)
    },
  },
  {
    title: 'the document has If-Match at every change of objects with an ETag, and PATCH beside PUT',
    decidedAbovePorts: 'patches',
    run(client) {
      const paths = Object.entries(client.document.paths) as [string, Record<string, Described>][]
      const tagged = paths.filter(([, { get }]) => hasTag(get))
      const changing = tagged.flatMap(([path, methods]) =>
        ['put', 'patch', 'delete'].flatMap((method) => {
          const operation = methods[method]
          return operation ? [{ path, method, operation }] : []
        }),
      )
      expect(changing.length).toBeGreaterThan(30)
      const ignoring = changing.filter(
        ({ operation }) => !operation.parameters.some(({ name }) => name === 'If-Match'),
      )
      expect(ignoring.map(({ path, method }) => `${method} ${path}`)).toEqual([])
      // A list, bytes and the origin of a table's rows are replaced as a whole.
      const whole = [
        '/{parentType}/{parentId}/alarmLinks',
        '/styles/{filename}',
        '/scripts/{script}/files/{path}',
        '/dataSources/{id}/tables/{table}/refresh',
      ]
      const unpatched = tagged
        .filter(([, { put, patch: patching }]) => put && !patching)
        .map(([path]) => path)
      expect(unpatched.filter((path) => !whole.includes(path))).toEqual([])
      return Promise.resolve()
    },
  },
]

type Described = {
  readonly parameters: readonly { readonly name: string }[]
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>
}

function hasTag(operation: Described | undefined): boolean {
  return 'ETag' in (operation?.responses['200']?.headers ?? {})
}

export const patchesSuite: Suite = {
  name: 'patches',
  scenarios: [...ofEach, ...ofVersions, ...races, ...fields],
}
