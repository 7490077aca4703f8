import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import type { Context } from '../../context.ts'
import { idPath, ok, sentPath } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { operationView } from '../../operations/work/schema.ts'
import { acceptedResponse } from '../../operations/work/service.ts'
import { runQuery } from '../queries/run-schema.ts'
import { waited } from '../selection/service/waited.ts'
import type { Asking } from '../selection/service/waited.ts'
import { READERS } from '../sources/schema.ts'
import { clusterView, leavesView } from './answers.ts'
import {
  bodyOf,
  clusterBody,
  leavesPath,
  queryClusterQuery,
  queryLeavesPath,
  queryLeavesQuery,
  tableClusterQuery,
  tableLeavesQuery,
} from './schema.ts'
import { clusterPoints, listLeaves } from './service.ts'

const BODY_MAX_BYTES = 1024 * 1024
const waiting = {
  202: ok(operationView, 'The operation that reads the result, after the wait.', ['Location', 'Retry-After']),
}
const clusters = {
  roles: READERS,
  answers: { 200: ok(clusterView, 'The clusters, points and links, as GeoJSON.'), ...waiting },
  refuses: [403, 404, 409, 503],
} as const
const leaves = {
  roles: READERS,
  answers: { 200: ok(leavesView, 'The points, as GeoJSON.'), ...waiting },
  refuses: [403, 409, 503],
} as const

const inQuery = (field: string) => `?${field === 'aggregates' ? 'aggregate' : field}`

async function answer<Result extends object>(
  c: HonoContext<Env>,
  waitMs: number | undefined,
  read: (context: Context, asking: Asking) => Promise<Result>,
): Promise<Response> {
  const context = c.get('context')
  const outcome = await waited(context, { subject: sentPath(c.req), waitMs }, (asking) =>
    read(context, asking),
  )
  return outcome.isDone ? c.json(outcome.result) : acceptedResponse(outcome.operation, context.ports)
}

export const geoRoutes = new Hono<Env>()
  .post(
    '/gis/cluster',
    policy({ ...clusters, scope: 'read', summary: 'Cluster points on a map, with links between them' }),
    valid('query', runQuery),
    jsonBody(BODY_MAX_BYTES),
    valid('json', clusterBody),
    (c) => {
      const asked = { body: c.req.valid('json'), at: (field: string) => `/points/${field}` }
      return answer(c, c.req.valid('query').wait, (context, asking) => clusterPoints(context, asked, asking))
    },
  )
  .get(
    '/gis/cluster',
    policy({ ...clusters, summary: 'Cluster the rows of a table on a map' }),
    valid('query', tableClusterQuery),
    (c) => {
      const { dataSourceId, table, wait, ...query } = c.req.valid('query')
      const asked = { body: bodyOf({ dataSourceId, table }, query), at: inQuery }
      return answer(c, wait, (context, asking) => clusterPoints(context, asked, asking))
    },
  )
  .get(
    '/gis/cluster/:cluster/leaves',
    policy({ ...leaves, summary: 'List the rows of a cluster of a table' }),
    valid('param', leavesPath),
    valid('query', tableLeavesQuery),
    (c) => {
      const { dataSourceId, table, wait, limit, offset, ...query } = c.req.valid('query')
      const body = bodyOf({ dataSourceId, table }, query)
      const asked = { ...c.req.valid('param'), body, at: inQuery, limit, offset }
      return answer(c, wait, (context, asking) => listLeaves(context, asked, asking))
    },
  )
  .get(
    '/dataQueries/:id/cluster',
    policy({ ...clusters, summary: 'Cluster the result of a data query on a map' }),
    valid('param', idPath),
    valid('query', queryClusterQuery),
    (c) => {
      const { parameters, wait, ...query } = c.req.valid('query')
      const body = bodyOf({ queryId: c.req.valid('param').id, parameters }, query)
      return answer(c, wait, (context, asking) => clusterPoints(context, { body, at: inQuery }, asking))
    },
  )
  .get(
    '/dataQueries/:id/cluster/:cluster/leaves',
    policy({ ...leaves, summary: 'List the rows of a cluster of a data query' }),
    valid('param', queryLeavesPath),
    valid('query', queryLeavesQuery),
    (c) => {
      const { parameters, wait, limit, offset, ...query } = c.req.valid('query')
      const { id, cluster } = c.req.valid('param')
      const body = bodyOf({ queryId: id, parameters }, query)
      const asked = { body, at: inQuery, cluster, limit, offset }
      return answer(c, wait, (context, asking) => listLeaves(context, asked, asking))
    },
  )
