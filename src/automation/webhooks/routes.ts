import { Hono } from 'hono'
import * as z from 'zod'
import { noContent, ok, sentPath } from '../../http/openapi-answers.ts'
import { readBytes } from '../../http/bytes.ts'
import { idempotencyKeyOf, REPLAYED } from '../../http/idempotency.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { jobView } from '../runs/schema.ts'
import { scriptPath } from '../scripts/schema.ts'
import { newWebhookView, rotateBody, triggerPath, webhookBody, webhookPath, webhookView } from './schema.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateWebhook,
  triggerScript,
} from './service.ts'

const BODY_MAX_BYTES = 16 * 1024
const CALL_MAX_BYTES = 64 * 1024
const administering = { roles: ADMINISTRATOR } as const

const triggering = {
  summary: 'Run a script with a webhook token; the request becomes its parameters',
  roles: 'anyone',
  takes: { media: { '*/*': 'bytes' }, encodings: ['identity'] },
  answers: { 202: ok(jobView, 'The run, which waits for a runner.', ['Idempotency-Replayed']) },
  refuses: [401, 403, 404, 409, 422, 429],
  isRepeatable: true,
} as const

export const webhookRoutes = new Hono<Env>()
  .post('/scripts/webhook', policy(triggering), (c) =>
    trigger(c.get('context'), c.req.raw, tokenOf(c.req.raw)),
  )
  .post('/scripts/webhook/:token', policy(triggering), valid('param', triggerPath), (c) =>
    trigger(c.get('context'), c.req.raw, c.req.valid('param').token),
  )
  .get(
    '/scripts/:script/webhookTokens',
    policy({
      ...administering,
      summary: 'List the webhook tokens of a script, without their secrets',
      answers: { 200: ok(z.array(webhookView), 'The webhook tokens, by id; at most 20.') },
    }),
    valid('param', scriptPath),
    async (c) => c.json(await listWebhooks(c.get('context'), c.req.valid('param').script)),
  )
  .post(
    '/scripts/:script/webhookTokens',
    policy({
      ...administering,
      scope: 'administration',
      summary: 'Create a webhook token, with which anyone can run the script as the caller',
      answers: { 201: ok(newWebhookView, 'The new webhook token; it is shown only once.', ['Location']) },
      refuses: [409],
    }),
    valid('param', scriptPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', webhookBody),
    async (c) => {
      const made = await createWebhook(c.get('context'), c.req.valid('param').script, c.req.valid('json'))
      return c.json(made, 201, { location: `${sentPath(c.req)}/${made.id}` })
    },
  )
  .get(
    '/scripts/:script/webhookTokens/:id',
    policy({
      ...administering,
      summary: 'Read a webhook token, without its secrets',
      answers: { 200: ok(webhookView, 'The webhook token.') },
    }),
    valid('param', webhookPath),
    async (c) => {
      const { script, id } = c.req.valid('param')
      return c.json(await readWebhook(c.get('context'), script, id))
    },
  )
  .post(
    '/scripts/:script/webhookTokens/:id/rotate',
    policy({
      ...administering,
      scope: 'administration',
      summary: 'Rotate a webhook token; the previous one can stay valid for a while',
      answers: { 200: ok(newWebhookView, 'The new webhook token; it is shown only once.') },
    }),
    valid('param', webhookPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', rotateBody),
    async (c) => {
      const { script, id } = c.req.valid('param')
      const graceS = c.req.valid('json').graceSeconds
      return c.json(await rotateWebhook(c.get('context'), script, { id, graceS }))
    },
  )
  .delete(
    '/scripts/:script/webhookTokens/:id',
    policy({
      ...administering,
      scope: 'administration',
      summary: 'Revoke a webhook token',
      answers: { 204: noContent },
    }),
    valid('param', webhookPath),
    async (c) => {
      const { script, id } = c.req.valid('param')
      await deleteWebhook(c.get('context'), script, id)
      return c.body(null, 204)
    },
  )

/** @throws {Refusal} bad_request where no header has a token */
function tokenOf({ headers }: Request): string {
  const bearer = /^Bearer +(tmw_[\w-]{43})$/i.exec(headers.get('authorization') ?? '')?.[1]
  const token = bearer ?? headers.get('x-tidemark-webhook-token')
  if (token === null)
    throw new Refusal(
      'bad_request',
      'The webhook token is missing. Send it in the path or as a bearer token.',
    )
  return token
}

async function trigger(context: Context, request: Request, token: string): Promise<Response> {
  const body = await readBytes(request, CALL_MAX_BYTES)
  const signature = request.headers.get('x-tidemark-signature')
  const key = idempotencyKeyOf(request)
  const { job, isReplayed } = await triggerScript(context, { token, body, signature, key })
  return Response.json(job, { status: 202, ...(isReplayed && { headers: REPLAYED }) })
}
