import { Hono } from 'hono'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { refuseForeign } from '../../http/origin.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { cookieAttributes, sessionAnswer } from '../../http/session-cookie.ts'
import { jsonBody, readText, valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { sessionView } from '../session/schema.ts'
import { isOwnPage } from './own-page.ts'
import {
  callbackQuery,
  identitiesView,
  identityBody,
  identityView,
  loginQuery,
  logoutView,
  sessionBody,
} from './schema.ts'
import {
  beginLogin,
  beginOwnLogin,
  endLogin,
  endSessionsFor,
  LOGIN_LIFETIME_MS,
  linkIdentity,
  listIdentities,
  openProvenSession,
  readIdentity,
  readLogoutUrl,
  STATE_LIFETIME_MS,
  unlinkIdentity,
} from './service.ts'

const BODY_MAX_BYTES = 8 * 1024
const LOGOUT_MAX_BYTES = 16 * 1024
const LOGIN_COOKIE = 'tidemark_oidc'
const FORM = 'application/x-www-form-urlencoded'
const oneIdentity = { 200: ok(identityView, 'The subject that the user is linked to.') }

const loginRoutes = new Hono<Env>()
  .get(
    '/oidc/login',
    policy({
      summary: 'Start a login at the OpenID Connect provider (browsers open this URL)',
      roles: 'anyone',
      answers: {
        302: {
          description: 'Redirect to the login page of the provider.',
          headers: ['Location', 'Set-Cookie'],
        },
      },
      refuses: [404, 503],
    }),
    valid('query', loginQuery),
    async (c) => {
      const { challenge = '', returnUrl, returnTo } = c.req.valid('query')
      if (returnTo === undefined)
        return c.redirect(await beginLogin(c.get('context'), { challenge, returnUrl }), 302)
      const { url, verifier } = await beginOwnLogin(c.get('context'), returnTo)
      setLoginCookie(c, { verifier, loginCode: '', maxAge: STATE_LIFETIME_MS / 1000 })
      return c.redirect(url, 302)
    },
  )
  .get(
    '/oidc/callback',
    policy({
      summary: 'Complete a login (the provider redirects browsers here)',
      roles: 'anyone',
      answers: {
        302: {
          description:
            'Redirect to the page of the front end, with `#loginCode=…` in the URL; after a login with `returnTo` to the login page of this service, with `oidc=ok` or the code of a refusal in the query.',
          headers: ['Location', 'Set-Cookie'],
        },
      },
      refuses: [401, 403, 404, 409, 429, 503],
      // Providers send more than is read here (RFC 6749 section 4.1.2).
      ignoresUnknownQuery: true,
    }),
    valid('query', callbackQuery),
    async (c) => {
      const { verifier } = loginCookieOf(c)
      const answer = new URL(c.req.url).searchParams
      const { page, loginCode } = await endLogin(c.get('context'), answer, verifier)
      if (isOwnPage(page) && loginCode !== null)
        setLoginCookie(c, { verifier, loginCode, maxAge: LOGIN_LIFETIME_MS / 1000 })
      return c.redirect(page, 302)
    },
  )
  .post(
    '/oidc/session',
    policy({
      summary: 'Exchange a login code for a session',
      roles: 'anyone',
      answers: { 200: ok(sessionView, 'The new session.', ['Set-Cookie']) },
      refuses: [401, 403, 404, 409, 429],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', sessionBody),
    async (c) => {
      const { cookie = false, loginCode = '', verifier = '', code } = c.req.valid('json')
      if (cookie) refuseForeign(c.req.raw)
      const login = cookie ? loginCookieOf(c) : { loginCode, verifier }
      const carrier = cookie ? 'cookie' : 'body'
      return sessionAnswer(c, await openProvenSession(c.get('context'), { ...login, code, carrier }), cookie)
    },
  )
  .get(
    '/oidc/logout-url',
    policy({
      summary: "Read the URL that ends the browser's session at the provider (call it after the logout here)",
      roles: 'signed-in',
      scope: 'account',
      answers: { 200: ok(logoutView, 'The logout URL of the provider.') },
      refuses: [404, 503],
    }),
    async (c) => c.json({ url: await readLogoutUrl(c.get('context')) }),
  )
  .post(
    '/oidc/backchannel-logout',
    policy({
      summary: 'Receive a back-channel logout from the OpenID Connect provider',
      roles: 'anyone',
      takes: { media: { [FORM]: z.object({ logout_token: z.string() }) }, encodings: ['identity'] },
      answers: { 200: { description: 'The sessions that this session of the provider opened have ended.' } },
      refuses: [400, 404, 503],
    }),
    async (c) => {
      const { headers } = c.req.raw
      if (headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() !== FORM)
        throw new Refusal('unsupported_media_type', `Send the body as ${FORM}.`)
      const body = new URLSearchParams(await readText(c.req.raw, LOGOUT_MAX_BYTES))
      const [token, another] = body.getAll('logout_token')
      if (token === undefined || another !== undefined)
        throw new Refusal('bad_request', 'The body must have exactly one logout_token.')
      await endSessionsFor(c.get('context'), token)
      return c.body(null, 200)
    },
  )

const identityRoutes = new Hono<Env>()
  .get(
    '/users/:id/identities',
    policy({
      summary: 'List who a user is at the OpenID Connect provider and in the LDAP directory',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 200: ok(identitiesView, 'The identities; empty for a user of this service alone.') },
    }),
    valid('param', idPath),
    async (c) => c.json(await listIdentities(c.get('context'), c.req.valid('param').id)),
  )
  .get(
    '/users/:id/identity',
    policy({
      summary: 'Read the OpenID Connect subject that a user is linked to',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: oneIdentity,
    }),
    valid('param', idPath),
    async (c) => c.json(await readIdentity(c.get('context'), c.req.valid('param').id)),
  )
  .put(
    '/users/:id/identity',
    policy({
      summary: 'Link a user to a subject of the OpenID Connect provider',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: oneIdentity,
      refuses: [409],
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', identityBody),
    async (c) =>
      c.json(await linkIdentity(c.get('context'), c.req.valid('param').id, c.req.valid('json').subject)),
  )
  .delete(
    '/users/:id/identity',
    policy({
      summary: 'Unlink a user from the OpenID Connect provider',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
    }),
    valid('param', idPath),
    async (c) => {
      await unlinkIdentity(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )

type LoginCookie = { readonly verifier: string; readonly loginCode: string }

/** Keeps a login of a page of this service in the browser that began it. The browser comes back from the provider by a
 * navigation that began at another site, to which it adds no `Strict` cookie. */
function setLoginCookie(
  c: Context<Env>,
  { verifier, loginCode, maxAge }: LoginCookie & { readonly maxAge: number },
): void {
  const attributes = { ...cookieAttributes(c, '/oidc'), sameSite: 'Lax', maxAge } as const
  setCookie(c, LOGIN_COOKIE, `${verifier}.${loginCode}`, attributes)
}

function loginCookieOf(c: Context<Env>): LoginCookie {
  const [verifier = '', loginCode = ''] = getCookie(c, LOGIN_COOKIE)?.split('.') ?? []
  return { verifier, loginCode }
}

export const oidcRoutes = new Hono<Env>().route('/', loginRoutes).route('/', identityRoutes)
