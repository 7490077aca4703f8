import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { dashboardPath } from '../schema.ts'
import { mailBody, mailView } from './schema.ts'
import { mailDashboard } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024

export const mailRoutes = new Hono<Env>().post(
  '/dashboards/:id/mail',
  policy({
    summary: 'Mail images of the widgets of a dashboard, as you see them, to alarm recipients',
    roles: EDITORS,
    answers: { 200: ok(mailView, 'The answers of the mail server.') },
    refuses: [409, 429],
  }),
  valid('param', dashboardPath),
  jsonBody(BODY_MAX_BYTES),
  valid('json', mailBody),
  async (c) => c.json(await mailDashboard(c.get('context'), c.req.valid('param').id, c.req.valid('json'))),
)
