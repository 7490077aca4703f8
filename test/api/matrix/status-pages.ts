import type { Client } from '../client.ts'
import { good } from '../suite.ts'
import { fresh, json } from './case.ts'
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
    path: '/slo/{fresh}/status-page',
    async prepare(client, world, tenant) {
      const made = await fresh.slo(client, world, 'own')
      const request = { json: { items: [{ id: world[tenant].job }] } }
      await good(client.request('PUT', `/slo/${made.fresh}/children`, request))
      return made
    },
    request: ({ job }) => ({ json: { children: [job] } }),
  },
]
