import { lookup } from 'node:dns/promises'

import { EXIT, CommandFailure, userName } from './failures.ts'
import type { BunSettings } from './settings.ts'

/** The application bounds every body that it reads, and says so in a problem document; Bun would not. */
const BODY_MAX_BYTES = Number.MAX_SAFE_INTEGER
const IDLE_TIMEOUT_S = 30
const PORTS_TRIED = 20

type Handle = (request: Request) => Response | Promise<Response>
export type Listener = ReturnType<typeof Bun.serve>

/** Listens where the settings say. Where they name no port, the next one that is free is taken.
 * @throws {CommandFailure} when that cannot be */
export async function listen(settings: BunSettings, fetch: Handle): Promise<Listener> {
  const { host, port, anyPort } = settings
  await lookup(host).catch((error: unknown) => {
    throw addressFailure(
      `TIDEMARK_HOST: ${host} has no known address. Set an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
      error,
    )
  })
  for (let tried = 0; ; tried++) {
    try {
      return Bun.serve({
        port: port + tried,
        hostname: host,
        idleTimeout: IDLE_TIMEOUT_S,
        maxRequestBodySize: BODY_MAX_BYTES,
        fetch: (request) => (request.url.startsWith('/') ? fetchHostless(request, fetch) : fetch(request)),
      })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && anyPort && tried < PORTS_TRIED) continue
      throw addressFailure(REASONS[String(code)]?.(host, port + tried) ?? String(error), error)
    }
  }
}

/** Requests as Bun knows them, by what they were made into. */
const originals = new WeakMap<Request, Request>()

/** What Bun knows of a request. */
export function knownRequest(request: Request): Request {
  return originals.get(request) ?? request
}

/** Bun gives a request the path alone for a URL where it has no `Host`, as HTTP/1.0 allows, or none that can be read. */
function fetchHostless(request: Request, fetch: Handle): Response | Promise<Response> {
  if ((request.headers.get('host') ?? '') !== '') return hostRefused()
  const whole = new Request(`http://localhost${request.url}`, request)
  originals.set(whole, request)
  return fetch(whole)
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

/** Where a listener is reached from this machine. */
export function urlOf(settings: BunSettings, port: number | undefined): string {
  const { host, basePath } = settings
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}${basePath}`
}

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use (TIDEMARK_PORT). Stop the program that uses it (ss -ltnp shows it), or set another port.`,
  EADDRNOTAVAIL: (host) =>
    `TIDEMARK_HOST: ${host} is not an address of this machine. Set an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
  EACCES: (_, port) =>
    `${userName()} may not use port ${port} (TIDEMARK_PORT). Set a port above 1023, or grant CAP_NET_BIND_SERVICE.`,
}

function addressFailure(message: string, cause: unknown): CommandFailure {
  return new CommandFailure(EXIT.address, message, { cause })
}
