import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, noContent, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { sessionAnswer } from '../../http/session-cookie.ts'
import { jsonBody, readText, valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { sessionView } from '../session/schema.ts'
import { callbackQuery, identityBody, identityView, loginQuery, logoutView, sessionBody } from './schema.ts'
import {
  beginLogin,
  endLogin,
  endSessionsFor,
  linkIdentity,
  openProvenSession,
  readIdentity,
  readLogoutUrl,
  unlinkIdentity,
} from './service.ts'

const BODY_MAX_BYTES = 8 * 1024
const LOGOUT_MAX_BYTES = 16 * 1024
const FORM = 'application/x-www-form-urlencoded'
const userPath = z.object({ id: idParam })
const oneIdentity = { 200: ok(identityView, 'The subject that the user is linked to.') }

const loginRoutes = new Hono<Env>()
  .get(
    '/oidc/login',
    policy({
      summary: 'Start a login at the OpenID Connect provider (browsers open this URL)',
      roles: 'anyone',
      answers: { 302: { description: 'Redirect to the login page of the provider.', headers: ['Location'] } },
      refuses: [404, 503],
    }),
    valid('query', loginQuery),
    async (c) => c.redirect(await beginLogin(c.get('context'), c.req.valid('query')), 302),
  )
  .get(
    '/oidc/callback',
    policy({
      summary: 'Complete a login (the provider redirects browsers here)',
      roles: 'anyone',
      answers: {
        302: {
          description: 'Redirect to the page of the front end, with `#loginCode=…` in the URL.',
          headers: ['Location'],
        },
      },
      refuses: [401, 403, 404, 409, 429, 503],
      // Providers send more than is read here (RFC 6749 section 4.1.2).
      ignoresUnknownQuery: true,
    }),
    valid('query', callbackQuery),
    async (c) => c.redirect(await endLogin(c.get('context'), new URL(c.req.url).searchParams), 302),
  )
  .post(
    '/oidc/session',
    policy({
      summary: 'Exchange a login code for a session',
      roles: 'anyone',
      answers: { 200: ok(sessionView, 'The new session.') },
      refuses: [401, 404, 429],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', sessionBody),
    async (c) => {
      return sessionAnswer(c, await openProvenSession(c.get('context'), c.req.valid('json')))
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
    '/users/:id/identity',
    policy({
      summary: 'Read the OpenID Connect subject that a user is linked to',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: oneIdentity,
    }),
    valid('param', userPath),
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
    valid('param', userPath),
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
    valid('param', userPath),
    async (c) => {
      await unlinkIdentity(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )

export const oidcRoutes = new Hono<Env>().route('/', loginRoutes).route('/', identityRoutes)
