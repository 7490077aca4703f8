import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { valid } from '../../../http/valid.ts'
import { deletedView, jobPath, jobsQuery, jobView, scriptPath, statusQuery, statusView } from '../schema.ts'
import { cancelJob, deleteJob, deleteJobs, listJobs, listStatuses, readJob } from '../service.ts'
import { namedOf, scriptOf } from './paths.ts'
import type { ScriptCall } from './paths.ts'

const reading = { roles: SCRIPT_READERS } as const
/** Editors of scripts may cancel the runs of other users. */
const CAN_CANCEL = { roles: ['administrator', 'Data_Editor'], scope: 'execute' } as const
const deleting = { roles: ADMINISTRATOR } as const

export const jobRoutes = new Hono<Env>()
  .get(
    '/scripts/:script/jobs',
    policy({
      ...reading,
      summary: 'List the runs (jobs) of a script',
      answers: { 200: ok(z.array(jobView), 'The runs, latest first.', ['Link']) },
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
      summary: 'List the latest runs of each run configuration',
      answers: { 200: ok(statusView, 'The run configurations that have runs.') },
    }),
    valid('param', scriptPath),
    valid('query', statusQuery),
    async (c) =>
      c.json(await listStatuses(c.get('context'), await scriptOf(c), c.req.valid('query').maxCount)),
  )
  .delete(
    '/scripts/:script/jobs',
    policy({
      ...deleting,
      summary: 'Delete all ended runs of a script',
      answers: { 200: ok(deletedView, 'The number of deleted runs.') },
    }),
    valid('param', scriptPath),
    async (c) => c.json({ deleted: await deleteJobs(c.get('context'), await scriptOf(c)) }),
  )
  .get(
    '/scripts/:script/jobs/:jobId',
    policy({ ...reading, summary: 'Read a run', answers: { 200: ok(jobView, 'The run.') } }),
    valid('param', jobPath),
    async (c) => c.json(await readJob(c.get('context'), await scriptOf(c), c.req.valid('param').jobId)),
  )
  .delete(
    '/scripts/:script/jobs/:jobId',
    policy({
      ...deleting,
      summary: 'Delete an ended run',
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
      ...CAN_CANCEL,
      summary: 'Cancel a run',
      answers: { 200: ok(jobView, 'The run; a running one ends shortly.') },
      refuses: [409],
    }),
    valid('param', jobPath),
    async (c) => c.json(await cancelJob(c.get('context'), await namedOf(c, c.req.valid('param').jobId))),
  )

function nextOf(c: ScriptCall, before: string): string {
  const url = new URL(c.req.url)
  // An answer must not have a session id.
  url.searchParams.delete('sessionId')
  url.searchParams.set('before', before)
  return `<${url.pathname}${url.search}>; rel="next"`
}
