import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { Refusal } from '../lib/errors.ts'
import './fault-texts.ts'
import type { Fault } from '../lib/errors.ts'
import { pointerOf } from '../lib/pointer.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { gunzip, readBytes, tooLarge } from './bytes.ts'
import { encodingOf, refuseCharset } from './encoding.ts'
import { reserveBytes } from './body-budget.ts'

type Target = 'json' | 'query' | 'param'

/** The schemas of a validating handler, for the OpenAPI document. */
export type Validation = { readonly target: Target; readonly schema: z.ZodType }

const validations = new WeakMap<object, Validation>()

/** The schemas of a handler that `valid` made. */
export function validationOf(handler: object): Validation | undefined {
  return validations.get(handler)
}

/** Checks one part of a request against a schema; `c.req.valid(target)` then has the typed result.
 * A fault in the path answers 404 with a pointer to the part, in the query or body 422 with a pointer to the field, and a query
 * parameter that is there twice 400 unless the schema takes a list. */
export function valid<T extends Target, S extends z.ZodType>(target: T, schema: S) {
  const single = target === 'query' ? singleValued(schema) : new Set<string>()
  const handler = zValidator(
    target,
    schema,
    (result) => {
      if (!result.success) throw refusalOf(target, result.error)
    },
    {
      // Not the asynchronous form: no schema waits for anything, and every delivery would.
      validationFunction: (_, input) => {
        refuseRepeated(input, single)
        const result = schema.safeParse(input)
        if (target === 'json') refusePrototype(input, result.error)
        // The library's type wants the schema where its result has the output.
        return result as never
      },
    },
  )
  validations.set(handler, { target, schema })
  return handler
}

/** Refuses a body that is not `application/json`, or another type that is JSON, or larger than `sizeMaxBytes`, before any
 * of it is parsed. */
export function jsonBody(sizeMaxBytes: number, alsoType?: string): MiddlewareHandler {
  return createMiddleware(async (c, next) => {
    requireJson(c.req.raw, alsoType)
    const { release, isWhole } = admitBody(c.req.raw, sizeMaxBytes)
    try {
      if (!isWhole) c.req.raw = withBody(c.req.raw, await readJson(c.req.raw, sizeMaxBytes))
      await next()
    } finally {
      release()
    }
  })
}

/** The schema of a body, and a quicker parser with the same result; it returns null for bodies that the schema has to parse. */
export type Quick<S extends z.ZodType> = {
  readonly schema: S
  readonly sizeMaxBytes: number
  readonly plain: (input: unknown) => z.output<S> | null
}

/** A JSON body parsed by the schema, checked as `jsonBody` and `valid` check it. Until it is released the body counts
 * among the bodies in memory.
 * @throws {Refusal} unsupported_media_type, too_large, overloaded; `body` rejects with malformed_json, too_large, invalid */
export function takeJson<S extends z.ZodType>(
  request: Request,
  { schema, plain, sizeMaxBytes }: Quick<S>,
): { readonly body: Promise<z.output<S>>; readonly input: Promise<unknown>; readonly release: () => void } {
  requireJson(request)
  const { release, isWhole } = admitBody(request, sizeMaxBytes)
  const input: Promise<unknown> = isWhole ? request.json() : readParsed(request, sizeMaxBytes)
  return {
    body: input.then((given) => plain(given) ?? parsed(schema, given), refuseMalformed),
    input,
    release,
  }
}

/** Does something with what the schema makes of a JSON body. @throws {Refusal} as `takeJson` */
export async function withJson<S extends z.ZodType, Result>(
  request: Request,
  quick: Quick<S>,
  use: (body: z.output<S>) => MaybePromise<Result>,
): Promise<Result> {
  const { body, release } = takeJson(request, quick)
  try {
    return await use(await body)
  } finally {
    release()
  }
}

async function readParsed(request: Request, sizeMaxBytes: number): Promise<unknown> {
  return JSON.parse(await readJson(request, sizeMaxBytes))
}

/** A body of JSON as text, inflated if it is gzip. @throws {Refusal} too_large, bad_request when it is not gzip */
async function readJson(request: Request, sizeMaxBytes: number): Promise<string> {
  if (encodingOf(request) === 'identity') return readText(request, sizeMaxBytes)
  const bounds = { sentMaxBytes: sizeMaxBytes, inflatedMaxBytes: sizeMaxBytes }
  return new TextDecoder().decode(await gunzip(await readBytes(request, sizeMaxBytes), bounds))
}

function refuseMalformed(error: unknown): never {
  throw error instanceof Refusal ? error : malformedJson()
}

/** Parses a body from any source by a schema. @throws {Refusal} invalid */
export function parsed<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input)
  refusePrototype(input, result.error)
  if (!result.success) throw refusalOf('json', result.error)
  return result.data
}

/** The body as text, regardless of its content type. @throws {Refusal} too_large */
export async function readText(request: Request, sizeMaxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(request, sizeMaxBytes))
}

/** The refusal of a body that is not JSON. */
export function malformedJson(): Refusal {
  return new Refusal('malformed_json', 'The body is not valid JSON.')
}

function requireJson({ headers }: Request, alsoType?: string): void {
  const header = headers.get('content-type')
  if (header === 'application/json') return
  const type = header?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json' || (type !== undefined && type === alsoType)) {
    refuseCharset(header ?? '')
    return
  }
  const types = ['application/json', ...(alsoType === undefined ? [] : [alsoType])]
  throw new Refusal('unsupported_media_type', `Send the body as ${types.join(' or ')}.`)
}

/** Makes room for a body until `release` is called. One that comes in chunks or inflates has no size that is known, and is
 * not whole. @throws {Refusal} too_large, overloaded, unsupported_media_type */
function admitBody(request: Request, sizeMaxBytes: number) {
  const { headers } = request
  const length = headers.get('content-length')
  if (length !== null && Number(length) > sizeMaxBytes) throw tooLarge(sizeMaxBytes)
  const isWhole = length !== null && (!headers.has('content-encoding') || encodingOf(request) === 'identity')
  return { release: reserveBytes(isWhole ? Number(length) : sizeMaxBytes), isWhole }
}

function withBody(request: Request, body: string): Request {
  return new Request(request, { method: request.method, body })
}

/** The parameters of a query that may be there once only. */
function singleValued(schema: z.ZodType): Set<string> {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
  return new Set(Object.keys(shape).filter((name) => !takesList(shape[name])))
}

function takesList(schema: unknown): boolean {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return takesList(schema.unwrap())
  return schema instanceof z.ZodArray || (schema instanceof z.ZodUnion && schema.options.some(takesList))
}

function refuseRepeated(query: unknown, single: ReadonlySet<string>): void {
  if (single.size === 0) return
  const faults = Object.entries(query as Record<string, unknown>)
    .filter(([name, value]) => Array.isArray(value) && single.has(name))
    .map(([name]) => ({ pointer: `?${name}`, message: 'must not be repeated' }))
  if (faults.length > 0)
    throw new Refusal('bad_request', 'A query parameter is repeated; see errors.', faults)
}

/** zod drops this key from open objects and would accept it silently. When the schema names
 * it among its faults, those faults are reported. */
function refusePrototype(body: unknown, error?: z.core.$ZodError): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, '__proto__')) return
  if (error?.issues.some((issue) => issue.code === 'unrecognized_keys')) return
  const fault = [{ pointer: '/__proto__', message: 'is an unknown field' }]
  throw new Refusal('invalid', 'The body is invalid; see errors.', fault)
}

/** The refusal of a part of a request that does not match its schema. */
export function refusalOf(target: Target, error: z.core.$ZodError): Refusal {
  const faults = error.issues.flatMap((issue) => faultsOf(target, issue))
  if (target === 'param') return new Refusal('not_found', 'Nothing is at this path; see errors.', faults)
  const place = target === 'json' ? 'body' : 'query'
  return new Refusal('invalid', `The ${place} is invalid; see errors.`, faults)
}

function faultsOf(target: Target, issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerTo(target, [...path, key]),
      message: 'is an unknown field',
    }))
  }
  return [{ pointer: pointerTo(target, path), message: issue.message }]
}

/** A pointer into the body, `{name}` for a part of the path, or `?name` with the rest of the pointer behind it for a query
 * parameter. */
function pointerTo(target: Target, path: readonly string[]): string {
  const [name = '', ...rest] = path
  if (target === 'param') return `{${name}}`
  return target === 'json' ? pointerOf(path) : `?${name}${pointerOf(rest)}`
}
