import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { entityTag } from '../../http/preconditions.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { valid } from '../../http/valid.ts'
import { loginOptionsView, settingsBody, settingsQuery, settingsView } from './schema.ts'
import { readLoginOptions, readSettings, replaceSettings } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const answers = { 200: ok(settingsView, 'The settings.', ['ETag']) }

export const settingsRoutes = new Hono<Env>()
  .get(
    '/session/options',
    policy({
      summary: 'Read what a login page shows: title, language, theme, and the ways to log in',
      roles: 'anyone',
      answers: { 200: ok(loginOptionsView, 'The options.') },
    }),
    async (c) => c.json(await readLoginOptions(c.get('context'))),
  )
  .get(
    '/settings.json',
    policy({
      summary: 'Read the settings; administrators can request all of them',
      roles: 'signed-in',
      answers,
    }),
    valid('query', settingsQuery),
    async (c) => {
      const { view, version } = await readSettings(c.get('context'), c.req.valid('query').full)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/settings.json',
      place: z.object({}),
      body: settingsBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace all settings; absent ones get their defaults',
      noun: 'the settings',
      policy: { roles: ADMINISTRATOR, scope: 'administration', answers, refuses: [412] },
      unset: { '/translation': undefined },
      read: (context) => readSettings(context, true),
      write: (context, _, change) => replaceSettings(context, change),
    }),
  )
