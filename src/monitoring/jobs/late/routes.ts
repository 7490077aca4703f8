import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { parentPath } from '../../tree/browse/schema.ts'
import { lateJobsQuery, lateJobsView } from './schema.ts'
import { listLateJobs } from './service.ts'

export const lateJobRoutes = new Hono<Env>().get(
  '/:parentType/:parentId/late-jobs',
  policy({
    summary: 'List the jobs below an object in the tree that are late and have not timed out yet',
    roles: 'signed-in',
    object: 'read',
    answers: { 200: ok(lateJobsView, 'The late jobs that the caller can read.') },
  }),
  valid('param', parentPath),
  valid('query', lateJobsQuery),
  async (c) => c.json(await listLateJobs(c.get('context'), c.req.valid('param'), c.req.valid('query'))),
)
