import type { Ports } from '../ports/index.ts'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, X-Request-Id, X-Session-Id'
const ANSWER_HEADERS =
  'Accept-Ranges, Content-Disposition, Content-Range, Deprecation, ETag, Idempotency-Replayed, Link, Location, Retry-After, WWW-Authenticate, X-Request-Id'
const MAX_AGE_S = '600'

/** The answer to a preflight request of a browser; null for every other request. */
export function preflightOf({ method, headers }: Request, { settings }: Ports): Response | null {
  if (settings.corsAllowedOrigins.size === 0 || method !== 'OPTIONS') return null
  if (!headers.has('origin') || !headers.has('access-control-request-method')) return null
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': MAX_AGE_S,
    },
  })
}

/** Lets the calling page read the answer if the settings name exactly its origin. Credentials that a browser would add by
 * itself are never allowed: the service has none. */
export function allowOrigin(answer: Headers, request: Request, { settings }: Ports): void {
  answer.append('vary', 'Origin')
  const origin = request.headers.get('origin')
  if (origin === null || !settings.corsAllowedOrigins.has(origin)) return
  answer.set('access-control-allow-origin', origin)
  answer.set('access-control-expose-headers', ANSWER_HEADERS)
  answer.set('cross-origin-resource-policy', 'cross-origin')
}
