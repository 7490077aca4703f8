import type { Client } from '../client.ts'
import { good } from '../suite.ts'
import type { Case } from './case.ts'
import { OBJECT_TYPES } from './world.ts'
import type { ObjectType, Tenant, World } from './world.ts'

const PLANNED = { begin: '2040-01-01T00:00:00Z', end: '2040-01-02T00:00:00Z' }

/** Plans maintenance of a tenant's object, named after the tenant. */
const planned = (type: ObjectType) => async (client: Client, world: World, tenant: Tenant) => {
  const path = `/${type}s/${world[tenant][type]}/revaluations`
  const request = { json: { ...PLANNED, name: `${tenant} maintenance` } }
  return { revaluation: (await good(client.request('POST', path, request)))['id'] }
}

const plan = () => ({ json: { ...PLANNED, name: 'made by a test' } })

export const revaluations: readonly Case[] = OBJECT_TYPES.flatMap((type) => {
  const all = `/${type}s/{${type}}/revaluations`
  const one = { path: `${all}/{revaluation}`, prepare: planned(type) }
  return [
    { route: `GET /${type}s/:id/revaluations`, path: all, prepare: planned(type) },
    {
      route: 'GET /:parentType/:parentId/revaluation-calendar',
      title: `of a ${type}`,
      path: `/${type}/{${type}}/revaluation-calendar`,
      prepare: planned(type),
    },
    { route: `POST /${type}s/:id/revaluations`, path: all, request: plan },
    { route: `GET /${type}s/:id/revaluations/:revaluationId`, ...one },
    { route: `PUT /${type}s/:id/revaluations/:revaluationId`, ...one, request: plan },
    {
      route: `PATCH /${type}s/:id/revaluations/:revaluationId`,
      ...one,
      request: () => ({ json: { name: 'patched' } }),
    },
    { route: `DELETE /${type}s/:id/revaluations/:revaluationId`, ...one },
  ]
})
