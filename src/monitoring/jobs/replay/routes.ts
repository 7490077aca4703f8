import { Hono } from 'hono'
import { idPath, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { replayBody, replayView } from './schema.ts'
import { replayJob } from './service.ts'

const BODY_MAX_BYTES = 512 * 1024

export const replayRoutes = new Hono<Env>().post(
  '/jobs/:id/replay',
  policy({
    summary:
      'Replay proposed thresholds and a proposed timeout over the stored values of a job; stores nothing',
    roles: 'signed-in',
    scope: 'read',
    object: 'read',
    answers: { 200: ok(replayView, 'How the job would have behaved.') },
  }),
  valid('param', idPath),
  jsonBody(BODY_MAX_BYTES),
  valid('json', replayBody),
  async (c) => c.json(await replayJob(c.get('context'), c.req.valid('param').id, c.req.valid('json'))),
)
