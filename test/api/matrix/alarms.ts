import type { Answer, Client } from '../client.ts'
import { createJob } from '../objects.ts'
import { good } from '../suite.ts'
import { json } from './case.ts'
import type { Case, Names } from './case.ts'
import { BAD, OBJECT_TYPES, THRESHOLDS } from './world.ts'
import type { Tenant, World } from './world.ts'

/** A new job of a tenant that is bad, and its alarm. */
export async function alarmed(client: Client, world: World, tenant: Tenant) {
  const job = await createJob(client, world[tenant].device, {
    name: `${tenant} alarm`,
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: THRESHOLDS,
  })
  const value = { json: { returnValue1: BAD, errorCode: 0 } }
  await good(client.request('POST', `/webcollector/jobs/${job}/values`, value))
  const { items } = await good<{ items: { id: number }[] }>(
    client.request('POST', '/alarms', { json: asked(job) }),
  )
  return { bad: job, alarm: items[0]?.id, admin: client.userIds.administrator }
}

const asked = (job: unknown) => ({
  filterDefinition: { conditions: [{ item: 'objectId', operator: 'eq', expression: String(job) }] },
})

const inQuery = async (client: Client, world: World, tenant: Tenant) => {
  const made = await alarmed(client, world, tenant)
  return { ...made, filter: encodeURIComponent(JSON.stringify(asked(made.bad).filterDefinition)) }
}

/** A list that has nothing to show says that there is nothing. */
function listVerdict({ status, body }: Answer): number {
  return status === 200 && body['total'] === 0 ? 404 : status
}

const BEFORE_MS = 20

/** A range that begins a little before an alarm of a tenant and ends as long after its begin. */
async function around(client: Client, world: World, tenant: Tenant) {
  const { alarm = 0 } = await alarmed(client, world, tenant)
  const { begin } = await good<{ begin: string }>(client.request('GET', `/alarms/${alarm}`))
  const at = Date.parse(begin)
  const iso = (ms: number) => new Date(at + ms).toISOString()
  return { begin: iso(-BEFORE_MS), end: iso(BEFORE_MS) }
}

/** A trend that does not rise shows that there is nothing. */
function trendVerdict({ status, body }: Answer): number {
  const [before, after] = (body['items'] ?? []) as { objects: number }[]
  return status === 200 && before?.objects === after?.objects ? 404 : status
}

/** The result for the only object of an action. */
export function actedVerdict({ status, body }: Answer): number {
  const [item] = (body['items'] ?? []) as { code: string | null }[]
  const statuses: Readonly<Record<string, number>> = { not_found: 404, forbidden: 403 }
  return item?.code ? (statuses[item.code] ?? 500) : status
}

const acted = (more: (names: Names) => object) => (names: Names) => ({
  json: { ids: [names['alarm']], ...more(names) },
})

export const alarms: readonly Case[] = [
  { route: 'GET /alarms', path: '/alarms?filterDefinition={filter}', prepare: inQuery, verdict: listVerdict },
  {
    route: 'POST /alarms',
    prepare: alarmed,
    request: ({ bad }) => ({ json: asked(bad) }),
    verdict: listVerdict,
  },
  {
    route: 'GET /alarms/trend',
    path: '/alarms/trend?begin={begin}&end={end}&scale=PT0.02S',
    prepare: around,
    verdict: trendVerdict,
  },
  { route: 'GET /alarms/:id', path: '/alarms/{alarm}', prepare: alarmed },
  {
    route: 'POST /alarms/:id/comment',
    path: '/alarms/{alarm}/comment',
    prepare: alarmed,
    request: json({ text: 'x' }),
  },
  {
    route: 'POST /alarms/:id/assign',
    path: '/alarms/{alarm}/assign',
    prepare: alarmed,
    request: ({ admin }) => ({ json: { userId: admin } }),
  },
  {
    route: 'POST /alarms/actions',
    title: 'to comment',
    prepare: alarmed,
    request: acted(() => ({ action: 'comment', text: 'x' })),
    verdict: actedVerdict,
  },
  {
    route: 'POST /alarms/actions',
    title: 'to assign',
    prepare: alarmed,
    request: acted(({ admin }) => ({ action: 'assign', userId: admin })),
    verdict: actedVerdict,
    statuses: { readonly: 403 },
  },
  ...OBJECT_TYPES.flatMap((type): Case[] => [
    {
      route: 'GET /:parentType/:parentId/alarmLinks',
      title: `of a ${type}`,
      path: `/${type}/{${type}}/alarmLinks`,
    },
    {
      route: 'PUT /:parentType/:parentId/alarmLinks',
      title: `of a ${type}`,
      path: `/${type}/{${type}}/alarmLinks`,
      request: json({ links: [] }),
    },
  ]),
]
