import { Hono } from 'hono'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { ok } from '../../../http/answers.ts'
import { entityTag, ifMatch } from '../../../http/conditions.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { scriptPath } from '../schema.ts'
import { settingsBody, settingsView } from './schema.ts'
import { readSettings, updateSettings } from './service.ts'

const BODY_MAX_BYTES = 2 * 1024 * 1024
const oneAnswer = { 200: ok(settingsView, 'The settings.', ['ETag']) }

export const settingsRoutes = new Hono<Env>()
  .get(
    '/scripts/:script/settings',
    policy({
      summary: 'What is set of a script, with its configurations',
      roles: SCRIPT_READERS,
      answers: oneAnswer,
    }),
    valid('param', scriptPath),
    async (c) => {
      const { settings, version } = await readSettings(c.get('context'), c.req.valid('param').script)
      return c.json(settings, 200, { etag: entityTag(version) })
    },
  )
  .put(
    '/scripts/:script/settings',
    policy({
      summary: 'Replace what is set of a script, and its configurations where they are given',
      roles: ['administrator'],
      answers: oneAnswer,
      refuses: [409, 412],
    }),
    valid('param', scriptPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', settingsBody),
    async (c) => {
      const change = { body: c.req.valid('json'), ifMatch: ifMatch(c) }
      const { settings, version } = await updateSettings(
        c.get('context'),
        c.req.valid('param').script,
        change,
      )
      return c.json(settings, 200, { etag: entityTag(version) })
    },
  )
