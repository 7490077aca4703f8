import { Hono } from 'hono'
import * as z from 'zod'
import { noContent, ok } from '../../../http/openapi-answers.ts'
import { nextLink } from '../../../http/paging.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import {
  effectiveQuery,
  effectiveView,
  explainQuery,
  explanationView,
  grantBody,
  grantView,
  objectPath,
  subjectPath,
} from './schema.ts'
import { explainRights, listEffectiveRights, readGrants, removeGrant, setGrant } from './service.ts'

const BODY_MAX_BYTES = 1024

export const grantRoutes = new Hono<Env>()
  .get(
    '/:objectType/:objectId/permissions',
    policy({
      summary: 'List the grants on an object and on the objects above it',
      roles: ADMINISTRATOR,
      object: 'read',
      answers: { 200: ok(z.array(grantView), 'The grants, those on the nearest object first.') },
    }),
    valid('param', objectPath),
    async (c) => c.json(await readGrants(c.get('context'), c.req.valid('param'))),
  )
  .get(
    '/:objectType/:objectId/permissions/explain',
    policy({
      summary: 'Explain the rights of a user on an object',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(explanationView, 'The rights, each with its reason.') },
    }),
    valid('param', objectPath),
    valid('query', explainQuery),
    async (c) =>
      c.json(await explainRights(c.get('context'), c.req.valid('param'), c.req.valid('query').userId)),
  )
  .get(
    '/:objectType/:objectId/permissions/effective',
    policy({
      summary: 'List all users with their rights on an object and the grants that give them',
      roles: ADMINISTRATOR,
      object: 'read',
      answers: { 200: ok(z.object({ items: z.array(effectiveView) }), 'The users, by id.', ['Link']) },
    }),
    valid('param', objectPath),
    valid('query', effectiveQuery),
    async (c) => {
      const page = c.req.valid('query')
      const { items, next } = await listEffectiveRights(c.get('context'), c.req.valid('param'), page)
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
  .put(
    '/:objectType/:objectId/permissions/:subjectType/:subjectId',
    policy({
      summary: 'Grant a user, a user group or everyone rights on an object and the objects below it',
      roles: ADMINISTRATOR,
      scope: 'administration',
      object: 'read',
      answers: { 200: ok(grantView, 'The grant.') },
      refuses: [409],
    }),
    valid('param', subjectPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', grantBody),
    async (c) => c.json(await setGrant(c.get('context'), c.req.valid('param'), c.req.valid('json'))),
  )
  .delete(
    '/:objectType/:objectId/permissions/:subjectType/:subjectId',
    policy({
      summary: 'Revoke a grant on an object; grants on objects above it stay',
      roles: ADMINISTRATOR,
      scope: 'administration',
      object: 'read',
      answers: { 204: noContent },
    }),
    valid('param', subjectPath),
    async (c) => {
      await removeGrant(c.get('context'), c.req.valid('param'))
      return c.body(null, 204)
    },
  )
