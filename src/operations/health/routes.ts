import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { frontView, readyView, versionView } from './schema.ts'
import { RELEASE, front, readiness } from './service.ts'
import type { HealthReports } from './service.ts'

export const healthRoutes = (reports: HealthReports) =>
  new Hono<Env>()
    .get(
      '/',
      policy({
        summary: 'Read the name, the releases and the first links of the service',
        roles: 'anyone',
        answers: {
          200: {
            ...ok(frontView, 'The name, the releases and the first links.'),
            headers: ['Vary'],
          },
          303: { description: 'The web console, if HTML is requested.', headers: ['Location'] },
        },
      }),
      (c) => {
        const view = front(c.get('ports'))
        c.header('vary', 'accept')
        const isBrowser = c.req.header('accept')?.includes('text/html') ?? false
        return isBrowser ? c.redirect(`${c.get('ports').settings.basePath}/ui/`, 303) : c.json(view)
      },
    )
    .get(
      '/healthz',
      policy({
        summary: 'Check that the process is alive',
        roles: 'anyone',
        answers: { 200: ok(z.object({ status: z.literal('ok') }), 'The process is alive.') },
      }),
      (c) => c.json({ status: 'ok' as const }),
    )
    .get(
      '/readyz',
      policy({
        summary: 'Check that the service is ready',
        roles: 'anyone',
        answers: {
          200: ok(readyView, 'The service is ready.'),
          503: ok(readyView, 'A part of the service is unavailable; see `checks`.'),
        },
      }),
      async (c) => {
        const ready = await readiness(c.get('ports'), reports)
        return c.json(ready, ready.status === 'failed' ? 503 : 200)
      },
    )
    .get(
      '/version',
      policy({
        summary: 'Read the releases of the service',
        roles: 'anyone',
        answers: { 200: ok(versionView, 'The releases.') },
      }),
      (c) => c.json(RELEASE),
    )
