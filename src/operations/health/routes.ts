import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../http/answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { readyView, versionView } from './schema.ts'
import { RELEASE, readiness } from './service.ts'

export const healthRoutes = new Hono<Env>()
  .get(
    '/healthz',
    policy({
      summary: 'The process answers',
      roles: 'anyone',
      answers: { 200: ok(z.object({ status: z.literal('ok') }), 'It does.') },
    }),
    (c) => c.json({ status: 'ok' as const }),
  )
  .get(
    '/readyz',
    policy({
      summary: 'The service can do its work',
      roles: 'anyone',
      answers: { 200: ok(readyView, 'It can.'), 503: ok(readyView, 'A part is away.') },
    }),
    async (c) => {
      const ready = await readiness(c.get('ports'))
      return c.json(ready, ready.status === 'failed' ? 503 : 200)
    },
  )
  .get(
    '/version',
    policy({
      summary: 'What runs here',
      roles: 'anyone',
      answers: { 200: ok(versionView, 'The releases.') },
    }),
    (c) => c.json(RELEASE),
  )
