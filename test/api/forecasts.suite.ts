import { expect } from 'bun:test'

import type {
  BandView,
  ForecastView,
  GroupView,
  JobView,
  PreviewView,
} from '../../src/analytics/forecasts/schema.ts'
import type { Client } from './client.ts'
import { must } from '../runs/fake-runner.ts'
import type { Held } from '../runs/fake-runner.ts'
import { BACKTEST, packed } from '../runs/forecast-results.ts'
import { runnerOf } from './runs-stage.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { readUntil } from '../until.ts'

type Made = { readonly id: number }

type JobRead = {
  readonly message: string | null
  readonly predictions: readonly { readonly unknown: string | null; readonly crossesAt: string | null }[]
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYS = 40
const GROUPS_MAX = 1_000
const NAMES = { timeColumn: 'Order Date', valueColumn: 'Amount (CHF)', groupColumns: ['select', 'Größe'] }

let made = 0

/** A table of days with columns of any names, in a data source of its own. */
function ordersOf(client: Client): Promise<number> {
  const days = daysBefore(DAYS).map((day, place) => `${day},${place},north,L\n${day},${2 * place},south,S\n`)
  return tableOf(client, days.join(''))
}

/** Runs a forecast, and waits until its results are published.
 * @param outcomesOf the lines of the results, by the run that the runner has begun */
async function predicted(
  client: Client,
  { path, runner }: { readonly path: string; readonly runner: Awaited<ReturnType<typeof runnerOf>> },
  outcomesOf: (held: Held) => readonly object[] | Promise<readonly object[]>,
): Promise<void> {
  const { id } = await good<JobView>(client.request('POST', `${path}/run`))
  const held = await runner.next()
  await held.begin()
  const head = { v: 1, engine: {}, keyTypes: ['string', 'string'] }
  const bytes = await packed([head, ...(await outcomesOf(held))])
  await must(held.say('PUT', 'outputs/forecast-00.ndjson.gz', { bytes }))
  await must(held.finish())
  const read = () => good<ForecastView>(client.request('GET', path))
  await readUntil(read, ({ publishedRun }) => publishedRun === id)
}

/** The last days before today. */
function daysBefore(count: number): readonly string[] {
  const today = Math.floor(Date.now() / DAY_MS)
  return Array.from({ length: count }, (_, place) =>
    new Date((today - count + place) * DAY_MS).toISOString().slice(0, 10),
  )
}

async function tableOf(client: Client, lines: string): Promise<number> {
  const json = { name: `predicted ${++made}`, type: 'csv' }
  const { id } = await good<Made>(client.request('POST', '/dataSources', { json }))
  const text = `Order Date,Amount (CHF),select,Größe\n${lines}`
  const sent = { text, headers: { 'content-type': 'text/csv' } }
  const upload = await good<{ id: string }>(client.request('POST', `/dataSources/${id}/uploads`, sent))
  await good(
    client.request('POST', `/dataSources/${id}/import`, {
      json: { upload: upload.id, table: 'sold orders' },
    }),
  )
  return id
}

const bodyOf = (dataSourceId: number, change: object = {}) => ({
  name: `forecast ${++made}`,
  source: { type: 'dataTable', dataSourceId, table: 'sold orders', ...NAMES, aggregate: 'sum' },
  step: 'P1D',
  horizon: 'P7D',
  timeZone: 'UTC',
  model: { kind: 'custom:croston' },
  ...change,
})

const stage = once(async (client) => {
  const source = await ordersOf(client)
  const { id } = await good<Made>(
    client.request('POST', '/forecasts', { json: bodyOf(source, { name: 'taken' }) }),
  )
  return { source, forecast: id }
})

const job = { type: 'job', jobId: 1, key: 'returnValue1' }
const rows: Row[] = [
  ...(['collector', 'dashboard_viewer'] as const).map((as): Row => ({
    title: as,
    call: 'GET /forecasts',
    as,
    answers: 'forbidden',
  })),
  {
    title: 'a name that is taken',
    call: 'POST /forecasts',
    json: bodyOf(1, { name: 'TAKEN', source: job }),
    answers: 'name_taken',
    pointers: ['/name'],
  },
  {
    title: 'a horizon of half a step',
    call: 'POST /forecasts',
    json: bodyOf(1, { horizon: 'PT12H' }),
    answers: 'invalid',
    pointers: ['/horizon'],
  },
  {
    title: 'a kind that does not exist',
    call: 'POST /forecasts',
    json: bodyOf(1, { source: job, model: { kind: 'lstm' } }),
    answers: 'invalid',
    pointers: ['/model/kind'],
  },
  {
    title: 'a cron that never comes',
    call: 'POST /forecasts',
    json: bodyOf(1, { source: job, schedule: { cron: '0 0 30 2 *' } }),
    answers: 'invalid',
    pointers: ['/schedule/cron'],
  },
  {
    title: 'a table of an editor',
    call: 'POST /forecasts',
    as: 'editor',
    json: bodyOf(1, { source: job, table: { dataSourceId: 1, name: 'x' } }),
    answers: 'forbidden',
  },
  {
    title: 'a table nowhere',
    call: 'POST /forecasts',
    json: bodyOf(1, { source: job, table: { dataSourceId: 999_999, name: 'x' } }),
    answers: 'invalid',
    pointers: ['/table/dataSourceId'],
  },
  { title: 'no runner', call: 'POST /forecasts/{forecast}/run', answers: 'no_runner' },
  {
    title: 'no runner for a preview',
    call: 'POST /forecasts/preview',
    json: bodyOf(1, { source: job, model: { kind: 'custom:nothing' } }),
    answers: 'no_runner',
  },
  {
    title: 'a preview with a horizon of half a step',
    call: 'POST /forecasts/preview',
    json: bodyOf(1, { horizon: 'PT12H' }),
    answers: 'invalid',
    pointers: ['/horizon'],
  },
  {
    title: 'a preview by a viewer',
    call: 'POST /forecasts/preview',
    as: 'dashboard_viewer',
    json: bodyOf(1, { source: job }),
    answers: 'forbidden',
  },
  {
    title: 'nothing to select from',
    call: 'POST /forecasts/{forecast}/select',
    json: {},
    answers: 'conflict',
  },
  {
    title: 'holidays of a step of a week',
    call: 'POST /forecasts',
    json: bodyOf(1, { source: job, step: 'P7D', holidays: { country: 'CH' } }),
    answers: 'invalid',
    pointers: ['/holidays'],
  },
  { title: 'no group', call: 'GET /forecasts/{forecast}/band', answers: 'not_found' },
  {
    title: 'groups of another user',
    call: 'GET /forecasts/{forecast}/groups',
    as: 'Data_Editor',
    answers: 'forbidden',
  },
  { title: 'no forecast', call: 'GET /forecasts/999999', answers: 'not_found' },
  {
    title: 'an older version',
    call: 'DELETE /forecasts/{forecast}',
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
]

async function unpacked(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('gzip'))
  const lines = (await new Response(stream).text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

const outcomeOf = (id: number, key: unknown) => {
  const begin = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const t = Array.from({ length: 7 }, (_, place) => begin + place * DAY_MS)
  const of = (value: number) => t.map(() => value)
  return {
    id,
    key,
    points: DAYS,
    kind: 'custom:croston',
    t,
    endAt: begin + 7 * DAY_MS,
    mean: of(12),
    lo80: of(11),
    hi80: of(13),
    lo95: of(10),
    hi95: of(14),
    past: {
      t: [begin - DAY_MS],
      y: [39],
      mean: [12],
      lo80: [11],
      hi80: [13],
      lo95: [10],
      hi95: [14],
      anomaly: [1],
    },
    season: 'week',
    quality: 'good',
    notes: {},
    cpuMs: 1,
    error: null,
    backtest: BACKTEST,
  }
}

type ShownForecast = Pick<BandView, 'levels' | 'buckets'>

/** The forecast of a chart as a user sees it, on a dashboard for everyone. */
async function shownOn(
  client: Client,
  { source, id }: { readonly source: number; readonly id: number },
): Promise<(as: 'administrator' | 'Data_Editor' | 'dashboard_viewer') => Promise<ShownForecast | null>> {
  const text = 'SELECT "Order Date" AS day, "Amount (CHF)" AS amount FROM "sold orders"'
  const query = await good<Made>(
    client.request('POST', '/dataQueries', {
      json: { name: `predicted ${++made}`, dataSourceId: source, text, accessibleFromDashboards: true },
    }),
  )
  await good(client.request('POST', `/dataQueries/${query.id}/publish`, { json: {} }))
  // The processes that read tables start, which takes seconds on a busy machine and counts for a widget.
  await good(client.request('POST', `/dataQueries/${query.id}/run`, { json: {} }))
  const forecast = { forecastId: id, group: { select: 'north', Größe: 'L' } }
  const chart = { kind: 'chart', dataQueryId: query.id, type: 'line', x: 'day', y: ['amount'], forecast }
  const value = { kind: 'value', source: { type: 'forecast', ...forecast, ahead: 'P1D' }, unit: 'CHF' }
  const other = { ...chart, forecast: { ...forecast, group: { select: 'west' } } }
  const board = await good<Made>(
    client.request('POST', '/dashboards', {
      json: { name: `predicted ${made}`, definition: { widgets: { chart, other, value } } },
    }),
  )
  const items = [{ subjectType: 'everyone' }]
  await good(client.request('PUT', `/dashboards/${board.id}/grants`, { json: { items } }))
  let width = 0
  return async (as) => {
    // Another width each time, so that the answer is not shared.
    const json = () => ({ width: { chart: ++width } })
    const { widgets } = await readUntil(
      () => good<Shown>(client.request('POST', `/dashboards/${board.id}/data`, { json: json(), as })),
      (data) => Object.values(data.widgets).every(({ status }) => status === 200),
    )
    expect(widgets['other']?.data?.forecast).toBeNull()
    const band = widgets['chart']?.data?.forecast ?? null
    expect(widgets['value']?.data).toMatchObject({ value: band ? 12 : null, unit: 'CHF' })
    const image = await readUntil(
      () => client.request('GET', `/dashboards/${board.id}/widgets/chart/svg?width=${400 + width}`, { as }),
      ({ status }) => status === 200,
    )
    expect(image.text.includes('stroke-dasharray'), 'The image has the forecast.').toBe(band !== null)
    return band
  }
}

type Shown = {
  readonly widgets: Record<
    string,
    { readonly status: number; readonly data?: { readonly forecast?: ShownForecast | null } }
  >
}

const scenarios: Scenario[] = [
  {
    title: 'a forecast is listed, replaced, patched, and deleted; it has kinds and dependents',
    async run(client) {
      const source = await ordersOf(client)
      const json = bodyOf(source)
      const { id } = await good<Made>(client.request('POST', '/forecasts', { json }))
      const path = `/forecasts/${id}`
      const { items } = await good<{ items: Made[] }>(client.request('GET', '/forecasts'))
      expect(items.map((one) => one.id)).toContain(id)
      const { headers } = await client.request('GET', path)
      const old = { 'if-match': headers.get('etag') ?? '' }
      expect(await good(client.request('PUT', path, { json: { ...json, horizon: 'P8D' } }))).toMatchObject({
        horizon: 'P8D',
      })
      const stale = await client.request('PATCH', path, { json: { horizon: 'P9D' }, headers: old })
      expect(stale.status).toBe(412)
      expect(await good(client.request('PATCH', path, { json: { horizon: 'P9D' } }))).toMatchObject({
        horizon: 'P9D',
        name: json.name,
      })
      // Each answer is the version of its own change, and none is refused without a condition.
      const wanted = Array.from({ length: 40 }, (_, at) => `change ${at}`)
      const answers = await Promise.all(
        wanted.map((description) => client.request('PUT', path, { json: { ...json, description } })),
      )
      expect(answers.map(({ status, body }) => [status, body['description']])).toEqual(
        wanted.map((description) => [200, description]),
      )
      const tags = answers.map((answer) => answer.headers.get('etag'))
      expect(new Set(tags).size).toBe(wanted.length)
      expect(Array.isArray(await good(client.request('GET', '/forecasts/kinds')))).toBe(true)
      const unknown = await client.request('POST', '/forecasts', {
        json: { ...json, model: { kind: 'lstm' } },
      })
      expect(unknown.body['errors']).toMatchObject([
        { message: expect.stringContaining('prophet') as string },
      ])
      await good(client.request('GET', `${path}/dependents`))
      expect((await client.request('DELETE', path)).status).toBe(204)
      expect((await client.request('GET', path)).status).toBe(404)
    },
  },
  {
    title: 'a table with columns of any names is predicted by a runner, and its results are a table',
    async run(client) {
      const source = await ordersOf(client)
      const holidays = { country: 'CH' }
      const json = bodyOf(source, {
        table: { dataSourceId: source, name: 'Predicted orders' },
        schedule: { cron: '0 4 1 1 *' },
        holidays,
      })
      const { id } = await good<Made>(client.request('POST', '/forecasts', { json }))
      const path = `/forecasts/${id}`
      const read = () => good<ForecastView>(client.request('GET', path))
      const runner = await runnerOf(client, {
        name: `forecaster ${id}`,
        capabilities: ['forecast'],
        forecastKinds: ['croston'],
      })
      const order = () =>
        client.request('POST', `${path}/run`, { headers: { 'idempotency-key': `order-${id}` } })
      const first = await good<JobView>(order())
      expect(await good<JobView>(order())).toMatchObject({ id: first.id })
      expect((await client.request('POST', `${path}/run`)).status).toBe(409)
      expect(await read()).toMatchObject({ state: 'running', owner: { name: 'admin' } })

      const held = await runner.next()
      expect(held.assignment).toMatchObject({
        script: { id: 0, runner: 'forecast' },
        forecast: { kind: 'custom:croston' },
        network: [],
        secretNames: [],
        database: null,
      })
      expect(Object.keys(held.assignment.env)).not.toContain('SVC_SESSION_ID')
      await held.begin()
      const { bytes } = await held.say('GET', 'uploads/series.ndjson.gz')
      const [head, ...series] = await unpacked(bytes)
      expect(head).toMatchObject({
        v: 1,
        kind: 'custom:croston',
        horizon: 7,
        step: DAY_MS,
        duplicates: 'sum',
        search: false,
        holidays: { country: 'CH', days: [] },
        keyTypes: ['string', 'string'],
      })
      expect(series.map(({ key, y }) => [key, (y as number[]).length])).toEqual([
        [['north', 'L'], DAYS],
        [['south', 'S'], DAYS],
      ])
      const failure = {
        id: 1,
        key: ['south', 'S'],
        points: DAYS,
        error: { code: 'forecast.gaps', detail: 'Gaps.' },
      }
      const results = await packed([
        { v: 1, engine: {}, keyTypes: ['string', 'string'] },
        outcomeOf(0, ['north', 'L']),
        failure,
      ])
      await must(held.say('PUT', 'outputs/forecast-00.ndjson.gz', { bytes: results }))
      await must(held.log([{ line: 1, at: Date.now(), stream: 'stdout', text: '1 of 2 groups' }]))
      const log = `${path}/jobs/${first.id}/log`
      const following = client.request('GET', log, { headers: { accept: 'text/event-stream' } })
      await must(held.finish({ logLines: 1 }))
      const { text: followed, headers: streamed } = await following
      expect(streamed.get('content-type')).toContain('text/event-stream')
      expect(followed).toMatch(/event: line\n.*1 of 2 groups[^]*event: end\n.*"state":"succeeded"/)
      const { text: later } = await client.request('GET', `${log}?follow=true&offset=1`)
      expect([later.includes('event: line'), later.includes('event: end')]).toEqual([false, true])
      const elsewhere = path.replace(String(id), String(id + 1))
      expect((await client.request('GET', `${log.replace(path, elsewhere)}?follow=true`)).status).toBe(404)
      await readUntil(read, ({ publishedRun }) => publishedRun !== null)

      expect(await read()).toMatchObject({
        state: 'ready',
        publishedRun: first.id,
        failure: null,
        quality: { good: 1, failed: 1 },
        figures: {
          mase: 0.5,
          naiveSmape: 6,
          text: 'off by 4.0 % on average over 5 trials of 7 days; the same day of the week before would be off by 6.0 %; 100 % of values were inside the 95 % band',
        },
      })
      const { items } = await good<{ items: GroupView[] }>(client.request('GET', `${path}/groups`))
      expect(items.map(({ group, error }) => [group, error?.code])).toEqual([
        [{ select: 'north', Größe: 'L' }, undefined],
        [{ select: 'south', Größe: 'S' }, 'forecast.gaps'],
      ])
      const { items: bad } = await good<{ items: GroupView[] }>(
        client.request('GET', `${path}/groups?quality=failed`),
      )
      expect(bad).toHaveLength(1)
      const band = await good<BandView>(client.request('GET', `${path}/band`))
      expect(band.buckets[0]).toMatchObject({ mean: 12, bounds: { '95': { lower: 10, upper: 14 } } })
      const select = {
        columns: ['select', 'Größe', 'yhat', 'yhat_upper_95', 'kind'],
        orderBy: [{ column: 'ds' }],
        format: 'objects',
      }
      const selected = await good<{ rows: object[] }>(
        client.request('POST', `${path}/select`, { json: select }),
      )
      expect(selected.rows).toHaveLength(8)
      const unusual = {
        columns: ['y', 'yhat', 'anomaly'],
        filter: { column: 'anomaly', op: 'eq', value: 1 },
      }
      expect(await good(client.request('POST', `${path}/select`, { json: unusual }))).toMatchObject({
        rows: [[39, 12, 1]],
      })
      expect(selected.rows[7]).toEqual({
        select: 'north',
        Größe: 'L',
        yhat: 12,
        yhat_upper_95: 14,
        kind: 'forecast',
      })
      const text = 'SELECT max("yhat") AS most FROM "Predicted orders" WHERE "Größe" = \'L\''
      const asked = await good<{ rows: unknown[][] }>(
        client.request('POST', '/dataQueries/preview', { json: { dataSourceId: source, text } }),
      )
      expect(asked.rows).toEqual([[12]])

      const scopes = `/dataSources/${source}/scopes`
      const restricted = (name: string, filter: object) => ({
        name,
        tables: ['sold orders'],
        filter,
        subjects: { roles: ['Data_Editor'] },
      })
      const only = (value: string) => restricted(value, { column: 'select', op: 'eq', value })
      const bySource = await good<Made>(client.request('POST', scopes, { json: only('south') }))
      const seen = () => client.request('POST', `${path}/select`, { as: 'Data_Editor', json: select })
      expect(await good(seen())).toMatchObject({ rowCount: 0 })
      // No other way leads to the rows that the scopes of the source do not show.
      const direct = `/dataSources/${source}/tables/${encodeURIComponent('Predicted orders')}/select`
      expect((await client.request('POST', direct, { as: 'Data_Editor', json: select })).status).toBe(404)
      await good(client.request('PUT', `${scopes}/${bySource.id}`, { json: only('north') }))
      expect(await good(seen())).toMatchObject({ rowCount: 8 })
      const large = restricted('large', { column: 'Amount (CHF)', op: 'gt', value: 5 })
      const byAmount = await good<Made>(client.request('POST', scopes, { json: large }))
      const missing = { code: 'scope_columns_missing', errors: [{ pointer: '/source/groupColumns' }] }
      expect((await client.request('PUT', path, { json })).body).toMatchObject(missing)
      expect((await seen()).body).toMatchObject(missing)
      for (const one of [bySource, byAmount]) await client.request('DELETE', `${scopes}/${one.id}`)

      const scope = {
        name: 'south alone',
        tables: ['Predicted orders'],
        filter: { column: 'select', op: 'eq', value: 'south' },
        subjects: { roles: ['Data_Editor'] },
      }
      const south = await good<Made>(client.request('POST', scopes, { json: scope }))
      const seenBy = async (as: 'administrator' | 'Data_Editor') =>
        (await good<{ rows: object[] }>(client.request('POST', `${path}/select`, { as, json: select }))).rows
          .length
      expect([await seenBy('administrator'), await seenBy('Data_Editor')]).toEqual([8, 0])

      // Without its forecast the table would lose the scopes of the source.
      const byEditor = (method: string, change?: object) =>
        client.request(method, path, { as: 'Data_Editor', ...(change && { json: change }) })
      const refusals = [await byEditor('PATCH', { table: null }), await byEditor('DELETE')]
      expect(refusals.map(({ body }) => body['code'])).toEqual(['forbidden', 'forbidden'])
      expect((await byEditor('DELETE')).text).toContain('Only administrators may')

      const second = await good<JobView>(client.request('POST', `${path}/run`))
      const dying = await runner.next()
      await dying.begin()
      // It does not name what it had, so the run is another one's, and the results before it stay.
      const again = await runner.next()
      expect(again.assignment).toMatchObject({ id: second.id, attempt: 2 })
      await again.begin()
      expect((await dying.finish()).code).toBe('fenced')
      expect(await read()).toMatchObject({ state: 'running', publishedRun: first.id })
      expect(await seenBy('administrator')).toBe(8)
      await again.finish({ outcome: 'failed', exitCode: 2, error: 'It failed.' })
      await readUntil(read, ({ failure: noted }) => noted !== null)
      expect(await read()).toMatchObject({
        state: 'failed',
        publishedRun: first.id,
        failure: { runId: second.id, detail: 'failed: It failed.' },
      })
      expect((await client.request('POST', `${path}/select`, { json: select })).status).toBe(200)
      const { warnings } = await good<{ warnings: { code: string }[] }>(client.request('GET', '/readyz'))
      expect(warnings.map(({ code }) => code)).toContain('forecasts_stale')

      const third = await good<JobView>(client.request('POST', `${path}/run`))
      expect(await good<JobView>(client.request('POST', `${path}/jobs/${third.id}/cancel`))).toMatchObject({
        state: 'cancelled',
      })
      const { items: jobs } = await good<{ items: JobView[] }>(client.request('GET', `${path}/jobs`))
      expect(jobs.map(({ state, published }) => [state, published])).toEqual([
        ['cancelled', false],
        ['failed', false],
        ['succeeded', true],
      ])
      const ended = `${path}/jobs/${first.id}`
      expect(await good<JobView>(client.request('GET', ended))).toMatchObject({ state: 'succeeded' })
      expect(await good(client.request('GET', `${ended}/log`))).toMatchObject({ lines: [{ n: 1 }] })
      expect((await client.request('POST', `${path}/select?wait=PT0S`, { json: select })).status).toBe(202)
      await good(client.request('DELETE', `${path}/jobs`))
      expect(await good(client.request('GET', `${path}/jobs`))).toEqual({ items: [] })
      const shown = await shownOn(client, { source, id })
      expect((await shown('administrator'))?.buckets.map(({ mean }) => mean)).toEqual(
        Array.from({ length: 7 }, () => 12),
      )
      // The forecast was made of rows that a scope may hide.
      expect(await shown('Data_Editor')).toBeNull()
      await good(client.request('DELETE', `/dataSources/${source}/scopes/${south.id}`))
      expect(await shown('Data_Editor')).toMatchObject({
        levels: [80, 95],
        buckets: Array.from({ length: 7 }, () => ({ bounds: { '80': { lower: 11, upper: 13 } } })),
      })
      expect(await shown('dashboard_viewer')).toBeNull()
      const { widgets } = await good<{ widgets: { widgetId: string }[] }>(
        client.request('GET', `${path}/dependents`),
      )
      expect(widgets.map(({ widgetId }) => widgetId)).toEqual(['chart', 'other', 'value'])
      expect((await client.request('DELETE', path)).text).toContain('the widget chart of dashboard')
      expect((await client.request('DELETE', `${path}?forceDelete=true`)).status).toBe(204)
      expect(await shown('administrator')).toBeNull()
    },
  },
  {
    title:
      'a thousand groups are predicted and one of them fails alone, and a source with one more is refused',
    decidedAbovePorts: 'forecasts',
    async run(client) {
      const days = daysBefore(3)
      const lines = Array.from({ length: GROUPS_MAX + 1 }, (_, group) =>
        days.map((day, place) => `${day},${place},shop ${group},L\n`).join(''),
      )
      const dataSourceId = await tableOf(client, lines.join(''))
      const all = bodyOf(dataSourceId, { horizon: 'P2D' })
      const tooMany = await good<Made>(client.request('POST', '/forecasts', { json: all }))
      const filter = { column: 'select', op: 'ne', value: `shop ${GROUPS_MAX}` }
      const json = {
        ...all,
        name: `${all.name} of a thousand`,
        source: { ...all.source, filter },
        table: { dataSourceId, name: 'Predicted shops' },
      }
      const { id } = await good<Made>(client.request('POST', '/forecasts', { json }))
      const path = `/forecasts/${id}`
      const runner = await runnerOf(client, {
        name: `forecaster of many ${id}`,
        capabilities: ['forecast'],
        forecastKinds: ['croston'],
      })
      const refused = await client.request('POST', `/forecasts/${tooMany.id}/run`)
      expect(refused.body).toMatchObject({
        code: 'query_too_large',
        detail: 'forecast.too_many: the source has 1001 groups; at most 1000 are possible.',
      })
      await good(client.request('POST', `${path}/run`))
      const held = await runner.next()
      await held.begin()
      const [, ...series] = await unpacked((await held.say('GET', 'uploads/series.ndjson.gz')).bytes)
      expect(series).toHaveLength(GROUPS_MAX)
      const head = { v: 1, engine: {}, keyTypes: ['string', 'string'] }
      const error = { code: 'forecast.too_short', detail: 'The series has fewer than 2 values.' }
      const outcomes = series.map(({ key }, number) =>
        number === 500 ? { id: number, key, points: 1, error } : outcomeOf(number, key),
      )
      for (const [part, group] of [outcomes.slice(0, 600), outcomes.slice(600)].entries()) {
        const bytes = await packed([head, ...group])
        await must(held.say('PUT', `outputs/forecast-0${part}.ndjson.gz`, { bytes }))
      }
      await must(held.finish())
      const read = () => good<ForecastView>(client.request('GET', path))
      expect(await readUntil(read, ({ publishedRun }) => publishedRun !== null)).toMatchObject({
        state: 'ready',
        quality: { good: GROUPS_MAX - 1, failed: 1 },
      })
      const { items } = await good<{ items: GroupView[] }>(
        client.request('GET', `${path}/groups?quality=failed`),
      )
      expect(items.map(({ number }) => number)).toEqual([500])
      const text = 'SELECT count(*) AS n, count(DISTINCT "select") AS shops FROM "Predicted shops"'
      const counted = await good<{ rows: unknown[][] }>(
        client.request('POST', '/dataQueries/preview', { json: { dataSourceId, text } }),
      )
      expect(counted.rows).toEqual([[8 * (GROUPS_MAX - 1), GROUPS_MAX - 1]])
    },
  },
  {
    title:
      'results are seen with the rights with which they were read, also after the forecast has another owner',
    decidedAbovePorts: 'forecasts',
    async run(client) {
      const source = await ordersOf(client)
      const scopes = `/dataSources/${source}/scopes`
      const scope = {
        name: 'south alone',
        tables: ['sold orders'],
        filter: { column: 'select', op: 'eq', value: 'south' },
        subjects: { roles: ['Data_Editor'] },
      }
      await good(client.request('POST', scopes, { json: scope }))
      const json = bodyOf(source)
      const { id } = await good<Made>(client.request('POST', '/forecasts', { json }))
      const path = `/forecasts/${id}`
      const runner = await runnerOf(client, {
        name: `reader ${id}`,
        capabilities: ['forecast'],
        forecastKinds: ['croston'],
      })
      const predict = (keys: readonly string[][]) =>
        predicted(client, { path, runner }, async (held) => {
          const { bytes } = await held.say('GET', 'uploads/series.ndjson.gz')
          expect((await unpacked(bytes)).slice(1).map(({ key }) => key)).toEqual([...keys])
          return keys.map((key, at) => outcomeOf(at, key))
        })
      const as = 'Data_Editor'
      const seen = async () => [
        (await client.request('GET', `${path}/groups`, { as })).status,
        (await client.request('GET', `${path}/band`, { as })).status,
      ]
      const [north, south] = [
        ['north', 'L'],
        ['south', 'S'],
      ]
      await predict([north, south])
      expect(await seen()).toEqual([403, 403])
      const description = 'Saved again.'
      expect(await good(client.request('PATCH', path, { as, json: { description } }))).toMatchObject({
        owner: { name: 'Data_Editor' },
      })
      expect(await seen()).toEqual([403, 403])
      await predict([south])
      expect(await seen()).toEqual([200, 200])
      const all = { ...scope, filter: { column: 'select', op: 'eq', value: 'north' } }
      const { items } = await good<{ items: Made[] }>(client.request('GET', scopes))
      await good(client.request('PUT', `${scopes}/${items[0]?.id}`, { json: all }))
      expect(await seen()).toEqual([403, 403])
    },
  },
  {
    title: 'a table of results is not renamed, and stays closed when its forecast or its source is to go',
    decidedAbovePorts: 'forecasts',
    async run(client) {
      const [source, target] = [await ordersOf(client), await ordersOf(client)]
      const scope = {
        name: 'south alone',
        tables: ['sold orders'],
        filter: { column: 'select', op: 'eq', value: 'south' },
        subjects: { roles: ['Data_Editor'] },
      }
      await good(client.request('POST', `/dataSources/${source}/scopes`, { json: scope }))
      const json = bodyOf(source, { table: { dataSourceId: target, name: 'results' } })
      const { id } = await good<Made>(client.request('POST', '/forecasts', { json }))
      const path = `/forecasts/${id}`
      const runner = await runnerOf(client, {
        name: `closer ${id}`,
        capabilities: ['forecast'],
        forecastKinds: ['croston'],
      })
      for (const cpuMs of [12, 13])
        await predicted(client, { path, runner }, () => [{ ...outcomeOf(0, ['north', 'L']), cpuMs }])
      const tables = `/dataSources/${target}/tables`
      const statusOf = async (name: string, as: 'administrator' | 'Data_Editor') =>
        (await client.request('POST', `${tables}/${name}/select`, { as, json: {} })).status
      expect([await statusOf('results', 'administrator'), await statusOf('results', 'Data_Editor')]).toEqual([
        200, 404,
      ])
      const refused = [
        await client.request('PATCH', `${tables}/results`, { json: { rename: 'renamed' } }),
        await client.request('DELETE', `${path}?forceDelete=true`),
        await client.request('PATCH', path, { json: { table: null } }),
      ]
      expect(refused.map(({ status, body }) => [status, body['code']])).toEqual([
        [409, 'conflict'],
        [409, 'conflict'],
        [409, 'conflict'],
      ])
      expect((await client.request('DELETE', `/dataSources/${source}?forceDelete=true`)).status).toBe(204)
      expect(await statusOf('results', 'Data_Editor')).toBe(404)
      const own = { ...scope, tables: ['results'], filter: null }
      await good(client.request('POST', `/dataSources/${target}/scopes`, { json: own }))
      expect(await statusOf('results', 'Data_Editor')).toBe(200)
      expect((await client.request('DELETE', path)).status).toBe(204)
    },
  },
  {
    title: 'a preview predicts one group by a runner, and leaves nothing',
    async run(client) {
      const source = await ordersOf(client)
      const json = bodyOf(source, { group: { select: 'south', Größe: 'S' } })
      const runner = await runnerOf(client, {
        name: `previewer ${source}`,
        capabilities: ['forecast'],
        forecastKinds: ['croston'],
      })
      const preview = (change: object = {}, query = '') =>
        client.request('POST', `/forecasts/preview${query}`, { json: { ...json, ...change } })
      const nowhere = await preview({ group: { select: 'nowhere' } })
      expect(nowhere.status).toBe(422)
      expect(nowhere.text).toContain('"/group"')

      const asking = preview()
      const held = await runner.next()
      expect((await preview()).body).toMatchObject({ code: 'conflict' })
      await held.begin()
      const { bytes } = await held.say('GET', 'uploads/series.ndjson.gz')
      const [, ...series] = await unpacked(bytes)
      expect(series).toMatchObject([{ id: 0, key: ['south', 'S'] }])
      const head = { v: 1, engine: {}, keyTypes: ['string', 'string'] }
      const name = 'outputs/forecast-00.ndjson.gz'
      await must(held.say('PUT', name, { bytes: await packed([head, outcomeOf(0, ['south', 'S'])]) }))
      await must(held.finish())
      const shown = await good<PreviewView>(asking)
      expect(shown).toMatchObject({
        groups: 2,
        group: { select: 'south', Größe: 'S' },
        quality: 'good',
        kind: 'custom:croston',
        figures: { mase: 0.5 },
        levels: [80, 95],
        anomalies: 1,
        past: [{ value: 39, mean: 12, bounds: { '95': { lower: 10, upper: 14 } }, anomaly: 1 }],
        error: null,
      })
      expect(shown.buckets).toHaveLength(7)
      expect(shown.buckets[0]).toMatchObject({ mean: 12, bounds: { '95': { lower: 10, upper: 14 } } })

      const failing = preview({ group: null })
      const again = await runner.next()
      await again.begin()
      await again.finish({ outcome: 'failed', exitCode: 2, error: 'It failed.' })
      expect((await failing).body).toMatchObject({ code: 'query_failed', detail: 'failed: It failed.' })

      const accepted = await preview({}, '?wait=PT0S')
      expect(accepted.status).toBe(202)
      const operation = accepted.headers.get('location') ?? ''
      const left = await runner.next()
      expect((await client.request('DELETE', operation)).status).toBeLessThan(300)
      const read = () => good<{ state: string }>(client.request('GET', operation))
      for (let looks = 100; looks > 0 && (await read()).state !== 'cancelled'; looks--) await Bun.sleep(100)
      expect(await read()).toMatchObject({ state: 'cancelled', kind: 'forecast' })
      expect((await left.begin()).cancel).toBe(true)
      await left.finish({ outcome: 'cancelled', exitCode: null })
      const { items } = await good<{ items: Made[] }>(client.request('GET', '/forecasts'))
      expect(items.map((one) => (one as unknown as { name: string }).name)).not.toContain(json.name)
    },
  },
  {
    title: 'a forecast warns a job ahead of time, and its end leaves the limit unknown',
    async run(client) {
      const device = await good<Made>(
        client.request('POST', '/devices?parentId=1', { json: { name: `seen ${++made}` } }),
      )
      const parameters = { returnValue: [{ valueName: 'load' }] }
      const { id } = await good<Made>(
        client.request('POST', `/jobs?parentId=${device.id}`, { json: { name: 'load', parameters } }),
      )
      const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
      const deliver = (value: number, at = Date.now()) => {
        const json = { returnValue1: value, errorCode: 0, timestamp: new Date(at).toISOString() }
        return good(client.request('POST', `/webcollector/jobs/${id}/values`, { json }))
      }
      await deliver(10, hour - HOUR_MS)
      const source = { type: 'job', jobId: id, key: 'returnValue1' }
      const json = bodyOf(1, { source, step: 'PT1H', horizon: 'PT6H' })
      const { id: forecastId } = await good<Made>(client.request('POST', '/forecasts', { json }))
      const inFuture = { within: 'PT4H', method: 'forecast', forecastId }
      const conditions = [{ key: 'returnValue1', operator: '>', value: 90, inFuture }]
      await good(client.request('PATCH', `/jobs/${id}`, { json: { thresholds: { minor: { conditions } } } }))
      const read = () => good<JobRead>(client.request('GET', `/jobs/${id}?thresholds=true`))
      await deliver(11)
      expect(await read()).toMatchObject({ currentState: 'ok', predictions: [{ unknown: 'too_few' }] })

      const runner = await runnerOf(client, {
        name: `foreseer ${id}`,
        capabilities: ['forecast'],
        forecastKinds: ['croston'],
      })
      const means = [10, 20, 95, 96, 10, 10]
      const outcome = { ...outcomeOf(0, []), t: means.map((_, place) => hour + place * HOUR_MS), mean: means }
      const width = (by: number) => means.map((mean) => mean + by)
      const bounds = { lo80: width(-1), hi80: width(1), lo95: width(-2), hi95: width(2) }
      const line = { ...outcome, ...bounds, endAt: hour + 6 * HOUR_MS }
      const bytes = await packed([{ v: 1, engine: {}, keyTypes: [] }, line])
      const predict = async () => {
        await good(client.request('POST', `/forecasts/${forecastId}/run`))
        const held = await runner.next()
        await held.begin()
        await must(held.say('PUT', 'outputs/forecast-00.ndjson.gz', { bytes }))
        await must(held.finish())
      }
      await predict()
      await readUntil(read, ({ predictions }) => predictions[0]?.unknown === null)
      await deliver(12)
      const warned = await read()
      expect(warned).toMatchObject({ currentState: 'minor', predictions: [{ unknown: null }] })
      expect(Date.parse(warned.predictions[0]?.crossesAt ?? '')).toBe(hour + 2 * HOUR_MS)
      expect(warned.message).toContain('returnValue1 is predicted to be above 90 at')

      const path = `/forecasts/${forecastId}`
      // A job that the next run predicts no more loses its bounds.
      const other = await good<Made>(
        client.request('POST', `/jobs?parentId=${device.id}`, { json: { name: 'other', parameters } }),
      )
      const past = new Date(hour - HOUR_MS).toISOString()
      const series = { returnValue1: 10, errorCode: 0, timestamp: past }
      await good(client.request('POST', `/webcollector/jobs/${other.id}/values`, { json: series }))
      const predicting = (jobId: number) =>
        good(client.request('PATCH', path, { json: { source: { ...source, jobId } } }))
      await predicting(other.id)
      await predict()
      await readUntil(read, ({ predictions }) => predictions[0]?.unknown !== null)
      await predicting(id)
      await predict()
      await readUntil(read, ({ predictions }) => predictions[0]?.unknown === null)

      expect(await good(client.request('GET', `${path}/dependents`))).toMatchObject({ jobs: [{ id }] })
      const refused = await client.request('DELETE', path)
      expect([refused.status, refused.body['code']]).toEqual([409, 'has_dependents'])
      expect((await client.request('DELETE', `${path}?forceDelete=true`)).status).toBe(204)
      await readUntil(read, ({ predictions }) => predictions[0]?.unknown !== null)
      expect(await read()).toMatchObject({ currentState: 'ok', limits: { unknown: 'too_few' } })
    },
  },
]

export const forecastsSuite: Suite = { name: 'forecasts', scenarios: [...table(stage, rows), ...scenarios] }
