import { sql } from 'drizzle-orm'
import type { Handle } from '../../src/app.ts'
import type { Ports } from '../../src/ports/index.ts'
import { scryptInPool } from '../../workers/secrets.ts'
import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { fromBase32 } from '../access/base32.ts'
import type { Body, Request } from '../api/client.ts'
import { startBun } from '../hosts/bun.ts'
import { startEdge } from '../hosts/edge.ts'
import { ADMIN } from '../hosts/host.ts'
import type { Host } from '../hosts/host.ts'

export const PASSPHRASE = 'what the operator keeps'
/** Another user than the first administrator of a new host. */
export const OWNER = { username: 'owner', password: 'a password of the owner' } as const

type Row = Readonly<Record<string, unknown>>

/** A host whose tables can be looked into. */
export type World = {
  readonly host: Host
  rows(text: string): Promise<readonly Row[]>
  ask(method: string, path: string, request?: Request): Promise<Response>
  good<Result = Body>(method: string, path: string, request?: Request): Promise<Result>
  /** From now on somebody else asks. */
  signIn(who?: { readonly username: string; readonly password: string }): Promise<void>
  readonly ports: Ports | null
  close(): Promise<void>
}

export async function startWorld(
  name: Host['name'],
  ports?: (ports: Ports) => Ports,
  around: {
    readonly variables?: Readonly<Record<string, string>>
    /** On Bun: what is put around the application. */
    readonly fetch?: (handle: Handle) => Handle
    /** On Bun: hashes as in production, instead of with `lightHash`. */
    readonly hashesInFull?: boolean
  } = {},
): Promise<World> {
  let seen: Ports | null = null
  const { createApp } = await import('../../src/app.ts')
  const bun = () =>
    startBun(around.variables, {
      ...(around.hashesInFull === true && { scrypt: scryptInPool }),
      fetch: (fetch, given) => {
        seen = ports ? ports(given) : given
        const handle = ports ? createApp(seen).fetch : fetch
        return around.fetch ? around.fetch(handle) : handle
      },
    })
  const edge = name === 'edge' ? await startEdge({ variables: around.variables ?? {} }) : null
  const host = edge ?? (await bun())
  let session = ''
  const ask = async (method: string, path: string, { json, bytes, headers = {} }: Request = {}) =>
    fetch(host.url + path, {
      method,
      keepalive: false,
      headers: {
        ...(session === '' ? {} : { 'x-session-id': session }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(bytes ? { body: bytes } : {}),
    })
  const good = async <Result>(method: string, path: string, request?: Request) => {
    const response = await ask(method, path, request)
    const text = await response.text()
    if (!response.ok)
      throw new Error(
        `${method} ${path} answered ${response.status}: ${text}\n${host.logs.slice(-5).join('\n')}`,
      )
    return (text === '' ? {} : JSON.parse(text)) as Result
  }
  const world: World = {
    host,
    rows: async (text) => edge?.sql(text) ?? seen?.database.all<Row>(sql.raw(text)) ?? [],
    ask,
    good,
    async signIn(who = ADMIN) {
      session = ''
      session = (await good<{ sessionId: string }>('POST', '/session/login', { json: who })).sessionId
    },
    get ports() {
      return seen
    },
    close: () => host.close(),
  }
  await world.signIn()
  return world
}

/** The contents of an installation: a row in every table that a backup keeps. */
export async function furnish(
  world: World,
): Promise<{ readonly jobs: readonly number[]; readonly group: number }> {
  const make = async (path: string, json: object) =>
    (await world.good<{ id: number }>('POST', path, { json })).id
  await make('/users', { ...OWNER, role: 'administrator' })
  // A demo plant is made in an empty installation alone. The service leaves one that is being removed as it is.
  await world.rows(
    `insert into demo (id, seed, state, anchor_at, step, fed_step, made, held_until_at) values (1, 'a', 'removing', 5, 6, 7, '{}', 8)`,
  )
  const group = await make('/groups?parentId=1', {
    name: 'plant "é" 🌊',
    properties: [{ key: 'size', value: '0.1' }],
  })
  const device = await make(`/devices?parentType=group&parentId=${group}`, { name: 'gateway' })
  const other = await make(`/devices?parentType=group&parentId=${group}`, { name: 'router' })
  const job = (name: string) =>
    make(`/jobs?parentType=device&parentId=${device}`, {
      name,
      parameters: {
        returnValue: [{ valueName: 'load' }],
        stringValue: [{ valueName: 'text' }],
        timeout: 'P30D',
      },
      thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
    })
  const jobs = [await job('a'), await job('b'), await job('never heard')]
  await world.good('PUT', `/devices/${device}/dependencies`, { json: { dependsOn: [other] } })
  const slo = await make(`/slos?parentId=${group}`, { name: 'shop', parameters: { costsPerMin: 0.1 } })
  await world.good('PUT', `/slo/${slo}/children`, { json: { items: [{ id: jobs[0] }] } })
  const slc = await make(`/slcs?parentType=group&parentId=${group}`, { name: 'gold', limit: 99.9 })
  await world.good('PUT', `/slc/${slc}/children`, { json: { items: [{ id: slo }] } })
  await deliver(world, jobs)
  await people(world, group)
  await contents(world, group, jobs)
  await scripts(world)
  await importNotedTable(world)
  for (const statement of pastOf(slo, slc)) await world.rows(statement)
  return { jobs, group }
}

async function deliver(world: World, jobs: readonly number[]): Promise<void> {
  const [a = 0, b = 0] = jobs
  const now = Date.now()
  const series = (jobId: number, count: number) => ({
    jobId,
    key: 'returnValue1',
    timestamps: Array.from({ length: count }, (_, index) => now - (count - index) * 30_000),
    values: Array.from({ length: count }, (_, index) => Math.round(Math.sin(index / 10) * 1e4) / 100),
  })
  await world.good('POST', '/webcollector/values', { json: { series: [series(a, 2_000), series(b, 100)] } })
  for (const returnValue1 of [95, 10, 99])
    await world.good('POST', `/webcollector/jobs/${a}/values`, {
      json: { returnValue1, stringValue1: `at ${returnValue1}`, errorCode: 0 },
    })
}

async function people(world: World, group: number): Promise<void> {
  const { id: userGroup } = await world.good<{ id: number }>('POST', '/userGroups', {
    json: { name: 'night' },
  })
  await world.good('PUT', `/groups/${group}/permissions/userGroup/${userGroup}`, { json: { write: true } })
  const users = await world.good<{ id: number; username: string }[]>('GET', '/users')
  const owner = users.find(({ username }) => username === OWNER.username)?.id ?? 0
  await world.good('PUT', `/userGroups/${userGroup}/users`, { json: { userIds: [owner] } })
  const { secret } = await world.good<{ secret: string }>('POST', '/session/mfa')
  const code = await codeOf(fromBase32(secret), stepAt(Date.now()))
  await world.good('POST', '/session/mfa/confirmation', { json: { code } })
  await world.good('POST', '/session/personal-tokens', {
    json: { name: 'ci', scopes: ['read'], expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
  })
}

async function contents(world: World, group: number, [job = 0]: readonly number[]): Promise<void> {
  await world.good('POST', '/alarmrecipients', {
    json: {
      name: 'ops',
      type: 'webhook',
      target: { url: 'https://hooks.example.org/', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    },
  })
  const script = await world.good<{ id: number }>('POST', '/scripts', { json: { name: 'told' } })
  await world.good('POST', '/alarmrecipients', {
    json: { name: 'script', type: 'script', target: { scriptId: script.id } },
  })
  await world.good('PUT', `/group/${group}/status-page`, { json: { children: [job], days: 30 } })
  await world.good('POST', `/jobs/${job}/pings`, { json: { name: 'cron' } })
  await world.good('POST', '/files/plan.txt', {
    bytes: new TextEncoder().encode('a plan\n'.repeat(30_000)),
    headers: { 'content-type': 'text/plain' },
  })
  await world.good('PUT', '/styles/custom.css', {
    bytes: new TextEncoder().encode('body { color: red }'),
    headers: { 'content-type': 'text/css' },
  })
  await world.good('POST', '/translations/de', { json: { texts: [{ key: 'menu', text: 'Menü' }] } })
  await world.good('PATCH', '/settings.json', {
    json: { theme: 'dark', publicDashboards: true, translation: { apiKey: 'canary-key' } },
  })
  const board = await world.good<{ id: number }>('POST', '/dashboards', { json: { name: 'Public' } })
  await world.good('PUT', `/dashboards/${board.id}/public`, { json: { params: {} } })
  const begin = new Date(Date.now() + 86_400_000).toISOString()
  const end = new Date(Date.now() + 2 * 86_400_000).toISOString()
  await world.good('POST', `/groups/${group}/revaluations`, {
    json: { begin, end, name: 'move' },
  })
}

async function scripts(world: World): Promise<void> {
  await world.good('POST', '/scripts/groups', { json: { name: 'Imports' } })
  const { id } = await world.good<{ id: number }>('POST', '/scripts', { json: { name: 'orders' } })
  const put = (path: string, text: string) =>
    world.good('PUT', `/scripts/${id}/files/${path}`, { bytes: new TextEncoder().encode(text) })
  await put('main.py', 'print("orders")\n'.repeat(8_000))
  await put('src/ö.txt', 'in a directory')
  await world.good('POST', `/scripts/${id}/files/empty?type=directory`)
  const { id: nightly } = await world.good<{ id: number }>('POST', `/scripts/${id}/runConfigurations`, {
    json: { name: 'nightly', envVariables: [{ key: 'DB_PASSWORD', value: 'canary of a script' }] },
  })
  const connection = { host: 'db.example.org', database: 'shop', user: 'reader' }
  const source = (name: string, more: object) =>
    world.good<{ id: number }>('POST', '/dataSources', {
      json: { name, type: 'postgresql', connection: { ...connection, ...more } },
    })
  const { id: dataSourceId } = await source('shop', { password: 'canary of a data source' })
  await source('without a password', {})
  await world.good('POST', `/scripts/${id}/runConfigurations`, {
    json: { name: 'data', kind: 'database', database: { dataSourceId } },
  })
  const nobodys = {
    name: 'nobody',
    runConfigurationId: nightly,
    cron: '30 2 * * *',
    timeZone: 'Europe/Zurich',
  }
  await world.good('POST', `/scripts/${id}/scheduleConfigurations`, { json: nobodys })
  await world.good('POST', `/scripts/${id}/webhookTokens`, { json: { name: 'shop', hmac: true } })
  await world.rows(
    `insert into script_dependents (script_id, kind, owner_id, part, name) values (${id}, 'widget', 4, 'w7', 'Upload')`,
  )
}

/** Imports a table with columns of most types, and more rows than a page. @returns its data source */
export async function importTable(
  world: World,
  {
    source,
    rows = 3_000,
    mode = 'create',
  }: { source?: number; rows?: number; mode?: 'create' | 'replace' } = {},
): Promise<number> {
  const make = () =>
    world.good<{ id: number }>('POST', '/dataSources', { json: { name: 'readings', type: 'csv' } })
  const id = source ?? (await make()).id
  const lines = Array.from(
    { length: rows },
    (_, index) =>
      `00${index},${index},${index / 8},${index % 2 === 0},2026-03-29,2026-03-29T01:30:00.25Z,07:30:15.5,"{""a"":[${index}]}","é ""x"""`,
  )
  const text = `code,n,share,ok,day,at,clock,more,note\n${lines.join('\n')}\n,,,,,,,,\n`
  const { id: upload } = await world.good<{ id: string }>('POST', `/dataSources/${id}/uploads`, {
    bytes: new TextEncoder().encode(text),
    headers: { 'content-type': 'text/csv' },
  })
  await world.good('POST', `/dataSources/${id}/import`, { json: { upload, table: 'Readings', mode } })
  return id
}

async function importNotedTable(world: World): Promise<void> {
  const path = `/dataSources/${await importTable(world)}/tables/Readings`
  await world.good('PUT', `${path}/comment`, { json: { comment: 'From the plant' } })
  await world.good('PUT', `${path}/columns/share/annotations`, { json: { unit: 'kg' } })
}

/** Rows that appear only after months, or through other services. */
function pastOf(slo: number, slc: number): readonly string[] {
  const now = Date.now()
  return [
    `insert into alarm_comments (alarm_id, user_id, text, created_at) select id, 1, 'seen', 7 from alarms`,
    `insert into oidc_identities values ('https://id.example.org', 'subject', 2)`,
    `insert into sla_changes values (${slo}, 1, 1700000000000, 'major'), (${slo}, 2, 1700000000001, null)`,
    `insert into slc_periods values (41, ${slc}, 1, 2, '{"children":[]}')`,
    `insert into slc_revisions values (41, 1, 1, 1, 3, null, null), (41, 2, 1, 0, 4, 'owner', 'late news')`,
    `insert into slc_maintenance values (${slc}, 1, 1700000000000, 0, 0)`,
    `insert into notifications values (9, 'msg_9', 1, 0, 'sent', 1, ${now}, null, ${now}, ${now}, 'HTTP 200')`,
    `insert into notices values (9, 900, 1, 2, 1, 0, 'opened', 0, 5, '{}', 9)`,
    `insert into data_scopes values (7, 1, 'own', '["orders"]', 'read', '{"column":"region","op":"is_null"}', '[]', 1, 2, 3)`,
    `insert into data_scope_subjects values (8, 7, 1, null, null), (9, 7, null, null, 'Data_Editor')`,
    `insert into data_source_notes values (1, 'orders', 'region', 'Where', '{"unit":"kg"}', 4)`,
    `insert into data_refreshes select id, '{"kind":"foreign","dataSourceId":1,"table":"orders","isView":false,"columns":[],"filter":null}',
      3600000, ${now + 86_400_000}, 5, 0, null, 'null', null, null, 1 from data_tables`,
    `update data_sources set comment = 'Shop', annotations = '{"own":1}' where id = 1`,
    // A group was moved into a younger one.
    `insert into data_query_groups values (3, 4, 'March', '', 2, 3, 4), (4, null, 'Year', '', 1, 3, 4)`,
    `insert into data_queries values (7, 'Orders', '', 3, 1, 'select 1', '[]', 0, 1, 2, 3, 4, '{"refresh":"daily","indexes":[]}', 'bind', '[]', 1)`,
    `insert into data_query_versions values (7, 1, 1, 'select 1', '[]', 'First', 1, 5, '{"refresh":"daily","indexes":[]}', 'bind', '[]')`,
    `insert into data_query_references values (7, 0, 'regions'), (7, 1, 'regions')`,
    // So was a group of dashboards.
    `insert into dashboard_groups values (3, 4, 'March', 1, '{"region":"north"}', 1, 3, 4), (4, null, 'Year', 1, '{}', 2, 3, 4)`,
    `insert into dashboards values (4, 'a-uuid', 3, 'Board', 'board', '', '{"widgets":{}}', 2, '', 2, 3, 4, 'admin')`,
    `insert into dashboard_versions values (4, 1, 'Board', '', '{"widgets":{}}', 'admin', 3)`,
    `insert into dashboard_references values (4, '/widgets/w1/queryId', 'w1', 'dataQuery', 7, 'Orders', 'Orders')`,
    `insert into dashboard_old_urls values ('old-board', 4, ${now + 86_400_000})`,
    `insert into dashboard_grants values (5, 4, null, 1, null, 1, 0), (6, null, 3, null, null, 0, 0)`,
    `insert into dashboard_snapshots values (2, 4, 1, 'Board', 3, ${now + 86_400_000}, '{}')`,
    `insert into forecasts values (3, 'Load', '', '{"horizon":"P7D"}', 1, 2, 3, 4, null, 'j_00000000000000000000000001', 5, 6, '{"groups":1}', null)`,
    `insert into forecast_groups values (3, 0, '[]', 'good', '{"mase":0.5}', '[[1,2]]')`,
    `insert into forecast_bands select id, 'returnValue1', 3, 7, '{"buckets":[]}' from objects where type = 'job' limit 1`,
    `insert into preferences values (1, '{"theme":"dark"}')`,
    `insert into recovery_codes select 1, 'a code' where not exists (select 1 from recovery_codes)`,
  ]
}
