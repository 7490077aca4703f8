import { createMiddleware } from 'hono/factory'
import type { Ports } from '../ports/index.ts'
import { sendsSession } from './auth.ts'
import type { Env } from './policy.ts'

/** When sending a session id as header or query parameter was deprecated, as RFC 9745 writes it. */
const DEPRECATED = '@1795219200'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** What surrounds every request: its id, and the header fields that every answer carries. */
export function frame(ports: Ports) {
  return createMiddleware<Env>(async (c, next) => {
    const requestId = requestIdOf(c.req.raw)
    c.set('ports', ports)
    c.set('requestId', requestId)
    await next()
    surround(c.res.headers, c.req.raw, requestId)
  })
}

/** The id that the sender gave the request, or one of our own. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
}

/** Adds what every answer carries to its header fields. */
export function surround(headers: Headers, request: Request, requestId: string): void {
  headers.set('x-request-id', requestId)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'no-referrer')
  headers.set('cache-control', 'no-store')
  if (sendsSession(request)) headers.set('deprecation', DEPRECATED)
}
