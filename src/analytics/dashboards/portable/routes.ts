import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import {
  codeBody,
  codeResult,
  codeView,
  exportBody,
  exportView,
  importBody,
  importView,
  urlPath,
} from './schema.ts'
import { exportDashboards, readAsCode } from './service.ts'
import { saveCode } from './service/code.ts'
import { analyzeImport, importDashboards } from './service/import.ts'
import { textOf } from './slots.ts'

const EXPORT_MAX_BYTES = 16 * 1024
const IMPORT_MAX_BYTES = 10 * 1024 * 1024
const CODE_MAX_BYTES = 1024 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }

export const portableRoutes = new Hono<Env>()
  .post(
    '/dashboards/export',
    policy({
      summary: 'Export dashboards with names in the place of ids, and the data queries that they use',
      roles: 'signed-in',
      scope: 'read',
      answers: { 200: ok(exportView, 'The export, with its keys in order.') },
      refuses: [413],
    }),
    jsonBody(EXPORT_MAX_BYTES),
    valid('json', exportBody),
    async (c) =>
      c.body(textOf(await exportDashboards(c.get('context'), c.req.valid('json'))), 200, JSON_TYPE),
  )
  .post(
    '/dashboards/import/analyze',
    policy({
      summary: 'Read the outcome that an import of dashboards would have',
      roles: EDITORS,
      scope: 'read',
      answers: { 200: ok(importView, 'The outcome.') },
    }),
    jsonBody(IMPORT_MAX_BYTES),
    valid('json', importBody),
    async (c) => c.json(await analyzeImport(c.get('context'), c.req.valid('json'))),
  )
  .post(
    '/dashboards/import',
    policy({
      summary: 'Import dashboards, all or none',
      roles: EDITORS,
      answers: { 200: ok(importView, 'The outcome.') },
      refuses: [409],
    }),
    jsonBody(IMPORT_MAX_BYTES),
    valid('json', importBody),
    async (c) => c.json(await importDashboards(c.get('context'), c.req.valid('json'))),
  )
  .get(
    '/dashboards/by-url/:urlName',
    policy({
      summary: 'Read a dashboard as code, with names in the place of ids',
      roles: 'signed-in',
      answers: { 200: ok(codeView, 'The dashboard, with its keys in order.') },
    }),
    valid('param', urlPath),
    async (c) =>
      c.body(textOf(await readAsCode(c.get('context'), c.req.valid('param').urlName)), 200, JSON_TYPE),
  )
  .put(
    '/dashboards/by-url/:urlName',
    policy({
      summary: 'Create or replace a dashboard from its code; equal code changes nothing',
      roles: EDITORS,
      answers: { 200: ok(codeResult, 'The outcome.', ['ETag']) },
      refuses: [409, 412],
    }),
    valid('param', urlPath),
    jsonBody(CODE_MAX_BYTES),
    valid('json', codeBody),
    async (c) => {
      const { urlName } = c.req.valid('param')
      const { result, version } = await saveCode(c.get('context'), urlName, c.req.valid('json'))
      return c.json(result, 200, { etag: entityTag(version) })
    },
  )
