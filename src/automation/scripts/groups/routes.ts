import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { replacingUnversioned } from '../../../http/updates.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { groupBody, groupPath, groupView } from './schema.ts'
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
  .post(
    '/scripts/groups',
    policy({
      summary: 'Create a group of scripts',
      roles: ADMINISTRATOR,
      answers: { 201: ok(groupView, 'The new group.', ['Location']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', groupBody),
    async (c) => {
      const group = await createGroup(c.get('context'), c.req.valid('json'))
      return c.json(group, 201, { location: `${c.req.path}/${group.id}` })
    },
  )
  .get(
    '/scripts/groups/:id',
    policy({
      summary: 'Read a group of scripts',
      roles: SCRIPT_READERS,
      answers: { 200: ok(groupView, 'The group.') },
    }),
    valid('param', groupPath),
    async (c) => c.json(await readGroup(c.get('context'), c.req.valid('param').id)),
  )
  .route(
    '/',
    replacingUnversioned({
      path: '/scripts/groups/:id',
      place: groupPath,
      body: groupBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Change the name or the description of a group of scripts',
      noun: 'a group of scripts',
      policy: { roles: ADMINISTRATOR, answers: { 200: ok(groupView, 'The group.') }, refuses: [409] },
      write: (context, { id }, bodyOf) => updateGroup(context, id, bodyOf),
    }),
  )
  .delete(
    '/scripts/groups/:id',
    policy({
      summary: 'Delete an empty group of scripts',
      roles: ADMINISTRATOR,
      answers: { 204: noContent },
      refuses: [409],
    }),
    valid('param', groupPath),
    async (c) => {
      await deleteGroup(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
