import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../access/rights/permissions.ts'
import { flagQuery, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { nextLink, pageOrWhole } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { RUN_TYPES } from './accepted-files.ts'
import { treeRoutes } from './files/routes.ts'
import { groupRoutes } from './groups/routes.ts'
import { runConfigurationRoutes } from './run-configurations/routes.ts'
import { scheduleRoutes } from './schedule-configurations/routes.ts'
import { LIMIT_MAX, listQuery, scriptBody, scriptPath, scriptView } from './schema.ts'
import { settingsRoutes } from './settings/routes.ts'
import { createScript, deleteScript, listScripts, readScript, updateScript } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const oneScript = { 200: ok(scriptView, 'The script.', ['ETag']) }

/** Fixed segments that a script's name may equal come before the name. */
export const scriptRoutes = new Hono<Env>()
  .route('/', groupRoutes)
  .get(
    '/scripts/mimetypes',
    policy({
      summary: 'List the MIME types of files that a run can get',
      roles: 'signed-in',
      answers: { 200: ok(z.array(z.enum(RUN_TYPES)), 'All MIME types; a script accepts some of them.') },
    }),
    (c) => c.json([...RUN_TYPES]),
  )
  .get(
    '/scripts',
    policy({
      summary: 'List scripts',
      roles: SCRIPT_READERS,
      answers: { 200: ok(z.array(scriptView), 'The scripts, by name.', ['Link']) },
    }),
    valid('query', listQuery),
    async (c) => {
      const { groupId, ...page } = c.req.valid('query')
      const { items, next } = await pageOrWhole(page, LIMIT_MAX, (one) =>
        listScripts(c.get('context'), { groupId, ...one }),
      )
      return c.json(items, 200, nextLink(c, next))
    },
  )
  .post(
    '/scripts',
    policy({
      summary: 'Create a script without files',
      roles: ADMINISTRATOR,
      answers: { 201: ok(scriptView, 'The new script.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', scriptBody),
    async (c) => {
      const { view, version } = await createScript(c.get('context'), c.req.valid('json'))
      const headers = { location: `${c.req.path}/${view.id}`, etag: entityTag(version) }
      return c.json(view, 201, headers)
    },
  )
  .get(
    '/scripts/:script',
    policy({ summary: 'Read a script, by id or name', roles: SCRIPT_READERS, answers: oneScript }),
    valid('param', scriptPath),
    async (c) => {
      const { view, version } = await readScript(c.get('context'), c.req.valid('param').script)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/scripts/:script',
      place: scriptPath,
      body: scriptBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace the settings of a script',
      noun: 'a script',
      policy: { roles: ADMINISTRATOR, answers: oneScript, refuses: [409, 412] },
      read: (context, { script }) => readScript(context, script),
      write: (context, { script }, change) => updateScript(context, script, change),
    }),
  )
  .delete(
    '/scripts/:script',
    policy({
      summary: 'Delete a script with its files, configurations and runs',
      roles: ADMINISTRATOR,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', scriptPath),
    valid('query', z.object({ forceDelete: flagQuery.default(false) })),
    async (c) => {
      const isForced = c.req.valid('query').forceDelete
      await deleteScript(c.get('context'), c.req.valid('param').script, { isForced })
      return c.body(null, 204)
    },
  )
  .route('/', settingsRoutes)
  .route('/', treeRoutes)
  .route('/', runConfigurationRoutes)
  .route('/', scheduleRoutes)
