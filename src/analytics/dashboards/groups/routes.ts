import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { contentTag, isFresh, UNCHANGED } from '../../../http/preconditions.ts'
import { EDITORS } from '../../../http/roles.ts'
import { versionedRoutes } from '../../../http/versioned-routes.ts'
import { deletionQuery, groupBody, groupView, nestedGroup } from './schema.ts'
import { createGroup, deleteGroup, listGroups, nestGroups, readGroup, updateGroup } from './service.ts'

const BODY_MAX_BYTES = 256 * 1024

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
        304: UNCHANGED,
      },
    }),
    async (c) => {
      const groups = await nestGroups(c.get('context'))
      const etag = await contentTag(JSON.stringify(groups))
      if (isFresh(c.req.raw, etag)) return c.body(null, 304, { etag })
      return c.json(groups, 200, { etag })
    },
  )
  .route(
    '/',
    versionedRoutes({
      path: '/dashboards/groups',
      noun: 'group of dashboards',
      body: groupBody,
      view: groupView,
      sizeMaxBytes: BODY_MAX_BYTES,
      summaries: {
        create: 'Create a group of dashboards',
        replace: 'Change or move a group of dashboards',
        delete: 'Delete a group of dashboards',
      },
      readers: { roles: 'signed-in' },
      editors: { roles: EDITORS },
      deleteQuery: deletionQuery,
      create: createGroup,
      read: readGroup,
      update: updateGroup,
      delete: (context, id, { recursive: isRecursive, forceDelete: isForced }) =>
        deleteGroup(context, id, { isRecursive, isForced }),
    }),
  )
