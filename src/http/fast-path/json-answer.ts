import type { Context } from '../../context.ts'
import { allowOrigin } from '../cors.ts'
import { sendsSession } from '../credentials.ts'
import { DEPRECATED, isSecure, SECURE, STEADY } from '../response-headers.ts'

/** A successful answer: JSON text, and the header fields that only this answer has. */
export type JsonAnswer = { readonly json: string; readonly headers?: Readonly<Record<string, string>> }

/** The fields without and with each of two. An answer copies one list, which is faster than to set each field. */
const FIELDS = [
  [fieldsWith(), fieldsWith(DEPRECATED)],
  [fieldsWith(SECURE), fieldsWith(SECURE, DEPRECATED)],
] as const

function fieldsWith(...others: readonly (readonly [string, string])[]): Headers {
  return new Headers({ ...STEADY, 'content-type': 'application/json', ...Object.fromEntries(others) })
}

/** The response with the header fields that `addHeaders` adds to other answers. */
export function jsonResponse(
  { json, headers = {} }: JsonAnswer,
  request: Request,
  { ports, requestId }: Pick<Context, 'ports' | 'requestId'>,
): Response {
  const fields = FIELDS[isSecure(request) ? 1 : 0][sendsSession(request, ports) ? 1 : 0]
  fields.set('x-request-id', requestId)
  const response = new Response(json, { headers: fields })
  if (ports.settings.corsAllowedOrigins.size > 0) allowOrigin(response.headers, request, ports)
  for (const name in headers) response.headers.set(name, headers[name] ?? '')
  return response
}
