import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { readUntil } from '../until.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Made = { readonly id: number }
type Portable = {
  readonly uuid: string
  readonly urlName: string
  readonly version: number
  readonly definition: Body
}
type Document = Body & {
  readonly dashboards: Portable[]
  readonly forecasts?: readonly { readonly name: string; readonly definition: Body }[]
}
type Outcome = {
  readonly dashboards: readonly {
    readonly action: string
    readonly id: number | null
    readonly toVersion: number
    readonly localChanges: boolean
  }[]
  readonly dataQueries: readonly { readonly name: string; readonly action: string }[]
  readonly forecasts: readonly { readonly name: string; readonly action: string }[]
  readonly unmatched: readonly {
    readonly kind: string
    readonly name: string
    readonly widgets: string[][]
  }[]
  readonly warnings: readonly { readonly code: string }[]
}

let made = 0

const makeQuery = async (client: Client, name: string) => {
  const source = await good<Made>(
    client.request('POST', '/dataSources', { json: { name: `portable ${++made}`, type: 'csv' } }),
  )
  const query = await good<Made>(
    client.request('POST', '/dataQueries', {
      json: { name, dataSourceId: source.id, text: 'SELECT 1 AS one' },
    }),
  )
  return query.id
}

const exported = async (client: Client, json: object) => {
  const answer = await client.request('POST', '/dashboards/export', { json })
  expect(answer.status, answer.text).toBe(200)
  return { text: answer.text, document: answer.body as Document }
}

const imported = (client: Client, json: object, path = '/dashboards/import') =>
  good<Outcome>(client.request('POST', path, { json }))

const document = (...dashboards: object[]) => ({
  format: 'tidemark-dashboards',
  formatVersion: 1,
  dashboards,
})

const one = (change: object = {}) => ({
  uuid: crypto.randomUUID(),
  urlName: `portable-${++made}`,
  name: 'Portable',
  definition: {},
  ...change,
})

const stage = once(async (client) => {
  const { id } = await good<Made>(
    client.request('POST', '/dashboards', { json: { name: 'Exported', urlName: 'exported' } }),
  )
  return { board: id }
})

const IMPORT = 'POST /dashboards/import'
const rows: readonly Row[] = [
  ...(
    ['POST /dashboards/import', 'POST /dashboards/import/analyze', 'PUT /dashboards/by-url/x'] as const
  ).flatMap((call): Row[] => {
    const json = call.startsWith('PUT') ? { name: 'x', definition: {} } : { document: document() }
    return [
      { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
      { title: 'a viewer', call, json, as: 'dashboard_viewer', answers: 'forbidden' },
    ]
  }),
  {
    title: 'a request without credentials',
    call: 'POST /dashboards/export',
    json: { ids: [1] },
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'nothing', call: 'POST /dashboards/export', json: {}, answers: 'invalid', pointers: [''] },
  {
    title: 'missing',
    call: 'POST /dashboards/export',
    json: { ids: [999_999] },
    answers: 'invalid',
    pointers: ['/ids/0'],
  },
  { title: 'missing', call: 'GET /dashboards/by-url/none', answers: 'not_found' },
  { title: 'missing', call: 'POST /dashboards/999999/detach', answers: 'not_found' },
  ...(['editor', 'dashboard_viewer', null] as const).map((as): Row => ({
    title: `a file of Grafana by ${as ?? 'nobody'}`,
    call: 'POST /dashboards/import/grafana',
    json: { dashboard: { panels: [] }, ...(as === 'editor' && { dataSource: 'any' }) },
    as,
    answers: as === null ? 'unauthenticated' : 'forbidden',
  })),
  ...[{ title: 'x' }, { kind: 'Dashboard', spec: { elements: {} } }].map((dashboard): Row => ({
    title: 'no classic schema',
    call: 'POST /dashboards/import/grafana',
    json: { dashboard },
    answers: 'invalid',
    pointers: ['/dashboard'],
  })),
  {
    title: 'an unknown data source',
    call: 'POST /dashboards/import/grafana',
    json: { dashboard: { panels: [] }, dataSource: 'no such source' },
    answers: 'invalid',
    pointers: ['/dataSource'],
  },
  {
    title: 'uses of nothing',
    call: 'GET /dashboards/uses?kind=object',
    answers: 'invalid',
    pointers: ['?id'],
  },
  {
    title: 'a newer format',
    call: IMPORT,
    json: { document: { ...document(), formatVersion: 2 } },
    answers: 'invalid',
    pointers: ['/document/formatVersion'],
  },
  {
    title: 'a uuid twice',
    call: IMPORT,
    json: {
      document: document(
        one({ uuid: '0198c2a4-7b1e-7c55-9f0a-3f6d8a1b2c3d' }),
        one({ uuid: '0198c2a4-7b1e-7c55-9f0a-3f6d8a1b2c3d' }),
      ),
    },
    answers: 'invalid',
    pointers: ['/document/dashboards/1/uuid'],
  },
  {
    title: '51 dashboards',
    call: IMPORT,
    json: { document: document(...Array.from({ length: 51 }, () => one())) },
    answers: 'invalid',
    pointers: ['/document/dashboards'],
  },
]

const scenarios: Scenario[] = [
  {
    title: 'an export is imported by names and exported again without a difference',
    decidedAbovePorts: 'portable dashboards',
    async run(client) {
      const device = await makeDevice(client, { name: 'portable device' })
      const job = await makeJob(client, device, { name: 'portable job' })
      const name = `Portable query ${++made}`
      const query = await makeQuery(client, name)
      const script = await good<Made>(
        client.request('POST', '/scripts', { json: { name: `portable-${made}` } }),
      )
      const group = await good<Made>(
        client.request('POST', '/dashboards/groups', {
          json: { name: 'Portable group', defaultParams: { a: 1 } },
        }),
      )
      const inner = await good<Made>(
        client.request('POST', '/dashboards', { json: { name: 'Portable inner', groupId: group.id } }),
      )
      const { id } = await good<Made>(
        client.request('POST', '/dashboards', {
          json: {
            name: 'Portable outer',
            groupId: group.id,
            definition: {
              widgets: {
                job: { kind: 'value', source: { type: 'job', jobId: job } },
                rows: { kind: 'table', dataQueryId: query },
                run: { kind: 'script', scriptId: script.id },
                inner: { kind: 'dashboard', dashboardId: inner.id },
              },
            },
          },
        }),
      )
      const before = await exported(client, { groupIds: [group.id], stable: true })
      expect(before.text.endsWith('}\n')).toBe(true)
      expect(before.document).not.toHaveProperty('forecasts')
      expect(before.document).toMatchObject({
        groups: [{ path: ['Portable group'], defaultParams: { a: 1 } }],
        dataQueries: [{ name }],
      })
      expect((await exported(client, { ids: [id] })).document).toHaveProperty('release')
      const outer = before.document.dashboards.find(({ urlName }) => urlName === 'portable-outer')
      expect(outer?.definition).toMatchObject({
        widgets: {
          job: { source: { jobId: { path: ['portable device', 'portable job'] } } },
          rows: { dataQueryId: name },
          run: { scriptId: `portable-${made}` },
        },
      })
      const unchanged = await imported(client, { document: before.document })
      expect(unchanged.dashboards.map(({ action }) => action)).toEqual(['unchanged', 'unchanged'])
      await good(client.request('DELETE', `/dashboards/groups/${group.id}?recursive=true`))
      const analyzed = await imported(client, { document: before.document }, '/dashboards/import/analyze')
      expect(analyzed.dashboards.map(({ action, id: here }) => [action, here])).toEqual([
        ['create', null],
        ['create', null],
      ])
      const made2 = await imported(client, { document: before.document })
      expect(made2.unmatched).toEqual([])
      const ids = made2.dashboards.map(({ id: here }) => here)
      expect((await exported(client, { ids, stable: true })).text).toBe(before.text)
    },
  },
  {
    title:
      'forecasts of what dashboards show are exported by names, made where they are missing, and replaced on request',
    decidedAbovePorts: 'portable dashboards',
    async run(client) {
      const device = await makeDevice(client, { name: 'predicted device' })
      const [job, band] = [await makeJob(client, device, { name: 'seen' }), await makeJob(client, device)]
      const queryName = `Predicted query ${++made}`
      const query = await makeQuery(client, queryName)
      const rest = { step: 'P1D', horizon: 'P7D' }
      const columns = { timeColumn: 'id', valueColumn: 'id' }
      const names = [`of a job ${made}`, `of a query ${made}`]
      const sources = [
        { type: 'job', jobId: job, key: 'returnValue1' },
        { type: 'dataQuery', dataQueryId: query, ...columns },
      ]
      const bands = [{ jobId: band, key: 'returnValue1' }]
      const ids: number[] = []
      for (const [at, source] of sources.entries()) {
        const json = { name: names[at], source, ...rest, ...(at === 1 && { bands }) }
        ids.push((await good<Made>(client.request('POST', '/forecasts', { json }))).id)
      }
      const widgets = {
        job: { kind: 'value', source: { type: 'job', jobId: job } },
        rows: {
          kind: 'chart',
          dataQueryId: query,
          type: 'line',
          x: 'id',
          y: ['id'],
          forecast: { forecastId: ids[1] },
        },
      }
      const board = await good<Made>(
        client.request('POST', '/dashboards', { json: { name: 'Predicted', definition: { widgets } } }),
      )
      const { document: whole, text } = await exported(client, { ids: [board.id], stable: true })
      expect(whole.forecasts?.map(({ name }) => name)).toEqual(names)
      expect(whole.forecasts?.[0]?.definition).toMatchObject({
        source: { jobId: { path: ['predicted device', 'seen'] } },
      })
      const everyone = { items: [{ subjectType: 'everyone' }] }
      await good(client.request('PUT', `/dashboards/${board.id}/grants`, { json: everyone }))
      const viewer = await client.request('POST', '/dashboards/export', {
        json: { ids: [board.id] },
        as: 'dashboard_viewer',
      })
      expect(viewer.body).not.toHaveProperty('forecasts')

      const same = await imported(client, { document: whole })
      expect(same.forecasts.map(({ action }) => action)).toEqual(['unchanged', 'unchanged'])
      // The data query and its forecast are gone, and the one of the job is another one.
      await good(client.request('DELETE', `/forecasts/${ids[1]}?forceDelete=true`))
      await good(client.request('DELETE', `/dataQueries/${query}?forceDelete=true`))
      await good(client.request('PATCH', `/forecasts/${ids[0]}`, { json: { horizon: 'P8D' } }))
      const actions = async (change: object, path?: string) =>
        (await imported(client, { document: whole, ...change }, path)).forecasts.map(({ action }) => action)
      expect(whole.dashboards[0]?.definition).toMatchObject({
        widgets: { rows: { forecast: { forecastId: names[1] } } },
      })
      const analyzed = await imported(client, { document: whole }, '/dashboards/import/analyze')
      expect([analyzed.forecasts.map(({ action }) => action), analyzed.unmatched]).toEqual([
        ['skip', 'create'],
        [],
      ])
      expect(await actions({ mode: 'overwrite' })).toEqual(['update', 'create'])
      const again = await exported(client, { ids: [board.id], stable: true })
      const { forecasts, dashboards } = JSON.parse(text) as Document
      expect(again.document.forecasts).toEqual(forecasts)
      expect(again.document.dashboards[0]?.definition).toEqual(dashboards[0]?.definition)
      const lost = { ...whole, forecasts: [{ ...whole.forecasts?.[0], name: 'lost' }] }
      await good(client.request('DELETE', `/jobs/${job}?forceDelete=true`))
      const skipped = await imported(client, { document: { ...lost, dashboards: [one()] } })
      expect(skipped.forecasts).toEqual([{ name: 'lost', action: 'skip' }])
      expect(skipped.warnings.map(({ code }) => code)).toEqual(['import.forecast_source'])
      const named = { ...sources[1], dataQueryId: queryName }
      const broken = { name: 'broken', definition: { source: named, ...rest, horizon: 'P7M' } }
      const refused = await client.request('POST', '/dashboards/import', {
        json: { document: { ...whole, forecasts: [broken], dashboards: [] } },
      })
      expectAnswer(refused, { answers: 'invalid', pointers: ['/document'] })
    },
  },
  {
    title: 'versions decide what an import replaces, and the number never falls',
    decidedAbovePorts: 'portable dashboards',
    async run(client) {
      const file = one({ version: 5, definition: { widgets: { a: { kind: 'line' } } } })
      await imported(client, { document: document(file) })
      const changed = { ...file, definition: { widgets: { b: { kind: 'clock' } } } }
      const action = async (change: object, mode: string) => {
        const { dashboards, warnings } = await imported(client, {
          mode,
          document: document({ ...changed, ...change }),
        })
        return [dashboards[0]?.action, dashboards[0]?.toVersion, ...warnings.map(({ code }) => code)]
      }
      expect(await action({}, 'skip')).toEqual(['skip', 5])
      expect(await action({ version: 4 }, 'skip')).toEqual(['skip', 5])
      expect(await action({ version: 4 }, 'overwrite')).toEqual(['update', 6, 'import.downgrade'])
      expect(await action({ version: 9 }, 'skip')).toEqual(['unchanged', 6])
      expect(await action({ version: 9, name: 'Newer' }, 'skip')).toEqual(['update', 9])
      const read = await good<Body>(client.request('GET', `/dashboards/${file.urlName}`))
      expect(read).toMatchObject({
        name: 'Newer',
        version: 9,
        definition: { widgets: { b: { kind: 'clock' } } },
      })
      expect(await action({}, 'copy')).toEqual(['copy', 5])
      expect(await good<Body>(client.request('GET', `/dashboards/${file.urlName}-2`))).toMatchObject({
        name: 'Portable',
      })
    },
  },
  {
    title: 'names that are not here are listed, widgets of a newer release are kept, and one fault stops all',
    decidedAbovePorts: 'portable dashboards',
    async run(client) {
      const file = one({
        definition: {
          schemaVersion: 7,
          widgets: {
            w1: { kind: 'gauge3d', title: 'Gauge', max: 9 },
            w2: { kind: 'script', scriptId: 'no such script' },
            w3: { kind: 'value', source: { type: 'job', jobId: { path: ['no', 'such'] } } },
          },
        },
      })
      const result = await imported(client, { document: { ...document(file), release: '99.0.0' } })
      expect(result.unmatched.map(({ kind, name, widgets }) => [kind, name, widgets])).toEqual([
        ['object', 'no/such', [[file.urlName, 'w3']]],
        ['script', 'no such script', [[file.urlName, 'w2']]],
      ])
      expect(result.warnings.map(({ code }) => code)).toEqual([
        'import.unknown_widget',
        'import.newer_system',
      ])
      const read = await good<Body>(client.request('GET', `/dashboards/${file.urlName}?raw=true`))
      expect(read).toMatchObject({ valid: false })
      const { document: back } = await exported(client, { ids: [read['id']] })
      expect(back.dashboards[0]?.definition['widgets']).toMatchObject({
        w1: { kind: 'gauge3d', title: 'Gauge', max: 9 },
      })
      const good10 = Array.from({ length: 9 }, () => one())
      const refused = await client.request('POST', '/dashboards/import', {
        json: { document: document(...good10, one({ definition: { refresh: 'never' } })) },
      })
      expectAnswer(refused, { answers: 'invalid', pointers: ['/document'] })
      expectAnswer(await client.request('GET', `/dashboards/${good10[0]?.urlName ?? ''}`), {
        answers: 'not_found',
      })
    },
  },
  {
    title: 'a dashboard as code is created once, left alone when equal, and changed by its code alone',
    async run(client) {
      const urlName = `code-${++made}`
      const path = `/dashboards/by-url/${urlName}`
      const code = {
        name: 'As code',
        groupPath: ['Code', 'Inner'],
        managedBy: 'git:boards',
        definition: { widgets: { a: { kind: 'line' } } },
      }
      const put = (json: object, headers = {}) => client.request('PUT', path, { json, headers, as: 'editor' })
      const created = await put(code, { 'if-none-match': '*' })
      expect(created.body).toMatchObject({ action: 'create', version: 1, urlName })
      expectAnswer(await put(code, { 'if-none-match': '*' }), { answers: 'precondition_failed' })
      expect((await put(code)).body).toMatchObject({ action: 'unchanged', version: 1 })
      const read = await client.request('GET', path, { as: 'editor' })
      expect(read.body).toMatchObject({ groupPath: ['Code', 'Inner'], managedBy: 'git:boards' })
      expect((await put(read.body)).body).toMatchObject({ action: 'unchanged', version: 1 })
      expect((await put({ ...code, name: 'Renamed' })).body).toMatchObject({ action: 'update', version: 2 })
      const gone = client.request('PUT', `${path}-gone`, { json: code, headers: { 'if-match': '"1"' } })
      expectAnswer(await gone, { answers: 'precondition_failed' })
      const other = { ...code, name: 'Raced' }
      const raced = `${path}-raced`
      const { headers } = await client.request('PUT', raced, { json: other })
      const ifMatch = { 'if-match': headers.get('etag') ?? '' }
      const racing = Array.from({ length: 20 }, (_, at) =>
        client.request('PUT', raced, { json: { ...other, name: `Raced ${at}` }, headers: ifMatch }),
      )
      const statuses = (await Promise.all(racing)).map(({ status }) => status)
      expect(statuses.filter((status) => status !== 412)).toEqual([200])
      const id = String(created.body['id'])
      const edit = () =>
        client.request('PUT', `/dashboards/${id}`, { json: { name: 'By hand', version: 2 }, as: 'editor' })
      expectAnswer(await edit(), { answers: 'conflict' })
      const detach = (tag: string) =>
        client.request('POST', `/dashboards/${id}/detach`, { headers: { 'if-match': tag }, as: 'editor' })
      expectAnswer(await detach('"1"'), { answers: 'precondition_failed' })
      expectAnswer(await edit(), { answers: 'conflict' })
      expectAnswer(await detach('"2"'), { answers: 200 })
      expectAnswer(await edit(), { answers: 200 })
      expectAnswer(await put({ ...code, definition: { refresh: 'never' } }), { answers: 'invalid' })
    },
  },
  {
    title: 'a dashboard of Grafana is converted and imported, with a data query for its SQL',
    async run(client) {
      const dataSource = `grafana ${++made}`
      await good(client.request('POST', '/dataSources', { json: { name: dataSource, type: 'csv' } }))
      const panels = [
        { id: 1, type: 'table', title: 'Rows', targets: [{ rawSql: 'SELECT 1 AS one' }] },
        { id: 2, type: 'timeseries', title: 'Load', targets: [{ expr: 'node_load1' }] },
      ]
      const dashboard = { title: `Grafana ${made}`, uid: `g${made}`, panels }
      const { document: file, panels: outcomes } = await good<{ document: Document; panels: Body[] }>(
        client.request('POST', '/dashboards/import/grafana', { json: { dashboard, dataSource } }),
      )
      expect(outcomes.map(({ widget, outcome }) => [widget, outcome])).toEqual([
        ['panel-1', 'mapped'],
        ['panel-2', 'placeholder'],
      ])
      const result = await imported(client, { document: file })
      expect(result).toMatchObject({ unmatched: [], dataQueries: [{ action: 'create' }] })
      // On a busy machine the data query may take longer than a widget waits.
      const data = await readUntil(
        () =>
          good<{ widgets: Record<string, Body> }>(
            client.request('POST', `/dashboards/${String(result.dashboards[0]?.id)}/data`, { json: {} }),
          ),
        ({ widgets }) => widgets['panel-1']?.['status'] !== 503,
      )
      expect(data.widgets).toMatchObject({ 'panel-1': { status: 200, data: { rows: [[1]] } } })
      const again = await imported(client, { document: file })
      expect(again.dashboards).toMatchObject([{ action: 'unchanged' }])
    },
  },
  {
    title:
      'a job, a data query, a forecast, a script and a file that a widget shows are kept, unless their deletion is forced',
    async run(client) {
      const device = await makeDevice(client)
      const job = await makeJob(client, device)
      const query = await makeQuery(client, `Used query ${++made}`)
      const script = await good<Made>(client.request('POST', '/scripts', { json: { name: `used-${made}` } }))
      const predicted = await good<Made>(
        client.request('POST', '/forecasts', {
          json: {
            name: `used ${made}`,
            source: { type: 'dataQuery', dataQueryId: query, timeColumn: 'id', valueColumn: 'id' },
            step: 'P1D',
            horizon: 'P7D',
          },
        }),
      )
      const file = `used-${made}.txt`
      await good(
        client.request('POST', `/files/${file}`, { text: 'a', headers: { 'content-type': 'text/plain' } }),
      )
      const widgets = {
        job: { kind: 'value', source: { type: 'job', jobId: job } },
        query: {
          kind: 'chart',
          dataQueryId: query,
          type: 'line',
          x: 'one',
          y: ['one'],
          forecast: { forecastId: predicted.id },
        },
        script: { kind: 'script', scriptId: script.id },
        file: { kind: 'image', file, alt: 'a' },
        tree: { kind: 'states', objects: { groupId: 1 } },
      }
      const { id } = await good<Made>(
        client.request('POST', '/dashboards', { json: { name: 'Uses', definition: { widgets } } }),
      )
      const paths = [
        `/jobs/${job}`,
        `/devices/${device}?recursive=true`,
        `/forecasts/${predicted.id}`,
        `/dataQueries/${query}`,
        `/scripts/${script.id}`,
        `/files/${file}`,
      ]
      for (const path of paths) {
        const refused = await client.request('DELETE', path)
        expectAnswer(refused, { answers: 'has_dependents', pointers: ['/dependents/0'] })
        expect(refused.text).toContain(`dashboard ${id}`)
      }
      const uses = await good<{ items: Body[]; total: number }>(
        client.request('GET', `/dashboards/uses?kind=dataQuery&id=${query}`),
      )
      expect(uses).toMatchObject({ items: [{ dashboardId: id, widgetId: 'query' }], total: 1 })
      const hidden = await good<Body>(
        client.request('GET', `/dashboards/uses?kind=file&name=${file}`, { as: 'dashboard_viewer' }),
      )
      expect(hidden).toEqual({ items: [], total: 1 })
      for (const path of paths.toSpliced(1, 1))
        expectAnswer(await client.request('DELETE', `${path}?forceDelete=true`), { answers: 204 })
      const everyone = { items: [{ subjectType: 'everyone' }] }
      await good(client.request('PUT', `/dashboards/${id}/grants`, { json: everyone }))
      // It is marked, and served: each widget has its own reason, and the others have their data.
      const { problems, valid } = await good<{ problems: Body[]; valid: boolean }>(
        client.request('GET', `/dashboards/${id}`, { as: 'dashboard_viewer' }),
      )
      expect(valid).toBe(false)
      const { body } = await client.request('GET', `/dashboards/${id}/data`)
      const data = Object.entries(body['widgets'] as Record<string, { status: number; code?: string }>)
      expect(Object.fromEntries(data.map(([name, { status, code }]) => [name, code ?? status]))).toEqual({
        job: 'not_found',
        query: 'not_found',
        script: 200,
        file: 200,
        tree: 200,
      })
      expect(problems.map(({ pointer, code }) => [pointer, code])).toEqual([
        ['/definition/widgets/file/file', 'gone'],
        ['/definition/widgets/job/source/jobId', 'gone'],
        ['/definition/widgets/query/dataQueryId', 'gone'],
        ['/definition/widgets/query/forecast/forecastId', 'gone'],
        ['/definition/widgets/script/scriptId', 'gone'],
      ])
    },
  },
]

export const dashboardsPortableSuite: Suite = {
  name: 'portable dashboards',
  scenarios: [...table(stage, rows), ...scenarios],
}
