import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { versionedRoutes } from '../../../http/versioned-routes.ts'
import { groupBody, groupView } from './schema.ts'
import { createGroup, deleteGroup, listGroups, readGroup, updateGroup } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024

export const groupRoutes = new Hono<Env>()
  .get(
    '/scripts/groups',
    policy({
      summary: 'List groups of scripts',
      roles: SCRIPT_READERS,
      answers: { 200: ok(z.array(groupView), 'The groups, by name; at most 200.') },
    }),
    async (c) => c.json(await listGroups(c.get('context'))),
  )
  .route(
    '/',
    versionedRoutes({
      path: '/scripts/groups',
      noun: 'group of scripts',
      body: groupBody,
      view: groupView,
      sizeMaxBytes: BODY_MAX_BYTES,
      summaries: {
        create: 'Create a group of scripts',
        replace: 'Change the name or the description of a group of scripts',
        delete: 'Delete an empty group of scripts',
      },
      readers: { roles: SCRIPT_READERS },
      editors: { roles: ADMINISTRATOR },
      create: createGroup,
      read: readGroup,
      update: updateGroup,
      delete: deleteGroup,
    }),
  )
