import { Hono } from 'hono'
import * as z from 'zod'
import { flagQuery, idParam, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag, ifMatch, retried } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { EDITORS } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { browseRoutes } from './browse/routes.ts'
import { copyQuery } from './copy/schema.ts'
import { copyDevice } from './copy/service.ts'
import { createDevice, deleteDevice, readDevice, updateDevice } from './devices/service.ts'
import { grantRoutes } from './grants/routes.ts'
import { createGroup, deleteGroup, readGroup, updateGroup } from './groups/service.ts'
import { deviceBody, deviceView, groupBody, groupView } from './schema.ts'
import { listRoutes, searchRoutes } from './search/routes.ts'

const BODY_MAX_BYTES = 512 * 1024

const objectPath = z.object({ id: idParam })
const parentQuery = z.object({ parentType: z.literal('group').default('group'), parentId: idParam })
const deleteQuery = z.object({
  recursive: flagQuery.default(false).describe('True: also deletes all objects below.'),
})
const oneGroup = { 200: ok(groupView, 'The group.', ['ETag']) }
const oneDevice = { 200: ok(deviceView, 'The device.', ['ETag']) }
const editing = { roles: EDITORS, object: 'write', refuses: [409, 412] } as const
const deletion = { ...editing, answers: { 204: noContent } }

function groupShown({ group, version }: Awaited<ReturnType<typeof readGroup>>) {
  return { view: group, version }
}

const groupRoutes = new Hono<Env>()
  .get(
    '/groups/:id',
    policy({ summary: 'Read a group', roles: 'signed-in', object: 'read', answers: oneGroup }),
    valid('param', objectPath),
    async (c) => {
      const { group, version } = await readGroup(c.get('context'), c.req.valid('param').id)
      return c.json(group, 200, { etag: entityTag(version) })
    },
  )
  .post(
    '/groups',
    policy({
      summary: 'Create a group in a group',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(groupView, 'The new group.', ['Location', 'ETag']) },
      refuses: [404, 409],
    }),
    valid('query', parentQuery),
    jsonBody(BODY_MAX_BYTES),
    valid('json', groupBody),
    async (c) => {
      const { group, version } = await createGroup(
        c.get('context'),
        c.req.valid('query').parentId,
        c.req.valid('json'),
      )
      const location = `${c.get('ports').settings.basePath}/groups/${group.id}`
      return c.json(group, 201, { location, etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/groups/:id',
      place: objectPath,
      body: groupBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace or move a group',
      noun: 'a group',
      policy: { ...editing, answers: oneGroup },
      read: async (context, { id }) => groupShown(await readGroup(context, id)),
      write: async (context, { id }, change) => groupShown(await updateGroup(context, id, change)),
    }),
  )
  .delete(
    '/groups/:id',
    policy({ summary: 'Delete a group', ...deletion }),
    valid('param', objectPath),
    valid('query', deleteQuery),
    async (c) => {
      await deleteGroup(c.get('context'), c.req.valid('param').id, c.req.valid('query').recursive)
      return c.body(null, 204)
    },
  )

const replaceDevice = { ...editing, answers: oneDevice }

function deviceShown({ device, version }: Awaited<ReturnType<typeof readDevice>>) {
  return { view: device, version }
}

const deviceRoutes = new Hono<Env>()
  .get(
    '/devices/:id',
    policy({ summary: 'Read a device', roles: 'signed-in', object: 'read', answers: oneDevice }),
    valid('param', objectPath),
    async (c) => {
      const { device, version } = await readDevice(c.get('context'), c.req.valid('param').id)
      return c.json(device, 200, { etag: entityTag(version) })
    },
  )
  .post(
    '/devices',
    policy({
      summary: 'Create a device in a group',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(deviceView, 'The new device.', ['Location', 'ETag']) },
      refuses: [404, 409],
    }),
    valid('query', parentQuery),
    jsonBody(BODY_MAX_BYTES),
    valid('json', deviceBody),
    async (c) => {
      const { device, version } = await createDevice(
        c.get('context'),
        c.req.valid('query').parentId,
        c.req.valid('json'),
      )
      const location = `${c.get('ports').settings.basePath}/devices/${device.id}`
      return c.json(device, 201, { location, etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/devices/:id',
      place: objectPath,
      body: deviceBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace or move a device',
      noun: 'a device',
      policy: replaceDevice,
      read: async (context, { id }) => deviceShown(await readDevice(context, id)),
      write: async (context, { id }, change) => deviceShown(await updateDevice(context, id, change)),
    }),
  )
  .post(
    '/devices/:id',
    policy({ summary: 'Replace or move a device (same as PUT)', ...replaceDevice }),
    valid('param', objectPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', deviceBody),
    async (c) => {
      const change = { body: c.req.valid('json'), ifMatch: ifMatch(c) }
      const { id } = c.req.valid('param')
      const { device, version } = await retried(change.ifMatch, () =>
        updateDevice(c.get('context'), id, change),
      )
      return c.json(device, 200, { etag: entityTag(version) })
    },
  )
  .post(
    '/devices/:id/copy',
    policy({
      summary: 'Copy a device with its jobs, as a template instance or as a plain copy',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(deviceView, 'The new device.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    valid('param', objectPath),
    valid('query', copyQuery),
    async (c) => {
      const id = await copyDevice(c.get('context'), c.req.valid('param').id, c.req.valid('query'))
      const { device, version } = await readDevice(c.get('context'), id)
      const location = `${c.get('ports').settings.basePath}/devices/${device.id}`
      return c.json(device, 201, { location, etag: entityTag(version) })
    },
  )
  .delete(
    '/devices/:id',
    policy({ summary: 'Delete a device', ...deletion }),
    valid('param', objectPath),
    valid('query', deleteQuery),
    async (c) => {
      await deleteDevice(c.get('context'), c.req.valid('param').id, c.req.valid('query').recursive)
      return c.body(null, 204)
    },
  )

export const treeRoutes = new Hono<Env>()
  .route('/', groupRoutes)
  .route('/', deviceRoutes)
  .route('/', searchRoutes)
  .route('/', listRoutes)
  .route('/', browseRoutes)
  .route('/', grantRoutes)
