import { Hono } from 'hono'
import * as z from 'zod'
import { sha256 } from '../../../lib/digest.ts'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { entityTag, isFresh } from '../../../http/preconditions.ts'
import { EDITORS } from '../../../http/roles.ts'
import { replacing } from '../../../http/updates.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { deletionQuery, groupBody, groupView, nestedGroup } from './schema.ts'
import { createGroup, deleteGroup, listGroups, nestGroups, readGroup, updateGroup } from './service.ts'

const BODY_MAX_BYTES = 256 * 1024
const oneGroup = { 200: ok(groupView, 'The group.', ['ETag']) }

export const groupRoutes = new Hono<Env>()
  .get(
    '/dashboards/groups',
    policy({
      summary: 'List the groups of dashboards that you may read, which are a tree by their parents',
      roles: 'signed-in',
      answers: { 200: ok(z.object({ items: z.array(groupView) }), 'The groups; at most 1,000.') },
    }),
    async (c) => c.json({ items: await listGroups(c.get('context')) }),
  )
  .get(
    '/dashboards/groups/nested',
    policy({
      summary: 'Read the tree of groups of dashboards with their default parameters and their dashboards',
      roles: 'signed-in',
      answers: {
        200: ok(z.array(nestedGroup), 'The groups at the root, each with those below it.', ['ETag']),
        304: { description: 'Unchanged since the ETag in If-None-Match.' },
      },
    }),
    async (c) => {
      const groups = await nestGroups(c.get('context'))
      const etag = `"${(await sha256(JSON.stringify(groups))).slice(0, 32)}"`
      if (isFresh(c.req.raw, etag)) return c.body(null, 304, { etag })
      return c.json(groups, 200, { etag })
    },
  )
  .post(
    '/dashboards/groups',
    policy({
      summary: 'Create a group of dashboards',
      roles: EDITORS,
      answers: { 201: ok(groupView, 'The new group.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', groupBody),
    async (c) => {
      const { view, version } = await createGroup(c.get('context'), c.req.valid('json'))
      return c.json(view, 201, { location: `${c.req.path}/${view.id}`, etag: entityTag(version) })
    },
  )
  .get(
    '/dashboards/groups/:id',
    policy({ summary: 'Read a group of dashboards', roles: 'signed-in', answers: oneGroup }),
    valid('param', idPath),
    async (c) => {
      const { view, version } = await readGroup(c.get('context'), c.req.valid('param').id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/dashboards/groups/:id',
      place: idPath,
      body: groupBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Change or move a group of dashboards',
      noun: 'a group of dashboards',
      policy: { roles: EDITORS, answers: oneGroup, refuses: [409, 412] },
      read: (context, { id }) => readGroup(context, id),
      write: (context, { id }, change) => updateGroup(context, id, change),
    }),
  )
  .delete(
    '/dashboards/groups/:id',
    policy({
      summary: 'Delete a group of dashboards',
      roles: EDITORS,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    valid('query', deletionQuery),
    async (c) => {
      const { recursive: isRecursive, forceDelete: isForced } = c.req.valid('query')
      await deleteGroup(c.get('context'), c.req.valid('param').id, { isRecursive, isForced })
      return c.body(null, 204)
    },
  )
