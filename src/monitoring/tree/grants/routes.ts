import { Hono } from 'hono'
import * as z from 'zod'
import { noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { explainQuery, explanationView, grantBody, grantView, objectPath, subjectPath } from './schema.ts'
import { explainRights, readGrants, removeGrant, setGrant } from './service.ts'

const BODY_MAX_BYTES = 1024
const ADMINISTRATOR = ['administrator'] as const

export const grantRoutes = new Hono<Env>()
  .get(
    '/:objectType/:objectId/permissions',
    policy({
      summary: 'Who was granted what on an object, and above it',
      roles: ADMINISTRATOR,
      object: 'read',
      answers: { 200: ok(z.array(grantView), 'The grants, the nearest first.') },
    }),
    valid('param', objectPath),
    async (c) => c.json(await readGrants(c.get('context'), c.req.valid('param'))),
  )
  .get(
    '/:objectType/:objectId/permissions/explain',
    policy({
      summary: 'What a user may do with an object, and why',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(explanationView, 'The rights, with what they come from.') },
    }),
    valid('param', objectPath),
    valid('query', explainQuery),
    async (c) =>
      c.json(await explainRights(c.get('context'), c.req.valid('param'), c.req.valid('query').userId)),
  )
  .put(
    '/:objectType/:objectId/permissions/:subjectType/:subjectId',
    policy({
      summary: 'Grant a user, a user group or everyone rights on an object and what is below it',
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
      summary: 'Take away what was granted on an object; what was granted above it stays',
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
