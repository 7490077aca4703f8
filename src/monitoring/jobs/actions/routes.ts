import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { jobActionsBody, jobActionsView } from './schema.ts'
import { actOnJobs } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024

export const jobActionRoutes = new Hono<Env>().post(
  '/jobs/actions',
  policy({
    summary: 'Stop or start several jobs',
    roles: EDITORS,
    object: 'write',
    answers: { 200: ok(jobActionsView, 'The result for each job.') },
  }),
  jsonBody(BODY_MAX_BYTES),
  valid('json', jobActionsBody),
  async (c) => c.json(await actOnJobs(c.get('context'), c.req.valid('json'))),
)
