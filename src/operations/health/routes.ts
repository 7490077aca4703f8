import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { frontPage } from './front-page.ts'
import { frontView, readyView, versionView } from './schema.ts'
import { RELEASE, front, readiness } from './service.ts'

export const healthRoutes = new Hono<Env>()
  .get(
    '/',
    policy({
      summary: 'What this is',
      roles: 'anyone',
      answers: {
        200: {
          ...ok(frontView, 'The name, the releases and the first links; a page where HTML is asked for.'),
          alsoMedia: ['text/html'],
          headers: ['Vary'],
        },
      },
    }),
    (c) => {
      const view = front(c.get('ports'))
      c.header('vary', 'accept')
      const isBrowser = c.req.header('accept')?.includes('text/html') ?? false
      return isBrowser ? c.html(frontPage(view)) : c.json(view)
    },
  )
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
