import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { nextLink, pageOrWhole } from '../../../http/paging.ts'
import { LIST_MAX, listQuery } from '../../users/schema.ts'
import { readUser } from '../../users/service.ts'
import { ownerOf } from '../service.ts'
import { codeBody, enforceBody, mfaSecretView, mfaView, recoveryCodesView, usersMfaView } from './schema.ts'
import {
  beginMfa,
  confirmMfa,
  enforceMfa,
  leaveMfa,
  listMfa,
  readMfa,
  renewRecoveryCodes,
  resetMfa,
} from './service.ts'

const BODY_MAX_BYTES = 8 * 1024
const own = { roles: 'signed-in', scope: 'account' } as const
const oneMfa = { 200: ok(mfaView, 'The MFA status.') }
const codes = ok(recoveryCodesView, 'The recovery codes; they are shown only once.')

const ownRoutes = new Hono<Env>()
  .get(
    '/session/mfa',
    policy({ ...own, summary: 'Read the MFA status of the caller', answers: oneMfa }),
    async (c) => c.json(await readMfa(c.get('context'), ownerOf(c.get('context')))),
  )
  .post(
    '/session/mfa',
    policy({
      ...own,
      summary: 'Create a secret for an authenticator; a first code activates MFA',
      answers: { 201: ok(mfaSecretView, 'The secret; it is shown only once.') },
      refuses: [403, 409],
    }),
    async (c) => c.json(await beginMfa(c.get('context')), 201),
  )
  .post(
    '/session/mfa/confirmation',
    policy({
      ...own,
      summary: 'Activate MFA with a first code',
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
      summary: 'Replace the recovery codes',
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
      summary: 'Deactivate MFA of the caller, unless it is enforced',
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
    '/mfa',
    policy({
      summary: 'List the users with active or enforced MFA',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 200: ok(z.object({ items: z.array(usersMfaView) }), 'The users, by id.', ['Link']) },
    }),
    valid('query', listQuery),
    async (c) => {
      const { items, next } = await pageOrWhole(c.req.valid('query'), LIST_MAX, (page) =>
        listMfa(c.get('context'), page),
      )
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
  .get(
    '/users/:id/mfa',
    policy({
      summary: 'Read the MFA status of a user',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: oneMfa,
    }),
    valid('param', idPath),
    async (c) => {
      const { id } = c.req.valid('param')
      await readUser(c.get('context'), id)
      return c.json(await readMfa(c.get('context'), id))
    },
  )
  .put(
    '/users/:id/mfa',
    policy({
      summary: 'Enforce MFA for a user, or stop enforcing it',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: oneMfa,
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', enforceBody),
    async (c) =>
      c.json(await enforceMfa(c.get('context'), c.req.valid('param').id, c.req.valid('json').isEnforced)),
  )
  .delete(
    '/users/:id/mfa',
    policy({
      summary: 'Remove the secret and the recovery codes of a user who lost them',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
    }),
    valid('param', idPath),
    async (c) => {
      await resetMfa(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
