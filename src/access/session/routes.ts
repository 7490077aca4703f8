import { Hono } from 'hono'
import type { Context } from 'hono'
import * as z from 'zod'
import { ok, noContent } from '../../http/answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import { userView } from '../users/schema.ts'
import { mfaRoutes } from './mfa/routes.ts'
import { personalTokenRoutes } from './personal/routes.ts'
import {
  credentialsSchema,
  logoutBody,
  ownerQuery,
  passwordBody,
  refreshBody,
  refreshView,
  sessionIdQuery,
  sessionItem,
  sessionPath,
  sessionView,
  setupBody,
  setupQuery,
  tokenView,
} from './schema.ts'
import {
  endSession,
  issueToken,
  listSessions,
  logIn,
  logOut,
  logOutCaller,
  refreshSession,
} from './service.ts'
import { setUp } from './service/first-start.ts'
import { changePassword } from './service/password.ts'
import { setupPage } from './setup-page.ts'

const BODY_MAX_BYTES = 8 * 1024
const login = { 200: ok(sessionView, 'The session is open.') }

const account = { roles: 'signed-in', scope: 'account' } as const

const loginRoutes = new Hono<Env>()
  .get(
    '/session/login',
    policy({
      summary: 'Log in; prefer POST, which keeps the password out of the URL',
      roles: 'anyone',
      answers: login,
      refuses: [401, 403, 429],
    }),
    valid('query', credentialsSchema),
    async (c) => {
      refuseInQuery(c)
      return c.json(await openSession(c, c.req.valid('query')))
    },
  )
  .post(
    '/session/login',
    policy({ summary: 'Log in', roles: 'anyone', answers: login, refuses: [401, 429] }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', credentialsSchema),
    async (c) => c.json(await openSession(c, c.req.valid('json'))),
  )
  .get(
    '/session/logout',
    policy({ summary: 'Log out; prefer POST', roles: 'anyone', answers: { 204: noContent }, refuses: [403] }),
    valid('query', sessionIdQuery),
    async (c) => {
      refuseInQuery(c)
      await logOut(c.get('context'), c.req.valid('query').sessionId)
      return c.body(null, 204)
    },
  )
  .post(
    '/session/logout',
    policy({
      summary: 'Log out: the session of the call, or the one named',
      ...account,
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
      ...account,
      answers: { 200: ok(tokenView, 'The token.') },
    }),
    async (c) => c.json(await issueToken(c.get('context'))),
  )
  .post(
    '/session/refresh',
    policy({
      summary: 'Another access token and refresh token; one that comes a second time ends its session',
      roles: 'anyone',
      answers: { 200: ok(refreshView, 'The tokens.') },
      refuses: [401],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', refreshBody),
    async (c) => c.json(await refreshSession(c.get('context'), c.req.valid('json').refreshToken)),
  )

const ownRoutes = new Hono<Env>()
  .get(
    '/sessions',
    policy({
      ...account,
      summary: 'My open sessions; for administrators those of anybody',
      answers: { 200: ok(z.object({ items: z.array(sessionItem) }), 'The latest first, 1,000 at most.') },
      refuses: [403],
    }),
    valid('query', ownerQuery),
    async (c) => c.json({ items: await listSessions(c.get('context'), c.req.valid('query').userId) }),
  )
  .delete(
    '/sessions/:id',
    policy({ ...account, summary: 'End a session', answers: { 204: noContent } }),
    valid('param', sessionPath),
    async (c) => {
      await endSession(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
  .post(
    '/session/password',
    policy({
      ...account,
      summary: 'Change my password; my other sessions end',
      answers: { 204: noContent },
      refuses: [403, 429],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', passwordBody),
    async (c) => {
      await changePassword(c.get('context'), c.req.valid('json'))
      return c.body(null, 204)
    },
  )

const setupRoutes = new Hono<Env>()
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

export const sessionRoutes = new Hono<Env>()
  .route('/', loginRoutes)
  .route('/', ownRoutes)
  .route('/', setupRoutes)
  .route('/', mfaRoutes)
  .route('/', personalTokenRoutes)

async function openSession(c: Context<Env>, credentials: z.infer<typeof credentialsSchema>) {
  const context = c.get('context')
  const { expiresAt, ...session } = await logIn(context, credentials)
  return { ...session, expiresAt: timeFormat(context.ports.settings.timeZone)(expiresAt) }
}

/** A GET that changes something must not be triggered by an image on somebody else's page, and not at all where
 * credentials do not belong into a query. */
function refuseInQuery(c: Context<Env>): void {
  if (!c.get('ports').settings.takesQueryCredentials)
    throw new Refusal('forbidden', 'Credentials in a URL are turned off here. Use POST.')
  if (c.req.header('sec-fetch-site') === 'cross-site')
    throw new Refusal('forbidden', 'This request came from another site. Use POST.')
}
