import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { readUser } from '../../users/service.ts'
import { ownerOf } from '../service.ts'
import { codeBody, enforceBody, mfaSecretView, mfaView, recoveryCodesView } from './schema.ts'
import {
  beginMfa,
  confirmMfa,
  enforceMfa,
  leaveMfa,
  readMfa,
  renewRecoveryCodes,
  resetMfa,
} from './service.ts'

const BODY_MAX_BYTES = 8 * 1024
const own = { roles: 'signed-in', scope: 'account' } as const
const ADMINISTRATOR = ['administrator'] as const
const userPath = z.object({ id: idParam })
const oneMfa = { 200: ok(mfaView, 'How it stands.') }
const codes = ok(recoveryCodesView, 'The recovery codes, this once.')

const ownRoutes = new Hono<Env>()
  .get('/session/mfa', policy({ ...own, summary: 'How it stands with my MFA', answers: oneMfa }), async (c) =>
    c.json(await readMfa(c.get('context'), ownerOf(c.get('context')))),
  )
  .post(
    '/session/mfa',
    policy({
      ...own,
      summary: 'A secret for my authenticator; a code of it turns MFA on',
      answers: { 201: ok(mfaSecretView, 'The secret, this once.') },
      refuses: [403, 409],
    }),
    async (c) => c.json(await beginMfa(c.get('context')), 201),
  )
  .post(
    '/session/mfa/confirmation',
    policy({
      ...own,
      summary: 'Turn MFA on with a first code',
      answers: { 200: codes },
      refuses: [403, 409, 429],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', codeBody),
    async (c) => c.json({ recoveryCodes: await confirmMfa(c.get('context'), c.req.valid('json').code) }),
  )
  .post(
    '/session/mfa/recovery-codes',
    policy({
      ...own,
      summary: 'New recovery codes in place of the old',
      answers: { 200: codes },
      refuses: [409, 429],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', codeBody),
    async (c) =>
      c.json({ recoveryCodes: await renewRecoveryCodes(c.get('context'), c.req.valid('json').code) }),
  )
  .post(
    '/session/mfa/removal',
    policy({
      ...own,
      summary: 'Turn my MFA off, unless it is enforced',
      answers: { 204: noContent },
      refuses: [403, 409, 429],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', codeBody),
    async (c) => {
      await leaveMfa(c.get('context'), c.req.valid('json').code)
      return c.body(null, 204)
    },
  )

export const mfaRoutes = ownRoutes
  .get(
    '/users/:id/mfa',
    policy({
      summary: "How it stands with somebody's MFA",
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: oneMfa,
    }),
    valid('param', userPath),
    async (c) => {
      const { id } = c.req.valid('param')
      await readUser(c.get('context'), id)
      return c.json(await readMfa(c.get('context'), id))
    },
  )
  .put(
    '/users/:id/mfa',
    policy({
      summary: 'Demand MFA of a user, or no longer',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: oneMfa,
    }),
    valid('param', userPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', enforceBody),
    async (c) =>
      c.json(await enforceMfa(c.get('context'), c.req.valid('param').id, c.req.valid('json').isEnforced)),
  )
  .delete(
    '/users/:id/mfa',
    policy({
      summary: 'Take away the secret and the recovery codes of a user who lost them',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
    }),
    valid('param', userPath),
    async (c) => {
      await resetMfa(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
