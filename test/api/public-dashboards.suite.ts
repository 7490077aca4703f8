import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Names, Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'
import { readUntil } from '../until.ts'

type Made = { readonly id: number }
type Link = { readonly path: string; readonly works: boolean; readonly publishedBy: string }
type Data = { readonly params: Body; readonly widgets: Record<string, Body> }

const PATCH_TYPE = { 'content-type': 'application/merge-patch+json' }

const allow = (client: Client, publicDashboards: boolean) =>
  good(client.request('PATCH', '/settings.json', { json: { publicDashboards }, headers: PATCH_TYPE }))

const PARAMETERS = [
  { name: 'region', type: 'string', default: 'south' },
  { name: 'line', type: 'enum', values: [{ value: 1 }, { value: 2 }], default: 1 },
  { name: 'own', type: 'string', hidden: true, default: 'secret' },
]

/** A dashboard over a data query that its second publisher may not read. */
const stage = once(async (client) => {
  const job = await makeJob(client, await makeDevice(client), {
    parameters: { returnValue: [{ valueName: 'level' }] },
  })
  await good(
    client.request('POST', `/webcollector/jobs/${job}/values`, { json: { errorCode: 0, returnValue1: 7 } }),
  )
  const script = await good<Made>(client.request('POST', '/scripts', { json: { name: `public-${job}` } }))
  const source = await good<Made>(
    client.request('POST', '/dataSources', { json: { name: `public ${job}`, type: 'csv' } }),
  )
  const text = 'SELECT 1 AS one'
  const query = await good<Made>(
    client.request('POST', '/dataQueries', {
      json: { name: `public ${job}`, dataSourceId: source.id, text },
    }),
  )
  await good(client.request('POST', `/dataQueries/${query.id}/publish`, { json: { force: true } }))
  const definition = {
    parameters: PARAMETERS,
    widgets: {
      level: { kind: 'value', title: 'Level', source: { type: 'job', jobId: job } },
      rows: { kind: 'table', dataQueryId: query.id, edit: true },
      words: { kind: 'text', markdown: 'Hall **1**' },
      run: { kind: 'script', scriptId: script.id },
      open: { kind: 'alarms' },
    },
    pages: [{ id: 'main', items: [{ widget: 'run', x: 0, y: 0, w: 1, h: 1 }] }],
    translations: { de: { 'widgets.level.title': 'Stand' } },
  }
  const { id } = await good<Made>(
    client.request('POST', '/dashboards', { json: { name: `Public ${job}`, definition } }),
  )
  const publisher = await good<Made>(client.request('POST', '/users', { json: PUBLISHER }))
  const names = { board: id, job, publisher: publisher.id }
  await grant(client, names, { write: true })
  return names
})

const PUBLISHER = { username: 'publisher', password: 'a password of the publisher', role: 'editor' }
const BY_PUBLISHER: Pick<Row, 'as' | 'headers'> = {
  as: null,
  headers: { authorization: `Basic ${btoa(`${PUBLISHER.username}:${PUBLISHER.password}`)}` },
}

/** Replaces the rights of the publisher on a dashboard. */
const grant = (client: Client, { board, publisher }: Names, rights: object) =>
  good(
    client.request('PUT', `/dashboards/${board}/grants`, {
      json: { items: [{ subjectType: 'user', subjectId: publisher, ...rights }] },
    }),
  )

const bodyOf = (method: string) => (method === 'PUT' ? { json: {} } : {})

const PUBLIC = '/dashboards/{board}/public'
const rows: readonly Row[] = [
  ...(['GET', 'PUT', 'DELETE'] as const).flatMap((method): Row[] => [
    {
      title: 'a request without credentials',
      call: `${method} ${PUBLIC}`,
      as: null,
      ...bodyOf(method),
      answers: 'unauthenticated',
    },
    {
      title: 'a viewer',
      call: `${method} ${PUBLIC}`,
      as: 'dashboard_viewer',
      ...bodyOf(method),
      answers: 'forbidden',
    },
  ]),
  {
    title: 'a request without credentials',
    call: `POST ${PUBLIC}/move`,
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'without a link', call: `GET ${PUBLIC}`, answers: 'not_found' },
  { title: 'without a link', call: `POST ${PUBLIC}/move`, answers: 'not_found' },
  { title: 'without a link', call: `DELETE ${PUBLIC}`, answers: 'not_found' },
  { title: 'switched off', call: `PUT ${PUBLIC}`, json: {}, answers: 'conflict' },
  { title: 'unknown', call: 'GET /public/dashboards/none', as: null, answers: 'not_found' },
  { title: 'unknown', call: 'GET /public/dashboards/none/data', as: null, answers: 'not_found' },
  { title: 'unknown', call: 'GET /public/dashboards/none/frame', as: null, answers: 'not_found' },
]

const published = async (
  client: Client,
  board: number,
  json: object = {},
  by: Pick<Row, 'as' | 'headers'> = {},
) => good<Link>(client.request('PUT', `/dashboards/${board}/public`, { json, ...by }))

const read = (client: Client, path: string) => client.request('GET', path, { as: null })

/** Whether the reads of a dashboard and the lists mark it as public: alone, with its children, in the list, and in its group. */
async function marksOf(client: Client, id: number): Promise<readonly unknown[]> {
  const get = async (path: string) => (await client.request('GET', path)).body
  const list = (await get('/dashboards'))['items'] as (Made & Body)[]
  const group = await good<Made>(
    client.request('POST', '/dashboards/groups', { json: { name: `marks ${crypto.randomUUID()}` } }),
  )
  const move = (groupId: number | null) =>
    good(client.request('POST', `/dashboards/${id}/move`, { json: { groupId } }))
  await move(group.id)
  type Group = Made & { readonly dashboards: readonly (Made & Body)[] }
  const groups = (await get('/dashboards/groups/nested')) as unknown as readonly Group[]
  const inGroup = groups.find((one) => one.id === group.id)?.dashboards ?? []
  await move(null)
  await good(client.request('DELETE', `/dashboards/groups/${group.id}`))
  const nested = (await get(`/dashboards/${id}/nested`)) as { readonly dashboard: Body }
  const found = [
    await get(`/dashboards/${id}`),
    nested.dashboard,
    list.find((one) => one.id === id),
    inGroup[0],
  ]
  return found.map((one) => one?.['public'])
}

/** The rest of the path of each route below a public link: the page makes CSV of the data, no route has it. */
const publicParts = ({ document }: Client): readonly string[] =>
  Object.keys(document.paths).flatMap((path) => /^\/public\/dashboards\/\{token\}(.*)$/.exec(path)?.[1] ?? [])

const scenarios: readonly Scenario[] = [
  {
    title: 'a public link has the rights of its publisher, shows no more than it shall, and moves and ends',
    decidedAbovePorts: 'public dashboards',
    async run(client) {
      const names = await stage(client)
      const { board } = names
      await allow(client, true)
      for (const [json, pointer] of [
        [{ expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
        [{ params: { own: 'x' } }, '/params/own'],
        [{ params: { 'an/other': 'x' } }, '/params/an~1other'],
        [{ adjustable: ['region'] }, '/adjustable/0'],
      ] as const) {
        const refused = await client.request('PUT', `/dashboards/${board}/public`, { json })
        expectAnswer(refused, { answers: 'invalid', pointers: [pointer] })
      }
      const settings = { params: { region: 'north' }, adjustable: ['line'], language: 'de' }
      const link = await published(client, Number(board), settings)
      expect(link).toMatchObject({ works: true, publishedBy: 'admin', expiresAt: null })
      expect(await marksOf(client, Number(board))).toEqual([true, true, true, true])
      const frame = await read(client, `${link.path}/frame`)
      expect(frame.headers.get('x-robots-tag')).toBe('noindex')
      const page = await read(client, `${link.path}?p.line=2`)
      const place = link.path.replace('/public/dashboards/', '/ui/public/')
      expect([page.status, page.headers.get('location')]).toEqual([303, `${place}?p.line=2`])
      const html = await read(client, place)
      expect(html.headers.get('content-security-policy')).toContain("default-src 'self'; ")
      expect([html.headers.get('x-robots-tag'), html.headers.get('referrer-policy')]).toEqual([
        'noindex',
        'no-referrer',
      ])
      expect(frame.body).toMatchObject({
        language: 'de',
        params: { region: 'north', line: 1 },
        definition: {
          widgets: { level: { title: 'Stand', source: { jobId: null } }, words: { markdown: 'Hall **1**' } },
          pages: [{ items: [] }],
        },
      })
      for (const hidden of ['secret', 'scriptId', '"own"', 'alarms', '"edit":true'])
        expect(frame.text).not.toContain(hidden)
      const data = await read(client, `${link.path}/data?p.line=2`)
      expect(data.body as Data).toMatchObject({
        params: { region: 'north', line: 2 },
        widgets: {
          rows: { status: 200, data: { rows: [[1]] } },
          level: { status: 200, data: { value: 7, object: { permissions: { write: false } } } },
        },
      })
      expect(Object.keys((data.body as Data).widgets).toSorted()).toEqual(['level', 'rows'])
      const etag = data.headers.get('etag') ?? ''
      const same = await client.request('GET', `${link.path}/data?p.line=2`, {
        as: null,
        headers: { 'if-none-match': etag },
      })
      expect(same.status).toBe(304)
      for (const query of ['p.region=south', 'p.own=x', 'p.line=3', 'from=-P9D', 'widget=run'])
        expectAnswer(await read(client, `${link.path}/data?${query}`), {
          answers: 'invalid',
          pointers: [`?${query.split('=')[0] ?? ''}`],
        })
      const own = await published(client, Number(board), settings, BY_PUBLISHER)
      expect(own).toMatchObject({ path: link.path, publishedBy: 'publisher' })
      const others = await read(client, `${link.path}/data`)
      expect((others.body as Data).widgets).toMatchObject({ rows: { status: 403 }, level: { status: 200 } })
      expect((others.body as Data).widgets['rows']).not.toHaveProperty('data')
      const moved = await good<Link>(client.request('POST', `/dashboards/${board}/public/move`))
      for (const part of ['data', 'frame']) {
        expectAnswer(await read(client, `${link.path}/${part}`), { answers: 'not_found' })
        expect((await read(client, `${moved.path}/${part}`)).status).toBe(200)
      }
      await grant(client, names, { write: false })
      expectAnswer(await read(client, `${moved.path}/data`), { answers: 'not_found' })
      expect(await good(client.request('GET', `/dashboards/${board}/public`))).toMatchObject({ works: false })
      await grant(client, names, { write: true })
      expect((await read(client, `${moved.path}/data`)).status).toBe(200)
      await allow(client, false)
      expectAnswer(await read(client, `${moved.path}/data`), { answers: 'not_found' })
      await allow(client, true)
      expectAnswer(await client.request('DELETE', `/dashboards/${board}/public`), { answers: 204 })
      expect(await marksOf(client, Number(board))).toEqual([false, false, false, false])
      expectAnswer(await read(client, `${moved.path}/data`), { answers: 'not_found' })
      await allow(client, false)
    },
  },
  {
    title: 'a scope of its publisher applies to the next answer of a public link',
    decidedAbovePorts: 'public dashboards',
    async run(client) {
      const names = await stage(client)
      await allow(client, true)
      const { id: source } = await good<Made>(
        client.request('POST', '/dataSources', { json: { name: 'public rows', type: 'csv' } }),
      )
      const sent = { text: 'region\nnorth\nsouth\n', headers: { 'content-type': 'text/csv' } }
      const { id: upload } = await good<{ id: string }>(
        client.request('POST', `/dataSources/${source}/uploads`, sent),
      )
      await good(
        client.request('POST', `/dataSources/${source}/import`, { json: { upload, table: 'places' } }),
      )
      const query = await good<Made>(
        client.request('POST', '/dataQueries', {
          json: {
            name: 'public rows',
            dataSourceId: source,
            text: 'SELECT region FROM places ORDER BY region',
            accessibleFromDashboards: true,
          },
        }),
      )
      await good(client.request('POST', `/dataQueries/${query.id}/publish`, { json: {} }))
      const definition = { widgets: { rows: { kind: 'table', dataQueryId: query.id } } }
      const { id: board } = await good<Made>(
        client.request('POST', '/dashboards', { json: { name: 'Public rows', definition } }),
      )
      await grant(client, { ...names, board }, { write: true })
      const link = await published(client, board, {}, BY_PUBLISHER)
      const rowsOf = async () =>
        ((await read(client, `${link.path}/data`)).body as Data).widgets['rows']?.['data']
      await readUntil(rowsOf, (data) => data !== undefined)
      expect(await rowsOf()).toMatchObject({ rows: [['north'], ['south']] })
      const scope = {
        name: 'north alone',
        tables: ['places'],
        filter: { column: 'region', op: 'eq', value: 'north' },
        subjects: { roles: ['editor'] },
      }
      await good(client.request('POST', `/dataSources/${source}/scopes`, { json: scope }))
      expect(await rowsOf()).toMatchObject({ rows: [['north']] })
      await allow(client, false)
    },
  },
  {
    title: 'a public link ends at its expiry, and takes 60 requests of a network within a minute',
    async run(client) {
      const { id } = await good<Made>(client.request('POST', '/dashboards', { json: { name: 'Ends' } }))
      await allow(client, true)
      const { path } = await published(client, id)
      const statuses: number[] = []
      for (let request = 0; request < 61; request++)
        statuses.push((await read(client, `${path}/frame`)).status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(60)
      expect(statuses.at(-1)).toBe(429)
      const expiresAt = new Date(Date.now() + 500).toISOString()
      const link = await published(client, id, { expiresAt })
      while (Date.parse(expiresAt) > Date.now()) await Bun.sleep(50)
      const parts = publicParts(client)
      expect(parts).toContain('/data')
      for (const part of parts)
        expectAnswer(await read(client, `${link.path}${part}`), { answers: 'not_found' })
      expect(await good(client.request('GET', `/dashboards/${id}/public`))).toMatchObject({ works: false })
      expect(await marksOf(client, id)).toEqual([false, false, false, false])
      await allow(client, false)
    },
  },
]

export const publicDashboardsSuite: Suite = {
  name: 'public dashboards',
  scenarios: [...table(stage, rows), ...scenarios],
}
