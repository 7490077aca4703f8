import { Hono } from 'hono'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { admit, policy } from '../../../http/policy.ts'
import type { Env, Policy } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { followedFrom, STREAM } from '../log-request.ts'
import { jobPath, logQuery, logView } from '../schema.ts'
import { followLog, readJobLog } from '../service.ts'
import { namedOf } from './paths.ts'

const reading: Policy = {
  summary: 'Read or follow the log of a run (server-sent events)',
  roles: SCRIPT_READERS,
  answers: {
    200: {
      description:
        'A page of lines, or a stream of server-sent events (`src/automation/runs/README.md` describes them).',
      schema: logView,
      alsoMedia: [STREAM],
    },
  },
  refuses: [503],
}

export const logRoutes = new Hono<Env>().get(
  '/scripts/:script/jobs/:jobId/log',
  policy(reading),
  valid('param', jobPath),
  valid('query', logQuery),
  async (c) => {
    const [context, query, request] = [c.get('context'), c.req.valid('query'), c.req.raw]
    const named = await namedOf(c, c.req.valid('param').jobId)
    const offset = followedFrom(request, query)
    if (offset === null) return c.json(await readJobLog(context, named, query))
    const stream = await followLog(context, named, {
      offset,
      again: async () => admit(reading, request, c.var),
    })
    return new Response(stream, { headers: { 'content-type': STREAM } })
  },
)
