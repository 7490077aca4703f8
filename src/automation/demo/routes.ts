import { Hono } from 'hono'
import { noContent, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { demoBody, demoView } from './schema.ts'
import { beginDemo, readDemo, removeDemo } from './service.ts'

const BODY_MAX_BYTES = 1024

export const demoRoutes = new Hono<Env>()
  .get(
    '/demo',
    policy({
      summary: 'Read the state of the demo plant',
      roles: ADMINISTRATOR,
      answers: { 200: ok(demoView, 'The state.') },
    }),
    async (c) => c.json(await readDemo(c.get('context'))),
  )
  .post(
    '/demo',
    policy({
      summary: 'Make the demo plant in an empty installation; it is complete when its state is running',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 202: ok(demoView, 'The making has begun.') },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', demoBody),
    async (c) => c.json(await beginDemo(c.get('context'), c.req.valid('json').seed), 202),
  )
  .delete(
    '/demo',
    policy({
      summary: 'Remove the demo plant with its users, script and recipient',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
      refuses: [404, 409],
    }),
    async (c) => {
      await removeDemo(c.get('context'))
      return c.body(null, 204)
    },
  )
