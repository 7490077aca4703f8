import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { refusalView } from './schema.ts'
import { listRefusals } from './service.ts'

export const refusalRoutes = new Hono<Env>().get(
  '/jobs/:id/refusals',
  policy({
    summary: 'List the latest refused deliveries of a job: at most 50 of its senders and 10 of strangers',
    roles: 'signed-in',
    object: 'read',
    answers: { 200: ok(z.object({ items: z.array(refusalView) }), 'The refusals, latest first.') },
  }),
  valid('param', idPath),
  async (c) => c.json({ items: await listRefusals(c.get('context'), c.req.valid('param').id) }),
)
