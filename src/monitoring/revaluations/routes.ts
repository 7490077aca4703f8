import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { nextLink } from '../../http/paging.ts'
import { entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { OBJECT_NOUNS } from '../tree/schema.ts'
import type { ObjectType } from '../tree/schema.ts'
import { calendarRoutes } from './calendar/routes.ts'
import { revaluationBody, revaluationPath, revaluationsQuery, revaluationView } from './schema.ts'
import {
  createRevaluation,
  deleteRevaluation,
  listRevaluations,
  readRevaluation,
  updateRevaluation,
} from './service.ts'

const BODY_MAX_BYTES = 64 * 1024

const oneRevaluation = { 200: ok(revaluationView, 'The revaluation.', ['ETag']) }

function shown({ revaluation, version }: Awaited<ReturnType<typeof readRevaluation>>) {
  return { view: revaluation, version }
}

/** The routes that list and create revaluations, for one type of object. */
function revaluationsOf(type: ObjectType) {
  return new Hono<Env>()
    .get(
      `/${type}s/:id/revaluations`,
      policy({
        summary: `List the revaluations (maintenance windows, corrections, comments) of a ${OBJECT_NOUNS[type]}`,
        roles: 'signed-in',
        object: 'read',
        answers: {
          200: ok(z.array(revaluationView), 'The revaluations, by begin; the list can be empty.', ['Link']),
        },
      }),
      valid('param', idPath),
      valid('query', revaluationsQuery),
      async (c) => {
        const { id } = c.req.valid('param')
        const { items, next } = await listRevaluations(c.get('context'), { type, id }, c.req.valid('query'))
        return c.json(items, 200, nextLink(c, next))
      },
    )
    .post(
      `/${type}s/:id/revaluations`,
      policy({
        summary: `Plan a maintenance window of a ${OBJECT_NOUNS[type]}, correct its past, or comment on it`,
        roles: 'signed-in',
        object: 'maintain',
        answers: { 201: ok(revaluationView, 'The new revaluation.', ['Location', 'ETag']) },
        refuses: [409],
      }),
      valid('param', idPath),
      jsonBody(BODY_MAX_BYTES),
      valid('json', revaluationBody),
      async (c) => {
        const { id } = c.req.valid('param')
        const { revaluation, version } = await createRevaluation(
          c.get('context'),
          { type, id },
          c.req.valid('json'),
        )
        const { basePath } = c.get('ports').settings
        const location = `${basePath}/${type}s/${id}/revaluations/${revaluation.id}`
        return c.json(revaluation, 201, { location, etag: entityTag(version) })
      },
    )
}

/** The routes of a single revaluation, for one type of object. */
function revaluationOf(type: ObjectType) {
  return new Hono<Env>()
    .get(
      `/${type}s/:id/revaluations/:revaluationId`,
      policy({
        summary: `Read a revaluation of a ${OBJECT_NOUNS[type]}`,
        roles: 'signed-in',
        object: 'read',
        answers: oneRevaluation,
      }),
      valid('param', revaluationPath),
      async (c) => {
        const { id, revaluationId } = c.req.valid('param')
        const { revaluation, version } = await readRevaluation(c.get('context'), { type, id }, revaluationId)
        return c.json(revaluation, 200, { etag: entityTag(version) })
      },
    )
    .route(
      '/',
      replacing({
        path: `/${type}s/:id/revaluations/:revaluationId`,
        place: revaluationPath,
        body: revaluationBody,
        sizeMaxBytes: BODY_MAX_BYTES,
        summary: `Replace a revaluation of a ${OBJECT_NOUNS[type]}; maintenance that has already applied stays`,
        noun: `a revaluation of a ${OBJECT_NOUNS[type]}`,
        policy: { roles: 'signed-in', object: 'maintain', answers: oneRevaluation, refuses: [409, 412] },
        read: async (context, { id, revaluationId }) =>
          shown(await readRevaluation(context, { type, id }, revaluationId)),
        write: async (context, { id, revaluationId }, change) =>
          shown(await updateRevaluation(context, { type, id }, { revaluationId, ...change })),
      }),
    )
    .delete(
      `/${type}s/:id/revaluations/:revaluationId`,
      policy({
        summary: `Delete a revaluation of a ${OBJECT_NOUNS[type]}; a revaluation that has begun ends now instead`,
        roles: 'signed-in',
        object: 'maintain',
        answers: { 204: noContent },
        refuses: [409, 412],
      }),
      valid('param', revaluationPath),
      async (c) => {
        const { id, revaluationId } = c.req.valid('param')
        await deleteRevaluation(c.get('context'), { type, id }, revaluationId)
        return c.body(null, 204)
      },
    )
}

export const revaluationRoutes = new Hono<Env>()
  .route('/', revaluationsOf('group'))
  .route('/', revaluationOf('group'))
  .route('/', revaluationsOf('device'))
  .route('/', revaluationOf('device'))
  .route('/', revaluationsOf('job'))
  .route('/', revaluationOf('job'))
  .route('/', revaluationsOf('slo'))
  .route('/', revaluationOf('slo'))
  .route('/', revaluationsOf('slc'))
  .route('/', revaluationOf('slc'))
  .route('/', calendarRoutes)
