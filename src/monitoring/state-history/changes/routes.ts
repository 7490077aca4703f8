import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { parentPath } from '../../tree/browse/schema.ts'
import { stateChangesQuery, stateChangesView } from './schema.ts'
import { listStateChanges } from './service.ts'

export const stateChangeRoutes = new Hono<Env>().get(
  '/:parentType/:parentId/state-changes',
  policy({
    summary: 'List the state changes of an object and of the objects below it in the tree',
    roles: 'signed-in',
    object: 'read',
    answers: { 200: ok(stateChangesView, 'The changes of objects that the caller can read.') },
  }),
  valid('param', parentPath),
  valid('query', stateChangesQuery),
  async (c) => c.json(await listStateChanges(c.get('context'), c.req.valid('param'), c.req.valid('query'))),
)
