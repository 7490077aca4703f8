import { Hono } from 'hono'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { MEDIA_TYPE, textOf } from './figures.ts'
import { readFigures } from './service.ts'
import type { FigureReports } from './service.ts'

export const telemetryRoutes = (reports: FigureReports) =>
  new Hono<Env>().get(
    '/metrics',
    policy({
      summary: 'Read figures of the service in the text format of Prometheus',
      roles: ADMINISTRATOR,
      answers: { 200: { description: 'The figures.', media: 'text/plain' } },
    }),
    async (c) =>
      c.body(textOf(await readFigures(c.get('ports'), reports)), 200, { 'content-type': MEDIA_TYPE }),
  )
