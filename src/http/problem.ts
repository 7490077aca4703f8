import * as z from 'zod'
import { Refusal, refusalIn, TypeRefusal } from '../lib/errors.ts'
import type { Code } from '../lib/errors.ts'
import type { Ports } from '../ports/index.ts'

/** The HTTP status and the title of every refusal (RFC 9110, RFC 9457). */
const PROBLEMS: Readonly<Record<Code, readonly [status: number, title: string]>> = {
  bad_request: [400, 'The request cannot be understood'],
  malformed_json: [400, 'The body is not JSON'],
  unauthenticated: [401, 'Sign in first'],
  mfa_code_required: [401, 'A code is needed as well'],
  forbidden: [403, 'Not allowed'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  conflict: [409, 'Conflict'],
  name_taken: [409, 'The name is taken'],
  has_children: [409, 'There are objects below'],
  has_dependents: [409, 'Something depends on it'],
  scope_columns_missing: [409, 'The results do not have the columns of a scope'],
  not_empty: [409, 'There is something already'],
  newer_backup: [409, 'The backup is newer than this release'],
  job_stopped: [409, 'The job is stopped'],
  alarm_closed: [409, 'The alarm is closed'],
  no_runner: [409, 'Nothing runs this script'],
  fenced: [409, 'Somebody else has the job'],
  idempotency_conflict: [409, 'The key was used for something else'],
  cycle: [409, 'The move would make a cycle'],
  last_administrator: [409, 'The last administrator stays'],
  precondition_failed: [412, 'The object has changed'],
  too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The media type is not supported'],
  range_not_satisfiable: [416, 'There is nothing in this range'],
  invalid: [422, 'The input is not valid'],
  zip_unsafe: [422, 'The archive is not safe to unpack'],
  value_in_future: [422, 'The value is too far in the future'],
  value_too_old: [422, 'The value is too old'],
  value_not_defined: [422, 'The value is not defined'],
  value_out_of_range: [422, 'The value is out of range'],
  too_many_buckets: [422, 'Too many buckets'],
  too_many_jobs: [422, 'Too many jobs in one call'],
  scope_unsupported_reference: [422, 'The statement could read past its scope'],
  query_failed: [422, 'The database refused the statement'],
  query_timeout: [422, 'The statement took too long'],
  query_too_large: [422, 'The result is too large'],
  tls_unsupported_here: [422, 'This TLS connection is not supported here'],
  import_failed: [422, 'The file cannot be imported'],
  too_fast: [429, 'Too fast'],
  too_many_attempts: [429, 'Too many attempts'],
  overloaded: [503, 'Too busy'],
  pool_exhausted: [503, 'No connection is free'],
  source_unavailable: [503, 'The data source is not available'],
  unavailable: [503, 'Not available'],
  storage_full: [507, 'No room to store it'],
  not_configured: [501, 'Not set up'],
  internal: [500, 'Internal error'],
}

export const problemSchema = z
  .object({
    type: z.string().describe('urn:tidemark:error:<code>'),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEMS) as [Code, ...Code[]]),
    detail: z.string(),
    errors: z.array(z.object({ pointer: z.string(), message: z.string() })),
    requestId: z.string(),
    allowed: z.array(z.string()).optional().describe('The supported media types.'),
  })
  .meta({ id: 'Problem', description: 'A problem document (RFC 9457). It never repeats input.' })

export type Problem = z.infer<typeof problemSchema>

/** The HTTP status of a refusal. */
export function statusOf(code: Code): number {
  return PROBLEMS[code][0]
}

/** The statuses of refusals in ascending order, each with its codes. */
export function codesOf(): ReadonlyMap<number, readonly [Code, ...Code[]]> {
  const entries = (Object.entries(PROBLEMS) as [Code, readonly [number, string]][]).sort(
    ([, [a]], [, [b]]) => a - b,
  )
  return new Map(
    [...Map.groupBy(entries, ([, [status]]) => status)].map(([status, of]) => [
      status,
      of.map(([code]) => code) as [Code, ...Code[]],
    ]),
  )
}

/** A problem document as an example. */
export function problemExample(code: Code): Problem {
  const errors = code === 'invalid' ? [{ pointer: '/name', message: 'is missing' }] : []
  return problemOf(new Refusal(code, `${PROBLEMS[code][1]}.`, errors), '0f1e2d3c4b5a')
}

/** The body of a refusal in the words of another protocol. */
export type Reworded = { readonly media: string; readonly body: string | Uint8Array<ArrayBuffer> }

type FailedRequest = {
  readonly requestId: string
  readonly method: string
  readonly route: string
  /** Absent is false. */
  readonly isDelivery?: boolean | undefined
}

/** Refusals of deliveries through a fault of the service. */
const OURS: ReadonlySet<Code> = new Set(['overloaded', 'unavailable', 'storage_full'])

/** Whether a delivery is refused with this code through a fault of the service. */
export function isOurFault(code: Code): boolean {
  return OURS.has(code)
}

/** The answer to a failed request: a refusal gives its reason; the log has the details of any other error. A problem
 * document, unless the route has other words. */
export function failureResponse(
  error: unknown,
  { log, ingestHealth }: Ports,
  request: FailedRequest,
  reword?: (refusal: Refusal) => Reworded,
): Response {
  const refusal =
    refusalIn(error) ?? new Refusal('internal', 'Internal error. See the server log for this requestId.')
  const { requestId, method, route, isDelivery = false } = request
  if (refusal.code === 'internal') log.error('http: request failed', error, { requestId, method, route })
  if (isDelivery && isOurFault(refusal.code)) ingestHealth.recordRefusal()
  const response = problemResponse(refusal, request.requestId)
  if (!reword) return response
  const { media, body } = reword(refusal)
  response.headers.set('content-type', media)
  return new Response(body, response)
}

/** The answer to a refused request, with the header fields that its status asks for. */
export function problemResponse(
  refusal: Refusal,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const status = statusOf(refusal.code)
  const own: Record<string, string> = { 'content-type': 'application/problem+json', ...headers }
  if (status === 401)
    own['www-authenticate'] = 'Basic realm="Tidemark", charset="UTF-8", Bearer realm="Tidemark"'
  if (status === 429 || status === 503 || status === 507) own['retry-after'] = String(refusal.retryAfterS)
  return new Response(JSON.stringify(problemOf(refusal, requestId)), { status, headers: own })
}

function problemOf(refusal: Refusal, requestId: string): Problem {
  const [status, title] = PROBLEMS[refusal.code]
  return {
    type: `urn:tidemark:error:${refusal.code}`,
    title,
    status,
    code: refusal.code,
    detail: refusal.detail,
    errors: [...refusal.errors],
    requestId,
    ...(refusal instanceof TypeRefusal && { allowed: [...refusal.allowed] }),
  }
}
