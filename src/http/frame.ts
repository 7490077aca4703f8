import { createMiddleware } from 'hono/factory'
import type { Ports } from '../ports/index.ts'
import type { Context } from '../context.ts'
import { sendsSession } from './auth.ts'
import { allowOrigin, preflightOf } from './cors.ts'
import type { Env } from './policy.ts'

/** When sending a session id as header or query parameter was deprecated, as RFC 9745 writes it. */
const DEPRECATED = '@1795219200'

/** What an answer may do when a browser takes it for a page. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'"
const ONE_YEAR = 'max-age=31536000'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** What surrounds every request: its id, and the header fields that every answer carries. */
export function frame(ports: Ports) {
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
    surround(c.res.headers, raw, { ports, requestId, isSteady: false })
  })
}

/** The id that the sender gave the request, or one of our own. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
}

/** What every answer carries, unless its route says otherwise. */
export const STEADY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Adds what every answer carries to its header fields; `isSteady` where they have what is steady. */
export function surround(
  headers: Headers,
  request: Request,
  { ports, requestId, isSteady }: Pick<Context, 'ports' | 'requestId'> & { readonly isSteady: boolean },
): void {
  headers.set('x-request-id', requestId)
  // A route that says otherwise, as of what everybody may keep, is not contradicted.
  if (!isSteady)
    for (const [name, value] of Object.entries(STEADY)) if (!headers.has(name)) headers.set(name, value)
  if (request.url.startsWith('https:')) headers.set('strict-transport-security', ONE_YEAR)
  if (sendsSession(request, ports)) headers.set('deprecation', DEPRECATED)
  if (ports.settings.corsAllowedOrigins.size > 0) allowOrigin(headers, request, ports)
}
