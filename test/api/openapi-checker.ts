import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Options, ValidateFunction } from 'ajv/dist/2020.js'

import type { Answer } from './client.ts'

/** Without a schema, it is bytes. */
type Media = { readonly schema?: object; readonly example?: unknown }
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> }
type Operation = { readonly responses: Readonly<Record<string, Response>> }

export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, object>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
  }
}

/** Throws when an answer is not in the OpenAPI document: its route, its status, its media type or the shape of its body.
 * Returns the route, as `GET /jobs/{id}`; null where there is none and the answer says so. */
export type Checker = (method: string, path: string, answer: Answer) => string | null

/** The document of the snapshots, read once. Every host publishes it (suite `errors`); to make it takes a host more than a
 * second of a processor. */
export function readDocument(): Promise<Document> {
  snapshot ??= readFile(SNAPSHOT, 'utf8').then((text) => JSON.parse(text) as Document)
  return snapshot
}

const SNAPSHOT = join(import.meta.dirname, '../snapshots/openapi.json')
let snapshot: Promise<Document> | null = null

/** The checker of a document, made once: validators of schemas take longer to compile than most answers to check. */
export function checkerOf(published: Document): Checker {
  let checker = checkers.get(published)
  if (!checker) checkers.set(published, (checker = newChecker(published)))
  return checker
}

const checkers = new WeakMap<Document, Checker>()

type Route = {
  readonly path: string
  readonly pattern: RegExp
  readonly operations: Readonly<Record<string, Operation>>
}

function newChecker(published: Document): Checker {
  const document = exact(published) as Document
  const validatorOf = validatorsOf(document)
  const routesOf = routesByFirstSegment(document)
  return (method, path, answer) => {
    // A push URL takes a slash at its end as well, which a template cannot say. `/dataQuery/7` is another spelling.
    const pathname = new URL(path, 'http://host').pathname
      .replace(/^(\/webcollector\/ping\/.+)\/$/, '$1')
      .replace(/^\/dataQuery(?=\/)/, '/dataQueries')
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase()
    const found = routesOf(pathname).find(
      ({ pattern, operations }) => operations[verb] && pattern.test(pathname),
    )
    const operation = found?.operations[verb]
    if (!found || !operation) return checkNoRoute(method, pathname, answer)
    const name = `${method} ${pathname} ${answer.status}`
    const named = operation.responses[String(answer.status)]
    const response =
      named?.$ref === undefined ? named : document.components.responses[named.$ref.split('/').at(-1) ?? '']
    if (!response) throw new Error(`${name} is not in the OpenAPI document: ${answer.text.slice(0, 300)}`)
    if (method !== 'HEAD') checkBody(name, answer, { content: response.content ?? {}, validatorOf })
    return `${verb.toUpperCase()} ${found.path}`
  }
}

/** The routes that a path may be of, in the order of the document. */
function routesByFirstSegment({ paths }: Document): (pathname: string) => readonly Route[] {
  const firstOf = (path: string) => path.split('/', 2)[1] ?? ''
  const routes = Object.entries(paths).map(([path, operations]): Route => ({
    path,
    pattern: patternOf(path),
    operations,
  }))
  const bySegment = new Map<string, readonly Route[]>()
  return (pathname) => {
    const first = firstOf(pathname)
    let found = bySegment.get(first)
    if (!found) {
      found = routes.filter(({ path }) => firstOf(path) === first || path.startsWith('/{'))
      bySegment.set(first, found)
    }
    return found
  }
}

/** Compiles schemas of a document for an Ajv. The components are added once, under a name that schemas refer to. */
export function schemaCompiler(
  ajv: Ajv2020,
  { schemas }: Pick<Document['components'], 'schemas'>,
): (schema: object) => ValidateFunction {
  const renamed = (part: object) =>
    JSON.parse(JSON.stringify(part).replaceAll('"$ref":"#/', '"$ref":"document#/')) as object
  ajv.addSchema({ components: { schemas: renamed(schemas) } }, 'document', false, false)
  return (schema) => ajv.compile(renamed(schema))
}

/** An Ajv for schemas of the document. Validators run a few times each: to inline references and to optimize their code
 * takes longer than it saves. Formats come with patterns of their own. */
export function newAjv(options: Options = {}): Ajv2020 {
  const quick = { inlineRefs: false, code: { optimize: false } }
  return new Ajv2020({ strict: false, validateFormats: false, ...quick, ...options })
}

/** Validators of schemas, each compiled once. */
function validatorsOf({ components }: Document): (schema: object) => ValidateFunction {
  const ajv = newAjv({ allErrors: true })
  const compile = schemaCompiler(ajv, components)
  const validators = new Map<object, ValidateFunction>()
  return (schema) => {
    let validator = validators.get(schema)
    if (!validator) validators.set(schema, (validator = compile(schema)))
    return validator
  }
}

/** The document with every described object closed: here, a field that is not in it is a fault. */
function exact(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(exact)
  if (typeof part !== 'object' || part === null) return part
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, exact(value)]))
  const isOpen = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

type Documented = {
  readonly content: Readonly<Record<string, Media>>
  readonly validatorOf: (schema: object) => ValidateFunction
}

function checkBody(name: string, answer: Answer, { content, validatorOf }: Documented): void {
  if (answer.text === '' && Object.keys(content).length === 0) return
  const media = answer.headers.get('content-type')?.split(';')[0] ?? ''
  const known = content[media] ?? content['*/*']
  if (!known)
    throw new Error(`${name} has a body of type ${media}, which the OpenAPI document does not know.`)
  const { schema } = known
  if (!schema || !media.endsWith('json')) return
  const validate = validatorOf(schema)
  if (validate(answer.body)) return
  const faults = JSON.stringify(validate.errors?.slice(0, 3))
  throw new Error(`${name} is not as documented: ${faults}\n${answer.text.slice(0, 500)}`)
}

function checkNoRoute(method: string, pathname: string, answer: Answer): null {
  if (answer.status === 404 || answer.status === 405) return null
  // A browser asks beforehand, of every path.
  if (method === 'OPTIONS' && answer.status === 204) return null
  throw new Error(`${method} ${pathname} answers ${answer.status} and is not in the OpenAPI document.`)
}

function patternOf(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.')
  // The parameter `path` may contain slashes.
  return new RegExp(`^${escaped.replaceAll('{path}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

/** Every operation of a document, as `GET /jobs/{id}` with the statuses it may answer. */
export function routesOfDocument(document: Document): { name: string; statuses: string[] }[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      statuses: Object.keys(responses),
    })),
  )
}
