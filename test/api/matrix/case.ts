import type { Answer, Client, Request } from '../client.ts'
import { createDevice, createGroup, createJob } from '../objects.ts'
import { good } from '../suite.ts'
import type { Ids, ObjectType, Tenant, World } from './world.ts'

/** Names that a path and a body may use: those of the tenant in question, and what `prepare` made. */
export type Names = Ids & { readonly [name: string]: unknown }

/** One way to call a route on somebody's object. */
export type Case = {
  /** As in `snapshots/roles.txt`. */
  readonly route: string
  readonly title?: string
  /** The path with `{name}` for ids; derived from the route when absent. */
  readonly path?: string
  readonly request?: (names: Names) => Request
  /** Makes what the call uses up, as the administrator, before the first call and behind each one that is not refused. */
  readonly prepare?: (client: Client, world: World, tenant: Tenant) => Promise<object>
  /** The outcome of the object in the answer, where the status of the whole does not give it. */
  readonly verdict?: (answer: Answer) => number
  /** Statuses that are not those that follow from the right which the route needs. */
  readonly statuses?: Partial<Record<Tenant, number>>
}

export const json = (body: object) => () => ({ json: body })
export const named = { json: { name: 'made by a test' } }

/** Something new of the tenant, which the call may use up. */
export const fresh = {
  group: async (client: Client, world: World, tenant: Tenant) => ({
    fresh: await createGroup(client, world[tenant].group, { name: `${tenant} fresh` }),
  }),
  device: async (client: Client, world: World, tenant: Tenant) => ({
    fresh: await createDevice(client, world[tenant].group, { name: `${tenant} fresh` }),
  }),
  job: async (client: Client, world: World, tenant: Tenant) => ({
    fresh: await createJob(client, world[tenant].device, { name: `${tenant} fresh` }),
  }),
  slo: async (client: Client, world: World, tenant: Tenant) => ({
    fresh: await newBelow(client, `/slos?parentId=${world[tenant].group}`, { name: `${tenant} fresh` }),
  }),
  slc: async (client: Client, world: World, tenant: Tenant) => ({
    fresh: await newBelow(client, `/slcs?parentId=${world[tenant].group}`, {
      name: `${tenant} fresh`,
      limit: 99,
    }),
  }),
  ping: async (client: Client, world: World, tenant: Tenant) => {
    const made = await fresh.job(client, world, tenant)
    const path = `/jobs/${made.fresh}/pings`
    return { ...made, ping: (await good(client.request('POST', path, { json: { name: tenant } })))['id'] }
  },
}

async function newBelow(client: Client, path: string, made: object): Promise<number> {
  return Number((await good(client.request('POST', path, { json: made })))['id'])
}

export const freshInOwn = (type: ObjectType) => (client: Client, world: World) =>
  fresh[type](client, world, 'own')

/** Sends back what was read, so that nothing else is wrong with it. */
export const readBack = (path: string) => async (client: Client, world: World, tenant: Tenant) => ({
  body: (await client.request('GET', path.replace('{id}', String(idOf(path, world[tenant]))))).body,
})

function idOf(path: string, ids: Ids): number {
  const type = /^\/(\w+)s\//.exec(path)?.[1] as ObjectType
  return ids[type]
}

export const sentBack = ({ body: read }: Names): Request => ({ json: read })
