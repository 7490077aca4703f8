import { Hono } from 'hono'
import { idPath, ok } from '../../http/openapi-answers.ts'
import { changeWithRetry, demandedVersion, entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { EDITORS } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { parentPath } from '../tree/browse/schema.ts'
import { ROOT } from '../tree/search/filter.ts'
import {
  actionsBody,
  actionsView,
  alarmsBody,
  alarmsQuery,
  alarmsView,
  alarmView,
  assignBody,
  commentBody,
  commentView,
  linksBody,
  linksView,
  trendQuery,
  trendView,
} from './schema.ts'
import {
  actOnAlarms,
  assignAlarm,
  bodyOf,
  commentOnAlarm,
  listAlarms,
  readAlarm,
  readLinks,
  readTrend,
  replaceLinks,
} from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const LINKS_MAX_BYTES = 1024 * 1024
const FILTER_MAX_BYTES = 512 * 1024
const list = { 200: ok(alarmsView, 'The alarms that match the filter, of objects that the caller can read.') }
const one = { 200: ok(alarmView, 'The alarm.', ['ETag']) }
const links = { 200: ok(linksView, 'The alarm links of the object.', ['ETag']) }

const readingRoutes = new Hono<Env>()
  .get(
    '/alarms',
    policy({ summary: 'List alarms', roles: 'signed-in', object: 'read', answers: list }),
    valid('query', alarmsQuery),
    async (c) => c.json(await listAlarms(c.get('context'), bodyOf(c.req.valid('query')), ROOT)),
  )
  .post(
    '/alarms',
    policy({
      summary: 'List alarms by a filter in the body',
      roles: 'signed-in',
      scope: 'read',
      object: 'read',
      answers: list,
    }),
    jsonBody(FILTER_MAX_BYTES),
    valid('json', alarmsBody),
    async (c) => c.json(await listAlarms(c.get('context'), c.req.valid('json'), '/filterDefinition')),
  )
  .get(
    '/alarms/trend',
    policy({
      summary: 'Count objects in trouble over time',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(trendView, 'The numbers of objects that the caller can read.') },
    }),
    valid('query', trendQuery),
    async (c) => c.json(await readTrend(c.get('context'), c.req.valid('query'))),
  )
  .get(
    '/alarms/:id',
    policy({ summary: 'Read an alarm', roles: 'signed-in', object: 'read', answers: one }),
    valid('param', idPath),
    async (c) => {
      const alarm = await readAlarm(c.get('context'), c.req.valid('param').id)
      return c.json(alarm, 200, { etag: entityTag(alarm._v) })
    },
  )

const actingRoutes = new Hono<Env>()
  .post(
    '/alarms/:id/comment',
    policy({
      summary: 'Comment on an alarm',
      roles: 'signed-in',
      object: 'read',
      answers: { 201: ok(commentView, 'The new comment.') },
      refuses: [409],
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', commentBody),
    async (c) =>
      c.json(await commentOnAlarm(c.get('context'), c.req.valid('param').id, c.req.valid('json').text), 201),
  )
  .post(
    '/alarms/:id/assign',
    policy({
      summary: 'Assign an alarm to a user (acknowledge it), or unassign it',
      roles: 'signed-in',
      object: 'maintain',
      answers: one,
      refuses: [409],
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', assignBody),
    async (c) => {
      const alarm = await assignAlarm(c.get('context'), c.req.valid('param').id, c.req.valid('json'))
      return c.json(alarm, 200, { etag: entityTag(alarm._v) })
    },
  )
  .post(
    '/alarms/actions',
    policy({
      summary: 'Act on several alarms',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(actionsView, 'The result for each alarm.') },
    }),
    jsonBody(FILTER_MAX_BYTES),
    valid('json', actionsBody),
    async (c) => c.json(await actOnAlarms(c.get('context'), c.req.valid('json'))),
  )

const linkRoutes = new Hono<Env>()
  .get(
    '/:parentType/:parentId/alarmLinks',
    policy({
      summary: 'Read the alarm links (routing rules) of an object',
      roles: 'signed-in',
      object: 'read',
      answers: links,
    }),
    valid('param', parentPath),
    async (c) => {
      const { view, version } = await readLinks(c.get('context'), c.req.valid('param'))
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .put(
    '/:parentType/:parentId/alarmLinks',
    policy({
      summary: 'Replace the alarm links (routing rules) of an object',
      roles: EDITORS,
      object: 'write',
      answers: links,
      refuses: [412],
    }),
    valid('param', parentPath),
    jsonBody(LINKS_MAX_BYTES),
    valid('json', linksBody),
    async (c) => {
      const change = { body: c.req.valid('json'), ifMatch: demandedVersion(c.get('context')) }
      const { view, version } = await changeWithRetry(change.ifMatch, () =>
        replaceLinks(c.get('context'), c.req.valid('param'), change),
      )
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )

export const alarmRoutes = new Hono<Env>()
  .route('/', readingRoutes)
  .route('/', actingRoutes)
  .route('/', linkRoutes)
