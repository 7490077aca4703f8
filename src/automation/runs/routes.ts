import { Hono } from 'hono'
import type { Context as Call } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../access/rights/permissions.ts'
import { noContent, ok } from '../../http/answers.ts'
import { idempotencyKeyOf, REPLAYED } from '../../http/idempotency.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { requireScript } from '../scripts/service/changing.ts'
import { runnerRoutes } from './runners/routes.ts'
import {
  deletedView,
  jobPath,
  jobsQuery,
  jobView,
  logQuery,
  logView,
  RUN_BODY_MAX_BYTES,
  runBody,
  scriptPath,
  statusQuery,
  statusView,
} from './schema.ts'
import {
  cancelJob,
  deleteJob,
  deleteJobs,
  listJobs,
  listStatuses,
  orderRun,
  readJob,
  readJobLog,
} from './service.ts'

/** Reading what ran. */
const reading = { roles: SCRIPT_READERS } as const
/** Running is what every reader may, with credentials that are good for it. */
const running = { roles: SCRIPT_READERS, scope: 'execute' } as const
const editing = { roles: ['administrator', 'Data_Editor'] } as const

export const runRoutes = new Hono<Env>()
  .post(
    '/scripts/:script/run',
    policy({
      ...running,
      summary: 'Run a script',
      answers: {
        202: ok(jobView, 'The job, which waits for a runner.', ['Location', 'Idempotency-Replayed']),
      },
      refuses: [404, 409, 503],
      isRepeatable: true,
    }),
    valid('param', scriptPath),
    jsonBody(RUN_BODY_MAX_BYTES),
    valid('json', runBody),
    async (c) => {
      const context = c.get('context')
      const { job, isReplayed } = await orderRun(context, {
        ...c.req.valid('json'),
        scriptId: await scriptOf(c),
        trigger: 'manual',
        uploads: [],
        key: idempotencyKeyOf(c.req.raw),
      })
      return c.json(job, 202, { location: pathOf(c, job), ...(isReplayed ? REPLAYED : {}) })
    },
  )
  .get(
    '/scripts/:script/jobs',
    policy({
      ...reading,
      summary: 'The jobs of a script, the latest first',
      answers: { 200: ok(z.array(jobView), 'The jobs.', ['Link']) },
    }),
    valid('param', scriptPath),
    valid('query', jobsQuery),
    async (c) => {
      const { items, isMore } = await listJobs(c.get('context'), await scriptOf(c), c.req.valid('query'))
      const last = isMore ? items.at(-1) : undefined
      return c.json(items, 200, last ? { link: nextOf(c, last.id) } : {})
    },
  )
  .get(
    '/scripts/:script/jobs/status',
    policy({
      ...reading,
      summary: 'The latest jobs of each run configuration',
      answers: { 200: ok(statusView, 'The run configurations that have any.') },
    }),
    valid('param', scriptPath),
    valid('query', statusQuery),
    async (c) =>
      c.json(await listStatuses(c.get('context'), await scriptOf(c), c.req.valid('query').maxCount)),
  )
  .delete(
    '/scripts/:script/jobs',
    policy({
      ...editing,
      summary: 'Remove all jobs that have ended from the history',
      answers: { 200: ok(deletedView, 'How many there were.') },
    }),
    valid('param', scriptPath),
    async (c) => c.json({ deleted: await deleteJobs(c.get('context'), await scriptOf(c)) }),
  )
  .get(
    '/scripts/:script/jobs/:jobId',
    policy({ ...reading, summary: 'A job', answers: { 200: ok(jobView, 'The job.') } }),
    valid('param', jobPath),
    async (c) => c.json(await readJob(c.get('context'), await scriptOf(c), c.req.valid('param').jobId)),
  )
  .delete(
    '/scripts/:script/jobs/:jobId',
    policy({
      ...editing,
      summary: 'Remove a job that has ended from the history',
      answers: { 204: noContent },
      refuses: [409],
    }),
    valid('param', jobPath),
    async (c) => {
      await deleteJob(c.get('context'), await namedOf(c, c.req.valid('param').jobId))
      return c.body(null, 204)
    },
  )
  .post(
    '/scripts/:script/jobs/:jobId/cancel',
    policy({
      ...running,
      summary: 'Cancel a job',
      answers: { 200: ok(jobView, 'The job: one that runs ends shortly.') },
      refuses: [409],
    }),
    valid('param', jobPath),
    async (c) => c.json(await cancelJob(c.get('context'), await namedOf(c, c.req.valid('param').jobId))),
  )
  .get(
    '/scripts/:script/jobs/:jobId/log',
    policy({
      ...reading,
      summary: 'What a job has said',
      answers: { 200: ok(logView, 'A page of its lines.') },
    }),
    valid('param', jobPath),
    valid('query', logQuery),
    async (c) => {
      const named = await namedOf(c, c.req.valid('param').jobId)
      return c.json(await readJobLog(c.get('context'), named, c.req.valid('query')))
    },
  )
  .route('/', runnerRoutes)

type AnyCall = Call<Env, string, { out: { param: { script: string } } }>

async function scriptOf(c: AnyCall): Promise<number> {
  return (await requireScript(c.get('ports'), c.req.valid('param').script)).id
}

async function namedOf(c: AnyCall, id: string) {
  return { scriptId: await scriptOf(c), id }
}

function pathOf(c: AnyCall, { scriptId, id }: { readonly scriptId: number; readonly id: string }): string {
  return `${c.get('ports').settings.basePath}/scripts/${scriptId}/jobs/${id}`
}

function nextOf(c: AnyCall, before: string): string {
  const url = new URL(c.req.url)
  // A session id does not belong into what is answered.
  url.searchParams.delete('sessionId')
  url.searchParams.set('before', before)
  return `<${url.pathname}${url.search}>; rel="next"`
}
