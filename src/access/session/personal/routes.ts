import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { ownerQuery } from '../schema.ts'
import { newPersonalTokenView, personalTokenBody, personalTokenView } from './schema.ts'
import { createPersonalToken, deletePersonalToken, listPersonalTokens } from './service.ts'

const BODY_MAX_BYTES = 8 * 1024
const own = { roles: 'signed-in', scope: 'account' } as const

export const personalTokenRoutes = new Hono<Env>()
  .get(
    '/session/personal-tokens',
    policy({
      ...own,
      summary:
        'List the personal tokens of the caller, without their secrets; administrators can list the tokens of any user',
      answers: { 200: ok(z.object({ items: z.array(personalTokenView) }), 'The tokens, by id.') },
      refuses: [403],
    }),
    valid('query', ownerQuery),
    async (c) => c.json({ items: await listPersonalTokens(c.get('context'), c.req.valid('query').userId) }),
  )
  .post(
    '/session/personal-tokens',
    policy({
      ...own,
      summary: 'Create a personal token, with which a program acts as the caller',
      answers: { 201: ok(newPersonalTokenView, 'The token; it is shown only once.') },
      refuses: [403, 409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', personalTokenBody),
    async (c) => c.json(await createPersonalToken(c.get('context'), c.req.valid('json')), 201),
  )
  .delete(
    '/session/personal-tokens/:tokenId',
    policy({ ...own, summary: 'Revoke a personal token', answers: { 204: noContent } }),
    valid('param', z.object({ tokenId: idParam })),
    async (c) => {
      await deletePersonalToken(c.get('context'), c.req.valid('param').tokenId)
      return c.body(null, 204)
    },
  )
