import { describe, expect, test } from 'bun:test'

import { boundsOf, curlOf, exampleOf, groupsOf, matching, objectsIn, resolve, typeOf } from './document.ts'
import type { OpenApi } from './document.ts'

const JOB = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
const DOCUMENT = {
  info: { title: 'Tidemark', version: '9.5.0' },
  tags: [{ name: 'Jobs', description: 'Webhook jobs.' }, { name: 'Alarms' }],
  paths: {
    '/jobs/{id}': {
      put: {
        operationId: 'putJob',
        tags: ['Jobs'],
        summary: 'Replace a job',
        security: [{ token: [] }],
        parameters: [{ in: 'query', name: 'reason', required: true }],
        requestBody: {
          content: { 'application/json': { examples: { Job: { $ref: '#/components/examples/Job' } } } },
        },
        responses: {},
      },
      get: { operationId: 'getJob', tags: ['Jobs'], summary: 'Read a job', security: [], responses: {} },
    },
    '/alarms': { get: { operationId: 'getAlarms', tags: ['Alarms'], summary: 'List alarms', responses: {} } },
  },
  components: {
    schemas: { Job: JOB, 'a/b': { type: 'string' } },
    examples: { Job: { value: { name: "it's" } } },
  },
} as unknown as OpenApi
const groups = groupsOf(DOCUMENT)

test('operations are grouped by tag, reads before changes', () => {
  expect(
    groups.map(({ name, entries }) => [name, entries.map(({ method, path }) => `${method} ${path}`)]),
  ).toEqual([
    ['Jobs', ['get /jobs/{id}', 'put /jobs/{id}']],
    ['Alarms', ['get /alarms']],
  ])
})

test.each([
  ['READ job', ['getJob']],
  ['put', ['putJob']],
  ['alarms', ['getAlarms']],
  ['read alarms', []],
])('a search for "%s" finds %p', (search, expected) => {
  const found = matching(groups, search).flatMap(({ entries }) => entries)
  expect(found.map(({ operation }) => operation.operationId)).toEqual(expected)
})

test('a reference is followed, also through an escaped slash; an unknown one is empty', () => {
  expect(resolve(DOCUMENT, { $ref: '#/components/schemas/Job' })).toEqual(JOB as never)
  expect(resolve(DOCUMENT, { $ref: '#/components/schemas/a~1b' })).toEqual({ type: 'string' } as never)
  expect(resolve(DOCUMENT, { $ref: '#/components/schemas/none' })).toEqual({} as never)
})

test.each([
  [{ $ref: '#/components/schemas/Job' }, 'Job'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Job' } }, 'array of Job'],
  [{ type: ['string', 'null'], format: 'date-time' }, 'string (date-time) or null'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }, { type: 'integer' }] }, 'integer or null'],
  [{ type: 'string', enum: ['a', 'b'] }, '"a" | "b"'],
  [{ const: 5 }, '5'],
  [{}, 'any'],
])('the type of %p is %s', (schema, text) => expect(typeOf(schema)).toBe(text))

test('bounds and defaults are named', () => {
  expect(boundsOf({ minimum: 1, maximum: 9, default: null })).toEqual(['≥ 1', '≤ 9', 'default null'])
  expect(boundsOf({ type: 'string' })).toEqual([])
})

describe('an operation', () => {
  test('has the objects within lists and choices', () => {
    const job = { $ref: '#/components/schemas/Job' }
    expect(objectsIn(DOCUMENT, { anyOf: [{ type: 'array', items: job }, { type: 'null' }] })).toEqual([JOB])
    expect(objectsIn(DOCUMENT, { type: 'string' })).toEqual([])
  })

  test('has an example and a call, which quotes it for the shell', () => {
    const put = groups[0]?.entries[1]
    const get = groups[0]?.entries[0]
    if (!put || !get) throw new Error('The operations are missing.')
    const media = put.operation.requestBody?.content['application/json'] ?? {}
    expect(exampleOf(DOCUMENT, media)).toBe('{\n  "name": "it\'s"\n}')
    expect(exampleOf(DOCUMENT, {})).toBeNull()
    expect(curlOf(DOCUMENT, put)).toBe(
      [
        'curl -X PUT "$TIDEMARK_URL/jobs/<id>?reason=…"',
        '-H "Authorization: Bearer $TIDEMARK_TOKEN"',
        "-H 'Content-Type: application/json'",
        `--data '{ "name": "it'\\''s" }'`,
      ].join(' \\\n  '),
    )
    expect(curlOf(DOCUMENT, get)).toBe('curl "$TIDEMARK_URL/jobs/<id>"')
  })
})
