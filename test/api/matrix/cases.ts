import type { Answer, Client } from '../client.ts'
import { gaugeRequest, snappyOf, writeRequest } from '../metrics-bodies.ts'
import { good } from '../suite.ts'
import { actedVerdict, alarms } from './alarms.ts'
import { fresh, freshInOwn, json, named, readBack, sentBack } from './case.ts'
import type { Case, Names } from './case.ts'
import { revaluations } from './revaluations.ts'
import { statusPages } from './status-pages.ts'
import { serviceLevels } from './service-levels.ts'
import { OBJECT_TYPES } from './world.ts'
import type { Tenant, World } from './world.ts'

/** A grant to the administrator changes the rights of no user. */
async function withAdministrator(client: Client, world: World, tenant: Tenant) {
  return { ...(await fresh.group(client, world, tenant)), admin: client.userIds.administrator }
}

/** The status of an item of an answer that is good as a whole. */
const itemStatus =
  (list: 'results' | 'series') =>
  ({ status, body }: Answer) =>
    Number((body[list] as { status: number }[] | undefined)?.[0]?.status ?? status)

/** The outcome of the only job of the only round. */
function roundVerdict({ status, body }: Answer): number {
  const [round] = (body['rounds'] ?? []) as { refused: { code: string }[] }[]
  const statuses: Readonly<Record<string, number>> = { not_found: 404, forbidden: 403 }
  const [refused] = round?.refused ?? []
  return refused ? (statuses[refused.code] ?? 500) : status
}

/** The outcome of the only point. */
function pointVerdict({ status, text }: Answer): number {
  if (text.includes('no execute right')) return 403
  if (text.includes('no such webhook job')) return 404
  return status
}

/** A search that finds nothing says that there is nothing. */
function foundVerdict({ status, body }: Answer): number {
  return status === 200 && (body['items'] as unknown[]).length === 0 ? 404 : status
}

const writeHeaders = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

const byTenant = (tenant: unknown, word: string) => `lane/${String(tenant)} ${word}`

/** The routes that need nothing but an object of their own type, or of each. */
const READS: readonly Case[] = [
  'GET /groups/:id',
  'GET /devices/:id',
  'GET /jobs/:id',
  'GET /slos/:id',
  'GET /slcs/:id',
  'GET /slcs/:id/periods',
  'GET /slcs/:id/burn',
  'GET /jobs/:id/pings',
  'GET /jobs/:id/refusals',
  ...OBJECT_TYPES.map((type) => `GET /${type}s/:id/state-history`),
  ...OBJECT_TYPES.map((type) => `GET /${type}s/:id/outages`),
].map((route) => ({ route }))

const browsing: readonly Case[] = [
  ...OBJECT_TYPES.flatMap((type): Case[] => [
    {
      route: 'GET /:parentType/:parentId/children',
      title: `of a ${type}`,
      path: `/${type}/{${type}}/children`,
    },
    ...['state-changes', 'late-jobs'].map((list): Case => ({
      route: `GET /:parentType/:parentId/${list}`,
      title: `of a ${type}`,
      path: `/${type}/{${type}}/${list}`,
    })),
    {
      route: 'GET /root/tree/:parentType/:parentId/tree',
      title: `of a ${type}`,
      path: `/root/tree/${type}/{${type}}/tree`,
    },
    ...['permissions', 'permissions/explain', 'permissions/effective'].map((what): Case => ({
      route: `GET /:objectType/:objectId/${what}`,
      title: `of a ${type}`,
      path: `/${type}/{${type}}/${what}`,
    })),
  ]),
  ...OBJECT_TYPES.map((type): Case => ({
    route: `GET /${type}s/:id/state-history`,
    title: 'with its past corrected',
    path: `/${type}s/{${type}}/state-history?recalc=true`,
  })),
  { route: 'GET /slos/:id/outages', title: 'with reasons', path: '/slos/{slo}/outages?minDuration=PT0S' },
  { route: 'POST /jobs/:id/replay', path: '/jobs/{job}/replay', request: json({}) },
  ...(['stop', 'start'] as const).map((action): Case => ({
    route: 'POST /jobs/actions',
    title: `to ${action}`,
    prepare: fresh.job,
    request: ({ fresh: id }) => ({ json: { action, ids: [id] } }),
    verdict: actedVerdict,
  })),
  {
    route: 'GET /groups/:id/search',
    path: `/groups/{group}/search?filterDefinition=${encodeURIComponent('{"conditions":[]}')}`,
  },
  {
    route: 'GET /:parentType/:parentId/searchPath',
    path: '/group/{group}/searchPath?path=**',
  },
  {
    route: 'POST /:parentType/:parentId/searchPath',
    path: '/group/{group}/searchPath',
    request: json({ path: '**' }),
  },
  {
    route: 'GET /root/searchPath',
    path: '/root/searchPath?path={path}',
    prepare: (_, __, tenant) => Promise.resolve({ path: encodeURIComponent(byTenant(tenant, 'group')) }),
    verdict: foundVerdict,
  },
  {
    route: 'POST /root/searchPath',
    path: '/root/searchPath',
    prepare: (_, __, tenant) => Promise.resolve({ path: byTenant(tenant, 'group/*/*job') }),
    request: ({ path }) => ({ json: { path } }),
    verdict: foundVerdict,
  },
]

const creating: readonly Case[] = [
  { route: 'POST /groups', path: '/groups?parentId={group}', request: () => named },
  { route: 'POST /devices', path: '/devices?parentId={group}', request: () => named },
  { route: 'POST /jobs', path: '/jobs?parentId={device}', request: () => named },
  { route: 'POST /slos', path: '/slos?parentId={group}', request: () => named },
  {
    route: 'POST /slos',
    title: 'about a device',
    path: '/slos?parentId={ownGroup}',
    prepare: (_, world) => Promise.resolve({ ownGroup: world.own.group }),
    request: ({ device }) => ({ json: { name: 'made by a test', deviceId: device } }),
    statuses: { readonly: 201, foreign: 422 },
  },
  {
    route: 'POST /devices/:id/copy',
    title: 'of a device',
    path: '/devices/{template}/copy?destinationName=copy&parentId={ownGroup}',
    prepare: (_, world) => Promise.resolve({ ownGroup: world.own.group }),
    statuses: { readonly: 201 },
  },
  {
    route: 'POST /devices/:id/copy',
    title: 'into a group',
    path: '/devices/{ownTemplate}/copy?destinationName=copy&parentId={group}',
    prepare: (_, world) => Promise.resolve({ ownTemplate: world.own.template }),
  },
  { route: 'POST /jobs/:id/pings', prepare: fresh.job, path: '/jobs/{fresh}/pings', request: () => named },
]

const changing: readonly Case[] = [
  ...OBJECT_TYPES.map((type): Case => ({
    route: `PUT /${type}s/:id`,
    prepare: readBack(`/${type}s/{id}`),
    request: sentBack,
  })),
  ...OBJECT_TYPES.map((type): Case => ({
    route: `PATCH /${type}s/:id`,
    request: json({ properties: [] }),
  })),
  { route: 'POST /devices/:id', prepare: readBack('/devices/{id}'), request: sentBack },
  ...(['group', 'device', 'slo', 'slc'] as const).map((type): Case => ({
    route: `PUT /${type}s/:id`,
    title: 'to another parent',
    path: `/${type}s/{fresh}`,
    prepare: freshInOwn(type),
    request: ({ group }) => ({
      json: { name: 'moved', parentId: group, ...(type === 'slc' && { limit: 99 }) },
    }),
    statuses: { readonly: 422, foreign: 422 },
  })),
  {
    route: 'PUT /jobs/:id',
    title: 'to another device',
    path: '/jobs/{fresh}',
    prepare: freshInOwn('job'),
    request: ({ device }) => ({ json: { name: 'moved', deviceId: device } }),
    statuses: { readonly: 422, foreign: 422 },
  },
  {
    route: 'PUT /:parentType/:parentId/children',
    path: '/slo/{fresh}/children',
    prepare: fresh.slo,
    request: json({ items: [] }),
  },
  {
    route: 'PUT /:parentType/:parentId/children',
    title: 'to a child',
    path: '/slo/{fresh}/children',
    prepare: freshInOwn('slo'),
    request: ({ job }) => ({ json: { items: [{ id: job }] } }),
    statuses: { readonly: 200 },
  },
  ...OBJECT_TYPES.map((type): Case => ({
    route: `DELETE /${type}s/:id`,
    path: `/${type}s/{fresh}`,
    prepare: fresh[type],
  })),
  { route: 'DELETE /jobs/:id/pings/:pingId', path: '/jobs/{fresh}/pings/{ping}', prepare: fresh.ping },
  {
    route: 'PUT /:objectType/:objectId/permissions/:subjectType/:subjectId',
    path: '/group/{fresh}/permissions/user/{admin}',
    prepare: withAdministrator,
    request: json({}),
  },
  {
    route: 'DELETE /:objectType/:objectId/permissions/:subjectType/:subjectId',
    path: '/group/{fresh}/permissions/user/{admin}',
    async prepare(client, world, tenant) {
      const made = await withAdministrator(client, world, tenant)
      await good(client.request('PUT', `/group/${made.fresh}/permissions/user/${made.admin}`, { json: {} }))
      return made
    },
  },
]

const value = { returnValue1: 1, errorCode: 0 }

const delivering: readonly Case[] = [
  {
    route: 'POST /webcollector/jobs/:jobId/values',
    path: '/webcollector/jobs/{job}/values',
    request: json(value),
  },
  {
    route: 'POST /webcollector/jobs/:jobId/values',
    title: 'through the router',
    path: '/webcollector/jobs/{job}/values?',
    request: json(value),
  },
  {
    route: 'POST /webcollector/values',
    request: ({ job }) => ({ json: { deliveries: [{ jobId: job, ...value }] } }),
    verdict: itemStatus('results'),
  },
  {
    route: 'POST /webcollector/values',
    title: 'after a good one',
    prepare: (_, world) => Promise.resolve({ ownJob: world.own.job }),
    request: ({ job, ownJob }) => ({
      json: { deliveries: [{ jobId: ownJob, ...value }], series: [{ jobId: job, ...samplesOf() }] },
    }),
    verdict: itemStatus('series'),
  },
  {
    route: 'POST /webcollector/values',
    title: 'in a round',
    request: ({ job }) => ({ json: { rounds: [{ key: 'returnValue1', jobIds: [job], values: [1] }] } }),
    verdict: roundVerdict,
  },
  {
    route: 'POST /otlp/v1/metrics',
    request: ({ job }) => ({ json: gaugeRequest(job, 'load', { asDouble: 1 }) }),
    verdict: pointVerdict,
  },
  {
    route: 'POST /otlp/v1/metrics',
    title: 'to an unknown value',
    request: ({ job }) => ({ json: gaugeRequest(job, 'nothing', { asDouble: 1 }) }),
    verdict: pointVerdict,
    statuses: { readonly: 200 },
  },
  {
    route: 'POST /api/v1/write',
    request: ({ job }) => ({
      headers: writeHeaders,
      bytes: snappyOf(
        writeRequest([
          {
            labels: { __name__: 'load', tidemark_job: String(job) },
            samples: [[1, Date.now()]],
          },
        ]),
      ),
    }),
    verdict: pointVerdict,
  },
  {
    route: 'GET /jobs/:id/value-history',
    path: '/jobs/{job}/value-history?key=returnValue1',
  },
  { route: 'GET /value-history', path: '/value-history?jobId={job}' },
  {
    route: 'GET /values',
    path: '/values?jobId={job}',
    verdict: ({ status, body }) => ((body['items'] as unknown[] | undefined)?.length === 0 ? 404 : status),
  },
  { route: 'GET /events', path: '/events?objectId={group}&once=true' },
  { route: 'GET /events', title: 'with values', path: '/events?jobId={job}&once=true' },
  {
    route: 'GET /value-history',
    title: 'beside a readable one',
    path: '/value-history?jobId={fresh}&jobId={job}&key=errorCode',
    prepare: freshInOwn('job'),
  },
]

function samplesOf(): object {
  return { key: 'returnValue1', timestamps: [Date.now()], values: [1] }
}

/** Every route that needs a right on an object, with each object that it asks about. */
export const CASES: readonly Case[] = [
  ...READS,
  ...browsing,
  ...creating,
  ...changing,
  ...serviceLevels,
  ...revaluations,
  ...alarms,
  ...statusPages,
  ...delivering,
]

/** A path with its names filled in; one that is derived names the object that the first segment says. */
export function pathOf({ route, path }: Case, names: Names): string {
  const [, pattern = ''] = route.split(' ')
  const type = /^\/(\w+?)s\//.exec(pattern)?.[1] ?? ''
  return (path ?? pattern.replace(':id', `{${type}}`)).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(names[name]),
  )
}
