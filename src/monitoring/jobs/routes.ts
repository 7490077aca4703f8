import { Hono } from 'hono'
import * as z from 'zod'
import { flagQuery, idParam, ok } from '../../http/openapi-answers.ts'
import type { FastRoute } from '../../http/fast-path/fast-route.ts'
import { idempotencyKeyOf, showRepeatable } from '../../http/idempotency.ts'
import { objectRoutes } from '../../http/object-routes.ts'
import { policy } from '../../http/policy.ts'
import type { Env, Policy } from '../../http/policy.ts'
import { SENDERS } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import type { Delivered } from '../../domain/delivery.ts'
import { LEVELS } from '../states/state.ts'
import { jobActionRoutes } from './actions/routes.ts'
import { bulkRoutes } from './bulk/routes.ts'
import { currentRoutes } from './current/routes.ts'
import { lateJobRoutes } from './late/routes.ts'
import { pingRoutes } from './pings/routes.ts'
import { plainBody } from './plain.ts'
import { replayRoutes } from './replay/routes.ts'
import { refusalRoutes } from './refusals/routes.ts'
import { recordFailure } from './refusals/service.ts'
import { deliveredView, deliveryBody, jobBody, jobView } from './schema.ts'
import type { DeliveryBody } from './schema.ts'
import { createJob, deleteJob, readJob, updateJob } from './service.ts'
import { deliver } from './service/deliver.ts'
import { answerOf } from './service/delivered.ts'

const JOB_MAX_BYTES = 1024 * 1024
const DELIVERY_MAX_BYTES = 512 * 1024

/** The path of a delivery, with the id of its job. */
const DELIVERY_PATH = /\/webcollector\/jobs\/([1-9]\d{0,14})\/values$/

const wantedQuery = z.object({
  thresholds: flagQuery.default(false).describe('True: the answer has the thresholds.'),
  values: flagQuery.default(false).describe('True: the answer has the current values.'),
})
const WHOLE = { thresholds: true, values: true }

const delivery: Policy = {
  isDelivery: true,
  summary: 'Deliver values to a webhook job',
  roles: SENDERS,
  object: 'execute',
  answers: { 200: ok(deliveredView, 'The values are on stable storage.', ['Idempotency-Replayed']) },
  refuses: [400, 409, 429, 507],
  isRepeatable: true,
  failed: ({ error, input, ...attempt }) => {
    const [, jobId] = DELIVERY_PATH.exec(new URL(attempt.request.url).pathname) ?? []
    return jobId === undefined ? Promise.resolve() : recordFailure(attempt, Number(jobId), { error, input })
  },
}

function shown({ job, version }: Awaited<ReturnType<typeof readJob>>) {
  return { view: job, version }
}

const ownRoutes = new Hono<Env>()
  .route(
    '/',
    objectRoutes({
      path: '/jobs',
      noun: 'job',
      parentType: 'device',
      body: jobBody,
      view: jobView,
      sizeMaxBytes: JOB_MAX_BYTES,
      summaries: {
        create: 'Create a webhook job (check) in a device',
        replace: 'Replace a job; the job is stopped and started again',
        delete: 'Delete a job with its history',
      },
      readQuery: wantedQuery,
      // A body with null leaves these as they are.
      unset: {
        '/thresholds': {},
        ...Object.fromEntries(LEVELS.map((level) => [`/thresholds/${level}`, undefined])),
        '/stopped': false,
      },
      create: async (context, parentId, body) => shown(await createJob(context, parentId, body)),
      read: async (context, id, wanted = WHOLE) => shown(await readJob(context, id, wanted)),
      update: async (context, id, change) => shown(await updateJob(context, id, change)),
      delete: deleteJob,
    }),
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

export const jobRoutes = new Hono<Env>()
  .route('/', ownRoutes)
  .route('/', jobActionRoutes)
  .route('/', bulkRoutes)
  .route('/', currentRoutes)
  .route('/', pingRoutes)
  .route('/', lateJobRoutes)
  .route('/', refusalRoutes)
  .route('/', replayRoutes)

/** The route of deliveries without the router, whose middleware takes longer than the delivery itself. */
export const fastDelivery: FastRoute<DeliveryBody, Delivered> = {
  method: 'POST',
  path: '/webcollector/jobs/:id/values',
  policy: delivery,
  kind: 'delivery',
  takes: { schema: deliveryBody, plain: plainBody, sizeMaxBytes: DELIVERY_MAX_BYTES },
  handle: deliver,
  show: (delivered, { ports }, jobId) => showRepeatable(answerOf(ports, jobId, delivered)),
}
