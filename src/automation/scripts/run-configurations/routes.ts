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
import { runConfigurationBody, runConfigurationPath, runConfigurationView } from './schema.ts'
import {
  createRunConfiguration,
  deleteRunConfiguration,
  listRunConfigurations,
  readRunConfiguration,
  updateRunConfiguration,
} from './service.ts'

const WRITERS = ['administrator', 'Data_Editor'] as const
const BODY_MAX_BYTES = 2 * 1024 * 1024
const oneAnswer = { 200: ok(runConfigurationView, 'The run configuration.', ['ETag']) }

export const runConfigurationRoutes = new Hono<Env>()
  .get(
    '/scripts/:script/runConfigurations',
    policy({
      summary: 'List the run configurations of a script',
      roles: SCRIPT_READERS,
      answers: { 200: ok(z.array(runConfigurationView), 'The run configurations, by id; at most 100.') },
    }),
    valid('param', scriptPath),
    async (c) => c.json(await listRunConfigurations(c.get('context'), c.req.valid('param').script)),
  )
  .post(
    '/scripts/:script/runConfigurations',
    policy({
      summary: 'Create a run configuration; the first one of a script is its default',
      roles: WRITERS,
      answers: { 201: ok(runConfigurationView, 'The new run configuration.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    valid('param', scriptPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', runConfigurationBody),
    async (c) => {
      const { script } = c.req.valid('param')
      const made = await createRunConfiguration(c.get('context'), script, c.req.valid('json'))
      const location = `${sentPath(c.req)}/${made.view.id}`
      return c.json(made.view, 201, { location, etag: entityTag(made.version) })
    },
  )
  .get(
    '/scripts/:script/runConfigurations/:id',
    policy({
      summary: 'Read a run configuration',
      roles: SCRIPT_READERS,
      answers: oneAnswer,
    }),
    valid('param', runConfigurationPath),
    async (c) => {
      const { script, id } = c.req.valid('param')
      const { view, version } = await readRunConfiguration(c.get('context'), script, id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/scripts/:script/runConfigurations/:id',
      place: runConfigurationPath,
      body: runConfigurationBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace a run configuration; a secret without a value is unchanged',
      noun: 'a run configuration',
      policy: { roles: WRITERS, answers: oneAnswer, refuses: [409, 412] },
      read: (context, { script, id }) => readRunConfiguration(context, script, id),
      write: (context, { script, id }, change) =>
        updateRunConfiguration(context, { ref: script, id }, change),
    }),
  )
  .delete(
    '/scripts/:script/runConfigurations/:id',
    policy({
      summary: 'Delete a run configuration; if it was the default, the oldest other one becomes the default',
      roles: WRITERS,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', runConfigurationPath),
    async (c) => {
      const { script, id } = c.req.valid('param')
      await deleteRunConfiguration(c.get('context'), script, id)
      return c.body(null, 204)
    },
  )
