import { Hono } from 'hono'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { EDITORS } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { parentPath } from '../tree/browse/schema.ts'
import { dependenciesBody, dependenciesView } from './schema.ts'
import { readDependencies, updateDependencies } from './service.ts'

const BODY_MAX_BYTES = 16 * 1024
const answers = {
  200: ok(dependenciesView, 'The objects that the object depends on, and the objects that depend on it.'),
}

export const dependencyRoutes = new Hono<Env>()
  .get(
    '/:parentType/:parentId/dependencies',
    policy({ summary: 'Read the dependencies of an object', roles: 'signed-in', object: 'read', answers }),
    valid('param', parentPath),
    async (c) => c.json(await readDependencies(c.get('context'), c.req.valid('param'))),
  )
  .put(
    '/:parentType/:parentId/dependencies',
    policy({
      summary: 'Replace the dependencies of an object',
      roles: EDITORS,
      object: 'write',
      answers,
      refuses: [409],
    }),
    valid('param', parentPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', dependenciesBody),
    async (c) => {
      const { dependsOn } = c.req.valid('json')
      return c.json(await updateDependencies(c.get('context'), c.req.valid('param'), dependsOn))
    },
  )
