import type { Answer } from '../client.ts'
import { fresh, freshInOwn, json, named } from './case.ts'
import type { Case } from './case.ts'
import { OBJECT_TYPES } from './world.ts'

const container = { name: 'made by a test', limit: 99 }

/** A caller that names a service level object gets the answer for a missing one, without the group around it. */
function noSloVerdict({ status, text }: Answer): number {
  return status === 404 && !text.includes('no such service level object') ? 500 : status
}

const copying: readonly Case[] = [
  {
    route: 'POST /slos/:id/copy',
    title: 'of a service level object',
    path: '/slos/{slo}/copy?destinationType=none&destinationName=copy&parentType=group&parentId={ownGroup}',
    prepare: (_, world) => Promise.resolve({ ownGroup: world.own.group }),
    statuses: { readonly: 201 },
  },
  {
    route: 'POST /slos/:id/copy',
    title: 'beside the original',
    path: '/slos/{slo}/copy?destinationType=none&destinationName=copy',
  },
  {
    route: 'POST /slos/:id/copy',
    title: 'into a group',
    path: '/slos/{ownSlo}/copy?destinationType=none&destinationName=copy&parentType=group&parentId={group}',
    prepare: (_, world) => Promise.resolve({ ownSlo: world.own.slo }),
  },
  {
    route: 'POST /slos/:id/copy',
    title: 'as a child',
    path: '/slos/{ownSlo}/copy?destinationType=none&destinationName=copy&parentId={fresh}',
    prepare: async (client, world, tenant) => ({
      ...(await fresh.slo(client, world, tenant)),
      ownSlo: world.own.slo,
    }),
    verdict: noSloVerdict,
  },
]

const containers: readonly Case[] = [
  {
    route: 'POST /slcs/:id/copy',
    title: 'of a container',
    path: '/slcs/{slc}/copy?destinationType=none&destinationName=copy&parentId={ownGroup}',
    prepare: (_, world) => Promise.resolve({ ownGroup: world.own.group }),
    statuses: { readonly: 201 },
  },
  {
    route: 'POST /slcs/:id/copy',
    title: 'of a container, beside the original',
    path: '/slcs/{slc}/copy?destinationType=none&destinationName=copy',
  },
  {
    route: 'POST /slcs/:id/copy',
    title: 'of a container, into a group',
    path: '/slcs/{ownSlc}/copy?destinationType=none&destinationName=copy&parentId={group}',
    prepare: (_, world) => Promise.resolve({ ownSlc: world.own.slc }),
  },
  { route: 'POST /slcs', path: '/slcs?parentId={group}', request: json(container) },
  {
    route: 'POST /slcs/:id/periods/recalculate',
    request: json({ begin: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z', reason: 'a test' }),
  },
  {
    route: 'PUT /:parentType/:parentId/children',
    title: 'of a container',
    path: '/slc/{fresh}/children',
    prepare: fresh.slc,
    request: json({ items: [] }),
  },
  {
    route: 'PUT /:parentType/:parentId/children',
    title: 'of a container, to a service level object',
    path: '/slc/{fresh}/children',
    prepare: freshInOwn('slc'),
    request: ({ slo }) => ({ json: { items: [{ id: slo }] } }),
    statuses: { readonly: 200 },
  },
]

const filtering: readonly Case[] = [
  {
    route: 'PUT /slos/:id',
    title: 'to look below a group',
    path: '/slos/{fresh}',
    prepare: freshInOwn('slo'),
    request: ({ group }) => ({
      json: {
        ...named.json,
        childrenFilter: {
          groupId: group,
          filterDefinition: { conditions: [{ item: 'name', operator: 'eq', expression: 'nothing' }] },
        },
      },
    }),
    statuses: { readonly: 200, foreign: 422 },
  },
]

const depending: readonly Case[] = OBJECT_TYPES.flatMap((type): Case[] => [
  {
    route: 'GET /:parentType/:parentId/dependencies',
    title: `of a ${type}`,
    path: `/${type}/{${type}}/dependencies`,
  },
  {
    route: 'PUT /:parentType/:parentId/dependencies',
    title: `of a ${type}`,
    path: `/${type}/{fresh}/dependencies`,
    prepare: fresh[type],
    request: json({ dependsOn: [] }),
  },
  {
    route: 'PUT /:parentType/:parentId/dependencies',
    title: `to a ${type}`,
    path: '/device/{fresh}/dependencies',
    prepare: freshInOwn('device'),
    request: (names) => ({ json: { dependsOn: [names[type]] } }),
    statuses: { readonly: 200 },
  },
])

/** Service level objects and containers, and dependencies, beyond what is done with objects of every type. */
export const serviceLevels: readonly Case[] = [...copying, ...containers, ...filtering, ...depending]
