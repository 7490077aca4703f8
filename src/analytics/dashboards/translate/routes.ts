import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { dashboardPath } from '../schema.ts'
import { translateBody, translateView } from './schema.ts'
import { translateDashboard } from './service.ts'

const BODY_MAX_BYTES = 8 * 1024

export const translateRoutes = new Hono<Env>().post(
  '/dashboards/:id/translate',
  policy({
    summary: 'Add the missing translations of a dashboard by machine',
    roles: EDITORS,
    answers: { 200: ok(translateView, 'The new texts, which the dashboard has now.', ['ETag']) },
    refuses: [409, 412, 501],
  }),
  valid('param', dashboardPath),
  jsonBody(BODY_MAX_BYTES),
  valid('json', translateBody),
  async (c) => {
    const { id } = c.req.valid('param')
    const { view, version } = await translateDashboard(c.get('context'), id, c.req.valid('json'))
    return c.json(view, 200, { etag: entityTag(version) })
  },
)
