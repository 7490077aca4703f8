import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { nextLink, pageOrWhole } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { LIST_MAX, newUserBody, userBody, listQuery, userView } from './schema.ts'
import { createUser, deleteUser, listUsers, readUser, updateUser } from './service.ts'

const BODY_MAX_BYTES = 16 * 1024
const oneUser = { 200: ok(userView, 'The user.', ['ETag']) }

export const userRoutes = new Hono<Env>()
  .get(
    '/users',
    policy({
      summary: 'List users',
      roles: 'signed-in',
      answers: { 200: ok(z.array(userView), 'The users, by id.', ['Link']) },
    }),
    valid('query', listQuery),
    async (c) => {
      const { items, next } = await pageOrWhole(c.req.valid('query'), LIST_MAX, (page) =>
        listUsers(c.get('context'), page),
      )
      return c.json(items, 200, nextLink(c, next))
    },
  )
  .post(
    '/users',
    policy({
      summary: 'Create a user',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 201: ok(userView, 'The new user.', ['Location']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', newUserBody),
    async (c) => {
      const user = await createUser(c.get('context'), c.req.valid('json'))
      return c.json(user, 201, { location: `${c.req.path}/${user.id}` })
    },
  )
  .get(
    '/users/:id',
    policy({ summary: 'Read a user', roles: 'signed-in', answers: oneUser }),
    valid('param', idPath),
    async (c) => {
      const { view, version } = await readUser(c.get('context'), c.req.valid('param').id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/users/:id',
      place: idPath,
      body: userBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary:
        "Change some fields of a user: administrators change any user, others some fields of their own; changing one's own password requires `currentPassword`",
      noun: 'a user',
      policy: {
        roles: 'signed-in',
        scope: 'administration',
        answers: oneUser,
        refuses: [403, 409, 412, 429],
      },
      unset: { '/fullname': '', '/email': '', '/phone': '' },
      read: (context, { id }) => readUser(context, id),
      write: (context, { id }, change) => updateUser(context, id, change),
    }),
  )
  .delete(
    '/users/:id',
    policy({
      summary: 'Delete a user',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    async (c) => {
      await deleteUser(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
