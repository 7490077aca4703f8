import { Hono } from 'hono'
import type { Context } from 'hono'
import { ok, noContent } from '../../http/answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import { userView } from '../users/schema.ts'
import {
  credentialsSchema,
  logoutBody,
  sessionIdQuery,
  sessionView,
  setupBody,
  setupQuery,
  tokenView,
} from './schema.ts'
import { issueToken, logIn, logOut, logOutCaller, setUp } from './service.ts'
import { setupPage } from './setup-page.ts'

const BODY_MAX_BYTES = 8 * 1024
const login = { 200: ok(sessionView, 'The session is open.') }

export const sessionRoutes = new Hono<Env>()
  .get(
    '/session/login',
    policy({
      summary: 'Log in; prefer POST, which keeps the password out of the URL',
      roles: 'anyone',
      answers: login,
      refuses: [401, 403],
    }),
    valid('query', credentialsSchema),
    async (c) => {
      refuseForeignSite(c)
      return c.json(await openSession(c, c.req.valid('query')))
    },
  )
  .post(
    '/session/login',
    policy({ summary: 'Log in', roles: 'anyone', answers: login, refuses: [401] }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', credentialsSchema),
    async (c) => c.json(await openSession(c, c.req.valid('json'))),
  )
  .get(
    '/session/logout',
    policy({ summary: 'Log out; prefer POST', roles: 'anyone', answers: { 204: noContent }, refuses: [403] }),
    valid('query', sessionIdQuery),
    async (c) => {
      refuseForeignSite(c)
      await logOut(c.get('context'), c.req.valid('query').sessionId)
      return c.body(null, 204)
    },
  )
  .post(
    '/session/logout',
    policy({
      summary: 'Log out: the session of the call, or the one named',
      roles: 'signed-in',
      answers: { 204: noContent },
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', logoutBody),
    async (c) => {
      const { sessionId } = c.req.valid('json')
      await (sessionId === undefined ? logOutCaller(c.get('context')) : logOut(c.get('context'), sessionId))
      return c.body(null, 204)
    },
  )
  .post(
    '/session/token',
    policy({
      summary: 'A short-lived access token',
      roles: 'signed-in',
      answers: { 200: ok(tokenView, 'The token.') },
    }),
    async (c) => c.json(await issueToken(c.get('context'))),
  )
  .get(
    '/session/setup',
    policy({
      summary: 'The page that creates the first administrator',
      roles: 'anyone',
      answers: { 200: { description: 'A form.', media: 'text/html' } },
    }),
    valid('query', setupQuery),
    (c) => setupPage(c.get('context').ports.secrets),
  )
  .post(
    '/session/setup',
    policy({
      summary: 'Create the first administrator with the one-time token',
      roles: 'anyone',
      answers: { 201: ok(userView, 'The administrator.') },
      refuses: [403],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', setupBody),
    async (c) => c.json(await setUp(c.get('context'), c.req.valid('json')), 201),
  )

async function openSession(c: Context<Env>, credentials: { username: string; password: string }) {
  const context = c.get('context')
  const { sessionId, expiresAt } = await logIn(context, credentials)
  return { sessionId, expiresAt: timeFormat(context.ports.settings.timeZone)(expiresAt) }
}

/** A GET that changes something must not be triggered by an image on somebody else's page. */
function refuseForeignSite(c: Context): void {
  if (c.req.header('sec-fetch-site') === 'cross-site') {
    throw new Refusal('forbidden', 'This request came from another site. Use POST.')
  }
}
