import type { Hono } from 'hono'
import * as z from 'zod'
import { JSON_ENCODINGS } from './encoding.ts'
import type { Encoding } from './encoding.ts'
import { policyOf } from './policy.ts'
import type { Answer, BytesBody, Env, Policy } from './policy.ts'
import { codesOf, problemExample, problemSchema } from './problem.ts'
import { validationOf } from './valid.ts'
import type { Validation } from './valid.ts'
import { addExamples } from './openapi-examples.ts'
import { describeFields } from './openapi-fields.ts'
import { PARAMETER_TEXTS } from './openapi-parameter-texts.ts'
import { operationIdOf, tagObjects, tagOf } from './openapi-tags.ts'
import { INTERFACE_RELEASE, VERSION } from './version.ts'

type Json = Record<string, unknown>

const IF_MATCH: Json = {
  in: 'header',
  name: 'If-Match',
  required: false,
  description: 'The ETag of the version that was read; if the object has another version, the answer is 412.',
  schema: { type: 'string' },
}

const IF_NONE_MATCH: Json = {
  in: 'header',
  name: 'If-None-Match',
  required: false,
  description: 'With `*` the answer is 412 if the parent has an object of this type and name.',
  schema: { type: 'string', enum: ['*'] },
}

const IDEMPOTENCY_KEY: Json = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'A repeated request with the same key and body within 24 hours gets the first answer, with Idempotency-Replayed; a request with the same key and another body gets 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
}

const SECURITY = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token from POST /session/token; `Baerer` is accepted too.',
  },
  basic: { type: 'http', scheme: 'basic' },
  sessionHeader: { type: 'apiKey', in: 'header', name: 'X-Session-Id', description: 'Deprecated.' },
  sessionQuery: { type: 'apiKey', in: 'query', name: 'sessionId', description: 'Deprecated.' },
}

/** The authentication of runners of scripts. */
const RUNNER_SECURITY = {
  runner: { type: 'http', scheme: 'bearer', description: "A runner's token from POST /runner/v1/register." },
}

/** The OpenAPI 3.1 document of an application, from the schemas, policies and answers of its routes.
 * @param basePath the context path in front of every route; empty without one */
export function openApiDocument(app: Hono<Env>, basePath: string): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  const handlers = Map.groupBy(
    app.routes.filter(({ method }) => method !== 'ALL'),
    ({ method, path }) => `${method} ${path}`,
  )
  for (const route of handlers.values()) {
    const [first] = route
    const rule = route.map(({ handler }) => policyOf(handler)).find((found) => found !== undefined)
    if (!first || !rule) continue
    const validations = route.flatMap(({ handler }) => validationOf(handler) ?? [])
    const path = first.path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
    const method = first.method.toLowerCase()
    const name = { operationId: operationIdOf(method, path), tags: [tagOf(path)] }
    paths[path] = { ...paths[path], [method]: { ...name, ...operation(rule, validations, schemas) } }
  }
  jsonSchema(problemSchema, 'output', schemas)
  for (const [name, schema] of Object.entries(schemas)) describeFields(schema, name)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidemark',
      version: INTERFACE_RELEASE,
      description: `Push monitoring of groups, devices and jobs: external systems deliver values to jobs. This is Tidemark ${VERSION}; it implements release ${INTERFACE_RELEASE} of the interface.`,
    },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'The service that sent this document.' }],
    tags: tagObjects,
    paths,
    components: {
      schemas,
      examples: addExamples(paths, schemas),
      responses: refusalResponses(),
      securitySchemes: { ...SECURITY, ...RUNNER_SECURITY },
    },
  }
}

function operation(rule: Policy, validations: readonly Validation[], schemas: Json): Json {
  const body = validations.find(({ target }) => target === 'json')
  const bodies = rule.takes?.media ?? (body ? { 'application/json': body.schema } : {})
  return {
    summary: rule.summary,
    description: roleText(rule),
    security: schemesOf(rule).map((name) => ({ [name]: [] })),
    parameters: [
      ...validations.flatMap((validation) => parameters(validation, schemas)),
      ...preconditions(rule),
      ...(rule.takes || body ? [contentEncoding(rule.takes?.encodings ?? JSON_ENCODINGS)] : []),
      ...(rule.isRepeatable ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(Object.keys(bodies).length > 0 && {
      requestBody: { required: !rule.takes?.isOptional, content: bodyContent(bodies, schemas) },
    }),
    responses: responses(rule, validations, schemas),
  }
}

/** The body of a request, by media type; OpenAPI 3.1 describes bytes by their media type alone. */
function bodyContent(bodies: BytesBody['media'], schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(bodies).map(([media, shape]) => [
      media,
      shape === 'bytes' ? {} : { schema: describeFields(jsonSchema(shape, 'input', schemas)) },
    ]),
  )
}

function contentEncoding(encodings: readonly Encoding[]): Json {
  return {
    in: 'header',
    name: 'Content-Encoding',
    description: 'The compression of the body.',
    required: !encodings.includes('identity'),
    schema: { type: 'string', enum: encodings },
  }
}

/** A change that answers the tag of the new version, or a removal, can be held to the version that was read; a creation that
 * answers the tag of the first version, to be the first of its name. */
function preconditions({ answers, refuses }: Policy): readonly Json[] {
  const hasTag = (status: number) => answers[status]?.headers?.includes('ETag') === true
  if (refuses?.includes(412) !== true) return []
  if (hasTag(200) || answers[204] !== undefined) return [IF_MATCH]
  return hasTag(201) ? [IF_NONE_MATCH] : []
}

/** The authentication schemes of a route; none for a public route. */
function schemesOf({ roles }: Policy): readonly string[] {
  if (roles === 'anyone') return []
  return Object.keys(roles === 'runner' ? RUNNER_SECURITY : SECURITY)
}

function roleText({ roles, object }: Policy): string {
  const who = typeof roles === 'string' ? roles : roles.join(', ')
  return `Roles: ${who}.${object ? ` Needs ${object} on the object.` : ''}`
}

function parameters({ target, schema }: Validation, schemas: Json): Json[] {
  if (target === 'json') return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input', schemas) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description = PARAMETER_TEXTS[name], ...rest } = property
    const isRequired = target === 'param' || required.includes(name)
    return {
      in: target === 'param' ? 'path' : 'query',
      name,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }
  })
}

/** The refusal for a fault in each part of a request. */
const REFUSED_FOR = {
  param: [404],
  query: [400, 422],
  json: [400, 413, 415, 422],
  takes: [400, 413, 415],
} as const

/** A query without parameters can neither repeat one nor have one that is not valid. */
function hasFields({ schema }: Validation): boolean {
  return !(schema instanceof z.ZodObject) || Object.keys(schema.shape).length > 0
}

/** The answers that the route names, and the refusals that follow from its checks. */
function responses(rule: Policy, validations: readonly Validation[], schemas: Json): Json {
  const targets = validations.filter(hasFields).map(({ target }) => target)
  const refusals = new Set<number>([...(rule.refuses ?? []), 500, 503])
  if (!rule.ignoresUnknownQuery) refusals.add(422)
  // Also where the role is enough, credentials may be good for less, and too many may have been wrong.
  if (rule.roles !== 'anyone') for (const status of [401, 403, 429]) refusals.add(status)
  for (const target of targets) for (const status of REFUSED_FOR[target]) refusals.add(status)
  if (rule.takes) for (const status of REFUSED_FOR.takes) refusals.add(status)
  const all: Json = {}
  for (const [status, answer] of Object.entries(rule.answers)) all[status] = response(answer, schemas)
  for (const status of [...refusals, TOO_LONG]) all[status] ??= { $ref: `#/components/responses/${status}` }
  return all
}

/** The status of the platform for a request whose URL or header fields are too long. No code of the service runs for it. */
const TOO_LONG = 431

/** One answer for each status that a refusal can have. */
function refusalResponses(): Json {
  const schema = { $ref: '#/components/schemas/Problem' }
  const all: Json = {
    [TOO_LONG]: {
      description:
        'The URL and the header fields are too long for the platform. Its body is not a problem document.',
    },
  }
  for (const [status, codes] of codesOf()) {
    const media = { schema, example: problemExample(codes[0]) }
    const description = `Refused: ${codes.join(', ')}.`
    all[status] = { description, content: { 'application/problem+json': media } }
  }
  return all
}

function response(answer: Answer, schemas: Json): Json {
  const { description, schema, headers = [] } = answer
  const header = { schema: { type: 'string' } }
  return {
    description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map((name) => [name, header])) }),
    ...((schema ?? answer.media) && { content: content(answer, schemas) }),
  }
}

function content({ schema, media = 'application/json', alsoMedia = [] }: Answer, schemas: Json): Json {
  const shapeOf = (name: string) => (name.startsWith('text/') ? { schema: { type: 'string' } } : {})
  return {
    [media]: schema ? { schema: describeFields(jsonSchema(schema, 'output', schemas)) } : shapeOf(media),
    ...Object.fromEntries(alsoMedia.map((name) => [name, shapeOf(name)])),
  }
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** JSON Schema of a zod schema; those with an id go into the components once and are referred to. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: made }) => {
      describeInput(zodSchema, made)
      // Answers may gain fields: a client must not reject fields that are not described.
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
    },
  }) as Json & { $defs?: Json }
  const moved = JSON.parse(
    JSON.stringify({ own, $defs }).replaceAll('#/$defs/', '#/components/schemas/'),
  ) as {
    own: Json
    $defs: Json
  }
  Object.assign(schemas, moved.$defs)
  const id = moved.own['id']
  if (typeof id !== 'string') return moved.own
  schemas[id] = moved.own
  return { $ref: `#/components/schemas/${id}` }
}

/** Describes the value behind a text, and the default when it is absent. */
function describeInput(schema: z.core.$ZodType, made: z.core.JSONSchema.BaseSchema): void {
  const meta = schema instanceof z.ZodType ? schema.meta() : undefined
  if (meta?.['type'] !== undefined) Object.assign(made, { pattern: undefined }, meta)
  if (made.type !== 'string' && made.enum?.every((one) => typeof one === 'string')) delete made.enum
  // zod leaves out the default of a codec.
  if (schema instanceof z.ZodDefault && isPlain(schema.def.defaultValue))
    made.default = schema.def.defaultValue
}
