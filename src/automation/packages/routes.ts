import { Hono } from 'hono'
import type * as z from 'zod'
import { dispositionOf } from '../../content/files/filename.ts'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, parsed, valid } from '../../http/valid.ts'
import { streamOf } from '../../lib/chunks.ts'
import type { Context } from '../../context.ts'
import {
  analysisView,
  analyzeFields,
  analyzeForm,
  exportBody,
  groupPath,
  uploadFields,
  uploadForm,
  uploadView,
} from './schema.ts'
import { analyzePackage, importPackage, requireGroup } from './service.ts'
import { exportScripts } from './service/export.ts'
import { withForm } from './service/upload.ts'

const BODY_MAX_BYTES = 64 * 1024
const forms = (form: z.ZodType) =>
  ({ media: { 'multipart/form-data': form }, encodings: ['identity'] }) as const
const uploads = {
  200: ok(uploadView, 'All scripts were imported.'),
  207: ok(uploadView, 'Some scripts were imported, others were not.'),
}

export const packageRoutes = new Hono<Env>()
  .post(
    '/scripts/export',
    policy({
      summary: 'Export scripts as an archive of archives, without secrets',
      roles: ADMINISTRATOR,
      scope: 'read',
      answers: {
        200: { description: 'The archive.', media: 'application/zip', headers: ['Content-Disposition'] },
      },
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', exportBody),
    async (c) => {
      const { name, chunks } = await exportScripts(c.get('context'), c.req.valid('json'))
      return c.body(streamOf(chunks), 200, {
        'content-type': 'application/zip',
        'content-disposition': dispositionOf(name, false),
      })
    },
  )
  .post(
    '/scripts/groups/:groupId/analyze-zip',
    policy({
      summary: 'Analyze an archive of scripts without importing it',
      roles: ADMINISTRATOR,
      scope: 'read',
      takes: forms(analyzeForm),
      answers: { 200: ok(analysisView, 'The scripts in the archive.') },
      refuses: [404, 422],
    }),
    valid('param', groupPath),
    async (c) => {
      const context = c.get('context')
      await requireGroup(context, c.req.valid('param').groupId)
      const view = await withForm(context.ports, c.req.raw, ({ fields, ...sent }) =>
        analyzePackage(context, sent, parsed(analyzeFields, fields).readMetadata),
      )
      return c.json(view)
    },
  )
  .post(
    '/scripts/groups/:groupId/upload-zip',
    policy({
      summary: 'Import scripts from an archive into a group; an overwritten script stays in its group',
      roles: ADMINISTRATOR,
      takes: forms(uploadForm),
      answers: uploads,
      refuses: [404, 409, 422],
    }),
    valid('param', groupPath),
    async (c) => {
      const context = c.get('context')
      const { groupId } = c.req.valid('param')
      await requireGroup(context, groupId)
      const view = await upload(context, c.req.raw, groupId)
      return c.json(view, view.errors.length === 0 ? 200 : 207)
    },
  )
  .post(
    '/scripts/upload-zip',
    policy({
      summary:
        'Import scripts from an archive, each into the group that its archive names, or into `Default`',
      roles: ADMINISTRATOR,
      takes: forms(uploadForm),
      answers: uploads,
      refuses: [404, 409, 422],
    }),
    async (c) => {
      const view = await upload(c.get('context'), c.req.raw, null)
      return c.json(view, view.errors.length === 0 ? 200 : 207)
    },
  )

function upload(context: Context, request: Request, groupId: number | null) {
  return withForm(context.ports, request, ({ fields, ...sent }) =>
    importPackage(context, sent, { ...parsed(uploadFields, fields), groupId }),
  )
}
