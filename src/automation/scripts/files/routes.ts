import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { dispositionOf } from '../../../content/files/filename.ts'
import { noContent, ok, sentPath } from '../../../http/openapi-answers.ts'
import { readBytes } from '../../../http/bytes.ts'
import { requireTag } from '../../../http/preconditions.ts'
import { whileHeld } from '../../../http/body-budget.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { answerStored, FILE_ANSWERS, fileHeaders } from '../../../http/file-response.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { Refusal } from '../../../lib/errors.ts'
import { nameOf } from '../path.ts'
import { scriptPath } from '../schema.ts'
import { FILE_MAX_BYTES } from '../tree.ts'
import { directoryQuery, entryView, moveBody, PATH_SAID, treePath } from './schema.ts'
import { deleteFromTree, listTree, makeDirectory, moveInTree, readTreeFile, saveTreeFile } from './service.ts'

/** Files that run may get the session of an administrator. */
const WRITERS = ['administrator'] as const
const BODY_MAX_BYTES = 64 * 1024

export const treeRoutes = new Hono<Env>()
  .get(
    '/scripts/:script/files',
    policy({
      summary: 'List the files and directories of a script',
      roles: SCRIPT_READERS,
      answers: { 200: ok(z.array(entryView), 'The files and directories, by path.') },
    }),
    valid('param', scriptPath),
    async (c) => c.json(await listTree(c.get('context'), c.req.valid('param').script)),
  )
  .post(
    '/scripts/:script/files/move',
    policy({
      summary: 'Move a file, or a directory with its content',
      roles: WRITERS,
      answers: { 200: ok(z.array(entryView), 'The moved files and directories, with their new paths.') },
      refuses: [409],
    }),
    valid('param', scriptPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', moveBody),
    async (c) => c.json(await moveInTree(c.get('context'), c.req.valid('param').script, c.req.valid('json'))),
  )
  .get(
    '/scripts/:script/files/:path{.+}',
    policy({
      summary: 'Download a file of a script',
      roles: SCRIPT_READERS,
      answers: FILE_ANSWERS,
      refuses: [416],
    }),
    valid('param', treePath),
    async (c) => {
      const { script, path } = c.req.valid('param')
      const { file, open } = await readTreeFile(c.get('context'), script, path)
      const headers = fileHeaders(file.mimeType, dispositionOf(nameOf(path), false))
      const stored = { etag: tagOf(file.sha256), sizeBytes: file.size, open }
      return answerStored(c.req.raw, stored, { headers, requestId: c.get('requestId') })
    },
  )
  .put(
    '/scripts/:script/files/:path{.+}',
    policy({
      summary: 'Create or replace a file of a script',
      roles: WRITERS,
      takes: { media: { '*/*': 'bytes' }, encodings: ['identity'] },
      answers: {
        200: ok(entryView, 'The file, which replaced one with the same path.', ['ETag']),
        201: ok(entryView, 'The new file.', ['Location', 'ETag']),
      },
      refuses: [404, 409, 412, 422],
    }),
    valid('param', treePath),
    async (c) => {
      const { script, path } = requirePath(c.req.valid('param'))
      const condition = (sha256: string | null) =>
        requireTag(c.req.raw, sha256 === null ? null : tagOf(sha256))
      const { file, isNew } = await withBytes(c.req.raw, (bytes) =>
        saveTreeFile(c.get('context'), script, { path, bytes, condition }),
      )
      const etag = tagOf(file.sha256)
      return isNew ? c.json(file, 201, { etag, location: sentPath(c.req) }) : c.json(file, 200, { etag })
    },
  )
  .post(
    '/scripts/:script/files/:path{.+}',
    policy({
      summary: 'Create a directory of a script',
      roles: WRITERS,
      answers: {
        200: ok(entryView, 'The directory, which existed already.'),
        201: ok(entryView, 'The new directory.', ['Location']),
      },
      refuses: [409],
    }),
    valid('param', treePath),
    valid('query', directoryQuery),
    async (c) => {
      const { script, path } = requirePath(c.req.valid('param'))
      const { directory, isNew } = await makeDirectory(c.get('context'), script, path)
      return isNew ? c.json(directory, 201, { location: sentPath(c.req) }) : c.json(directory, 200)
    },
  )
  .delete(
    '/scripts/:script/files/:path{.+}',
    policy({
      summary: 'Delete a file, or a directory with its content',
      roles: WRITERS,
      answers: { 204: noContent },
      refuses: [412],
    }),
    valid('param', treePath),
    async (c) => {
      const { script, path } = c.req.valid('param')
      const condition = (sha256: string | null) =>
        requireTag(c.req.raw, sha256 === null ? null : tagOf(sha256))
      await deleteFromTree(c.get('context'), script, { path, condition })
      return c.body(null, 204)
    },
  )

function tagOf(sha256: string): string {
  return `"${sha256}"`
}

function requirePath(asked: { script: string; path: string }) {
  if (asked.path !== '') return asked
  throw new Refusal('invalid', 'The path is invalid; see errors.', [
    { pointer: '{path}', message: PATH_SAID },
  ])
}

/** Calls a function with the bytes of a body, which counts among the bodies in memory until the function is done. */
function withBytes<Result>(
  request: Request,
  use: (bytes: Uint8Array<ArrayBuffer>) => Promise<Result>,
): Promise<Result> {
  const { headers } = request
  const sizeBytes = Math.min(Number(headers.get('content-length') ?? FILE_MAX_BYTES), FILE_MAX_BYTES)
  return whileHeld(sizeBytes, async () => use(await readBytes(request, FILE_MAX_BYTES)))
}
