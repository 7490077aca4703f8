import { Hono } from 'hono'
import type { Context } from '../../context.ts'
import { copyRoute, objectRoutes } from '../../http/object-routes.ts'
import { ok } from '../../http/openapi-answers.ts'
import { demandedVersion, entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { EDITORS } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { childrenView } from '../tree/browse/schema.ts'
import { listLinked } from '../tree/browse/service.ts'
import { sloCopyQuery } from './copy/schema.ts'
import { copySlo } from './copy/service.ts'
import { CHILDREN_MAX, childrenBody, childrenMode, linkingPath, sloBody, sloView } from './schema.ts'
import { createSlo, deleteSlo, readSlo, updateChildren, updateSlo } from './service.ts'

const BODY_MAX_BYTES = 512 * 1024

function shown({ slo, version }: Awaited<ReturnType<typeof readSlo>>) {
  return { view: slo, version }
}

const kind = {
  path: '/slos',
  noun: 'service level object',
  view: sloView,
  read: async (context: Context, id: number) => shown(await readSlo(context, id)),
}

export const sloRoutes = new Hono<Env>()
  .route(
    '/',
    objectRoutes({
      ...kind,
      parentType: 'group',
      body: sloBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summaries: {
        create: 'Create a service level object (business service) in a group',
        replace: 'Replace or move a service level object; its children stay',
        delete: 'Delete a service level object; its children stay',
      },
      create: async (context, parentId, body) => shown(await createSlo(context, parentId, body)),
      update: async (context, id, change) => shown(await updateSlo(context, id, change)),
      delete: deleteSlo,
    }),
  )
  .route(
    '/',
    copyRoute({
      ...kind,
      summary: 'Copy a service level object, as a template instance or as a plain copy',
      query: sloCopyQuery,
      copy: copySlo,
    }),
  )
  .put(
    '/:parentType/:parentId/children',
    policy({
      summary: 'Replace or change the children of a service level object or container',
      roles: EDITORS,
      object: 'write',
      answers: {
        200: ok(childrenView, 'The children after the change, at most the first thousand.', ['ETag']),
      },
      refuses: [409, 412],
    }),
    valid('param', linkingPath),
    valid('query', childrenMode),
    jsonBody(BODY_MAX_BYTES),
    valid('json', childrenBody),
    async (c) => {
      const { parentType: type, parentId: id } = c.req.valid('param')
      const change = {
        items: c.req.valid('json').items,
        mode: c.req.valid('query').mode,
        ifMatch: demandedVersion(c.get('context')),
      }
      const { version } = await updateChildren(c.get('context'), { type, id }, change)
      const { items } = await listLinked(c.get('context'), id, { limit: CHILDREN_MAX })
      return c.json({ items }, 200, { etag: entityTag(version) })
    },
  )
