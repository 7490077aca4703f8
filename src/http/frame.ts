import { createMiddleware } from 'hono/factory'
import type { Ports } from '../ports/index.ts'
import type { Env } from './policy.ts'

/** When sending a session id as header or query parameter was deprecated, as RFC 9745 writes it. */
const DEPRECATED = '@1795219200'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** What surrounds every request: its id, and the header fields that every answer carries. */
export function frame(ports: Ports) {
  return createMiddleware<Env>(async (c, next) => {
    const given = c.req.header('x-request-id')
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : crypto.randomUUID()
    c.set('ports', ports)
    c.set('requestId', requestId)
    await next()
    const { headers } = c.res
    headers.set('x-request-id', requestId)
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'no-referrer')
    headers.set('cache-control', 'no-store')
    if (c.get('isDeprecated')) headers.set('deprecation', DEPRECATED)
  })
}
