import { stopwatch } from '../ports/clock.ts'
import type { Ports } from '../ports/index.ts'
import { pathWithoutSecrets } from './logged-path.ts'

type Handle = (request: Request) => Response | Promise<Response>

/** Where the settings ask for an access log: handles requests as `handle` does, and writes a line of the log for each, with
 * method, path without secrets and query, status, milliseconds until the answer begins, bytes where they are known, the
 * caller's address, the request's id. Else `handle` itself. */
export function withAccessLog(handle: Handle, { clock, log, network, settings }: Ports): Handle {
  if (!settings.logsAccess) return handle
  return async (request) => {
    const elapsedMs = stopwatch(clock)
    const address = network.addressOf(request)
    const response = await handle(request)
    const { headers, status } = response
    const length = headers.get('content-length')
    log.info('request', {
      method: request.method,
      path: pathWithoutSecrets(request.url),
      status,
      durationMs: elapsedMs(),
      bytes: length === null ? null : Number(length),
      address,
      requestId: headers.get('x-request-id'),
    })
    return response
  }
}
