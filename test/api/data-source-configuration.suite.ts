import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Made = { readonly id: number }
type Source = {
  readonly settings: { readonly name: string; readonly connection: { readonly passwordSet: boolean } | null }
  readonly comment: string | null
  readonly notes: readonly object[]
  readonly scopes: readonly { readonly name: string; readonly subjects: object }[]
}
type Configuration = { readonly format: number; readonly dataSources: readonly Source[] }
type Item = Made & {
  readonly name: string
  readonly action: string
  readonly missingPassword: boolean
  readonly missingSubjects: readonly object[]
}

const CANARY = 'canary-of-an-export'
const CONNECTION = { host: 'db.example.org', database: 'sales', user: 'reader' }
const LARGEST = 16 * 1024 * 1024

const list = <Of>(length: number, of: (index: number) => Of) =>
  Array.from({ length }, (_, index) => of(index))
const filesNamed = (name: string, change: object = {}) => ({
  settings: { name, type: 'csv' },
  notes: [],
  scopes: [],
  ...change,
})
const scopeOf = (name: string, change: object = {}) => ({
  name,
  tables: ['orders'],
  subjects: { users: [], userGroups: [], roles: ['Data_Editor'] },
  ...change,
})
const configurationOf = (...dataSources: object[]) => ({ format: 1, dataSources })

const stage = once(async (client) => {
  const { id: source } = await good<Made>(
    client.request('POST', '/dataSources', { json: { name: 'configured', type: 'csv' } }),
  )
  return { source }
})

const IMPORT = 'POST /dataSources/import'
const note = { table: 'orders', column: 'id', comment: 'x' }

/** Configurations that are refused, each with where it is wrong. */
const WRONG: readonly (readonly [title: string, json: object, pointer: string])[] = [
  ['another format', { ...configurationOf(filesNamed('wrong')), format: 2 }, '/format'],
  ['no data source', configurationOf(), '/dataSources'],
  ['201 data sources', configurationOf(...list(201, (at) => filesNamed(`wrong ${at}`))), '/dataSources'],
  ['a name twice', configurationOf(filesNamed('wrong'), filesNamed('WRONG')), '/dataSources'],
  ['no scopes', configurationOf({ ...filesNamed('wrong'), scopes: undefined }), '/dataSources/0/scopes'],
  ['no notes', configurationOf({ ...filesNamed('wrong'), notes: undefined }), '/dataSources/0/notes'],
  ['more', configurationOf(filesNamed('wrong', { more: 1 })), '/dataSources/0/more'],
  ['a note twice', configurationOf(filesNamed('wrong', { notes: [note, note] })), '/dataSources/0/notes'],
  [
    '2,001 notes',
    configurationOf(filesNamed('wrong', { notes: list(2_001, (at) => ({ table: `${at}` })) })),
    '/dataSources/0/notes',
  ],
  [
    'annotations of 101 levels',
    configurationOf(
      filesNamed('wrong', { annotations: JSON.parse(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`) as object }),
    ),
    '/dataSources/0/annotations',
  ],
  [
    'large annotations',
    configurationOf(filesNamed('wrong', { annotations: { own: 'x'.repeat(4_096) } })),
    '/dataSources/0/annotations',
  ],
  [
    '101 scopes',
    configurationOf(filesNamed('wrong', { scopes: list(101, (at) => scopeOf(`${at}`)) })),
    '/dataSources/0/scopes',
  ],
  [
    'a scope twice',
    configurationOf(filesNamed('wrong', { scopes: [scopeOf('a'), scopeOf('A')] })),
    '/dataSources/0/scopes',
  ],
  [
    'a scope of an id',
    configurationOf(
      filesNamed('wrong', {
        scopes: [scopeOf('a', { subjects: { users: [1], userGroups: [], roles: [] } })],
      }),
    ),
    '/dataSources/0/scopes/0/subjects/users/0',
  ],
]

const rows: readonly Row[] = [
  ...(
    [
      [IMPORT, configurationOf(filesNamed('not made'))],
      ['POST /dataSources/export', {}],
    ] as const
  ).flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['editor', 'Data_Editor', 'collector', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...WRONG.map(([title, json, pointer]): Row => ({
    title,
    call: IMPORT,
    json,
    answers: 'invalid',
    pointers: [pointer],
  })),
  {
    title: 'a name that is taken',
    call: IMPORT,
    json: configurationOf(filesNamed('not made'), filesNamed('CONFIGURED')),
    answers: 'name_taken',
    pointers: ['/dataSources/1/settings/name'],
  },
  {
    title: 'no flag',
    call: `${IMPORT}?overwrite=1`,
    json: configurationOf(filesNamed('x')),
    answers: 'invalid',
  },
  {
    title: 'more than 16 MiB',
    call: IMPORT,
    text: ' '.repeat(LARGEST + 1),
    headers: { 'content-type': 'application/json' },
    answers: 'too_large',
  },
  ...[[], list(201, (at) => at + 1)].map((ids): Row => ({
    title: `${ids.length} ids`,
    call: 'POST /dataSources/export',
    json: { ids },
    answers: 'invalid',
    pointers: ['/ids'],
  })),
  {
    title: 'an unknown id',
    call: 'POST /dataSources/export',
    json: { ids: [999_999] },
    answers: 'invalid',
    pointers: ['/ids/0'],
  },
]

const exported = (client: Client, ids: readonly number[]) =>
  good<Configuration>(client.request('POST', '/dataSources/export', { json: { ids } }))

const imported = async (client: Client, json: object, query = '') =>
  (await good<{ items: Item[] }>(client.request('POST', `/dataSources/import${query}`, { json }))).items

const remove = async (client: Client, items: readonly Made[]) => {
  for (const { id } of items) await good(client.request('DELETE', `/dataSources/${id}`))
}

const entriesOf = async (client: Client, query: string) =>
  (
    (await client.request('GET', `/audit?${query}`)).body as {
      items: { action: string; objectType: string; after: object | null }[]
    }
  ).items

let made = 0

/** A database with a password, and a source of files with notes and scopes. */
async function furnish(client: Client) {
  made += 1
  const [shop, files] = [`moved shop ${made}`, `moved files ${made}`]
  const [username, group] = [`Zoë ${made}`, `moving sellers ${made}`]
  const user = await good<Made>(
    client.request('POST', '/users', {
      json: { username, password: 'a password of a test user', role: 'Data_Editor' },
    }),
  )
  await good(client.request('POST', '/userGroups', { json: { name: group } }))
  const connection = { ...CONNECTION, schema: 'eu', tls: 'require', maxConnections: 7, password: CANARY }
  const items = await imported(
    client,
    configurationOf(
      {
        settings: { name: shop, type: 'postgresql', timeout: 'PT1M', scopeMode: 'native', connection },
        comment: 'Of the shop',
        annotations: { own: [1] },
        notes: [],
        scopes: [],
      },
      filesNamed(files, {
        notes: [
          { table: 'orders', comment: "It's all", annotations: { hidden: true } },
          {
            table: 'orders',
            column: 'id',
            annotations: { unit: 'kg', own: { '\u0001': '\\u0041', n: 1e21 } },
          },
        ],
        scopes: [
          scopeOf('Own', {
            subjects: { users: [username.toUpperCase()], userGroups: [group], roles: ['editor'] },
            access: 'edit',
            filter: { column: 'region', op: 'eq', value: '${user.properties.region}' },
            hiddenColumns: ['margin'],
          }),
          scopeOf('Others'),
        ],
      }),
    ),
  )
  return { items, ids: items.map(({ id }) => id), shop, files, username, group, user }
}

const scenarios: Scenario[] = [
  {
    title: 'what is exported without passwords is imported as it was, all of it',
    decidedAbovePorts: 'configurations of data sources',
    async run(client) {
      const { items, ids, shop, files, username, group } = await furnish(client)
      expect(items).toMatchObject([
        { name: shop, action: 'created', missingPassword: false, missingSubjects: [] },
        { name: files, action: 'created', missingPassword: false, missingSubjects: [] },
      ])
      const answer = await client.request('POST', '/dataSources/export', { json: { ids } })
      expect(answer.text).not.toContain('canary')
      const before = answer.body as unknown as Configuration
      const [ofFiles, ofShop] = before.dataSources
      expect(ofShop).toMatchObject({
        settings: { name: shop, connection: { ...CONNECTION, maxConnections: 7, passwordSet: true } },
        comment: 'Of the shop',
        annotations: { own: [1] },
      })
      expect(ofFiles?.notes).toEqual([
        { table: 'orders', column: null, comment: "It's all", annotations: { hidden: true } },
        {
          table: 'orders',
          column: 'id',
          comment: null,
          annotations: { unit: 'kg', own: { '\u0001': '\\u0041', n: 1e21 } },
        },
      ])
      expect(ofFiles?.scopes.map(({ subjects }) => subjects)).toEqual([
        { users: [username], userGroups: [group], roles: ['editor'] },
        { users: [], userGroups: [], roles: ['Data_Editor'] },
      ])
      const everything = await good<Configuration>(
        client.request('POST', '/dataSources/export', { json: {} }),
      )
      for (const source of before.dataSources) expect(everything.dataSources).toContainEqual(source)
      await remove(client, items)
      const again = await imported(client, before)
      expect(again).toMatchObject([
        { name: files, missingPassword: false },
        { name: shop, missingPassword: true },
      ])
      const after = await exported(
        client,
        again.map(({ id }) => id),
      )
      const lost = JSON.stringify(after).replace('"passwordSet":false', '"passwordSet":true')
      expect(JSON.parse(lost)).toEqual(before)
      const path = `/dataSources/${again[0]?.id}/tables/orders/columns/id/annotations`
      const { annotations } = await good<{ annotations: object }>(
        client.request('PUT', path, { json: { unit: null } }),
      )
      expect(annotations).toEqual({ own: { '\u0001': '\\u0041', n: 1e21 } })
      await remove(client, again)
    },
  },
  {
    title: 'a data source of the same name is replaced by request alone, with its notes and scopes',
    decidedAbovePorts: 'configurations of data sources',
    async run(client) {
      const { items, ids, shop, files } = await furnish(client)
      const before = await exported(client, ids)
      const fresh = filesNamed(`fresh ${made}`)
      const changed = configurationOf(
        fresh,
        filesNamed(files.toUpperCase(), { scopes: [scopeOf('own', { hiddenColumns: ['id'] })] }),
      )
      expectAnswer(await client.request('POST', '/dataSources/import', { json: changed }), {
        answers: 'name_taken',
        pointers: ['/dataSources/1/settings/name'],
      })
      expect(await exported(client, ids)).toEqual(before)
      const done = await imported(client, changed, '?overwrite=true')
      expect(done).toMatchObject([
        { name: fresh.settings.name, action: 'created' },
        { id: ids[1], name: files.toUpperCase(), action: 'overwritten' },
      ])
      const [ofFiles, ofShop] = (await exported(client, ids)).dataSources
      expect(ofFiles).toMatchObject({
        settings: { name: files.toUpperCase() },
        comment: null,
        notes: [],
        scopes: [{ name: 'own', hiddenColumns: ['id'] }],
      })
      expect(ofShop).toEqual(before.dataSources.find(({ settings }) => settings.name === shop) as Source)
      const scopes = await entriesOf(client, 'objectType=dataSourceScope&limit=3')
      expect(scopes.map(({ action }) => action)).toEqual(['create', 'delete', 'delete'])
      const [update] = await entriesOf(client, `objectType=dataSource&objectId=${ids[1]}&limit=1`)
      expect(update).toMatchObject({ action: 'update', after: { name: files.toUpperCase() } })
      await remove(client, [...items, ...done.slice(0, 1)])
    },
  },
  {
    title: 'a data source that a data query reads is not replaced by one of another type',
    decidedAbovePorts: 'configurations of data sources',
    async run(client) {
      const name = `read ${++made}`
      const [item] = await imported(client, configurationOf(filesNamed(name)))
      const json = { name, dataSourceId: item?.id, text: 'SELECT 1 AS one' }
      const query = await good<Made>(client.request('POST', '/dataQueries', { json }))
      const settings = { name, type: 'postgresql', connection: CONNECTION }
      const other = configurationOf(filesNamed(name, { settings }))
      const refused = await client.request('POST', '/dataSources/import?overwrite=true', { json: other })
      expectAnswer(refused, { answers: 'has_dependents', pointers: ['/dependents/0'] })
      await good(client.request('DELETE', `/dataQueries/${query.id}`))
      const done = await imported(client, other, '?overwrite=true')
      expect(done).toMatchObject([{ id: item?.id, action: 'overwritten' }])
      await remove(client, done)
    },
  },
  {
    title: 'a password stays for the same user of the same database alone',
    decidedAbovePorts: 'configurations of data sources',
    async run(client) {
      const { items, ids, shop } = await furnish(client)
      const put = async (change: object) => {
        const connection = { ...CONNECTION, passwordSet: true, ...change }
        const settings = { name: shop, type: 'postgresql', connection }
        const json = configurationOf({ settings, notes: [], scopes: [] })
        const [item] = await imported(client, json, '?overwrite=true')
        const [source] = (await exported(client, ids.slice(0, 1))).dataSources
        const isSet = source?.settings.connection?.passwordSet
        expect(item?.missingPassword).toBe(isSet === false)
        return isSet
      }
      expect(await put({ schema: 'other', tls: 'require' })).toBe(true)
      const changes = [
        { host: 'evil.example.org' },
        { port: 1 },
        { database: 'x' },
        { user: 'root' },
        { tls: 'disable' },
      ]
      for (const change of changes) {
        expect(await put({ ...change, password: CANARY })).toBe(true)
        expect(await put(change)).toBe(true)
        expect(await put({})).toBe(false)
        expect(await put({ password: CANARY })).toBe(true)
      }
      await remove(client, items)
    },
  },
  {
    title: 'a scope without its users stays, and its table stays closed',
    decidedAbovePorts: 'configurations of data sources',
    async run(client) {
      const scopes = [
        scopeOf('a', { subjects: { users: ['no such user'], userGroups: ['no such group'], roles: [] } }),
      ]
      const items = await imported(client, configurationOf(filesNamed(`closed ${(made += 1)}`, { scopes })))
      expect(items[0]?.missingSubjects).toEqual([
        { scope: 'a', users: ['no such user'], userGroups: ['no such group'] },
      ])
      const path = `/dataSources/${items[0]?.id}`
      const text = 'id\n1\n'
      const headers = { 'content-type': 'text/csv' }
      const { id: upload } = await good<{ id: string }>(
        client.request('POST', `${path}/uploads`, { text, headers }),
      )
      await good(client.request('POST', `${path}/import`, { json: { upload, table: 'orders' } }))
      const tables = async (as: 'administrator' | 'Data_Editor') =>
        (await good<object[]>(client.request('GET', `${path}/tables`, { as }))).length
      expect(await tables('administrator')).toBe(1)
      expect(await tables('Data_Editor')).toBe(0)
      await remove(client, items)
    },
  },
  {
    title: 'as many data sources, notes and scopes are imported as there may be, in one commit or not at all',
    decidedAbovePorts: 'configurations of data sources',
    async run(client) {
      const there = await good<{ items: object[] }>(client.request('GET', '/dataSources'))
      const room = 200 - there.items.length
      const large = filesNamed(`large ${(made += 1)}`, {
        notes: list(2_000, (at) => ({ table: `${at}`, comment: '\n'.repeat(700) })),
        scopes: list(100, (at) => scopeOf(`${at}`)),
      })
      const many = (count: number) =>
        configurationOf(large, ...list(count - 1, (at) => filesNamed(`many ${made} ${at}`)))
      const full = await client.request('POST', '/dataSources/import', { json: many(room + 1) })
      expectAnswer(full, { answers: 'conflict' })
      expect(await good<object>(client.request('GET', '/dataSources'))).toEqual(there)
      const items = await imported(client, many(room))
      expect(items).toHaveLength(room)
      const [source] = (await exported(client, [items[0]?.id ?? 0])).dataSources
      expect(source?.notes).toHaveLength(2_000)
      expect(source?.scopes).toHaveLength(100)
      await remove(client, items)
    },
  },
  {
    title: 'the largest notes are exported, and not of two data sources at once',
    decidedAbovePorts: 'configurations of data sources',
    async run(client) {
      const notes = list(2_000, (at) => ({ table: `${at}`, comment: 'x'.repeat(4_000) }))
      const one = await imported(client, configurationOf(filesNamed(`heavy ${(made += 1)}`, { notes })))
      const two = await imported(client, configurationOf(filesNamed(`heavier ${made}`, { notes })))
      const ids = [...one, ...two].map(({ id }) => id)
      expectAnswer(await client.request('POST', '/dataSources/export', { json: { ids } }), {
        answers: 'invalid',
        pointers: ['/ids'],
      })
      expect((await exported(client, ids.slice(1))).dataSources[0]?.notes).toHaveLength(2_000)
      await remove(client, [...one, ...two])
    },
  },
  {
    title: 'imports of the same data source at the same time are all done',
    async run(client) {
      const json = configurationOf(filesNamed(`busy ${(made += 1)}`, { scopes: [scopeOf('a')] }))
      const items = await imported(client, json)
      const done = await Promise.all(list(4, () => imported(client, json, '?overwrite=true')))
      expect(done.flat().map(({ action }) => action)).toEqual(list(4, () => 'overwritten'))
      const [source] = (await exported(client, [items[0]?.id ?? 0])).dataSources
      expect(source?.scopes).toHaveLength(1)
      await remove(client, items)
    },
  },
]

export const dataSourceConfigurationSuite: Suite = {
  name: 'the configuration of data sources',
  scenarios: [...table(stage, rows), ...scenarios],
}
