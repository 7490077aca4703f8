import { Hono } from 'hono'
import * as z from 'zod'
import { noContent, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { entityTag } from '../../http/preconditions.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { operationView, waitQuery } from '../../operations/work/schema.ts'
import { acceptedResponse, runWork } from '../../operations/work/service.ts'
import { refreshBody, refreshDefinitionView, refreshedTablePath, refreshedView } from './schema.ts'
import { deleteRefresh, readRefresh, writeRefresh } from './service.ts'
import { refreshTable } from './service/run.ts'

const BODY_MAX_BYTES = 64 * 1024
const PATH = '/dataSources/:id/tables/:table/refresh'
const administering = { roles: ADMINISTRATOR, scope: 'administration' } as const
const wait = z.object({
  wait: waitQuery('How long to wait for the end; absent for as long as it takes.'),
})

export const refreshRoutes = new Hono<Env>()
  .get(
    PATH,
    policy({
      summary: 'Read from where the rows of a table come, and the state of its refreshes',
      roles: ADMINISTRATOR,
      answers: { 200: ok(refreshDefinitionView, 'The refresh.', ['ETag']) },
    }),
    valid('param', refreshedTablePath),
    async (c) => {
      const { view, version } = await readRefresh(c.get('context'), c.req.valid('param'))
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .put(
    PATH,
    policy({
      summary: 'Create a table whose rows come from a database or a script, or change from where they come',
      ...administering,
      answers: {
        200: ok(refreshDefinitionView, 'The refresh; the former rows stay until it runs.', ['ETag']),
        201: ok(refreshDefinitionView, 'The refresh of the new table, which has no rows yet.', ['ETag']),
      },
      refuses: [409, 412, 422],
    }),
    valid('param', refreshedTablePath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', refreshBody),
    async (c) => {
      const place = c.req.valid('param')
      const { view, version, isNew } = await writeRefresh(c.get('context'), place, c.req.valid('json'))
      return c.json(view, isNew ? 201 : 200, { etag: entityTag(version) })
    },
  )
  .delete(
    PATH,
    policy({
      summary: 'Stop the refreshes of a table, which keeps its rows',
      ...administering,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', refreshedTablePath),
    async (c) => {
      await deleteRefresh(c.get('context'), c.req.valid('param'))
      return c.body(null, 204)
    },
  )
  .post(
    PATH,
    policy({
      summary: 'Replace the rows of a table by those that are elsewhere now',
      ...administering,
      answers: {
        200: ok(refreshedView, 'The table with its new rows.'),
        202: ok(operationView, 'The operation that refreshes the table, after the wait.', [
          'Location',
          'Retry-After',
        ]),
      },
      refuses: [409, 422],
    }),
    valid('param', refreshedTablePath),
    valid('query', wait),
    async (c) => {
      const [context, place] = [c.get('context'), c.req.valid('param')]
      const { wait: waitMs = null } = c.req.valid('query')
      const subject = `/dataSources/${place.id}/tables/${place.table}`
      const outcome = await runWork(context, { kind: 'refresh', subject, waitMs }, (work) =>
        refreshTable(context, place, work),
      )
      if (!outcome.isDone) return acceptedResponse(outcome.operation, context.ports)
      return c.json(outcome.result)
    },
  )
