import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, idPath, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { versionedRoutes } from '../../http/versioned-routes.ts'
import { userView } from '../users/schema.ts'
import { batchQuery, groupsBody, userGroupBody, userGroupView, usersBody } from './schema.ts'
import {
  createGroup,
  deleteGroup,
  listGroups,
  listGroupsOf,
  listMembers,
  readGroup,
  updateGroup,
  updateGroupsOf,
  updateMembers,
} from './service.ts'

const BODY_MAX_BYTES = 16 * 1024
const BATCH_MAX_BYTES = 256 * 1024
const userPath = z.object({ userId: idParam })
const members = { 200: ok(z.array(userView), 'The users of the group, by id.') }
const groupsOfUser = { 200: ok(z.array(userGroupView), 'The groups of the user, by id.') }

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
  .route(
    '/',
    versionedRoutes({
      path: '/userGroups',
      noun: 'user group',
      body: userGroupBody,
      view: userGroupView,
      sizeMaxBytes: BODY_MAX_BYTES,
      summaries: {
        create: 'Create a user group',
        replace: 'Rename a user group',
        delete: 'Delete a user group and its grants; its users remain',
      },
      readers: { roles: 'signed-in' },
      editors: { roles: ADMINISTRATOR, scope: 'administration' },
      create: createGroup,
      read: readGroup,
      update: updateGroup,
      delete: deleteGroup,
    }),
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
