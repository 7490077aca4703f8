import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { createDevice, createGroup } from './objects.ts'
import { routes } from './roles.suite.ts'
import { bareStage, good, table } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Entry = {
  readonly id: number
  readonly at: string
  readonly userId: number
  readonly username: string
  readonly address: string
  readonly requestId: string
  readonly action: string
  readonly objectType: string
  readonly objectId: string
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

/** The routes that change no stored configuration, with the reason. */
const UNRECORDED: Readonly<Record<string, string>> = {
  'POST /root/searchPath': 'a read whose input does not fit a URL',
  'POST /{parentType}/{parentId}/searchPath': 'the same',
  'POST /alarms': 'the same',
  'POST /dataSources/{id}/tables/{table}/select': 'the same',
  'POST /dataQueries/{id}/run': 'the same',
  'POST /dataQueries/preview': 'the same',
  'POST /dataQueries/explain': 'the same',
  'POST /gis/cluster': 'the same',
  'POST /forecasts/{id}/select': 'the same',
  'POST /forecasts/preview': 'it keeps nothing',
  'POST /jobs/{id}/replay': 'the same',
  'POST /scripts/codeGenerator': 'the same',
  'POST /dataSources/export': 'the same',
  'POST /scripts/export': 'the same',
  'POST /scripts/groups/{groupId}/analyze-zip': 'it keeps nothing',
  'POST /dashboards/{id}/data': 'the same',
  'POST /dashboards/export': 'the same',
  'POST /dashboards/import/analyze': 'it keeps nothing',
  'POST /dashboards/import/grafana': 'it keeps nothing',
  'POST /dashboards/validate': 'it keeps nothing',
  'POST /dataSources/test': 'it keeps nothing',
  'POST /dataSources/{id}/uploads/{upload}/preview': 'it keeps nothing',
  'POST /dataSources/{id}/import':
    'the table is on record once it is stored; a cancelled import changes nothing',
  'POST /dataSources/{id}/tables/{table}/refresh':
    'the table is on record once its rows are replaced; a cancelled refresh changes nothing',
  'POST /dataQueries/{id}/refresh': 'its rows follow from the data query, which is on record',
  'POST /dataQueries/{id}/cancel': 'a cancelled refresh changes nothing',
  'POST /translations/auto': 'what it keeps is on record as a change of texts',
  'POST /session/token': 'the session goes on; one of its own is on record',
  'POST /session/refresh': 'the session goes on',
  'POST /session/logout': 'a session that has ended already may end again',
  'POST /runner/v1/poll': 'that a job was given to a runner is on the job',
  ...Object.fromEntries(
    [
      'PUT accept',
      'PUT start',
      'PUT finish',
      'POST heartbeat',
      'POST logs',
      'POST progress',
      'PUT outputs/{name}',
    ]
      .map((what) => what.split(' '))
      .map(([method, what]) => [`${method} /runner/v1/jobs/{jobId}/${what}`, 'how a job goes is on the job']),
  ),
}

/** Routes that change something: every such answer has to be on record. */
const CHANGING = routes
  .filter(({ method, path }) => method !== 'GET' || path === '/session/login')
  // A delivery is kept in the journal, with who sent it.
  .filter(({ policy }) => policy.object !== 'execute' && policy.isRepeatable !== true)
  .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`)
  .filter((route) => !(route in UNRECORDED))

const refusals = table(bareStage, [
  { title: 'an editor', call: 'GET /audit', as: 'editor', answers: 'forbidden' },
  { title: 'no page', call: 'GET /audit?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the smallest page', call: 'GET /audit?limit=1', answers: 200 },
  { title: 'the largest page', call: 'GET /audit?limit=1000', answers: 200 },
  { title: 'a larger page', call: 'GET /audit?limit=1001', answers: 'invalid', pointers: ['?limit'] },
  { title: 'a foreign cursor', call: 'GET /audit?cursor=x', answers: 'invalid', pointers: ['?cursor'] },
  { title: 'no instant', call: 'GET /audit?begin=now', answers: 'invalid', pointers: ['?begin'] },
  { title: 'nobody to change it', call: 'DELETE /audit', answers: 'method_not_allowed' },
])

/** The fields of objects that a request can set: those of all types, and those of each. */
const COMMON = ['subType', 'name', 'isTemplate', 'instanceType', 'properties', 'parentId']
const COUNTERS = ['major', 'minor', 'warning', 'minorMinor', 'minorWarning', 'warningWarning']
const FORCED = ['stateForced', 'currentState']
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  group: [],
  device: ['collectorId', 'address', 'netmask', 'deviceName', 'parameter'],
  job: ['collectorId', 'interval', 'stopped', 'parameters', 'thresholds', 'flapping', ...FORCED],
  slo: [
    'deviceId',
    'stateOperation',
    ...COUNTERS,
    'ignoreMaintenance',
    'pushState',
    'sortMode',
    'isReason',
    'childrenFilter',
    'parameters',
  ],
  slc: ['duration', 'resetInterval', 'timezone', 'limit', 'target', 'warnAt', 'activeTime'],
}

const scenarios: Scenario[] = [
  {
    title: 'an entry says who, what, when, from where, and the fields before and after',
    async run(client) {
      const { id, ...group } = await good<{ id: number }>(
        client.request('POST', '/groups?parentId=1', { json: { name: 'recorded' }, as: 'editor' }),
      )
      const changed = await client.request('PUT', `/groups/${id}`, {
        json: { ...group, name: 'renamed' },
        as: 'editor',
        headers: { 'x-request-id': 'a-request-of-mine' },
      })
      expect(changed.status).toBe(200)
      await good(client.request('DELETE', `/groups/${id}`, { as: 'editor' }))
      const [gone, update, made, ...others] = await entries(client, `?objectType=group&objectId=${id}`)
      expect(others).toEqual([])
      const by = { userId: client.userIds.editor, username: 'editor', objectId: String(id) }
      expect(made).toMatchObject({ ...by, action: 'create', before: null, after: { name: 'recorded' } })
      expect(update).toMatchObject({
        ...by,
        action: 'update',
        requestId: 'a-request-of-mine',
        before: { name: 'recorded' },
        after: { name: 'renamed' },
      })
      expect(Object.keys(update?.after ?? {})).toEqual(['name'])
      expect(gone).toMatchObject({ ...by, action: 'delete', before: { name: 'renamed' }, after: null })
      expect(update?.address).toMatch(/^(?:::ffff:)?127\.0\.0\.1$|^::1$/)
      expect(Math.abs(Date.now() - Date.parse(update?.at ?? ''))).toBeLessThan(60_000)
    },
  },
  {
    title: 'an entry of an object has the fields that a request can set, also where a whole read was sent',
    decidedAbovePorts: 'audit entries of objects',
    async run(client) {
      const top = await createGroup(client, 1, { name: 'of entries' })
      const device = await createDevice(client, top, { name: 'of entries' })
      for (const [type, own] of Object.entries(OWN_FIELDS)) {
        const make = (json: Body) =>
          client.request('POST', `/${type}s?parentId=${type === 'job' ? device : top}`, { json })
        const properties = [
          { key: 'rack', value: '7' },
          { key: 'Owner', value: 'ada' },
        ]
        const first = await make({ name: 'first', properties, ...(type === 'slc' && { limit: 99 }) })
        const { id } = await good<{ id: number }>(make(first.body))
        const { body } = await client.request('GET', `/${type}s/${id}`)
        await good(client.request('PUT', `/${type}s/${id}`, { json: { ...body, name: 'second' } }))
        await good(client.request('DELETE', `/${type}s/${id}`))
        const [gone, update, made] = await entries(client, `?objectType=${type}&objectId=${id}`)
        expect([type, update?.before, update?.after]).toEqual([type, { name: 'first' }, { name: 'second' }])
        expect([type, new Set(Object.keys(made?.after ?? {}))]).toEqual([type, new Set([...COMMON, ...own])])
        expect([type, new Set(Object.keys(gone?.before ?? {}))]).toEqual([
          type,
          new Set([...COMMON, 'recursive']),
        ])
      }
      await good(client.request('DELETE', `/groups/${top}?recursive=true`))
    },
  },
  {
    title: 'a change that is refused leaves no entry',
    async run(client) {
      const before = (await entries(client, '?limit=1'))[0]?.id
      await client.request('POST', '/groups?parentId=1', { json: {} })
      await client.request('DELETE', '/groups/1')
      await client.request('POST', '/users', {
        json: { username: 'editor', password: 'a good long one', role: 'editor' },
      })
      expect((await entries(client, '?limit=1'))[0]?.id).toBe(before)
    },
  },
  {
    title: 'filters leave what fits, and pages follow each other without gap or repetition',
    async run(client) {
      const all = await entries(client)
      const [first] = all
      for (const [query, fits] of [
        [`userId=${client.userIds.editor}`, (one: Entry) => one.userId === client.userIds.editor],
        ['action=delete', (one: Entry) => one.action === 'delete'],
        ['objectType=user', (one: Entry) => one.objectType === 'user'],
        [`begin=${encodeURIComponent(first?.at ?? '')}`, (one: Entry) => one.at >= (first?.at ?? '')],
        [`end=${encodeURIComponent(first?.at ?? '')}`, (one: Entry) => one.at < (first?.at ?? '')],
      ] as const) {
        const found = await entries(client, `?${query}&limit=97`)
        expect(found.map(({ id }) => id)).toEqual(all.filter(fits).map(({ id }) => id))
      }
    },
  },
  {
    title: 'no entry shows a secret',
    async run(client) {
      const text = JSON.stringify(await entries(client))
      for (const secret of ['scrypt', 'a password of a test user', 'tidemark_', 'correct horse'])
        expect(text).not.toContain(secret)
    },
  },
  {
    title: 'every change that the suites above made is on record',
    async run(client) {
      const recorded = new Set((await entries(client)).map(({ requestId }) => requestId))
      const changes = client.changes.filter(([route]) => CHANGING.includes(route))
      const missing = changes.filter(([, requestId]) => !recorded.has(requestId)).map(([route]) => route)
      expect([...new Set(missing)]).toEqual([])
    },
  },
  {
    title: 'the suites above made a change on every route that changes something',
    run(client) {
      const made = new Set(client.changes.map(([route]) => route))
      // A set-up and the demo plant belong to a host of their own.
      const own = ['POST /session/setup', 'POST /demo', 'DELETE /demo']
      expect(CHANGING.filter((route) => !made.has(route))).toEqual(own)
      return Promise.resolve()
    },
  },
]

/** All entries that fit, over all pages, the latest first. */
async function entries(client: Client, query = '?limit=1000'): Promise<Entry[]> {
  const found: Entry[] = []
  for (let next: string | null = `/audit${query}`; next !== null;) {
    const answer = await client.request('GET', next)
    const { items } = await good<{ items: Entry[] }>(Promise.resolve(answer))
    found.push(...items)
    if (query === '?limit=1') return found
    next = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? null
  }
  return found
}

export const auditSuite: Suite = { name: 'audit', scenarios: [...refusals, ...scenarios] }
