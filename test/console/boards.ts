import type { Client } from '../api/client.ts'
import { good } from '../api/suite.ts'

type Made = { readonly id: number }
type Ids = Readonly<Record<string, number>>

const MINUTE_MS = 60_000
const MARKDOWN = `# Duty

**Ilse** until 18:00. Above 3.40 m [call](https://example.org), not [this](javascript:alert(1)).

- one
- <script>document.title = 'broken'</script>

| a | b |
|---|---|
| 1 | 2 |`

const PARAMETERS = [
  {
    name: 'region',
    type: 'enum',
    label: 'Region',
    values: [
      { value: 'north', label: 'North' },
      { value: 'south', label: 'South' },
    ],
    default: 'north',
  },
  { name: 'least', type: 'number', label: 'At least' },
]

/** Objects, data queries and a dashboard that widgets show. */
export async function makeThings(client: Client): Promise<Ids> {
  const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
  const harbour = await post('/groups?parentId=1', { name: 'Harbour' })
  const gauge = await post(`/devices?parentId=${harbour.id}`, { name: 'Gauge' })
  const job = (name: string) =>
    post(`/jobs?parentId=${gauge.id}`, {
      name,
      parameters: { returnValue: [{ valueName: 'level', valueUnit: 'm' }] },
      thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 3 }] } },
    })
  const [outer, inner] = [await job('Outer level'), await job('Inner level')]
  const now = Date.now()
  for (const { id } of [outer, inner])
    for (const [at, value] of [1.2, 2.4, 3.2].entries())
      await post(`/webcollector/jobs/${id}/values`, {
        errorCode: 0,
        returnValue1: id === outer.id ? value : value / 2,
        timestamp: new Date(now - (3 - at) * 10 * MINUTE_MS).toISOString(),
      })
  const slo = await post('/slos?parentId=1', { name: 'Protection' })
  const source = await post('/dataSources', { name: 'Shop', type: 'csv' })
  await post(`/dataSources/${source.id}/tables`, {
    name: 'sales',
    columns: [
      { name: 'region', type: 'string' },
      { name: 'amount', type: 'number' },
    ],
  })
  await post(`/dataSources/${source.id}/tables/sales/rows`, {
    rows: [
      { region: 'north', amount: 30 },
      { region: 'north', amount: 12 },
      { region: 'south', amount: 7 },
    ],
  })
  const text = 'SELECT region, amount FROM sales WHERE region = ${region} AND amount >= coalesce(${least}, 0)'
  const parameters = [
    { name: 'region', type: 'string' },
    { name: 'least', type: 'number' },
  ]
  const common = { dataSourceId: source.id, accessibleFromDashboards: true }
  const sales = await post('/dataQueries', { ...common, name: 'Sales', text, parameters })
  const all = await post('/dataQueries', {
    ...common,
    name: 'All sales',
    text: 'SELECT region, amount FROM sales',
  })
  await post(`/dataSources/${source.id}/tables`, {
    name: 'months',
    columns: [
      { name: 'month', type: 'string' },
      { name: 'region', type: 'string' },
      { name: 'amount', type: 'number' },
    ],
  })
  await post(`/dataSources/${source.id}/tables/months/rows`, {
    rows: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'].flatMap((month, at) =>
      ['north', 'south', 'west'].map((region, place) => ({
        month,
        region,
        amount: at === 2 && place === 1 ? null : 20 + ((at * 7 + place * 11) % 23),
      })),
    ),
  })
  const months = await post('/dataQueries', { ...common, name: 'Months', text: 'SELECT * FROM months' })
  for (const { id } of [sales, all, months]) await post(`/dataQueries/${id}/publish`, {})
  await post(`/dataSources/${source.id}/tables`, {
    name: 'stations',
    columns: ['name', 'state']
      .map((name) => ({ name, type: 'string' }))
      .concat(['lat', 'lon'].map((name) => ({ name, type: 'number' }))),
  })
  await post(`/dataSources/${source.id}/tables/stations/rows`, {
    rows: [
      { name: 'Harlingen', state: 'major', lat: 53.175, lon: 5.411 },
      { name: 'Harlingen harbour', state: 'ok', lat: 53.176, lon: 5.414 },
      { name: 'Den Oever', state: 'ok', lat: 52.934, lon: 5.043 },
      { name: 'Delfzijl', state: 'minor', lat: 53.33, lon: 6.93 },
    ],
  })
  await post(`/dataSources/${source.id}/tables`, {
    name: 'cables',
    columns: ['from', 'to', 'state'].map((name) => ({ name, type: 'string' })),
  })
  await post(`/dataSources/${source.id}/tables/cables/rows`, {
    rows: [{ from: 'Harlingen', to: 'Delfzijl', state: 'minor' }],
  })
  const stations = await post('/dataQueries', { ...common, name: 'Stations', text: 'SELECT * FROM stations' })
  await post(`/dataQueries/${stations.id}/publish`, {})
  const boards = await post('/dashboards/groups', { name: 'Coast' })
  const inside = await post('/dashboards', {
    name: 'Inside',
    groupId: boards.id,
    definition: {
      widgets: { t: { kind: 'text', title: '', markdown: 'Inside' } },
      pages: [{ id: 'main', title: '', items: [{ widget: 't', x: 0, y: 0, w: 12, h: 1 }] }],
    },
  })
  await good(
    client.request('PUT', `/dashboards/groups/${boards.id}/grants`, {
      json: { items: [{ subjectType: 'everyone' }] },
    }),
  )
  return {
    group: harbour.id,
    outer: outer.id,
    inner: inner.id,
    slo: slo.id,
    source: source.id,
    stations: stations.id,
    sales: sales.id,
    all: all.id,
    months: months.id,
    boards: boards.id,
    inside: inside.id,
  }
}

/** A dashboard with a widget of each kind, and with some that cannot be shown. */
export function definitionOf(ids: Ids) {
  const job = (id: string) => ({ type: 'job', jobId: ids[id], key: 'returnValue1' })
  const params = { region: '${region}', least: '${least}' }
  const ofMonths = { kind: 'chart', dataQueryId: ids['months'], x: 'month', y: ['amount'], split: 'region' }
  const widgets: Readonly<Record<string, object>> = {
    value: { kind: 'value', title: 'Highest level', source: job('outer'), sparkline: 'PT6H' },
    levels: { kind: 'history', title: 'Levels', series: [{ jobId: ids['outer'] }, { jobId: ids['inner'] }] },
    one: { kind: 'history', title: 'One level', series: [{ jobId: ids['outer'] }] },
    bars: {
      kind: 'chart',
      title: 'Sales by region',
      dataQueryId: ids['all'],
      type: 'bar',
      x: 'region',
      y: ['amount'],
    },
    stacked: { ...ofMonths, title: 'Months', type: 'stacked' },
    heat: { ...ofMonths, title: 'Best months', type: 'heatmap' },
    table: { kind: 'table', title: 'Sales', dataQueryId: ids['sales'], params, download: true },
    tiles: { kind: 'states', title: 'Jobs', objects: { groupId: ids['group'], type: 'job' }, depth: 3 },
    alarms: { kind: 'alarms', title: 'Wrong', acknowledge: true },
    slo: { kind: 'slo', title: 'Service', objectId: ids['slo'], show: ['availability', 'timeline'] },
    gone: { kind: 'value', title: 'Gone', source: { type: 'job', jobId: null } },
    wrong: {
      kind: 'chart',
      title: 'No such column',
      dataQueryId: ids['all'],
      type: 'line',
      x: 'day',
      y: ['amount'],
    },
    map: {
      kind: 'map',
      title: 'Where',
      points: {
        type: 'dataQuery',
        dataQueryId: ids['stations'],
        lat: 'lat',
        lon: 'lon',
        state: 'state',
        label: 'name',
      },
    },
    text: { kind: 'text', title: 'Duty', markdown: MARKDOWN },
    inside: { kind: 'dashboard', title: 'Embedded', dashboardId: ids['inside'] },
    region: { kind: 'input', title: '', parameter: 'region', control: 'select' },
    clock: { kind: 'clock', title: '', timeZone: 'Europe/Amsterdam' },
    line: { kind: 'line', title: '' },
    later: { kind: 'unknown', title: 'Later', original: { kind: 'gauge3d' } },
  }
  const places: readonly (readonly [widget: string, x: number, y: number, w: number, h: number])[] = [
    ['region', 0, 0, 3, 1],
    ['clock', 3, 0, 3, 1],
    ['value', 0, 1, 3, 2],
    ['gone', 3, 1, 3, 2],
    ['levels', 6, 0, 6, 3],
    ['one', 0, 3, 6, 3],
    ['bars', 6, 3, 6, 3],
    ['table', 0, 6, 4, 3],
    ['tiles', 4, 6, 4, 2],
    ['alarms', 8, 6, 4, 2],
    ['slo', 4, 8, 4, 2],
    ['text', 8, 8, 4, 4],
    ['line', 0, 9, 4, 1],
    ['wrong', 0, 10, 4, 2],
    ['inside', 4, 10, 4, 3],
    ['later', 8, 12, 4, 1],
    ['map', 0, 13, 6, 4],
    ['stacked', 6, 13, 6, 3],
    ['heat', 6, 16, 6, 2],
  ]
  const items = places.map(([widget, x, y, w, h]) => ({ widget, x, y, w, h }))
  return { parameters: PARAMETERS, widgets, pages: [{ id: 'main', title: 'Overview', items }] }
}
