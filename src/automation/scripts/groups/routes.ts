import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { replacing } from '../../../http/updates.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { groupBody, groupView } from './schema.ts'
import { createGroup, deleteGroup, listGroups, readGroup, updateGroup } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const oneGroup = { 200: ok(groupView, 'The group.', ['ETag']) }

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
    '/scripts/groups/:id',
    policy({
      summary: 'Read a group of scripts',
      roles: SCRIPT_READERS,
      answers: oneGroup,
    }),
    valid('param', idPath),
    async (c) => {
      const { view, version } = await readGroup(c.get('context'), c.req.valid('param').id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/scripts/groups/:id',
      place: idPath,
      body: groupBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Change the name or the description of a group of scripts',
      noun: 'a group of scripts',
      policy: { roles: ADMINISTRATOR, answers: oneGroup, refuses: [409, 412] },
      read: (context, { id }) => readGroup(context, id),
      write: (context, { id }, change) => updateGroup(context, id, change),
    }),
  )
  .delete(
    '/scripts/groups/:id',
    policy({
      summary: 'Delete an empty group of scripts',
      roles: ADMINISTRATOR,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    async (c) => {
      await deleteGroup(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
