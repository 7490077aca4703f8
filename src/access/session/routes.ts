import { Hono } from 'hono'
import type { Context } from 'hono'
import * as z from 'zod'
import { ok, noContent } from '../../http/openapi-answers.ts'
import { refuseForeign } from '../../http/origin.ts'
import { nextLink, pageOrWhole } from '../../http/paging.ts'
import { admit, policy } from '../../http/policy.ts'
import type { Env, Policy } from '../../http/policy.ts'
import {
  clearSessionCookie,
  sessionAnswer,
  sessionCookieOf,
  setSessionCookie,
} from '../../http/session-cookie.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { LIST_MAX, userView } from '../users/schema.ts'
import { mfaRoutes } from './mfa/routes.ts'
import { personalTokenRoutes } from './personal/routes.ts'
import {
  callerView,
  credentialsSchema,
  loginBody,
  logoutBody,
  passwordBody,
  preferencesBody,
  refreshBody,
  refreshView,
  sessionIdQuery,
  sessionItem,
  sessionPath,
  sessionsQuery,
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
  logOutEverywhere,
  refreshSession,
} from './service.ts'
import { setUp } from './service/first-start.ts'
import type { SetupHooks } from './service/first-start.ts'
import { changePassword } from './service/password.ts'
import { replacePreferences, whoAmI } from './service/who-am-i.ts'

const BODY_MAX_BYTES = 8 * 1024
const PREFERENCES_MAX_BYTES = 4 * 1024
const login = { 200: ok(sessionView, 'The new session.') }
const cookieLogin = { 200: ok(sessionView, 'The new session.', ['Set-Cookie']) }

const account = { roles: 'signed-in', scope: 'account' } as const
const ownLogout: Policy = {
  summary: 'Log out: end the session of the call, the given one, or all sessions of the caller',
  ...account,
  answers: { 204: noContent },
}

const loginRoutes = new Hono<Env>()
  .get(
    '/session/login',
    policy({
      summary: 'Log in with credentials in the URL; prefer POST',
      roles: 'anyone',
      answers: login,
      refuses: [401, 403, 409, 429],
    }),
    valid('query', credentialsSchema),
    async (c) => {
      refuseInQuery(c)
      return sessionAnswer(c, await logIn(c.get('context'), c.req.valid('query')))
    },
  )
  .post(
    '/session/login',
    policy({ summary: 'Log in', roles: 'anyone', answers: cookieLogin, refuses: [401, 403, 409, 429] }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', loginBody),
    async (c) => {
      const { cookie = false, ...credentials } = c.req.valid('json')
      if (cookie) refuseForeign(c.req.raw)
      const carrier = cookie ? 'cookie' : 'body'
      return sessionAnswer(c, await logIn(c.get('context'), { ...credentials, carrier }), cookie)
    },
  )
  .get(
    '/session/logout',
    policy({
      summary: 'Log out with GET; prefer POST',
      roles: 'anyone',
      answers: { 204: noContent },
      refuses: [401, 403],
    }),
    valid('query', sessionIdQuery),
    async (c) => {
      const context = c.get('context')
      const { sessionId } = c.req.valid('query')
      if (sessionId === undefined) {
        refuseForeign(c.req.raw)
        await logOutCaller(await admit(ownLogout, c.req.raw, c.var), '?sessionId')
        clearSessionCookie(c)
      } else {
        refuseInQuery(c)
        await logOut(context, sessionId)
      }
      return c.body(null, 204)
    },
  )
  .post(
    '/session/logout',
    policy(ownLogout),
    jsonBody(BODY_MAX_BYTES),
    valid('json', logoutBody),
    async (c) => {
      const { sessionId, everywhere = false } = c.req.valid('json')
      const context = c.get('context')
      if (sessionId !== undefined) await logOut(context, sessionId)
      else {
        await (everywhere ? logOutEverywhere(context) : logOutCaller(context, '/sessionId'))
        clearSessionCookie(c)
      }
      return c.body(null, 204)
    },
  )
  .post(
    '/session/token',
    policy({
      summary: 'Create a short-lived access token',
      ...account,
      answers: { 200: ok(tokenView, 'The token.') },
    }),
    async (c) => c.json(await issueToken(c.get('context'))),
  )
  .post(
    '/session/refresh',
    policy({
      summary: 'Renew the access token and the refresh token; using a refresh token twice ends its session',
      roles: 'anyone',
      answers: { 200: ok(refreshView, 'The tokens.', ['Set-Cookie']) },
      refuses: [401, 403],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', refreshBody),
    async (c) => {
      const context = c.get('context')
      const { refreshToken } = c.req.valid('json')
      if (refreshToken !== undefined) {
        const { expiresAt: _, ...tokens } = await refreshSession(context, refreshToken)
        return c.json(tokens)
      }
      const token = sessionCookieOf(c)
      if (token === undefined) throw new Refusal('unauthenticated', 'The refresh token is missing. Log in.')
      const { expiresAt, refreshToken: next, ...access } = await refreshSession(context, token, 'cookie')
      setSessionCookie(c, { refreshToken: next, expiresAt })
      return c.json(access)
    },
  )

const ownRoutes = new Hono<Env>()
  .get(
    '/session',
    policy({
      ...account,
      summary: 'Read the caller, the scopes of the credentials and the session of the call',
      answers: { 200: ok(callerView, 'The caller.') },
    }),
    async (c) => c.json(await whoAmI(c.get('context'))),
  )
  .put(
    '/session/preferences',
    policy({
      ...account,
      summary:
        'Replace the preferences of the caller, a JSON object of up to 4 KiB that GET /session answers',
      answers: { 204: noContent },
      refuses: [403],
    }),
    jsonBody(PREFERENCES_MAX_BYTES),
    valid('json', preferencesBody),
    async (c) => {
      await replacePreferences(c.get('context'), c.req.valid('json'))
      return c.body(null, 204)
    },
  )
  .get(
    '/sessions',
    policy({
      ...account,
      summary: 'List the open sessions of the caller; administrators can list the sessions of any user',
      answers: {
        200: ok(z.object({ items: z.array(sessionItem) }), 'The sessions, latest first.', ['Link']),
      },
      refuses: [403],
    }),
    valid('query', sessionsQuery),
    async (c) => {
      const { userId, ...asked } = c.req.valid('query')
      const { items, next } = await pageOrWhole(asked, LIST_MAX, (page) =>
        listSessions(c.get('context'), page, userId),
      )
      return c.json({ items }, 200, nextLink(c, next))
    },
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
      summary: "Change the caller's password; ends the caller's other sessions and personal tokens",
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

/** @param hooks functions of rooms above this one */
export function sessionRoutes(hooks: SetupHooks): Hono<Env> {
  return new Hono<Env>()
    .route('/', loginRoutes)
    .route('/', ownRoutes)
    .route('/', setupRoutes(hooks))
    .route('/', mfaRoutes)
    .route('/', personalTokenRoutes)
}

function setupRoutes(hooks: SetupHooks): Hono<Env> {
  return new Hono<Env>()
    .get(
      '/session/setup',
      policy({
        summary: 'Go to the page that creates the first administrator',
        roles: 'anyone',
        answers: { 303: { description: 'The page of the web console.', headers: ['Location'] } },
      }),
      valid('query', setupQuery),
      // In a fragment the token reaches no log of a proxy.
      (c) => c.redirect(`${c.get('ports').settings.basePath}/ui/setup#${c.req.valid('query').token}`, 303),
    )
    .post(
      '/session/setup',
      policy({
        summary: 'Create the first administrator with the one-time token of the set-up link',
        roles: 'anyone',
        answers: { 201: ok(userView, 'The administrator.') },
        refuses: [403],
      }),
      jsonBody(BODY_MAX_BYTES),
      valid('json', setupBody),
      async (c) => c.json(await setUp(c.get('context'), c.req.valid('json'), hooks), 201),
    )
}

/** @throws {Refusal} forbidden also where credentials in a query are turned off */
function refuseInQuery(c: Context<Env>): void {
  if (!c.get('ports').settings.takesQueryCredentials)
    throw new Refusal('forbidden', 'Credentials in a URL are disabled here. Use POST.')
  refuseForeign(c.req.raw)
}
