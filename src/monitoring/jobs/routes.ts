import { Hono } from 'hono'
import * as z from 'zod'
import { flagQuery, idParam, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import type { FastRoute } from '../../http/fast-path/fast-route.ts'
import { idempotencyKeyOf, showRepeatable } from '../../http/idempotency.ts'
import { policy } from '../../http/policy.ts'
import type { Env, Policy } from '../../http/policy.ts'
import { EDITORS, SENDERS } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import type { Delivered } from '../../domain/delivery.ts'
import { bulkRoutes } from './bulk/routes.ts'
import { pingRoutes } from './pings/routes.ts'
import { plainBody } from './plain.ts'
import { deliveredView, deliveryBody, jobBody, jobView } from './schema.ts'
import type { DeliveryBody } from './schema.ts'
import { createJob, deleteJob, readJob, updateJob } from './service.ts'
import { deliver } from './service/deliver.ts'
import { answerOf } from './service/delivered.ts'

const JOB_MAX_BYTES = 1024 * 1024
const DELIVERY_MAX_BYTES = 512 * 1024

const jobPath = z.object({ id: idParam })
const parentQuery = z.object({ parentType: z.literal('device').default('device'), parentId: idParam })
const wantedQuery = z.object({
  thresholds: flagQuery.default(false).describe('True: the answer has the thresholds.'),
  values: flagQuery.default(false).describe('True: the answer has the current values.'),
})
const oneJob = { 200: ok(jobView, 'The job.', ['ETag']) }

const delivery: Policy = {
  isDelivery: true,
  summary: 'Deliver values to a webhook job',
  roles: SENDERS,
  object: 'execute',
  answers: { 200: ok(deliveredView, 'The values are on stable storage.', ['Idempotency-Replayed']) },
  refuses: [400, 409, 429, 507],
  isRepeatable: true,
}

function shown({ job, version }: Awaited<ReturnType<typeof readJob>>) {
  return { view: job, version }
}

const ownRoutes = new Hono<Env>()
  .post(
    '/jobs',
    policy({
      summary: 'Create a webhook job (check) in a device',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(jobView, 'The new job.', ['Location', 'ETag']) },
      refuses: [404, 409],
    }),
    valid('query', parentQuery),
    jsonBody(JOB_MAX_BYTES),
    valid('json', jobBody),
    async (c) => {
      const { job, version } = await createJob(
        c.get('context'),
        c.req.valid('query').parentId,
        c.req.valid('json'),
      )
      const location = `${c.get('ports').settings.basePath}/jobs/${job.id}`
      return c.json(job, 201, { location, etag: entityTag(version) })
    },
  )
  .get(
    '/jobs/:id',
    policy({ summary: 'Read a job', roles: 'signed-in', object: 'read', answers: oneJob }),
    valid('param', jobPath),
    valid('query', wantedQuery),
    async (c) => {
      const { job, version } = await readJob(c.get('context'), c.req.valid('param').id, c.req.valid('query'))
      return c.json(job, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/jobs/:id',
      place: jobPath,
      body: jobBody,
      sizeMaxBytes: JOB_MAX_BYTES,
      summary: 'Replace a job; the job is stopped and started again',
      noun: 'a job',
      policy: { roles: EDITORS, object: 'write', answers: oneJob, refuses: [409, 412] },
      // A body with null leaves these as they are.
      unset: { thresholds: {}, stopped: false },
      read: async (context, { id }) => shown(await readJob(context, id, { thresholds: true, values: true })),
      write: async (context, { id }, change) => shown(await updateJob(context, id, change)),
    }),
  )
  .delete(
    '/jobs/:id',
    policy({
      summary: 'Delete a job with its history',
      roles: EDITORS,
      object: 'write',
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', jobPath),
    async (c) => {
      await deleteJob(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
  .post(
    '/webcollector/jobs/:jobId/values',
    policy(delivery),
    valid('param', z.object({ jobId: idParam })),
    jsonBody(DELIVERY_MAX_BYTES),
    valid('json', deliveryBody),
    async (c) => {
      const { jobId } = c.req.valid('param')
      const sent = { body: c.req.valid('json'), key: idempotencyKeyOf(c.req.raw) }
      const delivered = await deliver(c.get('context'), jobId, sent)
      const { json, headers } = showRepeatable(answerOf(c.get('ports'), jobId, delivered))
      return c.body(json, 200, { 'content-type': 'application/json', ...headers })
    },
  )

export const jobRoutes = new Hono<Env>().route('/', ownRoutes).route('/', bulkRoutes).route('/', pingRoutes)

/** The same route without the router, whose middleware takes longer than the delivery itself. */
export const fastDelivery: FastRoute<DeliveryBody, Delivered> = {
  method: 'POST',
  path: '/webcollector/jobs/:id/values',
  policy: delivery,
  takes: { schema: deliveryBody, plain: plainBody, sizeMaxBytes: DELIVERY_MAX_BYTES },
  handle: deliver,
  show: (delivered, { ports }, jobId) => showRepeatable(answerOf(ports, jobId, delivered)),
}
