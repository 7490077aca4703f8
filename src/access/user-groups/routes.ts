import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { userView } from '../users/schema.ts'
import { batchQuery, groupsBody, userGroupBody, userGroupView, usersBody } from './schema.ts'
import {
  createGroup,
  deleteGroup,
  listGroups,
  listGroupsOf,
  listMembers,
  readGroup,
  renameGroup,
  updateGroupsOf,
  updateMembers,
} from './service.ts'

const BODY_MAX_BYTES = 16 * 1024
const BATCH_MAX_BYTES = 256 * 1024
const userPath = z.object({ userId: idParam })
const oneGroup = { 200: ok(userGroupView, 'The user group.', ['ETag']) }
const members = { 200: ok(z.array(userView), 'The users of the group, by id.') }
const groupsOfUser = { 200: ok(z.array(userGroupView), 'The groups of the user, by id.') }

function shown({ group, version }: Awaited<ReturnType<typeof readGroup>>) {
  return { view: group, version }
}

const groupRoutes = new Hono<Env>()
  .get(
    '/userGroups',
    policy({
      summary: 'List user groups',
      roles: 'signed-in',
      answers: { 200: ok(z.array(userGroupView), 'The user groups, by id.') },
    }),
    async (c) => c.json(await listGroups(c.get('context'))),
  )
  .post(
    '/userGroups',
    policy({
      summary: 'Create a user group',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 201: ok(userGroupView, 'The new user group.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', userGroupBody),
    async (c) => {
      const { group, version } = await createGroup(c.get('context'), c.req.valid('json').name)
      return c.json(group, 201, { location: `${c.req.path}/${group.id}`, etag: entityTag(version) })
    },
  )
  .get(
    '/userGroups/:id',
    policy({ summary: 'Read a user group', roles: 'signed-in', answers: oneGroup }),
    valid('param', idPath),
    async (c) => {
      const { group, version } = await readGroup(c.get('context'), c.req.valid('param').id)
      return c.json(group, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/userGroups/:id',
      place: idPath,
      body: userGroupBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Rename a user group',
      noun: 'a user group',
      policy: { roles: ADMINISTRATOR, scope: 'administration', answers: oneGroup, refuses: [409, 412] },
      read: async (context, { id }) => shown(await readGroup(context, id)),
      write: async (context, { id }, change) =>
        shown(await renameGroup(context, id, { name: change.body.name, ifMatch: change.ifMatch })),
    }),
  )
  .delete(
    '/userGroups/:id',
    policy({
      summary: 'Delete a user group and its grants; its users remain',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    async (c) => {
      await deleteGroup(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )

const membershipRoutes = new Hono<Env>()
  .get(
    '/userGroups/:id/users',
    policy({ summary: 'List the users of a group', roles: 'signed-in', answers: members }),
    valid('param', idPath),
    async (c) => c.json(await listMembers(c.get('context'), c.req.valid('param').id)),
  )
  .put(
    '/userGroups/:id/users',
    policy({
      summary: 'Replace, add or remove users of a group',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: members,
      refuses: [409],
    }),
    valid('param', idPath),
    valid('query', batchQuery),
    jsonBody(BATCH_MAX_BYTES),
    valid('json', usersBody),
    async (c) => {
      const batch = { ...c.req.valid('json'), ...c.req.valid('query') }
      return c.json(await updateMembers(c.get('context'), c.req.valid('param').id, batch))
    },
  )
  .get(
    '/userGroups/users/:userId',
    policy({ summary: 'List the groups of a user', roles: 'signed-in', answers: groupsOfUser }),
    valid('param', userPath),
    async (c) => c.json(await listGroupsOf(c.get('context'), c.req.valid('param').userId)),
  )
  .put(
    '/userGroups/users/:userId',
    policy({
      summary: 'Replace, add or remove groups of a user',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: groupsOfUser,
      refuses: [409],
    }),
    valid('param', userPath),
    valid('query', batchQuery),
    jsonBody(BATCH_MAX_BYTES),
    valid('json', groupsBody),
    async (c) => {
      const { userGroupIds: groupIds } = c.req.valid('json')
      const batch = { groupIds, mode: c.req.valid('query').mode }
      return c.json(await updateGroupsOf(c.get('context'), c.req.valid('param').userId, batch))
    },
  )

export const userGroupRoutes = new Hono<Env>().route('/', groupRoutes).route('/', membershipRoutes)
