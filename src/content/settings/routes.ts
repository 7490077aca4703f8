import { Hono } from 'hono'
import { ok } from '../../http/openapi-answers.ts'
import { entityTag, ifMatch, changeWithRetry } from '../../http/preconditions.ts'
import { MERGE_PATCH, mergePatch } from '../../http/merge-patch.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { patching } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { loginOptionsView, settingsBody, settingsQuery, settingsView } from './schema.ts'
import { changeSettings, readLoginOptions, readSettings } from './service.ts'

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
      const { settings, version } = await readSettings(c.get('context'), c.req.valid('query').full)
      return c.json(settings, 200, { etag: entityTag(version) })
    },
  )
  .put(
    '/settings.json',
    policy({
      summary: 'Replace all settings; absent ones get their defaults',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers,
      refuses: [412],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', settingsBody),
    async (c) => {
      const change = { kind: 'whole', sent: c.req.valid('json'), ifMatch: ifMatch(c) } as const
      const { settings, version } = await changeWithRetry(change.ifMatch, () =>
        changeSettings(c.get('context'), change),
      )
      return c.json(settings, 200, { etag: entityTag(version) })
    },
  )
  .patch(
    '/settings.json',
    policy({
      ...patching('the settings'),
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers,
      refuses: [412],
    }),
    jsonBody(BODY_MAX_BYTES, MERGE_PATCH),
    valid('json', mergePatch),
    async (c) => {
      const change = { kind: 'patch', sent: c.req.valid('json'), ifMatch: ifMatch(c) } as const
      const { settings, version } = await changeWithRetry(change.ifMatch, () =>
        changeSettings(c.get('context'), change),
      )
      return c.json(settings, 200, { etag: entityTag(version) })
    },
  )
