import type { Client } from '../client.ts'
import { good } from '../suite.ts'
import { json } from './case.ts'
import type { Case } from './case.ts'
import { OBJECT_TYPES } from './world.ts'
import type { ObjectType, Tenant, World } from './world.ts'

/** Shows a tenant's object to everybody. */
const shown = (type: ObjectType) => async (client: Client, world: World, tenant: Tenant) => {
  await good(client.request('PUT', `/${type}/${world[tenant][type]}/status-page`, { json: {} }))
  return {}
}

export const statusPages: readonly Case[] = [
  ...OBJECT_TYPES.flatMap((type): Case[] => {
    const route = '/:parentType/:parentId/status-page'
    const common = { title: `of a ${type}`, path: `/${type}/{${type}}/status-page`, prepare: shown(type) }
    return [
      { ...common, route: `GET ${route}` },
      { ...common, route: `PUT ${route}`, request: json({ days: 7 }) },
      { ...common, route: `POST ${route}/move`, path: `${common.path}/move` },
      { ...common, route: `DELETE ${route}` },
    ]
  }),
  {
    route: 'PUT /:parentType/:parentId/status-page',
    title: 'with a child',
    path: '/slo/{ownSlo}/status-page',
    prepare: (_, world) => Promise.resolve({ ownSlo: world.own.slo }),
    request: ({ device }) => ({ json: { children: [device] } }),
    // Of what is own nothing is below the service level object but what is linked to it.
    statuses: { own: 422, readonly: 403 },
  },
]
