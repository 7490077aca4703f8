import { Hono } from 'hono'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { operationView } from '../../../operations/work/schema.ts'
import { acceptedResponse, runWork } from '../../../operations/work/service.ts'
import { READERS } from '../../sources/schema.ts'
import { refreshedResultView, refreshQuery } from './schema.ts'
import { cancelRefresh, refreshResult } from './service/refresh.ts'

export const resultRoutes = new Hono<Env>()
  .post(
    '/dataQueries/:id/refresh',
    policy({
      summary: 'Compute the stored result of a data query anew',
      roles: READERS,
      answers: {
        200: ok(refreshedResultView, 'The new result.'),
        202: ok(operationView, 'The operation that computes the result, after the wait.', [
          'Location',
          'Retry-After',
        ]),
      },
      refuses: [409, 422, 503],
    }),
    valid('param', idPath),
    valid('query', refreshQuery),
    async (c) => {
      const [context, { id }] = [c.get('context'), c.req.valid('param')]
      const { wait: waitMs = null, dependents: withDependents } = c.req.valid('query')
      const subject = `/dataQueries/${id}`
      const outcome = await runWork(context, { kind: 'refresh', subject, waitMs }, (work) =>
        refreshResult(context, { id, withDependents }, work),
      )
      if (!outcome.isDone) return acceptedResponse(outcome.operation, context.ports)
      return c.json(outcome.result)
    },
  )
  .post(
    '/dataQueries/:id/cancel',
    policy({
      summary: 'End the refresh of the stored result of a data query; without one nothing changes',
      roles: READERS,
      answers: { 204: noContent },
      refuses: [409],
    }),
    valid('param', idPath),
    async (c) => {
      await cancelRefresh(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
