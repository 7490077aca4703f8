import { Hono } from 'hono'
import * as z from 'zod'
import { bodyChunks, tooLarge } from '../../http/bytes.ts'
import { idPath, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { operationView, waitQuery } from '../../operations/work/schema.ts'
import { acceptedResponse, runWork } from '../../operations/work/service.ts'
import { UPLOAD_MAX_BYTES } from '../uploads/service.ts'
import { importBody, importView, previewBody, previewView, uploadPath, uploadView } from './schema.ts'
import { importFile, previewImport, uploadFile } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const administering = { roles: ADMINISTRATOR, scope: 'administration' } as const
const accepted = ok(operationView, 'The operation that does the work, after the wait.', [
  'Location',
  'Retry-After',
])
const wait = z.object({ wait: waitQuery('How long to wait for the end; absent for as long as it takes.') })

export const importRoutes = new Hono<Env>()
  .post(
    '/dataSources/:id/uploads',
    policy({
      summary: 'Upload a file to import, sent as the body; it is stored for a day',
      ...administering,
      takes: { media: { '*/*': 'bytes' }, encodings: ['identity'] },
      answers: { 201: ok(uploadView, 'The upload.') },
      refuses: [409],
    }),
    valid('param', idPath),
    async (c) => {
      const request = c.req.raw
      const refusal = tooLarge(UPLOAD_MAX_BYTES)
      if (Number(request.headers.get('content-length') ?? 0) > UPLOAD_MAX_BYTES) throw refusal
      const chunks = bodyChunks(request, UPLOAD_MAX_BYTES, refusal)
      return c.json(await uploadFile(c.get('context'), c.req.valid('param').id, chunks), 201)
    },
  )
  .post(
    '/dataSources/:id/uploads/:upload/preview',
    policy({
      summary: 'Read a whole upload and find the types of its columns, without importing it',
      ...administering,
      answers: { 200: ok(previewView, 'The columns, with warnings and faults.'), 202: accepted },
      refuses: [409, 422],
    }),
    valid('query', wait),
    valid('param', uploadPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', previewBody),
    async (c) => {
      const context = c.get('context')
      const [place, body] = [c.req.valid('param'), c.req.valid('json')]
      const { wait: waitMs = null } = c.req.valid('query')
      const order = { kind: 'preview', subject: `/dataSources/${place.id}`, waitMs }
      const outcome = await runWork(context, order, (work) => previewImport(context, place, { body, work }))
      if (!outcome.isDone) return acceptedResponse(outcome.operation, context.ports)
      return c.json(outcome.result)
    },
  )
  .post(
    '/dataSources/:id/import',
    policy({
      summary: 'Import an upload into a table',
      ...administering,
      answers: {
        200: ok(importView, 'The table, whose rows were replaced.'),
        201: ok(importView, 'The new table.'),
        202: accepted,
      },
      refuses: [409, 422],
    }),
    valid('param', idPath),
    valid('query', wait),
    jsonBody(BODY_MAX_BYTES),
    valid('json', importBody),
    async (c) => {
      const context = c.get('context')
      const [{ id }, body] = [c.req.valid('param'), c.req.valid('json')]
      const { wait: waitMs = null } = c.req.valid('query')
      let isNew = false
      const order = { kind: 'import', subject: `/dataSources/${id}`, waitMs }
      const outcome = await runWork(context, order, async (work) => {
        const imported = await importFile(context, id, { body, work })
        isNew = imported.isNew
        return imported.result
      })
      if (!outcome.isDone) return acceptedResponse(outcome.operation, context.ports)
      return c.json(outcome.result, isNew ? 201 : 200)
    },
  )
