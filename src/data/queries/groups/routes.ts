import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { replacing } from '../../../http/updates.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { READERS } from '../../sources/schema.ts'
import { deletionQuery } from '../schema.ts'
import { groupBody, groupView } from './schema.ts'
import { createGroup, deleteGroup, listGroups, readGroup, updateGroup } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const oneGroup = { 200: ok(groupView, 'The group.', ['ETag']) }

export const groupRoutes = new Hono<Env>()
  .get(
    '/dataQueries/groups',
    policy({
      summary: 'List all groups of data queries, which are a tree by their parents',
      roles: READERS,
      answers: { 200: ok(z.object({ items: z.array(groupView) }), 'The groups, by name; at most 200.') },
    }),
    async (c) => c.json({ items: await listGroups(c.get('context')) }),
  )
  .post(
    '/dataQueries/groups',
    policy({
      summary: 'Create a group of data queries',
      roles: READERS,
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
    '/dataQueries/groups/:id',
    policy({ summary: 'Read a group of data queries', roles: READERS, answers: oneGroup }),
    valid('param', idPath),
    async (c) => {
      const { view, version } = await readGroup(c.get('context'), c.req.valid('param').id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/dataQueries/groups/:id',
      place: idPath,
      body: groupBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Change or move a group of data queries',
      noun: 'a group of data queries',
      policy: { roles: READERS, answers: oneGroup, refuses: [409, 412] },
      read: (context, { id }) => readGroup(context, id),
      write: (context, { id }, change) => updateGroup(context, id, change),
    }),
  )
  .delete(
    '/dataQueries/groups/:id',
    policy({
      summary:
        'Delete a group with the groups below it and all data queries in them; forceDelete=true also if others refer to these',
      roles: READERS,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    valid('query', deletionQuery),
    async (c) => {
      const isForced = c.req.valid('query').forceDelete
      await deleteGroup(c.get('context'), c.req.valid('param').id, { isForced })
      return c.body(null, 204)
    },
  )
