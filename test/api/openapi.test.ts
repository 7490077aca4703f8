import { describe, expect, test } from 'bun:test'

import packageJson from '../../package.json' with { type: 'json' }
import { createApp } from '../../src/app.ts'
import { FIELD_TEXTS } from '../../src/http/openapi-field-texts.ts'
import { VERSION } from '../../src/http/version.ts'
import { checkerOf, newAjv, routesOfDocument, schemaCompiler } from './openapi-checker.ts'
import type { Document } from './openapi-checker.ts'
import { portless } from './portless.ts'
import { expectSnapshot } from './snapshot.ts'
import { anyText } from './suite.ts'

type Json = Readonly<Record<string, unknown>>
type Parameter = {
  readonly in: string
  readonly name: string
  readonly required: boolean
  readonly schema: Json
}

const app = createApp(portless)
const document = (await (await app.fetch(new Request('http://host/openapi.json'))).json()) as Document & Json
const text = JSON.stringify(document)

/** Every object in the document, with the keys that lead to it. */
function* objectsIn(
  value: unknown,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; object: Json }> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield { path, object: value as Json }
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, [...path, key])
}

/** The keywords below which a schema has examples and values in place of schemas. */
const VALUES = new Set(['example', 'examples', 'default', 'const', 'enum', 'required'])

/** Every field of the schemas in these, however they are nested. */
function* fieldsIn(schema: unknown, path = ''): Generator<{ readonly path: string; readonly schema: Json }> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, inner] of Object.entries(schema)) {
    if (VALUES.has(key)) continue
    if (key !== 'properties') yield* fieldsIn(inner, `${path}/${key}`)
    else
      for (const [name, field] of Object.entries(inner as Readonly<Record<string, Json>>)) {
        yield { path: `${path}/${name}`, schema: field }
        yield* fieldsIn(field, `${path}/${name}`)
      }
  }
}

const objects = [...objectsIn(document)]
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: operation as unknown as Json,
  })),
)

/** The schemas of bodies and answers, by operation. */
const bodies = Object.fromEntries(
  operations.map(({ path, method, operation }) => [
    `${method} ${path}`,
    [operation['requestBody'], ...Object.values(operation['responses'] as Json)].map((part) =>
      Object.values(((part as Json | undefined)?.['content'] ?? {}) as Json).map(
        (media) => (media as Json)['schema'],
      ),
    ),
  ]),
)

describe('the OpenAPI document', () => {
  test('is the one in snapshots/openapi.json', () =>
    expectSnapshot('openapi.json', `${JSON.stringify(document, null, 2)}\n`))

  test('names each route of the application, and nothing else', () => {
    const declared = app.routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`,
    )
    expect(
      routesOfDocument(document)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(declared.sort())
  })

  test('describes each parameter', () => {
    const isParameter = ({ object }: { readonly object: Json }) =>
      typeof object['in'] === 'string' && 'schema' in object
    const parameters = objects.filter(isParameter)
    expect(parameters.length).toBeGreaterThan(500)
    const silent = parameters.filter(({ object }) => typeof object['description'] !== 'string')
    expect(silent.map(({ path, object }) => `${path.join(' ')} ${String(object['name'])}`)).toEqual([])
  })

  test('describes each field of each schema', () => {
    const fields = [...fieldsIn(document.components.schemas), ...fieldsIn(bodies)]
    expect(fields.length).toBeGreaterThan(3_000)
    const silent = fields.filter(({ schema }) => typeof schema['description'] !== 'string')
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('has a use for each description of fields', () => {
    const used = new Set(
      [...fieldsIn(document.components.schemas), ...fieldsIn(bodies)].map(
        ({ schema }) => schema['description'],
      ),
    )
    expect(Object.keys(FIELD_TEXTS).filter((name) => !used.has(FIELD_TEXTS[name]))).toEqual([])
  })

  test('has the parts that OpenAPI 3.1 asks for', () => {
    expect(document['openapi']).toBe('3.1.0')
    expect(document['info']).toEqual({ title: 'Tidemark', version: '9.5.0', description: anyText })
    for (const { path, operation } of operations) {
      expect(path).toStartWith('/')
      expect(operation['summary']).toMatch(/^\S.*[^.]$/)
      expect(Object.keys(operation['responses'] as Json).length).toBeGreaterThan(1)
    }
  })

  test('names each operation once, in one of the tags that the document explains', () => {
    const ids = operations.map(({ operation }) => String(operation['operationId']))
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z0-9]*$/)
    const tags = (document['tags'] as { name: string; description: string }[]).map(({ name }) => name)
    const used = new Set(operations.flatMap(({ operation }) => operation['tags'] as string[]))
    expect([...used].sort()).toEqual([...tags].sort())
    expect(ids).toContain('getJobsByIdValueHistory')
  })

  test('names the context path as its server', async () => {
    expect(document['servers']).toEqual([{ url: '/', description: anyText }])
    const settings = { ...portless.settings, basePath: '/monitor' }
    const below = createApp({ ...portless, settings })
    const answer = await below.fetch(new Request('http://host/monitor/openapi.json'))
    expect(((await answer.json()) as Json)['servers']).toEqual([{ url: '/monitor', description: anyText }])
  })

  test('declares each parameter of a path once, as required, and no other', () => {
    for (const { path, operation } of operations) {
      const parameters = operation['parameters'] as Parameter[]
      const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(new Set(names).size).toBe(names.length)
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      const hasTag = parameters.some(({ name }) => ['If-Match', 'If-None-Match'].includes(name))
      expect({ path, hasTag }).toEqual({
        path,
        hasTag: '412' in Object(operation['responses']),
      })
      const written = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
      expect(inPath.map(({ name }) => name).sort()).toEqual(written.sort())
      for (const { required, schema } of inPath)
        expect({ path, required, typed: 'type' in schema || 'enum' in schema }).toEqual({
          path,
          required: true,
          typed: true,
        })
    }
  })

  test('gives every parameter a schema that says something', () => {
    const empty = operations.flatMap(({ path, method, operation }) =>
      (operation['parameters'] as Parameter[])
        .filter(
          ({ schema }) => !['type', 'enum', 'const', 'anyOf', 'oneOf', '$ref'].some((key) => key in schema),
        )
        .map(({ name }) => `${method} ${path} ${name}`),
    )
    expect(empty).toEqual([])
  })

  test('shows what a text in a query stands for, with its default', () => {
    const schemaOf = (path: string, name: string) =>
      operations
        .filter((one) => one.path === path && one.method === 'get')
        .flatMap(({ operation }) => operation['parameters'] as Parameter[])
        .find((one) => one.name === name)?.schema
    expect(schemaOf('/jobs/{id}', 'values')).toEqual({ type: 'boolean', default: false })
    expect(schemaOf('/jobs/{id}', 'id')).toEqual({ type: 'integer', minimum: 1 })
    expect(schemaOf('/jobs/{id}/value-history', 'values')).toEqual({ type: 'boolean', default: true })
    expect(schemaOf('/{parentType}/{parentId}/children', 'parentType')).toEqual({
      type: 'string',
      enum: expect.arrayContaining(['groups']),
    })
  })

  test('refers only to what is there', () => {
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => String(reference))
    expect(references.length).toBeGreaterThan(20)
    for (const reference of new Set(references)) {
      const found = reference
        .split('/')
        .slice(1)
        .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document)
      expect({ reference, found: typeof found }).toEqual({ reference, found: 'object' })
    }
  })

  test('holds JSON Schemas that compile under draft 2020-12, strictly', () => {
    const ajv = newAjv({ strict: true, allowUnionTypes: true })
    ajv.addKeyword('components')
    const compile = schemaCompiler(ajv, document.components)
    const schemas = objects.filter(({ path }) => path.at(-1) === 'schema' || path.at(-2) === 'schemas')
    expect(schemas.length).toBeGreaterThan(50)
    // The same schema stands in many places, and compiling takes long.
    const distinct = new Map(schemas.map((one) => [JSON.stringify(one.object), one]))
    for (const { path, object } of distinct.values()) {
      expect(() => compile(object), path.join(' ')).not.toThrow()
    }
  })

  test('names security schemes that it defines, and none where nobody is asked', () => {
    const schemes = Object.keys((document.components as Json)['securitySchemes'] as Json)
    const ofPeople = schemes.filter((scheme) => scheme !== 'runner')
    for (const { path, method, operation } of operations) {
      const route = app.routes.find(
        (one) =>
          one.method.toLowerCase() === method &&
          one.path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}') === path,
      )
      const asked = (operation['security'] as Json[]).flatMap((one) => Object.keys(one))
      const expected = { anyone: [], runner: ['runner'] }[String(route?.policy.roles)] ?? ofPeople
      expect(asked).toEqual(expected)
    }
  })

  test('says of every refusal that it is a problem document', () => {
    for (const { path, operation } of operations) {
      for (const [status, response] of Object.entries(operation['responses'] as Record<string, Json>)) {
        if (
          Number(status) < 400 ||
          (status === '503' && operation['summary'] === 'Check that the service is ready')
        )
          continue
        // The platform answers it, before any code of the service.
        if (status === '431') {
          expect(response).toEqual({ $ref: '#/components/responses/431' })
          continue
        }
        // OTLP has words of its own.
        if (path === '/otlp/v1/metrics')
          expect(response['content']).toEqual({
            'application/json': {
              schema: { $ref: '#/components/schemas/RpcStatus' },
              examples: { RpcStatus: { $ref: '#/components/examples/RpcStatus' } },
            },
            'application/x-protobuf': {},
          })
        else expect(response).toEqual({ $ref: `#/components/responses/${status}` })
      }
    }
    const { 431: tooLong, ...responses } = document.components.responses
    expect(Object.keys(tooLong ?? {})).toEqual(['description'])
    for (const response of Object.values(responses)) {
      expect(response.content).toEqual({
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          example: expect.any(Object) as object,
        },
      })
    }
  })

  test('gives the version of package.json to /version', () => {
    expect(VERSION).toBe(packageJson.version)
    expect(String((document['info'] as Json)['description'])).toContain(`Tidemark ${VERSION}`)
  })
})

describe('the check of answers against the document', () => {
  const check = checkerOf(document)
  const answer = (status: number, body: object, type = 'application/json') => ({
    status,
    headers: new Headers({ 'content-type': type }),
    text: JSON.stringify(body),
    bytes: new Uint8Array(),
    body: body as Record<string, unknown>,
  })

  test('takes what is documented', () => {
    expect(check('GET', '/healthz', answer(200, { status: 'ok' }))).toBe('GET /healthz')
    expect(check('GET', '/nothing', answer(404, {}))).toBeNull()
  })

  test.each([
    ['another status', 'GET', '/healthz', answer(201, { status: 'ok' })],
    ['another body', 'GET', '/healthz', answer(200, { status: 'fine' })],
    ['a body without a field', 'GET', '/version', answer(200, { interface: '9.5.0' })],
    ['an additional field', 'GET', '/version', answer(200, { interface: '9.5.0', tidemark: '1', host: 'x' })],
    ['another media type', 'GET', '/healthz', answer(200, { status: 'ok' }, 'text/plain')],
    ['a good answer of no route', 'GET', '/nothing', answer(200, {})],
    [
      'a problem document of another shape',
      'GET',
      '/users',
      answer(401, { code: 'unauthenticated' }, 'application/problem+json'),
    ],
  ])('refuses %s', (_, method, path, given) => {
    expect(() => check(method, path, given)).toThrow()
  })
})
