import { Hono } from 'hono'
import * as z from 'zod'
import { noContent, ok } from '../../http/openapi-answers.ts'
import { bodyChunks, tooLarge } from '../../http/bytes.ts'
import { nextLink, pageOrWhole } from '../../http/paging.ts'
import { forcedQuery } from '../../http/object-routes.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { answerStored, FILE_ANSWERS, fileHeaders } from '../../http/file-response.ts'
import { valid } from '../../http/valid.ts'
import { dispositionOf, requireFilename } from './filename.ts'
import { isShown } from './mime-types.ts'
import { boundaryOf, readFilePart } from './multipart.ts'
import { filePath, fileView, LIMIT_MAX, listQuery } from './schema.ts'
import { deleteFile, FILE_MAX_BYTES, listFiles, readFile, saveFile } from './service.ts'

/** The fields of a form beside its file. */
const FORM_MAX_BYTES = 64 * 1024

export const fileRoutes = new Hono<Env>()
  .get(
    '/files',
    policy({
      summary: 'List files',
      roles: 'signed-in',
      answers: { 200: ok(z.array(fileView), 'The files, by name.', ['Link']) },
    }),
    valid('query', listQuery),
    async (c) => {
      const { items, next } = await pageOrWhole(c.req.valid('query'), LIMIT_MAX, (page) =>
        listFiles(c.get('context'), page),
      )
      return c.json(items, 200, nextLink(c, next))
    },
  )
  .get(
    '/files/:filename',
    policy({
      summary: 'Download a file',
      roles: 'signed-in',
      answers: FILE_ANSWERS,
      refuses: [416],
    }),
    valid('param', filePath),
    async (c) => {
      const { file, open } = await readFile(c.get('context'), c.req.valid('param').filename)
      const headers = fileHeaders(file.mimeType, dispositionOf(file.name, isShown(file.mimeType)))
      const stored = { etag: file.etag, sizeBytes: file.size, open }
      return answerStored(c.req.raw, stored, { headers, requestId: c.get('requestId') })
    },
  )
  .post(
    '/files/:filename',
    policy({
      summary: 'Create or replace a file, sent as the body or as the one file of a form',
      roles: ADMINISTRATOR,
      takes: { media: { '*/*': 'bytes', 'multipart/form-data': 'bytes' }, encodings: ['identity'] },
      answers: {
        200: ok(fileView, 'The file, which replaced one with the same name.', ['ETag']),
        201: ok(fileView, 'The new file.', ['Location', 'ETag']),
      },
      refuses: [409, 422],
    }),
    valid('param', filePath),
    async (c) => {
      const name = requireFilename(c.req.valid('param').filename)
      const { file, isNew } = await saveFile(c.get('context'), { name, ...(await contentOf(c.req.raw)) })
      const headers = { etag: file.etag, location: file.url }
      return isNew ? c.json(file, 201, headers) : c.json(file, 200, { etag: file.etag })
    },
  )
  .delete(
    '/files/:filename',
    policy({
      summary: 'Delete a file',
      roles: ADMINISTRATOR,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', filePath),
    valid('query', forcedQuery),
    async (c) => {
      await deleteFile(c.get('context'), c.req.valid('param').filename)
      return c.body(null, 204)
    },
  )

async function contentOf(request: Request) {
  const { headers } = request
  const type = headers.get('content-type')
  const boundary = boundaryOf(type)
  const sizeMaxBytes = FILE_MAX_BYTES + (boundary === null ? 0 : FORM_MAX_BYTES)
  if (Number(headers.get('content-length') ?? 0) > sizeMaxBytes) throw tooLarge(FILE_MAX_BYTES)
  const chunks = bodyChunks(request, sizeMaxBytes, tooLarge(FILE_MAX_BYTES))
  return boundary === null ? { type, chunks } : readFilePart(chunks, boundary)
}
