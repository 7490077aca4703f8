import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { noContent, ok, sentPath } from '../../../http/openapi-answers.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { replacing } from '../../../http/updates.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { scriptPath } from '../schema.ts'
import {
  nextRunsQuery,
  nextRunsView,
  scheduleConfigurationBody,
  scheduleConfigurationPath,
  scheduleConfigurationView,
} from './schema.ts'
import {
  createSchedule,
  deleteSchedule,
  listNextRuns,
  listSchedules,
  readSchedule,
  updateSchedule,
} from './service.ts'

const WRITERS = ['administrator', 'Data_Editor'] as const
const BODY_MAX_BYTES = 64 * 1024
const oneAnswer = { 200: ok(scheduleConfigurationView, 'The schedule.', ['ETag']) }

export const scheduleRoutes = new Hono<Env>()
  .get(
    '/scripts/:script/scheduleConfigurations',
    policy({
      summary: 'List the schedules of a script',
      roles: SCRIPT_READERS,
      answers: { 200: ok(z.array(scheduleConfigurationView), 'The schedules, by id; at most 100.') },
    }),
    valid('param', scriptPath),
    async (c) => c.json(await listSchedules(c.get('context'), c.req.valid('param').script)),
  )
  .post(
    '/scripts/:script/scheduleConfigurations',
    policy({
      summary: 'Create a schedule that runs a script as the caller',
      roles: WRITERS,
      answers: { 201: ok(scheduleConfigurationView, 'The new schedule.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    valid('param', scriptPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', scheduleConfigurationBody),
    async (c) => {
      const { script } = c.req.valid('param')
      const made = await createSchedule(c.get('context'), script, c.req.valid('json'))
      const location = `${sentPath(c.req)}/${made.view.id}`
      return c.json(made.view, 201, { location, etag: entityTag(made.version) })
    },
  )
  .get(
    '/scripts/:script/scheduleConfigurations/next',
    policy({
      summary: 'List the next five times of a cron expression, before a schedule is saved',
      roles: SCRIPT_READERS,
      answers: { 200: ok(nextRunsView, 'The next times.') },
    }),
    valid('param', scriptPath),
    valid('query', nextRunsQuery),
    async (c) => {
      const { script } = c.req.valid('param')
      return c.json(await listNextRuns(c.get('context'), script, c.req.valid('query')))
    },
  )
  .get(
    '/scripts/:script/scheduleConfigurations/:id',
    policy({
      summary: 'Read a schedule of a script',
      roles: SCRIPT_READERS,
      answers: oneAnswer,
    }),
    valid('param', scheduleConfigurationPath),
    async (c) => {
      const { script, id } = c.req.valid('param')
      const { view, version } = await readSchedule(c.get('context'), script, id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/scripts/:script/scheduleConfigurations/:id',
      place: scheduleConfigurationPath,
      body: scheduleConfigurationBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace a schedule; from then on it runs as the caller',
      noun: 'a schedule configuration',
      policy: { roles: WRITERS, answers: oneAnswer, refuses: [409, 412] },
      read: (context, { script, id }) => readSchedule(context, script, id),
      write: (context, { script, id }, change) => updateSchedule(context, { ref: script, id }, change),
    }),
  )
  .delete(
    '/scripts/:script/scheduleConfigurations/:id',
    policy({
      summary: 'Delete a schedule',
      roles: WRITERS,
      answers: { 204: noContent },
      refuses: [412],
    }),
    valid('param', scheduleConfigurationPath),
    async (c) => {
      const { script, id } = c.req.valid('param')
      await deleteSchedule(c.get('context'), script, id)
      return c.body(null, 204)
    },
  )
