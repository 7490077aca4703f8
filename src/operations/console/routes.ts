import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import * as z from 'zod'
import { policy } from '../../http/policy.ts'
import type { Answer, Env } from '../../http/policy.ts'
import { isFresh } from '../../http/preconditions.ts'
import { valid } from '../../http/valid.ts'
import type { ConsoleAsset } from '../../ports/console-assets.ts'
import { isFile, readAsset, readPage } from './service.ts'

/** The console loads files of this host alone, and no other page frames it. Previews are blobs and data. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** A list of codings with gzip, whose weight is not zero. */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

/** Screens whose path is a secret: no search engine lists them, and no other site learns their address. */
const SECRET = 'public/'
const UNLISTED = { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

const consolePath = z.object({ path: z.string().max(1024) })
const answers: Readonly<Record<number, Answer>> = {
  200: { description: 'The page.', media: 'text/html', headers: ['ETag'] },
  304: { description: 'Not modified.' },
}

export const consoleRoutes = new Hono<Env>()
  .get(
    '/ui/',
    policy({ summary: 'Read the web console', roles: 'anyone', ignoresUnknownQuery: true, answers }),
    (c) => answerPage(c, 'console'),
  )
  .get(
    '/docs',
    policy({
      summary: 'Read the reference of this API as a page',
      roles: 'anyone',
      ignoresUnknownQuery: true,
      answers,
    }),
    (c) => answerPage(c, 'reference'),
  )
  .get(
    '/ui/:path{.+}',
    policy({
      summary: 'Read a screen of the web console, or one of its files',
      roles: 'anyone',
      ignoresUnknownQuery: true,
      answers: {
        ...answers,
        200: { ...answers[200], description: 'The page, or the file.', alsoMedia: ['*/*'] },
      },
    }),
    valid('param', consolePath),
    async (c) => {
      const { path } = c.req.valid('param')
      if (!isFile(path)) return answerPage(c, 'console', path.startsWith(SECRET) ? UNLISTED : {})
      return answerFile(c.req.raw, await readAsset(c.get('context'), path))
    },
  )

/** The console is the same page for every screen: the script in it draws the screen of its address. */
async function answerPage(
  c: HonoContext<Env>,
  name: 'console' | 'reference',
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { html, etag } = await readPage(c.get('context'), name)
  const headers = { etag, 'cache-control': 'no-cache', 'content-security-policy': POLICY, ...more }
  if (isFresh(c.req.raw, etag)) return new Response(null, { status: 304, headers })
  return c.html(html, 200, headers)
}

/** A file that browsers and proxies may keep for a year. */
function answerFile(request: Request, { body, gzip, type }: ConsoleAsset): Response {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }
  if (gzip === null) return new Response(body, { headers })
  const varied = { ...headers, vary: 'accept-encoding' }
  return TAKES_GZIP.test(request.headers.get('accept-encoding') ?? '')
    ? new Response(gzip, { headers: { ...varied, 'content-encoding': 'gzip' } })
    : new Response(body, { headers: varied })
}
