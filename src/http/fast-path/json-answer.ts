import type { Context } from '../../context.ts'
import { allowOrigin } from '../cors.ts'
import { sendsSession } from '../credentials.ts'
import { DEPRECATED, isSecure, SECURE, STEADY } from '../response-headers.ts'

/** A successful answer: JSON text, and the header fields that only this answer has. */
export type JsonAnswer = { readonly json: string; readonly headers?: Readonly<Record<string, string>> }

const TYPE = { 'content-type': 'application/json' }

/** The fields without and with each of two. */
const FIELDS = [
  [fieldsWith(), fieldsWith(DEPRECATED)],
  [fieldsWith(SECURE), fieldsWith(SECURE, DEPRECATED)],
] as const

type Fields = { readonly copied: Headers; readonly beside: readonly (readonly [string, string])[] }

function fieldsWith(...others: readonly (readonly [string, string])[]): Fields {
  const beside = [...Object.entries(STEADY), ...others]
  return { copied: new Headers({ ...TYPE, ...Object.fromEntries(beside) }), beside }
}

/** A copied list is faster than fields that are set one by one, except where the host says otherwise. */
function responseWith(
  body: string | ReadableStream,
  { copied, beside }: Fields,
  requestId: string,
  appends: boolean,
): Response {
  if (!appends) {
    copied.set('x-request-id', requestId)
    return new Response(body, { headers: copied })
  }
  const response = new Response(body, { headers: TYPE })
  for (const [name, value] of beside) response.headers.append(name, value)
  response.headers.append('x-request-id', requestId)
  return response
}

/** The response with the header fields that `addHeaders` adds to other answers. */
export function jsonResponse(
  { json, headers = {} }: JsonAnswer,
  request: Request,
  { ports, requestId }: Pick<Context, 'ports' | 'requestId'>,
): Response {
  const fields = FIELDS[isSecure(request) ? 1 : 0][sendsSession(request, ports) ? 1 : 0]
  const response = responseWith(
    ports.textBody?.(json) ?? json,
    fields,
    requestId,
    ports.appendsFields === true,
  )
  if (ports.settings.corsAllowedOrigins.size > 0) allowOrigin(response.headers, request, ports)
  for (const name in headers) response.headers.set(name, headers[name] ?? '')
  return response
}
