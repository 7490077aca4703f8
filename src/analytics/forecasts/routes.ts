import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../access/rights/permissions.ts'
import { selectBody, selectView } from '../../data/selection/schema.ts'
import { waited } from '../../data/selection/service/waited.ts'
import { idPath, noContent, ok, sentPath } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { operationView, waitQuery } from '../../operations/work/schema.ts'
import { acceptedResponse } from '../../operations/work/service.ts'
import { forecastBody, previewBody } from './definition.ts'
import { runRoutes } from './routes/runs.ts'
import {
  bandQuery,
  bandView,
  deletionQuery,
  dependentsView,
  forecastSummary,
  forecastView,
  groupsQuery,
  groupView,
  kindView,
  previewView,
} from './schema.ts'
import {
  createForecast,
  deleteForecast,
  listDependents,
  listForecasts,
  readForecast,
  updateForecast,
} from './service.ts'
import { listGroups, readBand, selectResults } from './service/results.ts'
import { previewForecast } from './service/preview.ts'
import { listKinds } from './service/runs.ts'

const BODY_MAX_BYTES = 256 * 1024
const ROLES = SCRIPT_READERS
const oneForecast = { 200: ok(forecastView, 'The forecast.', ['ETag']) }
const selectQuery = z.object({
  wait: waitQuery('How long to wait for the result; by default 30 seconds. Then the answer is 202.'),
})

const PREVIEW_WAIT_MS = 20_000
const previewQuery = z.object({
  wait: waitQuery('How long to wait for the result; by default 20 seconds. Then the answer is 202.'),
})

export const forecastRoutes = new Hono<Env>()
  .get(
    '/forecasts',
    policy({
      summary: 'List forecasts',
      roles: ROLES,
      answers: {
        200: ok(z.object({ items: z.array(forecastSummary) }), 'The forecasts, by name; at most 200.'),
      },
    }),
    async (c) => c.json({ items: await listForecasts(c.get('context')) }),
  )
  .post(
    '/forecasts',
    policy({
      summary: 'Create a forecast',
      roles: ROLES,
      answers: { 201: ok(forecastView, 'The new forecast.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', forecastBody),
    async (c) => {
      const { view, version } = await createForecast(c.get('context'), c.req.valid('json'))
      return c.json(view, 201, { location: `${c.req.path}/${view.id}`, etag: entityTag(version) })
    },
  )
  // Before `:id`.
  .get(
    '/forecasts/kinds',
    policy({
      summary: 'List the kinds of models, with their parameters and the runners that execute them',
      roles: ROLES,
      answers: { 200: ok(z.array(kindView), 'The kinds.') },
    }),
    async (c) => c.json(await listKinds(c.get('context'))),
  )
  .post(
    '/forecasts/preview',
    policy({
      summary: 'Predict one series of a forecast that is not stored',
      roles: ROLES,
      scope: 'execute',
      answers: {
        200: ok(previewView, 'The predicted series.'),
        202: ok(operationView, 'The operation that predicts the series, after the wait.', [
          'Location',
          'Retry-After',
        ]),
      },
      refuses: [409, 422, 503],
    }),
    valid('query', previewQuery),
    jsonBody(BODY_MAX_BYTES),
    valid('json', previewBody),
    async (c) => {
      const [context, body] = [c.get('context'), c.req.valid('json')]
      const { wait: waitMs = PREVIEW_WAIT_MS } = c.req.valid('query')
      const asked = { subject: sentPath(c.req), kind: 'forecast', waitMs }
      const outcome = await waited(context, asked, ({ signal }) => previewForecast(context, body, signal))
      return outcome.isDone ? c.json(outcome.result) : acceptedResponse(outcome.operation, context.ports)
    },
  )
  .get(
    '/forecasts/:id',
    policy({ summary: 'Read a forecast', roles: ROLES, answers: oneForecast }),
    valid('param', idPath),
    async (c) => {
      const { view, version } = await readForecast(c.get('context'), c.req.valid('param').id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/forecasts/:id',
      place: idPath,
      body: forecastBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Update a forecast',
      noun: 'a forecast',
      policy: { roles: ROLES, answers: oneForecast, refuses: [409, 412] },
      read: (context, { id }) => readForecast(context, id),
      write: (context, { id }, change) => updateForecast(context, id, change),
    }),
  )
  .delete(
    '/forecasts/:id',
    policy({
      summary: 'Delete a forecast with its runs',
      roles: ROLES,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    valid('query', deletionQuery),
    async (c) => {
      const { forceDelete: isForced } = c.req.valid('query')
      await deleteForecast(c.get('context'), c.req.valid('param').id, { isForced })
      return c.body(null, 204)
    },
  )
  .get(
    '/forecasts/:id/dependents',
    policy({
      summary: 'List what depends on a forecast',
      roles: ROLES,
      answers: { 200: ok(dependentsView, 'The dependents.') },
    }),
    valid('param', idPath),
    async (c) => c.json(await listDependents(c.get('context'), c.req.valid('param').id)),
  )
  .route('/', runRoutes)
  .get(
    '/forecasts/:id/groups',
    policy({
      summary: 'List the groups of the published run, with the figures of their trials',
      roles: ROLES,
      answers: { 200: ok(z.object({ items: z.array(groupView) }), 'The groups, by number.') },
    }),
    valid('param', idPath),
    valid('query', groupsQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json({ items: await listGroups(c.get('context'), id, c.req.valid('query')) })
    },
  )
  .get(
    '/forecasts/:id/band',
    policy({
      summary: 'Read the predicted buckets of a group',
      roles: ROLES,
      answers: { 200: ok(bandView, 'The buckets.') },
    }),
    valid('param', idPath),
    valid('query', bandQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await readBand(c.get('context'), id, c.req.valid('query').group))
    },
  )
  .post(
    '/forecasts/:id/select',
    policy({
      summary: 'Select rows of the table of results, within the scopes of the caller',
      roles: ['administrator', 'Data_Editor'],
      scope: 'read',
      answers: {
        200: ok(selectView, 'The rows.'),
        202: ok(operationView, 'The operation that reads the rows, after the wait.', [
          'Location',
          'Retry-After',
        ]),
      },
      refuses: [409, 422, 503],
    }),
    valid('param', idPath),
    valid('query', selectQuery),
    jsonBody(BODY_MAX_BYTES),
    valid('json', selectBody),
    async (c) => {
      const [context, { id }, body] = [c.get('context'), c.req.valid('param'), c.req.valid('json')]
      const asked = { subject: sentPath(c.req), waitMs: c.req.valid('query').wait }
      const outcome = await waited(context, asked, (asking) => selectResults(context, { id, body }, asking))
      return outcome.isDone ? c.json(outcome.result) : acceptedResponse(outcome.operation, context.ports)
    },
  )
