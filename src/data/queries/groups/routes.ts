import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { versionedRoutes } from '../../../http/versioned-routes.ts'
import { READERS } from '../../sources/schema.ts'
import { deletionQuery } from '../schema.ts'
import { groupBody, groupView } from './schema.ts'
import { createGroup, deleteGroup, listGroups, readGroup, updateGroup } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024

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
  .route(
    '/',
    versionedRoutes({
      path: '/dataQueries/groups',
      noun: 'group of data queries',
      body: groupBody,
      view: groupView,
      sizeMaxBytes: BODY_MAX_BYTES,
      summaries: {
        create: 'Create a group of data queries',
        replace: 'Change or move a group of data queries',
        delete:
          'Delete a group with the groups below it and all data queries in them; forceDelete=true also if others refer to these',
      },
      readers: { roles: READERS },
      editors: { roles: READERS },
      deleteQuery: deletionQuery,
      create: createGroup,
      read: readGroup,
      update: updateGroup,
      delete: (context, id, { forceDelete: isForced }) => deleteGroup(context, id, { isForced }),
    }),
  )
