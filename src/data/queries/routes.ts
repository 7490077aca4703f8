import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import * as z from 'zod'
import type { Context } from '../../context.ts'
import { idPath, noContent, ok, sentPath } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { parseInstant } from '../../lib/time.ts'
import { operationView } from '../../operations/work/schema.ts'
import { acceptedResponse } from '../../operations/work/service.ts'
import { waited } from '../selection/service/waited.ts'
import type { Asking } from '../selection/service/waited.ts'
import { READERS } from '../sources/schema.ts'
import { groupRoutes } from './groups/routes.ts'
import { resultRoutes } from './results/routes.ts'
import { lineageQuery, lineageView } from './lineage-schema.ts'
import { previewBody, resultView, runBody, runQuery as runQueryString } from './run-schema.ts'
import type { ResultView } from './run-schema.ts'
import {
  deletionQuery,
  dependentView,
  listQuery,
  publishBody,
  queryBody,
  querySummary,
  queryView,
  versionPath,
  versionView,
} from './schema.ts'
import {
  createQuery,
  deleteQuery,
  listQueries,
  listVersions,
  publishQuery,
  readQuery,
  restoreVersion,
  updateQuery,
} from './service.ts'
import { listDependents } from './service/dependents.ts'
import { readLineage } from './service/lineage.ts'
import { previewQuery, runQuery } from './service/run.ts'

const BODY_MAX_BYTES = 1024 * 1024
const oneQuery = { 200: ok(queryView, 'The data query.', ['ETag']) }
const running = {
  roles: READERS,
  scope: 'read',
  answers: {
    200: ok(resultView, 'The result; with `Age` in seconds where it is the one of an equal run.', ['Age']),
    202: ok(operationView, 'The operation that reads the result, after the wait.', [
      'Location',
      'Retry-After',
    ]),
  },
  refuses: [403, 409, 503],
} as const

async function answer(
  c: HonoContext<Env>,
  waitMs: number | undefined,
  read: (context: Context, asking: Asking) => Promise<ResultView>,
): Promise<Response> {
  const context = c.get('context')
  const outcome = await waited(context, { subject: sentPath(c.req), waitMs }, (asking) =>
    read(context, asking),
  )
  if (!outcome.isDone) return acceptedResponse(outcome.operation, context.ports)
  const { cached, computedAt } = outcome.result
  const ageMs = Math.max(0, context.ports.clock.now() - parseInstant(computedAt))
  const headers = cached ? { age: String(Math.floor(ageMs / 1_000)) } : {}
  return Response.json(outcome.result, { headers })
}

const tagged = (c: HonoContext<Env>, { view, version }: Awaited<ReturnType<typeof readQuery>>) =>
  c.json(view, 200, { etag: entityTag(version) })

export const queryRoutes = new Hono<Env>()
  .get(
    '/dataQueries',
    policy({
      summary: 'List data queries, without their texts',
      roles: READERS,
      answers: {
        200: ok(z.object({ items: z.array(querySummary) }), 'The data queries, by name; at most 1,000.'),
      },
    }),
    valid('query', listQuery),
    async (c) => c.json({ items: await listQueries(c.get('context'), c.req.valid('query')) }),
  )
  .post(
    '/dataQueries',
    policy({
      summary: 'Create a data query; one with errors is stored too',
      roles: READERS,
      answers: { 201: ok(queryView, 'The new data query.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', queryBody),
    async (c) => {
      const { view, version } = await createQuery(c.get('context'), c.req.valid('json'))
      const headers = { location: `${c.req.path}/${view.id}`, etag: entityTag(version) }
      return c.json(view, 201, headers)
    },
  )
  // This route must be registered before `:id`.
  .route('/', groupRoutes)
  .post(
    '/dataQueries/preview',
    policy({ ...running, summary: 'Run a data query that is not stored' }),
    valid('query', runQueryString),
    jsonBody(BODY_MAX_BYTES),
    valid('json', previewBody),
    (c) =>
      answer(c, c.req.valid('query').wait, (context, asking) =>
        previewQuery(context, c.req.valid('json'), asking),
      ),
  )
  .get(
    '/dataQueries/:id',
    policy({
      summary: 'Read a data query, with the errors of its draft',
      roles: READERS,
      answers: oneQuery,
    }),
    valid('param', idPath),
    async (c) => tagged(c, await readQuery(c.get('context'), c.req.valid('param').id)),
  )
  .route(
    '/',
    replacing({
      path: '/dataQueries/:id',
      place: idPath,
      body: queryBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace the draft of a data query; one with errors is stored too',
      noun: 'a data query',
      policy: { roles: READERS, answers: oneQuery, refuses: [409, 412] },
      read: (context, { id }) => readQuery(context, id),
      write: (context, { id }, change) => updateQuery(context, id, change),
    }),
  )
  .delete(
    '/dataQueries/:id',
    policy({
      summary:
        'Delete a data query with its versions; forceDelete=true deletes it even if others refer to it',
      roles: READERS,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    valid('query', deletionQuery),
    async (c) => {
      const isForced = c.req.valid('query').forceDelete
      await deleteQuery(c.get('context'), c.req.valid('param').id, { isForced })
      return c.body(null, 204)
    },
  )
  .post(
    '/dataQueries/:id/run',
    policy({ ...running, summary: 'Run a data query' }),
    valid('param', idPath),
    valid('query', runQueryString),
    jsonBody(BODY_MAX_BYTES),
    valid('json', runBody),
    (c) =>
      answer(c, c.req.valid('query').wait, (context, asking) =>
        runQuery(context, { ...c.req.valid('param'), body: c.req.valid('json') }, asking),
      ),
  )
  .post(
    '/dataQueries/:id/publish',
    policy({
      summary: 'Publish the draft of a data query as its next version',
      roles: READERS,
      answers: oneQuery,
      refuses: [409, 412],
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', publishBody),
    async (c) =>
      tagged(c, await publishQuery(c.get('context'), c.req.valid('param').id, c.req.valid('json'))),
  )
  .route('/', resultRoutes)
  .get(
    '/dataQueries/:id/dependents',
    policy({
      summary: 'List the data queries that refer to a data query',
      roles: READERS,
      answers: {
        200: ok(z.object({ items: z.array(dependentView) }), 'The data queries, by name; at most 1,000.'),
      },
    }),
    valid('param', idPath),
    async (c) => c.json({ items: await listDependents(c.get('context'), c.req.valid('param').id) }),
  )
  .get(
    '/dataQueries/:id/lineage',
    policy({
      summary: 'List the data queries, tables and columns that a data query reads',
      roles: READERS,
      answers: { 200: ok(lineageView, 'The lineage.') },
      refuses: [409, 503],
    }),
    valid('param', idPath),
    valid('query', lineageQuery),
    async (c) => {
      const [{ id }, { version }] = [c.req.valid('param'), c.req.valid('query')]
      return c.json(await readLineage(c.get('context'), { id, version }))
    },
  )
  .get(
    '/dataQueries/:id/versions',
    policy({
      summary: 'List the published versions of a data query',
      roles: READERS,
      answers: {
        200: ok(z.object({ items: z.array(versionView) }), 'The latest versions; at most 50.'),
      },
    }),
    valid('param', idPath),
    async (c) => c.json({ items: await listVersions(c.get('context'), c.req.valid('param').id) }),
  )
  .post(
    '/dataQueries/:id/versions/:number/restore',
    policy({
      summary: 'Replace the draft of a data query by a published version',
      roles: READERS,
      answers: oneQuery,
      refuses: [412],
    }),
    valid('param', versionPath),
    async (c) => tagged(c, await restoreVersion(c.get('context'), c.req.valid('param'))),
  )
