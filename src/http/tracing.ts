import { urlOf } from '../lib/urls.ts'
import { stopwatch } from '../ports/clock.ts'
import type { Ports } from '../ports/index.ts'
import type { Span, TraceParent } from '../ports/traces.ts'
import { pathWithoutSecrets } from './logged-path.ts'

type Handle = (request: Request) => Response | Promise<Response>

/** https://www.w3.org/TR/trace-context/#traceparent-header; later versions may have more fields. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1
const STATE_MAX = 512
/** Other methods are `_OTHER` (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The routes of requests that are traced. */
const routes = new WeakMap<Request, string>()

/** Notes the route that answers a request, for its span. */
export function noteRoute(request: Request, route: string): void {
  if (!route.includes('*')) routes.set(request, route)
}

/** Where the settings ask for traces: handles requests as `handle` does, and records a span of each until its answer begins. A
 * trace of the caller is continued. Else `handle` itself. */
export function withTraces(handle: Handle, { clock, traces }: Pick<Ports, 'clock' | 'traces'>): Handle {
  if (!traces) return handle
  return async (request) => {
    const place = traces.place(parentOf(request.headers))
    if (!place) return handle(request)
    const startedAt = clock.now()
    const elapsedMs = stopwatch(clock)
    const response = await handle(request)
    traces.record(
      place,
      spanOf(request, response, { startedAt, endedAt: startedAt + elapsedMs(), route: routes.get(request) }),
    )
    return response
  }
}

function spanOf(
  { method: sent, url }: Request,
  { headers, status }: Response,
  { route, ...times }: Pick<Span, 'startedAt' | 'endedAt'> & { readonly route: string | undefined },
): Span {
  const method = METHODS.has(sent) ? sent : '_OTHER'
  const requestId = headers.get('x-request-id')
  return {
    ...times,
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'url.scheme': urlOf(url)?.protocol.slice(0, -1) ?? 'http',
      'url.path': pathWithoutSecrets(url),
      ...(route !== undefined && { 'http.route': route }),
      'http.response.status_code': status,
      ...(requestId !== null && { 'tidemark.request.id': requestId }),
    },
    failure: status >= 500 ? `status ${status}` : null,
  }
}

/** The span of the caller; null where the request has none, or an invalid one. */
export function parentOf(headers: Headers): TraceParent | null {
  const match = TRACEPARENT.exec(headers.get('traceparent')?.trim() ?? '')
  if (!match) return null
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match
  if (version === '00' && more !== undefined) return null
  const state = headers.get('tracestate') ?? ''
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED,
    state: state.length > STATE_MAX ? '' : state,
  }
}
