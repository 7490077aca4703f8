import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { grafanaBody, grafanaView } from './schema.ts'
import { convertFile } from './service.ts'

const BODY_MAX_BYTES = 4 * 1024 * 1024

export const grafanaRoutes = new Hono<Env>().post(
  '/dashboards/import/grafana',
  policy({
    summary:
      'Convert a dashboard of Grafana to an export, with the outcome for each panel, and store nothing',
    roles: EDITORS,
    scope: 'read',
    answers: { 200: ok(grafanaView, 'The export, and the outcome for each panel and variable.') },
  }),
  jsonBody(BODY_MAX_BYTES),
  valid('json', grafanaBody),
  async (c) => c.json(await convertFile(c.get('context'), c.req.valid('json'))),
)
