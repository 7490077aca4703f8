import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import type { FastRoute } from '../../../http/fast-path/fast-route.ts'
import { idempotencyKeyOf, showRepeatable } from '../../../http/idempotency.ts'
import type { Repeatable } from '../../../http/idempotency.ts'
import { policy } from '../../../http/policy.ts'
import type { Env, Policy } from '../../../http/policy.ts'
import { SENDERS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { bulkBody, bulkView, plainBulk } from './schema.ts'
import type { BulkBody } from './schema.ts'
import { deliverBulk } from './service.ts'

const BULK_MAX_BYTES = 4 * 1024 * 1024
const PATH = '/webcollector/values'

const bulk: Policy = {
  isDelivery: true,
  summary: 'Deliver values to many webhook jobs in one request',
  roles: SENDERS,
  object: 'execute',
  answers: { 200: ok(bulkView, 'The result of each item, with its own status.', ['Idempotency-Replayed']) },
  refuses: [400],
  isRepeatable: true,
}

export const bulkRoutes = new Hono<Env>().post(
  PATH,
  policy(bulk),
  jsonBody(BULK_MAX_BYTES),
  valid('json', bulkBody),
  async (c) => {
    const key = idempotencyKeyOf(c.req.raw)
    const { json, headers } = showRepeatable(await deliverBulk(c.get('context'), c.req.valid('json'), key))
    return c.body(json, 200, { 'content-type': 'application/json', ...headers })
  },
)

/** The route of bulk deliveries without the router, which takes longer than the values of a small call. */
export const fastBulk: FastRoute<BulkBody, Repeatable> = {
  method: 'POST',
  path: PATH,
  policy: bulk,
  kind: 'bulk',
  takes: { schema: bulkBody, plain: plainBulk, sizeMaxBytes: BULK_MAX_BYTES },
  handle: (context, _, { body, key }) => deliverBulk(context, body, key),
  show: showRepeatable,
}
