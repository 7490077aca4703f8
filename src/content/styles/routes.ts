import { Hono } from 'hono'
import * as z from 'zod'
import { noContent, ok } from '../../http/openapi-answers.ts'
import { readBytes } from '../../http/bytes.ts'
import { isFresh } from '../../http/preconditions.ts'
import { refuseCharset } from '../../http/encoding.ts'
import { whileHeld } from '../../http/body-budget.ts'
import { policy } from '../../http/policy.ts'
import type { Answer, BytesBody, Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { requireFilename } from '../files/filename.ts'
import { filePath } from '../files/schema.ts'
import { styleView } from './schema.ts'
import {
  createStyle,
  deleteStyle,
  listStyles,
  PUBLIC_STYLE,
  readPublicStyle,
  readStyle,
  replaceStyle,
  STYLE_MAX_BYTES,
} from './service.ts'
import type { Style } from './service.ts'

const TYPES: readonly string[] = ['text/css', 'text/plain']
const takes: BytesBody = { media: { 'text/css': 'bytes', 'text/plain': 'bytes' }, encodings: ['identity'] }
const text: Readonly<Record<number, Answer>> = {
  200: { description: 'The text of the style.', media: 'text/css', headers: ['ETag'] },
  304: { description: 'Not modified.' },
}

export const styleRoutes = new Hono<Env>()
  .get(
    '/styles',
    policy({
      summary: 'List styles',
      roles: 'signed-in',
      answers: { 200: ok(z.array(styleView), 'The styles, by name.') },
    }),
    async (c) => c.json(await listStyles(c.get('context'))),
  )
  .get(
    `/styles/${PUBLIC_STYLE}`,
    policy({
      summary: 'Read the public style; empty and without an `ETag` before one is stored',
      roles: 'anyone',
      ignoresUnknownQuery: true,
      answers: text,
    }),
    async (c) => answerStyle(c.req.raw, await readPublicStyle(c.get('context')), 'public, max-age=60'),
  )
  .get(
    '/styles/:filename',
    policy({ summary: 'Read the text of a style', roles: 'signed-in', answers: text }),
    valid('param', filePath),
    async (c) => {
      const style = await readStyle(c.get('context'), c.req.valid('param').filename)
      return answerStyle(c.req.raw, style, 'private, no-cache')
    },
  )
  .post(
    '/styles/:filename',
    policy({
      summary: 'Create a style',
      roles: ADMINISTRATOR,
      takes,
      answers: { 201: ok(styleView, 'The new style.', ['Location', 'ETag']) },
      refuses: [409, 422],
    }),
    valid('param', filePath),
    async (c) => {
      const name = requireFilename(c.req.valid('param').filename)
      const style = await withText(c.req.raw, (bytes) => createStyle(c.get('context'), name, bytes))
      return c.json(style, 201, { location: style.url, etag: style.etag })
    },
  )
  .put(
    '/styles/:filename',
    policy({
      summary: 'Create or replace a style',
      roles: ADMINISTRATOR,
      takes,
      answers: {
        200: ok(styleView, 'The style, which replaced one with the same name.', ['ETag']),
        201: ok(styleView, 'The new style.', ['Location', 'ETag']),
      },
      refuses: [409, 412, 422],
    }),
    valid('param', filePath),
    async (c) => {
      const name = requireFilename(c.req.valid('param').filename)
      const { style, isNew } = await withText(c.req.raw, (bytes) =>
        replaceStyle(c.get('context'), name, bytes),
      )
      const { etag, url: location } = style
      return isNew ? c.json(style, 201, { location, etag }) : c.json(style, 200, { etag })
    },
  )
  .delete(
    '/styles/:filename',
    policy({ summary: 'Delete a style', roles: ADMINISTRATOR, answers: { 204: noContent }, refuses: [412] }),
    valid('param', filePath),
    async (c) => {
      await deleteStyle(c.get('context'), c.req.valid('param').filename)
      return c.body(null, 204)
    },
  )

/** Answers the text of a style as CSS, also a text that is not CSS. A missing style has no tag, since no change could demand the tag. */
function answerStyle(request: Request, style: Style | null, cacheControl: string): Response {
  const headers = { 'cache-control': cacheControl, 'content-type': 'text/css; charset=utf-8' }
  if (!style) return new Response('', { headers })
  const { etag } = style.view
  const tagged = { headers: { ...headers, etag } }
  return isFresh(request, etag)
    ? new Response(null, { status: 304, ...tagged })
    : new Response(style.text, tagged)
}

function withText<Result>(request: Request, run: (bytes: Uint8Array) => Promise<Result>): Promise<Result> {
  const header = request.headers.get('content-type') ?? ''
  if (!TYPES.includes(header.split(';', 1)[0]?.trim().toLowerCase() ?? ''))
    throw new Refusal('unsupported_media_type', 'Send the style as text/css or text/plain.')
  refuseCharset(header)
  const sizeBytes = Number(request.headers.get('content-length') ?? STYLE_MAX_BYTES)
  return whileHeld(Math.min(sizeBytes, STYLE_MAX_BYTES), async () =>
    run(await readBytes(request, STYLE_MAX_BYTES)),
  )
}
