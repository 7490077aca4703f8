import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { Ports } from '../ports/index.ts'
import type { Context } from '../context.ts'
import { sendsSession } from './credentials.ts'
import { allowOrigin, preflightOf } from './cors.ts'
import type { Authenticators, Env } from './policy.ts'
import { noteRoute } from './tracing.ts'

/** Since when sending a session id as header or query parameter is deprecated, as RFC 9745 writes it. */
export const DEPRECATED = ['deprecation', '@1795219200'] as const
/** A year. */
export const SECURE = ['strict-transport-security', 'max-age=31536000'] as const

/** The content security policy of an answer that a browser opens as a page. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'"

/** The challenge for a script of a page. Browsers answer `Basic` with a dialog of their own, and the script waits for it. */
const BEARER = 'Bearer realm="Tidemark"'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** The outermost middleware: gives each request its id, ports and authenticators, and each answer the common header fields. */
export function responseHeaders(ports: Ports, authenticators: Authenticators) {
  return createMiddleware<Env>(async (c, next) => {
    const requestId = requestIdOf(c.req.raw)
    c.set('ports', ports)
    c.set('authenticators', authenticators)
    c.set('requestId', requestId)
    const { raw } = c.req
    const preflight = preflightOf(raw, ports)
    if (preflight) c.res = preflight
    else await next()
    if (ports.traces) noteRoute(raw, routePath(c, -1))
    // Not around a delivery's answer, which is numbers: it would cost more than it guards.
    if (!c.res.headers.has('content-security-policy')) c.res.headers.set('content-security-policy', NOTHING)
    if (isStream(c.res.headers)) for (const [name, value] of UNBUFFERED) c.res.headers.set(name, value)
    if (c.res.status === 401 && isFromScript(raw)) c.res.headers.set('www-authenticate', BEARER)
    if (raw.method === 'HEAD') c.res = await withoutBody(c.res)
    addHeaders(c.res.headers, raw, { ports, requestId })
  })
}

/** Turns off the buffering of proxies for events: nginx buffers answers by default. */
const UNBUFFERED = [
  ['x-accel-buffering', 'no'],
  ['cache-control', 'private, no-cache'],
] as const

/** Whether a script of a page sent the request, by the Fetch Metadata of browsers. */
function isFromScript(request: Request): boolean {
  const mode = request.headers.get('sec-fetch-mode')
  return mode === 'cors' || mode === 'same-origin'
}

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

/** The headers of every answer, unless its route sets others. */
export const STEADY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
} as const

type Around = Pick<Context, 'ports' | 'requestId'>

/** Adds what every answer carries to its header fields. */
export function addHeaders(headers: Headers, request: Request, { ports, requestId }: Around): void {
  headers.set('x-request-id', requestId)
  // The fields that a route has set stay, such as `cache-control` of an answer that caches may store.
  for (const [name, value] of Object.entries(STEADY)) if (!headers.has(name)) headers.set(name, value)
  if (isSecure(request)) headers.set(...SECURE)
  if (sendsSession(request, ports)) headers.set(...DEPRECATED)
  if (ports.settings.corsAllowedOrigins.size > 0) allowOrigin(headers, request, ports)
}

export function isSecure({ url }: Request): boolean {
  return url.startsWith('https:')
}
