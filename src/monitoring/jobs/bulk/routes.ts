import { Hono } from 'hono'
import { ok } from '../../../http/answers.ts'
import { idempotencyKeyOf, REPLAYED } from '../../../http/idempotency.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { bulkBody, bulkView } from './schema.ts'
import { deliverBulk } from './service.ts'

const BULK_MAX_BYTES = 4 * 1024 * 1024

export const bulkRoutes = new Hono<Env>().post(
  '/webcollector/values',
  policy({
    summary: 'Deliver values to many webhook jobs',
    roles: ['collector', 'administrator'],
    object: 'execute',
    answers: { 200: ok(bulkView, 'Each item with its own status.', ['Idempotency-Replayed']) },
    refuses: [400],
    isRepeatable: true,
  }),
  jsonBody(BULK_MAX_BYTES),
  valid('json', bulkBody),
  async (c) => {
    const key = idempotencyKeyOf(c.req.raw)
    const { text, isReplayed } = await deliverBulk(c.get('context'), c.req.valid('json'), key)
    return c.body(text, 200, { 'content-type': 'application/json', ...(isReplayed ? REPLAYED : {}) })
  },
)
