import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { currentQuery, currentView } from './schema.ts'
import { readCurrent } from './service.ts'

export const currentRoutes = new Hono<Env>().get(
  '/values',
  policy({
    summary: 'Read the latest values of many jobs, with their names and units',
    roles: 'signed-in',
    object: 'read',
    answers: { 200: ok(currentView, 'The latest values of each job.') },
  }),
  valid('query', currentQuery),
  async (c) => c.json(await readCurrent(c.get('context'), c.req.valid('query'))),
)
