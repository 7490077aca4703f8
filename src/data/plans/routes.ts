import { Hono } from 'hono'
import { ok, sentPath } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { operationView } from '../../operations/work/schema.ts'
import { acceptedResponse } from '../../operations/work/service.ts'
import { runQuery } from '../queries/run-schema.ts'
import { waited } from '../selection/service/waited.ts'
import { READERS } from '../sources/schema.ts'
import { explainBody, planView } from './schema.ts'
import { explainQuery } from './service.ts'

const BODY_MAX_BYTES = 1024 * 1024

export const planRoutes = new Hono<Env>().post(
  '/dataQueries/explain',
  policy({
    summary: 'Explain how the database runs a data query',
    roles: READERS,
    scope: 'read',
    answers: {
      200: ok(planView, 'The plan.'),
      202: ok(operationView, 'The operation that explains it, after the wait.', ['Location', 'Retry-After']),
    },
    refuses: [403, 404, 409, 503],
  }),
  valid('query', runQuery),
  jsonBody(BODY_MAX_BYTES),
  valid('json', explainBody),
  async (c) => {
    const context = c.get('context')
    const asked = { subject: sentPath(c.req), waitMs: c.req.valid('query').wait }
    const outcome = await waited(context, asked, (asking) =>
      explainQuery(context, c.req.valid('json'), asking),
    )
    return outcome.isDone ? c.json(outcome.result) : acceptedResponse(outcome.operation, context.ports)
  },
)
