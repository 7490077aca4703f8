import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { followedFrom, STREAM } from '../../../automation/runs/log-request.ts'
import { logQuery, logView } from '../../../automation/runs/schema.ts'
import { idempotencyKeyOf, REPLAYED } from '../../../http/idempotency.ts'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { admit, policy } from '../../../http/policy.ts'
import type { Env, Policy } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { jobPath, jobsQuery, jobView } from '../schema.ts'
import { cancelRun, deleteRuns, followRun, listRuns, orderRun, readLog, readRun } from '../service/runs.ts'

const ROLES = SCRIPT_READERS

const reading: Policy = {
  summary: 'Read or follow the log of a run of a forecast (server-sent events)',
  roles: ROLES,
  answers: {
    200: {
      description:
        'A page of lines, or a stream of server-sent events as of a run of a script (`src/automation/runs/README.md`).',
      schema: logView,
      alsoMedia: [STREAM],
    },
  },
  refuses: [503],
}

export const runRoutes = new Hono<Env>()
  .post(
    '/forecasts/:id/run',
    policy({
      summary: 'Run a forecast',
      roles: ROLES,
      scope: 'execute',
      answers: {
        202: ok(jobView, 'The run, which waits for a runner.', ['Location', 'Idempotency-Replayed']),
      },
      refuses: [400, 409, 422, 503],
      isRepeatable: true,
    }),
    valid('param', idPath),
    async (c) => {
      const { id } = c.req.valid('param')
      const { job, isReplayed } = await orderRun(c.get('context'), id, idempotencyKeyOf(c.req.raw))
      const { basePath } = c.get('ports').settings
      const headers = { location: `${basePath}/forecasts/${id}/jobs/${job.id}`, ...(isReplayed && REPLAYED) }
      return c.json(job, 202, headers)
    },
  )
  .get(
    '/forecasts/:id/jobs',
    policy({
      summary: 'List the runs of a forecast',
      roles: ROLES,
      answers: { 200: ok(z.object({ items: z.array(jobView) }), 'The runs, the latest first.') },
    }),
    valid('param', idPath),
    valid('query', jobsQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json({ items: await listRuns(c.get('context'), id, c.req.valid('query')) })
    },
  )
  .delete(
    '/forecasts/:id/jobs',
    policy({
      summary: 'Delete the runs of a forecast that have ended; its results stay',
      roles: ROLES,
      answers: { 204: noContent },
    }),
    valid('param', idPath),
    async (c) => {
      await deleteRuns(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
  .get(
    '/forecasts/:id/jobs/:jobId',
    policy({ summary: 'Read a run of a forecast', roles: ROLES, answers: { 200: ok(jobView, 'The run.') } }),
    valid('param', jobPath),
    async (c) => {
      const { id: forecastId, jobId: run } = c.req.valid('param')
      return c.json(await readRun(c.get('context'), { forecastId, id: run }))
    },
  )
  .get(
    '/forecasts/:id/jobs/:jobId/log',
    policy(reading),
    valid('param', jobPath),
    valid('query', logQuery),
    async (c) => {
      const { id: forecastId, jobId: run } = c.req.valid('param')
      const [context, query, request] = [c.get('context'), c.req.valid('query'), c.req.raw]
      const name = { forecastId, id: run }
      const offset = followedFrom(request, query)
      if (offset === null) return c.json(await readLog(context, name, query))
      const again = async () => admit(reading, request, c.var)
      const stream = await followRun(context, name, { offset, again })
      return new Response(stream, { headers: { 'content-type': STREAM } })
    },
  )
  .post(
    '/forecasts/:id/jobs/:jobId/cancel',
    policy({
      summary: 'Cancel a run of a forecast',
      roles: ROLES,
      scope: 'execute',
      answers: { 202: ok(jobView, 'The run, which ends soon.') },
      refuses: [409],
    }),
    valid('param', jobPath),
    async (c) => {
      const { id: forecastId, jobId: run } = c.req.valid('param')
      return c.json(await cancelRun(c.get('context'), { forecastId, id: run }), 202)
    },
  )
