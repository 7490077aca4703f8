import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { parentPath } from '../../tree/browse/schema.ts'
import { calendarQuery, calendarView } from './schema.ts'
import { readCalendar } from './service.ts'

export const calendarRoutes = new Hono<Env>().get(
  '/:parentType/:parentId/revaluation-calendar',
  policy({
    summary:
      'List the revaluations of an object and of the objects below it in the tree, with their occurrences',
    roles: 'signed-in',
    object: 'read',
    answers: { 200: ok(calendarView, 'The revaluations of objects that the caller can read.') },
  }),
  valid('param', parentPath),
  valid('query', calendarQuery),
  async (c) => c.json(await readCalendar(c.get('context'), c.req.valid('param'), c.req.valid('query'))),
)
