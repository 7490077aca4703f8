import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { readStart } from '../../../http/bytes.ts'
import { idempotencyKeyOf, showRepeatable } from '../../../http/idempotency.ts'
import { originOf } from '../../../http/origin.ts'
import { policy } from '../../../http/policy.ts'
import type { Env, Policy } from '../../../http/policy.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import type { Ports } from '../../../ports/index.ts'
import { deliveredView } from '../schema.ts'
import {
  bodyOfPing,
  newPingView,
  pingBody,
  pingPath,
  pingQuery,
  pingSignalPath,
  pingView,
  signalOf,
} from './schema.ts'
import type { PingQuery } from './schema.ts'
import { createPing, deletePing, listPings, ping } from './service.ts'

const TOKEN_MAX_BYTES = 8 * 1024
/** The bytes that are read of a body; a message has less. */
const TEXT_MAX_BYTES = 64 * 1024

const editing = { roles: EDITORS, object: 'write' } as const

const pinging = (summary: string): Policy => ({
  summary,
  roles: 'anyone',
  answers: { 200: ok(deliveredView, 'The ping is on stable storage.', ['Idempotency-Replayed']) },
  refuses: [409],
  isDelivery: true,
  isRepeatable: true,
  ignoresUnknownQuery: true,
})
const RESULT = 'Ping a job: report success, with optional values in the query'
const SIGNAL = 'Ping a job: report a start, a failure, a log line or an exit status'

const tokenRoutes = new Hono<Env>()
  .get(
    '/jobs/:id/pings',
    policy({
      ...editing,
      summary: 'List the ping tokens of a job, without their secrets',
      answers: { 200: ok(z.object({ items: z.array(pingView) }), 'The ping tokens, by name.') },
    }),
    valid('param', idPath),
    async (c) => c.json({ items: await listPings(c.get('context'), c.req.valid('param').id) }),
  )
  .post(
    '/jobs/:id/pings',
    policy({
      ...editing,
      summary: 'Create a ping token: a secret URL that delivers to the job',
      answers: { 201: ok(newPingView, 'The new ping token; its secret is shown only here.', ['Location']) },
      refuses: [409],
    }),
    valid('param', idPath),
    jsonBody(TOKEN_MAX_BYTES),
    valid('json', pingBody),
    async (c) => {
      const { id } = c.req.valid('param')
      const created = await createPing(c.get('context'), id, {
        body: c.req.valid('json'),
        origin: originOf(c.req.raw),
      })
      const location = `${c.get('ports').settings.basePath}/jobs/${id}/pings/${created.id}`
      return c.json(created, 201, { location })
    },
  )
  .delete(
    '/jobs/:id/pings/:pingId',
    policy({ ...editing, summary: 'Revoke a ping token', answers: { 204: noContent } }),
    valid('param', z.object({ id: idParam, pingId: idParam })),
    async (c) => {
      const { id, pingId } = c.req.valid('param')
      await deletePing(c.get('context'), id, pingId)
      return c.body(null, 204)
    },
  )

export const pingRoutes = tokenRoutes
  .get(
    '/webcollector/ping/:token',
    policy(pinging(RESULT)),
    valid('param', pingPath),
    valid('query', pingQuery),
    (c) => answer(c.get('ports'), c.req.raw, { ...c.req.valid('param'), query: c.req.valid('query') }),
  )
  .post(
    '/webcollector/ping/:token',
    policy(pinging(RESULT)),
    valid('param', pingPath),
    valid('query', pingQuery),
    (c) => answer(c.get('ports'), c.req.raw, { ...c.req.valid('param'), query: c.req.valid('query') }),
  )
  .get(
    '/webcollector/ping/:token/:signal{.*}',
    policy(pinging(SIGNAL)),
    valid('param', pingSignalPath),
    valid('query', pingQuery),
    (c) => answer(c.get('ports'), c.req.raw, { ...c.req.valid('param'), query: c.req.valid('query') }),
  )
  .post(
    '/webcollector/ping/:token/:signal{.*}',
    policy(pinging(SIGNAL)),
    valid('param', pingSignalPath),
    valid('query', pingQuery),
    (c) => answer(c.get('ports'), c.req.raw, { ...c.req.valid('param'), query: c.req.valid('query') }),
  )

type PingRequest = { readonly token: string; readonly signal?: string; readonly query: PingQuery }

async function answer(
  ports: Ports,
  request: Request,
  { token, signal = '0', query }: PingRequest,
): Promise<Response> {
  const text = new TextDecoder().decode(await readStart(request, TEXT_MAX_BYTES))
  const body = bodyOfPing(signalOf(signal), query, text)
  const { json, headers } = showRepeatable(
    await ping(ports, token, { body, key: idempotencyKeyOf(request), request }),
  )
  return new Response(json, { headers: { 'content-type': 'application/json', ...headers } })
}
