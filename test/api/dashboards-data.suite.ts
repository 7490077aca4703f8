import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { readUntil } from '../until.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Made = { readonly id: number }
type Shown = Body & {
  readonly rows?: unknown[][]
  readonly series?: (Body | null)[]
  readonly objects?: Made[]
}
type Answer = {
  readonly status: number
  readonly etag?: string
  readonly code?: string
  readonly data?: Shown
}
type Data = { readonly params: Body; readonly widgets: Record<string, Answer>; readonly next: string }

const dataIn = ({ widgets }: Data, id: string): Shown => widgets[id]?.data ?? {}

let made = 0

async function makeSource(client: Client): Promise<number> {
  const { id } = await good<Made>(
    client.request('POST', '/dataSources', { json: { name: `shown ${++made}`, type: 'csv' } }),
  )
  const file = await good<{ id: string }>(
    client.request('POST', `/dataSources/${id}/uploads`, {
      text: 'id,region,amount\n1,north,10\n2,south,20\n3,north,30\n',
      headers: { 'content-type': 'text/csv' },
    }),
  )
  await good(
    client.request('POST', `/dataSources/${id}/import`, { json: { upload: file.id, table: 'orders' } }),
  )
  return id
}

async function makeQuery(client: Client, dataSourceId: number, json: object): Promise<number> {
  const { id } = await good<Made>(
    client.request('POST', '/dataQueries', {
      json: {
        name: `shown ${++made}`,
        dataSourceId,
        text: 'SELECT id, region, amount FROM orders ORDER BY id',
        ...json,
      },
    }),
  )
  await good(client.request('POST', `/dataQueries/${id}/publish`, { json: { force: true } }))
  return id
}

const REGION = { name: 'region', type: 'string', default: null }

const makeBoard = async (client: Client, widgets: object, parameters: object[] = []) => {
  const { id } = await good<Made>(
    client.request('POST', '/dashboards', {
      json: { name: `Data ${++made}`, definition: { widgets, parameters, pages: [{ id: 'main' }] } },
    }),
  )
  await good(
    client.request('PUT', `/dashboards/${id}/grants`, { json: { items: [{ subjectType: 'everyone' }] } }),
  )
  return id
}

/** Data of widgets. On a busy machine a data query may take longer than a widget waits: then it is read again. */
const dataOf = (client: Client, id: number, json: object = {}, as: Row['as'] = 'administrator') =>
  readUntil(
    () => good<Data>(client.request('POST', `/dashboards/${id}/data`, { json, as: as ?? null })),
    ({ widgets }) => Object.values(widgets).every(({ status }) => status !== 503),
  )

const statusesOf = ({ widgets }: Data) =>
  Object.fromEntries(Object.entries(widgets).map(([id, { status, code }]) => [id, code ?? status]))

const job = (jobId: number) => ({ kind: 'value', source: { type: 'job', jobId } })

const stage = once(async (client) => {
  const device = await makeDevice(client)
  const fields = { parameters: { returnValue: [{ valueName: 'level' }] } }
  const ids = [await makeJob(client, device, fields), await makeJob(client, device, fields)] as const
  for (const id of ids)
    await good(
      client.request('POST', `/webcollector/jobs/${id}/values`, { json: { errorCode: 0, returnValue1: 7 } }),
    )
  const board = await makeBoard(
    client,
    {
      one: { ...job(ids[0]), sparkline: 'PT1H', compare: 'P7D' },
      two: job(ids[1]),
      past: { kind: 'history', series: [{ jobId: ids[0] }, { jobId: 999_999 }] },
      gone: job(999_999),
      tree: { kind: 'states', objects: { groupId: 1 } },
      named: { kind: 'table', objects: { ids: [ids[1]] } },
      open: { kind: 'alarms' },
      line: { kind: 'line' },
    },
    [REGION, { name: 'site', type: 'number', multi: true }, { name: 'own', type: 'string', hidden: true }],
  )
  return { board, first: ids[0], second: ids[1] }
})

const DATA = 'POST /dashboards/{board}/data'

const rows: readonly Row[] = [
  { title: 'a request without credentials', call: DATA, json: {}, as: null, answers: 'unauthenticated' },
  {
    title: 'a request without credentials',
    call: 'GET /dashboards/{board}/data',
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'missing', call: 'POST /dashboards/999999/data', json: {}, answers: 'not_found' },
  { title: 'a query', call: DATA, json: { dataQueryId: 1 }, answers: 'invalid', pointers: ['/dataQueryId'] },
  {
    title: 'an unknown parameter',
    call: DATA,
    json: { params: { 'an/other': 1 } },
    answers: 'invalid',
    pointers: ['/params/an~1other'],
  },
  {
    title: 'a hidden parameter',
    call: DATA,
    json: { params: { own: 'x' } },
    answers: 'invalid',
    pointers: ['/params/own'],
  },
  {
    title: 'a value of another type',
    call: DATA,
    json: { params: { site: 'x' } },
    answers: 'invalid',
    pointers: ['/params/site'],
  },
  {
    title: 'an unknown widget',
    call: DATA,
    json: { widgets: ['one', 'none'] },
    answers: 'invalid',
    pointers: ['/widgets/1'],
  },
  { title: 'an unknown page', call: DATA, json: { page: 'none' }, answers: 'invalid', pointers: ['/page'] },
  {
    title: 'a begin before the calendar',
    call: DATA,
    json: { timeRange: { from: '-P300000Y' } },
    answers: 'invalid',
    pointers: ['/timeRange/from'],
  },
  {
    title: 'a range that ends before it begins',
    call: DATA,
    json: { timeRange: { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' } },
    answers: 'invalid',
    pointers: ['/timeRange/to'],
  },
  {
    title: 'a width of 0',
    call: DATA,
    json: { width: { one: 0 } },
    answers: 'invalid',
    pointers: ['/width/one'],
  },
  {
    title: 'an unknown parameter',
    call: 'GET /dashboards/{board}/data?p.other=1',
    answers: 'invalid',
    pointers: ['?p.other'],
  },
  {
    title: 'an unknown name',
    call: 'GET /dashboards/{board}/data?region=1',
    answers: 'invalid',
    pointers: ['?region'],
  },
  {
    title: 'a text for a number',
    call: 'GET /dashboards/{board}/data?p.site=x',
    answers: 'invalid',
    pointers: ['?p.site'],
  },
  {
    title: 'an unknown widget in a query',
    call: 'GET /dashboards/{board}/data?widget=one&widget=none',
    answers: 'invalid',
    pointers: ['?widget'],
  },
  {
    title: 'an unknown page in a query',
    call: 'GET /dashboards/{board}/data?page=none',
    answers: 'invalid',
    pointers: ['?page'],
  },
  {
    title: 'a range of a query that ends before it begins',
    call: 'GET /dashboards/{board}/data?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
    answers: 'invalid',
    pointers: ['?to'],
  },
  {
    title: 'parameters',
    call: 'GET /dashboards/{board}/data?p.region=5&p.site=1&p.site=2&widget=two',
    answers: 200,
  },
]

const scenarios: Scenario[] = [
  {
    title: 'one call has the data of all widgets, and the fault of one leaves the others',
    decidedAbovePorts: 'data of dashboards',
    async run(client) {
      const { board, first, second } = (await stage(client)) as Record<'board' | 'first' | 'second', number>
      const data = await dataOf(client, board, {}, 'dashboard_viewer')
      expect(statusesOf(data)).toEqual({
        one: 200,
        two: 200,
        past: 200,
        gone: 'not_found',
        tree: 200,
        named: 200,
        open: 200,
      })
      const [one, two, past, named] = ['one', 'two', 'past', 'named'].map((id) => dataIn(data, id)) as [
        Shown,
        Shown,
        Shown,
        Shown,
      ]
      expect(one).toMatchObject({ kind: 'value', value: 7, object: { id: first }, before: null })
      expect(one['sparkline']).toMatchObject({ aggregate: { count: 1, last: 7 } })
      expect(two).toMatchObject({ value: 7, sparkline: null })
      expect(past.series?.[0]).toMatchObject({ jobId: first, aggregate: { count: 1 } })
      expect(past.series?.[1]).toBeNull()
      expect(named.objects?.map(({ id }) => id)).toEqual([second])
      expect(data).toMatchObject({ params: { region: null, site: null, own: null }, next: 'PT1M' })
    },
  },
  {
    title: 'unchanged data is 304 for each widget, and only a changed value is sent again',
    async run(client) {
      const { board, second } = (await stage(client)) as Record<'board' | 'second', number>
      // The range is fixed, since a range that ends now may end later in the second request.
      const asked = {
        widgets: ['one', 'two', 'past'],
        timeRange: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' },
      }
      const before = await dataOf(client, board, asked)
      const etags = Object.fromEntries(Object.entries(before.widgets).map(([id, { etag }]) => [id, etag]))
      const same = await dataOf(client, board, { ...asked, widgets: ['two', 'past'], etags })
      expect(statusesOf(same)).toEqual({ two: 304, past: 304 })
      await good(
        client.request('POST', `/webcollector/jobs/${second}/values`, {
          json: { errorCode: 0, returnValue1: 8 },
        }),
      )
      // Another width, so that the answer is not shared.
      const after = await dataOf(client, board, {
        ...asked,
        widgets: ['two', 'past'],
        etags,
        width: { two: 400 },
      })
      expect(statusesOf(after)).toEqual({ two: 200, past: 304 })
      expect(dataIn(after, 'two')).toMatchObject({ value: 8 })
      const path = `/dashboards/${board}/data?widget=past&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z`
      const whole = await client.request('GET', path)
      const headers = { 'if-none-match': whole.headers.get('etag') ?? '' }
      expect((await client.request('GET', path, { headers })).status).toBe(304)
    },
  },
  {
    title: 'a dashboard is read again at its own pace, and not faster than the settings allow',
    decidedAbovePorts: 'data of dashboards',
    async run(client) {
      const { board } = (await stage(client)) as { readonly board: number }
      const set = (dashboardRefresh: string) =>
        good(client.request('PATCH', '/settings.json', { json: { dashboardRefresh } }))
      let width = 700
      // Another width each time, so that the answer is not shared.
      const next = async () =>
        (await dataOf(client, board, { widgets: ['two'], width: { two: ++width } })).next
      await set('PT2M')
      expect(await next()).toBe('PT2M')
      await set('PT5S')
      expect(await next()).toBe('PT1M')
    },
  },
  {
    title: 'as NDJSON each widget is a line',
    async run(client) {
      const { board } = await stage(client)
      for (const [method, request] of [
        ['POST', { json: { widgets: ['two', 'gone'] } }],
        ['GET', {}],
      ] as const) {
        const path = `/dashboards/${board}/data${method === 'GET' ? '?widget=two&widget=gone' : ''}`
        const answer = await client.request(method, path, {
          ...request,
          headers: { accept: 'application/x-ndjson' },
        })
        expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
        const [head, ...lines] = answer.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Body)
        expect(head).toMatchObject({ next: 'PT1M' })
        expect(Object.fromEntries(lines.map(({ widget, status }) => [widget, status]))).toEqual({
          gone: 404,
          two: 200,
        })
      }
    },
  },
  {
    title: 'data queries run with the parameters of the dashboard, for users and in scopes as these allow',
    decidedAbovePorts: 'data of dashboards',
    async run(client) {
      const source = await makeSource(client)
      const all = await makeQuery(client, source, {})
      const some = await makeQuery(client, source, {
        text: 'SELECT sum(amount) AS total FROM orders WHERE region = ${region}',
        parameters: [{ name: 'region', type: 'string', default: 'south' }],
        accessibleFromDashboards: true,
      })
      const broken = await makeQuery(client, source, { text: 'SELECT nothing FROM orders' })
      const total = { type: 'dataQuery', dataQueryId: some, column: 'total' }
      const board = await makeBoard(
        client,
        {
          rows: { kind: 'table', dataQueryId: all },
          sum: {
            kind: 'value',
            source: { type: 'dataQuery', dataQueryId: all, column: 'amount', aggregate: 'sum' },
          },
          total: { kind: 'value', source: total, thresholds: [{ from: 30, state: 'minor' }] },
          fixed: { kind: 'value', source: total, params: { region: 'south' } },
          wrong: { kind: 'value', source: { ...total, column: 'none' } },
          broken: { kind: 'chart', dataQueryId: broken, type: 'bar', x: 'a', y: ['b'] },
          input: { kind: 'input', parameter: 'region', control: 'select' },
        },
        [{ ...REGION, type: 'query', valuesQueryId: all }],
      )
      // The processes that read tables start, which takes seconds on a busy machine and counts for a widget.
      const warm = () => good(client.request('POST', `/dataQueries/${all}/run`, { json: {} }))
      await Promise.all([warm(), warm()])
      const asked = { params: { region: 'north' } }
      const editor = await dataOf(client, board, asked, 'Data_Editor')
      expect(statusesOf(editor)).toEqual({
        rows: 200,
        sum: 200,
        total: 200,
        fixed: 200,
        wrong: 'invalid',
        broken: editor.widgets['broken']?.code ?? '',
        input: 200,
      })
      expect(editor.widgets['broken']?.status).toBe(422)
      expect(dataIn(editor, 'rows').rows).toHaveLength(3)
      expect(dataIn(editor, 'sum')).toMatchObject({ value: 60 })
      expect(dataIn(editor, 'total')).toMatchObject({ value: 40, state: 'minor' })
      expect(dataIn(editor, 'fixed')).toMatchObject({ value: 20, state: null })
      expect(dataIn(editor, 'input')).toMatchObject({ kind: 'values', values: [1, 2, 3] })
      const viewer = await dataOf(client, board, { ...asked, widgets: ['rows', 'total'] }, 'dashboard_viewer')
      expect(statusesOf(viewer)).toEqual({ rows: 'forbidden', total: 200 })
      const scopeTo = (value: string) => ({
        name: 'own',
        tables: ['orders'],
        subjects: { roles: ['Data_Editor'] },
        filter: { op: 'eq', column: 'region', value },
      })
      const scope = await good<Made>(
        client.request('POST', `/dataSources/${source}/scopes`, { json: scopeTo('south') }),
      )
      const scoped = { widgets: ['sum', 'total'] }
      expect((await dataOf(client, board, scoped)).widgets['sum']?.data).toMatchObject({ value: 60 })
      const south = await dataOf(client, board, scoped, 'Data_Editor')
      expect(dataIn(south, 'sum')).toMatchObject({ value: 20 })
      // Equal requests share their answer for a second, but not across a change of a scope.
      const json = scopeTo('north')
      await good(client.request('PUT', `/dataSources/${source}/scopes/${scope.id}`, { json }))
      const north = await dataOf(client, board, scoped, 'Data_Editor')
      expect(dataIn(north, 'sum')).toMatchObject({ value: 40 })
      const outside = await dataOf(client, board, scoped, 'dashboard_viewer')
      expect(outside.widgets['total']?.status).toBe(422)
    },
  },
  {
    title: 'a service level object and a container show their availability and credit',
    decidedAbovePorts: 'data of dashboards',
    async run(client) {
      const { id: slo } = await good<Made>(
        client.request('POST', '/slos?parentId=1', { json: { name: `slo ${++made}` } }),
      )
      const { id: slc } = await good<Made>(
        client.request('POST', '/slcs?parentId=1', { json: { name: `slc ${made}`, limit: 99 } }),
      )
      const board = await makeBoard(client, {
        slo: { kind: 'slo', objectId: slo, period: 'P7D' },
        slc: { kind: 'slo', objectId: slc },
        hall: { kind: 'image', file: 'hall.svg', alt: 'Hall', hotspots: [{ x: 0, y: 0, objectId: slo }] },
      })
      const { widgets } = await dataOf(client, board)
      expect(widgets['slo']?.data).toMatchObject({ kind: 'slo', object: { id: slo }, creditSeconds: null })
      expect(widgets['slc']?.data).toMatchObject({ object: { id: slc }, usedSeconds: 0 })
      expect(widgets['hall']?.data?.objects?.map(({ id }) => id)).toEqual([slo])
      expectAnswer(await client.request('DELETE', `/dashboards/${board}`), { answers: 204 })
    },
  },
]

export const dashboardsDataSuite: Suite = {
  name: 'data of dashboards',
  scenarios: [...table(stage, rows), ...scenarios],
}
