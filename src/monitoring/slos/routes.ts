import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag, ifMatch } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { EDITORS } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { childrenView } from '../tree/browse/schema.ts'
import { listLinked } from '../tree/browse/service.ts'
import { sloCopyQuery } from './copy/schema.ts'
import { copySlo } from './copy/service.ts'
import { CHILDREN_MAX, childrenBody, childrenMode, linkingPath, sloBody, sloView } from './schema.ts'
import { createSlo, deleteSlo, readSlo, updateChildren, updateSlo } from './service.ts'

const BODY_MAX_BYTES = 512 * 1024

const objectPath = z.object({ id: idParam })
const parentQuery = z.object({ parentType: z.literal('group').default('group'), parentId: idParam })
const oneSlo = { 200: ok(sloView, 'The service level object.', ['ETag']) }

function shown({ slo, version }: Awaited<ReturnType<typeof readSlo>>) {
  return { view: slo, version }
}

export const sloRoutes = new Hono<Env>()
  .post(
    '/slos',
    policy({
      summary: 'Create a service level object (business service) in a group',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(sloView, 'The new service level object.', ['Location', 'ETag']) },
      refuses: [404, 409],
    }),
    valid('query', parentQuery),
    jsonBody(BODY_MAX_BYTES),
    valid('json', sloBody),
    async (c) => {
      const { parentId } = c.req.valid('query')
      const { slo, version } = await createSlo(c.get('context'), parentId, c.req.valid('json'))
      const location = `${c.get('ports').settings.basePath}/slos/${slo.id}`
      return c.json(slo, 201, { location, etag: entityTag(version) })
    },
  )
  .get(
    '/slos/:id',
    policy({ summary: 'Read a service level object', roles: 'signed-in', object: 'read', answers: oneSlo }),
    valid('param', objectPath),
    async (c) => {
      const { slo, version } = await readSlo(c.get('context'), c.req.valid('param').id)
      return c.json(slo, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/slos/:id',
      place: objectPath,
      body: sloBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace or move a service level object; its children stay',
      noun: 'a service level object',
      policy: { roles: EDITORS, object: 'write', answers: oneSlo, refuses: [409, 412] },
      read: async (context, { id }) => shown(await readSlo(context, id)),
      write: async (context, { id }, change) => shown(await updateSlo(context, id, change)),
    }),
  )
  .post(
    '/slos/:id/copy',
    policy({
      summary: 'Copy a service level object, as a template instance or as a plain copy',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(sloView, 'The new service level object.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    valid('param', objectPath),
    valid('query', sloCopyQuery),
    async (c) => {
      const id = await copySlo(c.get('context'), c.req.valid('param').id, c.req.valid('query'))
      const { slo, version } = await readSlo(c.get('context'), id)
      const location = `${c.get('ports').settings.basePath}/slos/${slo.id}`
      return c.json(slo, 201, { location, etag: entityTag(version) })
    },
  )
  .delete(
    '/slos/:id',
    policy({
      summary: 'Delete a service level object; its children stay',
      roles: EDITORS,
      object: 'write',
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', objectPath),
    async (c) => {
      await deleteSlo(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
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
        ifMatch: ifMatch(c),
      }
      const { version } = await updateChildren(c.get('context'), { type, id }, change)
      const { items } = await listLinked(c.get('context'), id, { limit: CHILDREN_MAX })
      return c.json({ items }, 200, { etag: entityTag(version) })
    },
  )
