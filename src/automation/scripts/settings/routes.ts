import { Hono } from 'hono'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { ok } from '../../../http/openapi-answers.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { replacing } from '../../../http/updates.ts'
import { valid } from '../../../http/valid.ts'
import { scriptPath } from '../schema.ts'
import { settingsBody, settingsView } from './schema.ts'
import { readSettings, updateSettings } from './service.ts'

const BODY_MAX_BYTES = 2 * 1024 * 1024
const oneAnswer = { 200: ok(settingsView, 'The settings.', ['ETag']) }

export const settingsRoutes = new Hono<Env>()
  .get(
    '/scripts/:script/settings',
    policy({
      summary: 'Read the settings of a script, with its configurations',
      roles: SCRIPT_READERS,
      answers: oneAnswer,
    }),
    valid('param', scriptPath),
    async (c) => {
      const { view, version } = await readSettings(c.get('context'), c.req.valid('param').script)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/scripts/:script/settings',
      place: scriptPath,
      body: settingsBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace the settings of a script, and its configurations if they are sent',
      noun: 'the settings of a script',
      policy: { roles: ADMINISTRATOR, answers: oneAnswer, refuses: [409, 412] },
      read: (context, { script }) => readSettings(context, script),
      write: (context, { script }, change) => updateSettings(context, script, change),
    }),
  )
