import { Hono } from 'hono'
import type { Context } from '../../context.ts'
import { copyRoute, editing, forcedQuery, objectRoutes } from '../../http/object-routes.ts'
import { flagQuery, idPath, ok } from '../../http/openapi-answers.ts'
import { changeWithRetry, demandedVersion, entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
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

const deleteQuery = forcedQuery.extend({
  recursive: flagQuery.default(false).describe('True: also deletes all objects below.'),
})

function groupShown({ group, version }: Awaited<ReturnType<typeof readGroup>>) {
  return { view: group, version }
}

const groupRoutes = objectRoutes({
  path: '/groups',
  noun: 'group',
  parentType: 'group',
  body: groupBody,
  view: groupView,
  sizeMaxBytes: BODY_MAX_BYTES,
  summaries: {
    create: 'Create a group in a group',
    replace: 'Replace or move a group',
    delete: 'Delete a group',
  },
  deleteQuery,
  create: async (context, parentId, body) => groupShown(await createGroup(context, parentId, body)),
  read: async (context, id) => groupShown(await readGroup(context, id)),
  update: async (context, id, change) => groupShown(await updateGroup(context, id, change)),
  delete: (context, id, { recursive }) => deleteGroup(context, id, recursive),
})

function deviceShown({ device, version }: Awaited<ReturnType<typeof readDevice>>) {
  return { view: device, version }
}

const deviceKind = {
  path: '/devices',
  noun: 'device',
  view: deviceView,
  read: async (context: Context, id: number) => deviceShown(await readDevice(context, id)),
}

const deviceRoutes = new Hono<Env>()
  .route(
    '/',
    objectRoutes({
      ...deviceKind,
      parentType: 'group',
      body: deviceBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summaries: {
        create: 'Create a device in a group',
        replace: 'Replace or move a device',
        delete: 'Delete a device',
      },
      deleteQuery,
      create: async (context, parentId, body) => deviceShown(await createDevice(context, parentId, body)),
      update: async (context, id, change) => deviceShown(await updateDevice(context, id, change)),
      delete: (context, id, { recursive }) => deleteDevice(context, id, recursive),
    }),
  )
  .post(
    '/devices/:id',
    policy({
      ...editing,
      summary: 'Replace or move a device (same as PUT)',
      answers: { 200: ok(deviceView, 'The device.', ['ETag']) },
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', deviceBody),
    async (c) => {
      const change = { body: c.req.valid('json'), ifMatch: demandedVersion(c.get('context')) }
      const { id } = c.req.valid('param')
      const { device, version } = await changeWithRetry(change.ifMatch, () =>
        updateDevice(c.get('context'), id, change),
      )
      return c.json(device, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    copyRoute({
      ...deviceKind,
      summary: 'Copy a device with its jobs, as a template instance or as a plain copy',
      query: copyQuery,
      copy: copyDevice,
    }),
  )

export const treeRoutes = new Hono<Env>()
  .route('/', groupRoutes)
  .route('/', deviceRoutes)
  .route('/', searchRoutes)
  .route('/', listRoutes)
  .route('/', browseRoutes)
  .route('/', grantRoutes)
