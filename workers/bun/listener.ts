import { setTimeout as sleep } from 'node:timers/promises'

import type { OpenListener } from '../server/listener.ts'

/** The application limits every body that it reads, and refuses a longer one with a problem document, which Bun would not send. */
const BODY_MAX_BYTES = Number.MAX_SAFE_INTEGER
const IDLE_TIMEOUT_S = 30
const DRAIN_POLL_MS = 10

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
      while (http.pendingRequests > 0 && performance.now() < until) await sleep(DRAIN_POLL_MS)
      await Promise.all([stopped, http.stop(true)])
    },
  }
}

/** The request of Bun from which each other request was made. */
const originals = new WeakMap<Request, Request>()

/** Answers a request whose URL is only a path, because its `Host` is absent, as HTTP/1.0 allows, or invalid. */
function answerHostless(request: Request, answer: Answer): Response | Promise<Response> {
  if ((request.headers.get('host') ?? '') !== '') return hostRefused()
  const whole = new Request(`http://localhost${request.url}`, request)
  originals.set(whole, request)
  return answer(whole)
}

/** The refusal of an invalid `Host`. The application cannot refuse it, because the request has no valid URL. */
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
