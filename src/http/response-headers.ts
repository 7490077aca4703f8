import { createMiddleware } from 'hono/factory'
import type { Ports } from '../ports/index.ts'
import type { Context } from '../context.ts'
import { sendsSession } from './auth.ts'
import { allowOrigin, preflightOf } from './cors.ts'
import type { Env } from './policy.ts'

/** Since when sending a session id as header or query parameter is deprecated, as RFC 9745 writes it. */
const DEPRECATED = ['deprecation', '@1795219200'] as const
/** A year. */
const SECURE = ['strict-transport-security', 'max-age=31536000'] as const

/** What an answer may do when a browser takes it for a page. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'"

const REQUEST_ID = /^[\w.-]{1,64}$/

/** What surrounds every request: its id, and the header fields that every answer carries. */
export function responseHeaders(ports: Ports) {
  return createMiddleware<Env>(async (c, next) => {
    const requestId = requestIdOf(c.req.raw)
    c.set('ports', ports)
    c.set('requestId', requestId)
    const { raw } = c.req
    const preflight = preflightOf(raw, ports)
    if (preflight) c.res = preflight
    else await next()
    // Not around a delivery's answer, which is numbers: it would cost more than it guards.
    if (!c.res.headers.has('content-security-policy')) c.res.headers.set('content-security-policy', NOTHING)
    if (isStream(c.res.headers)) for (const [name, value] of UNBUFFERED) c.res.headers.set(name, value)
    if (raw.method === 'HEAD') c.res = await withoutBody(c.res)
    addHeaders(c.res.headers, raw, { ports, requestId })
  })
}

/** What keeps proxies from holding events back: nginx buffers answers as it is installed. */
const UNBUFFERED = [
  ['x-accel-buffering', 'no'],
  ['cache-control', 'private, no-cache'],
] as const

function isStream(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** The answer to HEAD: that to GET without its body, and with the length of it (RFC 9110 section 8.6). A stream that goes on
 * has no length. */
async function withoutBody(answer: Response): Promise<Response> {
  const { headers } = answer
  const empty = new Response(null, answer)
  if (headers.has('content-length') || answer.status === 304) return empty
  if (isStream(headers)) {
    await answer.body?.cancel()
    // Without either field hosts say that there are no bytes.
    empty.headers.set('transfer-encoding', 'chunked')
    return empty
  }
  empty.headers.set('content-length', String((await answer.arrayBuffer()).byteLength))
  return empty
}

/** The id that the sender gave the request, or one of our own. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
}

/** What every answer carries, unless its route says otherwise. */
const STEADY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
} as const

type Around = Pick<Context, 'ports' | 'requestId'>

/** Adds what every answer carries to its header fields. */
export function addHeaders(headers: Headers, request: Request, { ports, requestId }: Around): void {
  headers.set('x-request-id', requestId)
  // A route that says otherwise, as of what everybody may keep, is not contradicted.
  for (const [name, value] of Object.entries(STEADY)) if (!headers.has(name)) headers.set(name, value)
  if (isSecure(request)) headers.set(...SECURE)
  if (sendsSession(request, ports)) headers.set(...DEPRECATED)
  if (ports.settings.corsAllowedOrigins.size > 0) allowOrigin(headers, request, ports)
}

/** Fields of answers, without and with each of two. An answer copies one list: to set them anew takes longer. */
const PLAIN = [
  [fieldsWith(), fieldsWith(DEPRECATED)],
  [fieldsWith(SECURE), fieldsWith(SECURE, DEPRECATED)],
] as const

function fieldsWith(...others: readonly (readonly [string, string])[]): Headers {
  return new Headers({ ...STEADY, 'content-type': 'application/json', ...Object.fromEntries(others) })
}

/** A good answer of JSON text, in the same surroundings. */
export function jsonResponse(json: string, request: Request, { ports, requestId }: Around): Response {
  const fields = PLAIN[isSecure(request) ? 1 : 0][sendsSession(request, ports) ? 1 : 0]
  fields.set('x-request-id', requestId)
  const response = new Response(json, { headers: fields })
  if (ports.settings.corsAllowedOrigins.size > 0) allowOrigin(response.headers, request, ports)
  return response
}

function isSecure({ url }: Request): boolean {
  return url.startsWith('https:')
}
