import { setTimeout as sleep } from 'node:timers/promises'

import type { OpenListener } from '../server/listener.ts'

/** The application bounds every body that it reads, and says so in a problem document; Bun would not. */
const BODY_MAX_BYTES = Number.MAX_SAFE_INTEGER
const IDLE_TIMEOUT_S = 30
const DRAIN_LOOK_MS = 10

type Answer = Parameters<OpenListener>[1]

/** Listens with `Bun.serve`. */
export const openListener: OpenListener = ({ host, port }, answer) => {
  const http = Bun.serve({
    port,
    hostname: host,
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: BODY_MAX_BYTES,
    fetch: (request) => (request.url.startsWith('/') ? answerHostless(request, answer) : answer(request)),
  })
  const known = (request: Request) => originals.get(request) ?? request
  return {
    port: http.port ?? port,
    peerOf: (request) => http.requestIP(known(request))?.address ?? null,
    keepOpen: (request) => http.timeout(known(request), 0),
    async drain(maxMs) {
      const stopped = http.stop()
      const until = performance.now() + maxMs
      while (http.pendingRequests > 0 && performance.now() < until) await sleep(DRAIN_LOOK_MS)
      await Promise.all([stopped, http.stop(true)])
    },
  }
}

/** The requests of Bun, by the requests that were made of them. */
const originals = new WeakMap<Request, Request>()

/** Bun gives a request the path alone for a URL where it has no `Host`, as HTTP/1.0 allows, or none that can be read. */
function answerHostless(request: Request, answer: Answer): Response | Promise<Response> {
  if ((request.headers.get('host') ?? '') !== '') return hostRefused()
  const whole = new Request(`http://localhost${request.url}`, request)
  originals.set(whole, request)
  return answer(whole)
}

/** The application cannot say it: no request with a URL can be made of this one. */
function hostRefused(): Response {
  const problem = {
    type: 'urn:tidemark:error:bad_request',
    title: 'The request cannot be understood',
    status: 400,
    code: 'bad_request',
    detail: 'The Host header must have a name or an address, with a port if needed.',
    errors: [],
    requestId: crypto.randomUUID(),
  }
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': problem.requestId }
  return new Response(JSON.stringify(problem), { status: 400, headers })
}
