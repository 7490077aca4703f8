import { Hono } from 'hono'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { exportBody, exportView, importBody, importQuery, importView } from './schema.ts'
import { CONFIGURATION_MAX_BYTES, exportConfiguration, importConfiguration } from './service.ts'

const EXPORT_MAX_BYTES = 64 * 1024
const administering = { roles: ADMINISTRATOR, scope: 'administration' } as const

export const configurationRoutes = new Hono<Env>()
  .post(
    '/dataSources/export',
    policy({
      ...administering,
      summary: 'Export the configuration of data sources, without passwords',
      answers: { 200: ok(exportView, 'The data sources, by name, with their notes and scopes.') },
    }),
    jsonBody(EXPORT_MAX_BYTES),
    valid('json', exportBody),
    async (c) => c.json(await exportConfiguration(c.get('context'), c.req.valid('json').ids)),
  )
  .post(
    '/dataSources/import',
    policy({
      ...administering,
      summary: 'Import the configuration of data sources, all of them or none',
      answers: { 200: ok(importView, 'The data sources that were created or replaced.') },
      refuses: [409],
    }),
    valid('query', importQuery),
    jsonBody(CONFIGURATION_MAX_BYTES),
    valid('json', importBody),
    async (c) => {
      const isOverwriting = c.req.valid('query').overwrite
      return c.json(await importConfiguration(c.get('context'), c.req.valid('json'), { isOverwriting }))
    },
  )
