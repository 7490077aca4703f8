import type { Client } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { definitionOf, makeThings } from './boards.ts'

type Made = { readonly id: number }
type List = { readonly items: readonly Made[] }

const TRIES = 200
const PAUSE_MS = 200
const A_MONTH_MS = 30 * 86_400_000

/** The screens of the console, in whose paths `{job}` stands for an id. */
export const SCREENS = [
  '',
  'alarms',
  'alarms/{alarm}',
  'objects',
  'group/{group}',
  'device/{device}',
  'job/{job}?tab=values',
  'job/{job}?tab=deliveries',
  'job/{job}?tab=send',
  'job/{job}?tab=configuration',
  'job/{job}?tab=outages',
  'slos',
  'slo/{slo}',
  'slo/{slo}?tab=configuration',
  'slo/{slo}?tab=page',
  'slc/{slc}',
  'slc/{slc}?tab=configuration',
  'status-pages',
  'status-pages/group/{group}',
  'maintenance',
  'maintenance?view=week',
  'maintenance?view=agenda',
  'scripts',
  'scripts/{script}',
  'scripts/{script}?tab=files',
  'scripts/{script}?tab=schedules',
  'scripts/{script}?tab=webhooks',
  'scripts/{script}?tab=settings',
  'scripts/{script}/jobs/{run}',
  'data',
  'data/new/import',
  'queries',
  'queries/new',
  'notifications',
  'notifications/links',
  'notifications/messages',
  'content',
  'content/styles',
  'content/translations',
  'users',
  'users/groups',
  'users/explain',
  'users/user/{user}',
  'settings',
  'settings/backups',
  'settings/runners',
  'settings/health',
  'settings/demo',
  'audit',
  'account',
  'keys',
  'first-value',
  'wall',
] as const

/** The screens of data that a plant of `makeData` has. */
export const DATA_SCREENS = [
  'data',
  'data/{source}',
  'data/{source}?tab=refreshes',
  'data/{source}?tab=scopes',
  'data/{source}?tab=settings',
  'data/{source}/import',
  'data/{source}/tables/levels',
  'data/{source}/tables/levels?tab=columns',
  'data/{source}/tables/levels?view=chart',
  'data/{source}/tables/levels?summary={summary}',
  'data/{source}/tables/levels?summary={summary}&view=chart',
  'queries',
  'queries?group={queryGroup}',
  'queries/{query}',
  'queries/{invalid}',
] as const

const BOARD_SCREENS = [
  'dashboards',
  'dashboards?group={boards}',
  'dashboards/{dashboard}',
  'forecasts',
] as const

/** All of them, once each. */
export const ALL_SCREENS = [...new Set([...SCREENS, ...DATA_SCREENS, ...BOARD_SCREENS])]

/** The path of a screen with ids. */
export type PathOf = (path: string) => string

/** Makes the demo plant, and rows for the tables of all other screens: each screen has content and its actions. */
export async function makePlant(client: Client): Promise<PathOf> {
  const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
  await post('/demo', { seed: 'wadden' })
  const state = async () => (await client.request('GET', '/demo')).body['state']
  for (let tried = 0; (await state()) !== 'running' && tried < TRIES; tried++) await Bun.sleep(PAUSE_MS)
  const first = async (path: string) => (await good<List>(client.request('GET', path))).items[0]?.id
  const [job, device, group, alarm, slo, slc] = await Promise.all(
    ['jobs', 'devices', 'groups', 'alarms', 'slos', 'slcs'].map((objects) => first(`/${objects}?limit=1`)),
  )
  const [script] = (await good<readonly Made[]>(client.request('GET', '/scripts'))).map(({ id }) => id)
  const user = client.userIds.editor
  const expiresAt = new Date(Date.now() + A_MONTH_MS).toISOString()
  const userGroup = await post('/userGroups', { name: 'Night watch of the locks' })
  await good(client.request('PUT', `/userGroups/${userGroup.id}/users`, { json: { userIds: [user] } }))
  await post('/session/personal-tokens', { name: 'Laptop of the control room', scopes: ['read'], expiresAt })
  await post('/alarmrecipients', { name: 'Operations on duty', type: 'user', target: { userId: user } })
  await post(`/scripts/${script}/webhookTokens`, { name: 'Tide table of the harbour office' })
  await good(client.request('PUT', `/group/${group}/status-page`, { json: { title: 'Wadden locks' } }))
  await good(
    client.request('POST', '/files/site-plan.txt', {
      text: 'Lock 1: north',
      headers: { 'content-type': 'text/plain' },
    }),
  )
  const run = await post(`/scripts/${script}/run`, {})
  const ids: Readonly<Record<string, unknown>> = {
    job,
    device,
    group,
    alarm,
    slo,
    slc,
    script,
    user,
    run: run.id,
  }
  return (path) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
}

/** Makes a data source with a table of tides, a scope, and data queries with versions, references and a fault. */
export async function makeData(client: Client): Promise<PathOf> {
  const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
  const source = await post('/dataSources', {
    name: 'Tides',
    type: 'csv',
    description: 'Levels of the tide gauges since September',
  })
  const columns = [
    { name: 'station', type: 'string' },
    { name: 'measured', type: 'datetime' },
    { name: 'level', type: 'number' },
    { name: 'forecast', type: 'number' },
    { name: 'checked', type: 'boolean' },
  ]
  await post(`/dataSources/${source.id}/tables`, { name: 'levels', columns })
  await post(`/dataSources/${source.id}/tables`, { name: 'stations', columns: columns.slice(0, 1) })
  const rows = Array.from({ length: 480 }, (_, at) => ({
    station: ['Harlingen', 'Den Oever', 'Lauwersoog', 'Nieuwe Statenzijl'][at % 4],
    measured: new Date(Date.UTC(2026, 8, 1, at * 4)).toISOString(),
    level: at % 97 === 5 ? null : Math.round(Math.sin(at / 9) * 210 + (at % 4) * 12) / 100,
    forecast: Math.round(Math.sin(at / 9) * 200) / 100,
    checked: at % 3 > 0,
  }))
  await post(`/dataSources/${source.id}/tables/levels/rows`, { rows })
  await post(`/dataSources/${source.id}/scopes`, {
    name: 'North coast',
    tables: ['levels'],
    subjects: { roles: ['Data_Editor'], userGroups: [], users: [] },
    filter: { column: 'station', op: 'ne', value: 'Den Oever' },
    hiddenColumns: ['forecast'],
    access: 'read',
  })
  const group = await post('/dataQueries/groups', { name: 'Storm desk', description: 'For the night watch' })
  await post('/dataQueries/groups', { name: 'Reports', parentId: group.id })
  const text = `SELECT station, measured, level
FROM levels
WHERE station = \${station}
  AND level > \${least}
ORDER BY measured`
  const parameters = [
    { name: 'station', type: 'enum', choices: ['Harlingen', 'Den Oever'], default: 'Harlingen' },
    { name: 'least', type: 'number', default: 0 },
  ]
  const query = await post('/dataQueries', {
    name: 'Levels of a station',
    description: 'High water first',
    dataSourceId: source.id,
    groupId: group.id,
    text,
    parameters,
  })
  await post(`/dataQueries/${query.id}/publish`, { description: 'First version' })
  const change = { text: text.replace('ORDER BY measured', 'ORDER BY level DESC') }
  await good(client.request('PATCH', `/dataQueries/${query.id}`, { json: change }))
  await post(`/dataQueries/${query.id}/publish`, { description: 'High water first' })
  const high = 'SELECT max(level) AS high FROM ${ref("Levels of a station")} l'
  await post('/dataQueries', { name: 'High water', dataSourceId: source.id, groupId: group.id, text: high })
  const invalid = await post('/dataQueries', {
    name: 'Pump hours',
    dataSourceId: source.id,
    text: 'SELECT hours FROM ${ref("Pump log")} p',
  })
  const ids: Readonly<Record<string, unknown>> = {
    source: source.id,
    user: client.userIds.Data_Editor,
    query: query.id,
    invalid: invalid.id,
    queryGroup: group.id,
    summary: encodeURIComponent(
      JSON.stringify({
        groupBy: [{ column: 'station', bucket: '' }],
        aggregates: [
          { fn: 'COUNT', column: null },
          { fn: 'AVG', column: 'level' },
          { fn: 'MAX', column: 'level' },
        ],
      }),
    ),
  }
  return (path) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
}

/** Makes the content of all screens. */
export async function makeAll(client: Client): Promise<PathOf> {
  const [ofPlant, ofData] = [await makePlant(client), await makeData(client)]
  const ids = await makeThings(client)
  const json = { name: 'Storm desk', groupId: ids['boards'], definition: definitionOf(ids) }
  const { id } = await good<Made>(client.request('POST', '/dashboards', { json }))
  return (path) => {
    if (/^(?:data|queries)/.test(path)) return ofData(path)
    return /^(?:dashboards|map)/.test(path)
      ? path
          .replace('{dashboard}', String(id))
          .replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
      : ofPlant(path)
  }
}
