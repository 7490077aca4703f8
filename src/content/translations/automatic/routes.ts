import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { automaticBody, automaticView } from './schema.ts'
import { translateTexts } from './service.ts'

const BODY_MAX_BYTES = 512 * 1024

export const automaticRoutes = new Hono<Env>().post(
  '/translations/auto',
  policy({
    summary: 'Translate texts by machine',
    roles: EDITORS,
    answers: { 200: ok(automaticView, 'The translations.') },
    refuses: [409, 501],
  }),
  jsonBody(BODY_MAX_BYTES),
  valid('json', automaticBody),
  async (c) => c.json(await translateTexts(c.get('context'), c.req.valid('json'))),
)
