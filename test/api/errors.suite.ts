import { expect } from 'bun:test'

import { gzipSync } from 'node:zlib'

import packageJson from '../../package.json' with { type: 'json' }
import { createApp } from '../../src/app.ts'
import { ON_DENO } from '../hosts/process.ts'
import { PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import { portless } from './portless.ts'
import { bareStage, call, expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const MEBIBYTE = 1024 * 1024

const stage = once(async (client) => {
  const device = await makeDevice(client)
  return { device, job: await makeJob(client, device) }
})

const paths: readonly Row[] = [
  { title: 'a request without credentials', call: 'GET /nothing', as: null, answers: 'not_found' },
  ...['/nothing', '/users/', '/users/1/2', '/Users', '/jobs/', '/users%2f1', '/%00', '/%E0%A4%A'].map(
    (path): Row => ({ title: 'an unknown path', call: `GET ${path}`, answers: 'not_found' }),
  ),
  ...[
    '/jobs/%00',
    '/jobs/%E0%A4%A',
    '/jobs/1%2F2',
    '/jobs/..%2f1',
    '/jobs/９',
    '/jobs/01',
    '/jobs/+1',
    '/jobs/%20',
  ].map((path): Row => ({ title: 'an id that is none', call: `GET ${path}`, answers: 'not_found' })),
]

/** Paths with a method that they do not take, and what they take. */
const METHODS: readonly (readonly [call: string, allow: string])[] = [
  ['DELETE /users', 'GET, HEAD, POST'],
  ['POST /users/1', 'DELETE, GET, HEAD, PATCH, PUT'],
  ['POST /healthz', 'GET, HEAD'],
  ['PUT /session/login', 'GET, HEAD, POST'],
  ['GET /session/token', 'POST'],
  ['GET /webcollector/jobs/1/values', 'POST'],
  ['OPTIONS /jobs', 'GET, HEAD, POST'],
  ['PROPFIND /jobs/1', 'DELETE, GET, HEAD, PATCH, PUT'],
  ['POST /openapi.json', 'GET, HEAD'],
]

const bodies: readonly Row[] = [
  ...[
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/problem+json',
    'text/json',
  ].map((type): Row => ({
    title: type,
    call: 'POST /users',
    text: '{}',
    headers: { 'content-type': type },
    answers: 'unsupported_media_type',
  })),
  ...['iso-8859-1', '"utf-16"', 'windows-1252', ''].map((charset): Row => ({
    title: `JSON in the charset ${charset}`,
    call: 'POST /users',
    text: '{}',
    headers: { 'content-type': `application/json; charset=${charset}` },
    answers: 'unsupported_media_type',
  })),
  ...['UTF-8', '"utf-8"', 'us-ascii'].map((charset): Row => ({
    title: `JSON in the charset ${charset}`,
    call: 'POST /users',
    text: '{}',
    headers: { 'content-type': `application/json;charset=${charset}` },
    answers: 'invalid',
  })),
  { title: 'no media type', call: 'POST /users', answers: 'unsupported_media_type' },
  ...[
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ; charset=utf-8',
    'application/json;',
  ].map((type): Row => ({
    title: type,
    call: 'POST /users',
    text: '{}',
    headers: { 'content-type': type },
    answers: 'invalid',
  })),
  ...[
    '',
    '{',
    '{"a":}',
    'nonsense',
    "{'a':1}",
    '{"a":1,}',
    '{"value":NaN}',
    '[1]x',
    '\ufeff{}x',
    '"\u0001"',
  ].map((text): Row => ({
    title: `the body ${JSON.stringify(text)}`,
    call: 'POST /users',
    text,
    headers: JSON_TYPE,
    answers: 'malformed_json',
  })),
  ...['null', '1', '"text"', '[]', 'true'].map((text): Row => ({
    title: `the body ${text}, which is no object`,
    call: 'POST /users',
    text,
    headers: JSON_TYPE,
    answers: 'invalid',
    pointers: [''],
  })),
  {
    title: 'malformed JSON in chunks',
    call: 'POST /users',
    chunks: ['{', '"a"'],
    headers: JSON_TYPE,
    answers: 'malformed_json',
  },
  {
    title: 'no body in chunks',
    call: 'POST /users',
    chunks: [''],
    headers: JSON_TYPE,
    answers: 'malformed_json',
  },
  {
    title: 'a good body in chunks',
    call: 'POST /session/login',
    as: null,
    chunks: ['{"username":"nob', 'ody","password":"pässword"}'],
    headers: JSON_TYPE,
    answers: 'unauthenticated',
  },
]

const names: readonly Row[] = [
  '/groups?parentId=1',
  '/devices?parentId=1',
  '/alarmrecipients',
  '/scripts',
].flatMap((path) =>
  ['\u200b', '\u3164\u2060', 'a\u202eb', '\u2066a\u2069'].map((name): Row => ({
    title: `the name ${JSON.stringify(name)}, which cannot be seen or turns text round`,
    call: `POST ${path}`,
    json: {
      name,
      ...(path === '/alarmrecipients' && { type: 'email', target: { addresses: ['a@example.org'] } }),
    },
    answers: 'invalid',
    pointers: ['/name'],
  })),
)

/** Keys that JavaScript objects have of their own. */
const POLLUTION = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

const pollution: readonly Row[] = POLLUTION.flatMap((key): Row[] => {
  const text = `{"${key}":{"role":"administrator"}}`
  const fault = { headers: JSON_TYPE, text, answers: 'invalid' as const }
  return [
    { title: key, call: 'POST /users', ...fault, pointers: [`/${key}`, '/username', '/password', '/role'] },
    { title: key, call: 'POST /jobs?parentId=1', ...fault, pointers: [`/${key}`, '/name'] },
    { title: key, call: 'POST /session/logout', ...fault, pointers: [`/${key}`] },
    {
      title: `a number as ${key}`,
      call: 'POST /webcollector/jobs/{job}/values',
      headers: JSON_TYPE,
      text: `{"errorCode":0,"${key}":1}`,
      answers: 'invalid',
      pointers: [`/${key}`],
    },
    { title: `${key} in a query`, call: `GET /users?${key}=1`, answers: 'invalid', pointers: [`?${key}`] },
    {
      title: `${key} as a key of a history`,
      call: `GET /jobs/{job}/value-history?key=${key}`,
      answers: 'invalid',
      pointers: ['?key'],
    },
  ]
})

const queries: readonly Row[] = [
  {
    title: 'a flag given twice',
    call: 'GET /jobs/{job}?values=true&values=true',
    answers: 'bad_request',
    pointers: ['?values'],
  },
  {
    title: 'a scale given twice',
    call: 'GET /jobs/{job}/value-history?scale=PT1H&scale=PT2H',
    answers: 'bad_request',
    pointers: ['?scale'],
  },
  {
    title: 'two parents',
    call: 'POST /jobs?parentId=1&parentId=2',
    json: { name: 'x' },
    answers: 'bad_request',
    pointers: ['?parentId'],
  },
  {
    title: 'a flag that is none',
    call: 'GET /jobs/{job}?values=yes&thresholds=1',
    answers: 'invalid',
    pointers: ['?values', '?thresholds'],
  },
  {
    title: 'an unknown parameter beside a known one',
    call: 'GET /jobs/{job}?values=true&thresholds=true&x=1',
    answers: 'invalid',
    pointers: ['?x'],
  },
  {
    title: 'an unknown parameter of a delivery',
    call: 'POST /webcollector/jobs/{job}/values?x=1',
    json: { returnValue1: 1, errorCode: 0 },
    answers: 'invalid',
    pointers: ['?x'],
  },
  { title: 'flags in other letter case', call: 'GET /jobs/{job}?values=True&thresholds=FALSE', answers: 200 },
  {
    title: 'a range by its short names',
    call: 'GET /jobs/{job}/value-history?key=errorCode&begin=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z',
    answers: 200,
  },
  ...['/jobs/{job}/value-history', '/value-history', '/jobs/{job}/state-history'].map((path): Row => {
    const [begin, end] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
    const jobs = path === '/value-history' ? 'jobId={job}&' : ''
    return {
      title: 'a range by both names',
      call: `GET ${path}?${jobs}begin=${begin}&timestamp_begin=${begin}&end=${end}&timestamp_end=${end}`,
      answers: 'invalid',
      pointers: ['?begin', '?end'],
    }
  }),
  {
    title: 'an end before the start',
    call: 'GET /jobs/{job}/value-history?begin=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z',
    answers: 'invalid',
    pointers: ['?end'],
  },
  {
    title: 'a key that may be repeated',
    call: 'GET /jobs/{job}/value-history?key=errorCode&key=errorCode&scale=PT1H',
    answers: 200,
  },
]

/** The header fields of proxies; without a trusted proxy they are ignored. */
const FORWARDED = [
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'cf-connecting-ipv6',
  'via',
]

const parameters: readonly Scenario[] = [
  {
    title: 'every parameter that may be there once is refused where it is there twice',
    decidedAbovePorts: 'problem documents',
    async run(client) {
      const tried: string[] = []
      for (const [path, methods] of Object.entries(client.document.paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          const { parameters: all = [] } = operation as unknown as { parameters?: readonly Parameter[] }
          for (const { name, schema } of all.filter((one) => one.in === 'query')) {
            if (takesMany(schema)) continue
            const place = placeOf(path, { parameters: all })
            const query = `${name}=1&${name}=2`
            const request = ['get', 'delete'].includes(method) ? {} : { json: {} }
            const answer = await client.request(method.toUpperCase(), `${place}?${query}`, request)
            tried.push(`${method} ${path} ${name}`)
            expect({ path, name, status: answer.status }).toEqual({ path, name, status: 400 })
          }
        }
      }
      expect(tried.length).toBeGreaterThan(60)
    },
  },
  {
    title:
      'every route but those to whose URLs others add parameters names a parameter that it does not know',
    decidedAbovePorts: 'problem documents',
    async run(client) {
      const tried: string[] = []
      for (const [path, methods] of Object.entries(client.document.paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          const { security } = operation as unknown as { security: readonly object[] }
          if (isOpen(path) || security.some((scheme) => 'runner' in scheme)) continue
          const place = placeOf(path, operation as unknown as Operation)
          const answer = await client.request(
            method.toUpperCase(),
            `${place}?ünknown=1&ünknown=2&sessionId=x`,
          )
          tried.push(`${method} ${path}`)
          // OTLP has words of its own.
          if (path.startsWith('/otlp/')) continue
          const seen = { method, path, status: answer.status, errors: answer.body['errors'] }
          const errors = [{ pointer: '?ünknown', message: 'is an unknown parameter' }]
          expect(seen).toEqual({ method, path, status: 422, errors })
        }
      }
      expect(tried.length).toBeGreaterThan(180)
    },
  },
  {
    title: 'credentials and role come before the query, and a page elsewhere may ask beforehand with any',
    decidedAbovePorts: 'problem documents',
    async run(client) {
      expect((await client.request('GET', '/users?unknown=1', { as: null })).status).toBe(401)
      expect((await client.request('GET', '/audit?unknown=1', { as: 'collector' })).status).toBe(403)
      expect((await client.request('GET', '/nothing?unknown=1')).status).toBe(404)
    },
  },
  ...FORWARDED.map((header): Scenario => ({
    title: `an address in ${header} is nobody's`,
    async run(client) {
      const json = { username: 'editor', password: PASSWORD }
      const headers = { [header]: header === 'forwarded' ? 'for=203.0.113.9' : '203.0.113.9' }
      const login = client.request('POST', '/session/login', { as: null, json, headers })
      const { sessionId } = await good<{ sessionId: string }>(login)
      const own = { as: null, headers: { 'x-session-id': sessionId } }
      const { items } = await good<{ items: { address: string }[] }>(client.request('GET', '/sessions', own))
      expect(items.length).toBeGreaterThan(0)
      expect(items.map(({ address }) => address).filter((address) => address.includes('203.0.113'))).toEqual(
        [],
      )
    },
  })),
]

type Parameter = {
  readonly in: string
  readonly name: string
  readonly schema: { readonly enum?: readonly string[]; readonly pattern?: string }
}

type Operation = { readonly parameters?: readonly Parameter[] }

/** A path of the document with something in it that may be there. */
function placeOf(path: string, { parameters: all = [] }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const shape = all.find((one) => one.in === 'path' && one.name === key)?.schema
    if (shape?.pattern?.startsWith('^j_')) return `j_${'0'.repeat(26)}`
    if (key === 'cluster') return 'c0-0-0'
    if (key === 'widget') return 'w1'
    return shape?.enum?.[0] ?? (key === 'token' ? 'A'.repeat(43) : '1')
  })
}

/** Whether others add parameters to the URLs of a route. */
function isOpen(path: string): boolean {
  return /^\/(?:webcollector\/ping|status|badges|ui)\/|^\/public\/dashboards\/\{token\}$|^\/oidc\/callback$|^\/styles\/custom\.css$|^\/docs$/.test(
    path,
  )
}

function takesMany(schema: object): boolean {
  return /"type":"array"/.test(JSON.stringify(schema))
}

/** Sizes on both sides of a limit, by length and in chunks. The body is JSON with spaces behind it. */
const LIMITS: readonly (readonly [call: string, sizeMaxBytes: number, fits: Row['answers']])[] = [
  ['POST /session/login', 8 * 1024, 'invalid'],
  ['POST /users', 16 * 1024, 'invalid'],
  ['POST /groups?parentId=1', 512 * 1024, 'invalid'],
  ['POST /jobs?parentId=1', MEBIBYTE, 'invalid'],
  ['POST /webcollector/jobs/{job}/values', 512 * 1024, 'invalid'],
]

const limits: readonly Row[] = LIMITS.flatMap(([line, sizeMaxBytes, fits]): Row[] => {
  const fitting = (fits === 200 ? '{"errorCode":0}' : '{}').padEnd(sizeMaxBytes)
  const request = { call: line, headers: JSON_TYPE }
  return [
    { title: `${sizeMaxBytes} bytes`, ...request, text: fitting, answers: fits },
    { title: `${sizeMaxBytes} bytes in chunks`, ...request, chunks: [fitting], answers: fits },
    { title: `${sizeMaxBytes + 1} bytes`, ...request, text: `${fitting} `, answers: 'too_large' },
    {
      title: `${sizeMaxBytes + 1} bytes in chunks`,
      ...request,
      chunks: [fitting, ' '],
      answers: 'too_large',
    },
  ]
})

const gzipped = (text: string) => new Uint8Array(gzipSync(text))
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' }

/** Routes with a body, and whether it may come as gzip. */
const ENCODED: readonly (readonly [call: string, type: string, takesGzip: boolean])[] = [
  ['POST /users', 'application/json', true],
  ['PATCH /devices/{device}', 'application/merge-patch+json', true],
  ['POST /webcollector/jobs/{job}/values', 'application/json', true],
  ['POST /webcollector/values', 'application/json', true],
  ['POST /otlp/v1/metrics', 'application/json', true],
  ['POST /files/encoded.txt', 'text/plain', false],
  ['PUT /styles/encoded.css', 'text/css', false],
  ['POST /scripts/upload-zip', 'multipart/form-data; boundary=x', false],
  ['POST /backups/restore', 'application/gzip', false],
]

const encodings: readonly Row[] = [
  ...ENCODED.flatMap(([line, type, takesGzip]) =>
    ['br', 'gzip, gzip', 'AAA', ...(takesGzip ? [] : ['gzip'])].map((encoding): Row => ({
      title: `the encoding ${encoding}`,
      call: line,
      text: '{}',
      headers: { 'content-type': type, 'content-encoding': encoding },
      // OTLP has words of its own.
      answers: line.startsWith('POST /otlp') ? 415 : 'unsupported_media_type',
    })),
  ),
  ...[
    'POST /webcollector/jobs/{job}/values',
    'POST /webcollector/jobs/{job}/values?sessionId=unread',
  ].flatMap((line): Row[] => [
    {
      title: 'a delivery as gzip',
      call: line,
      bytes: gzipped('{"errorCode":0}'),
      headers: GZIP,
      answers: 200,
    },
    {
      title: 'a delivery as gzip in chunks',
      call: line,
      chunks: [gzipped('{"errorCode":0}')],
      headers: GZIP,
      answers: 200,
    },
    {
      title: 'a delivery as IDENTITY',
      call: line,
      text: '{"errorCode":0}',
      headers: { ...JSON_TYPE, 'content-encoding': 'IDENTITY' },
      answers: 200,
    },
    { title: 'no gzip', call: line, text: '{"errorCode":0}', headers: GZIP, answers: 'bad_request' },
    {
      title: 'gzip that ends early',
      call: line,
      bytes: gzipped('{"errorCode":0}').slice(0, 20),
      headers: GZIP,
      answers: 'bad_request',
    },
    { title: 'gzip of no JSON', call: line, bytes: gzipped('{'), headers: GZIP, answers: 'malformed_json' },
    {
      title: 'gzip that inflates to the bound',
      call: line,
      bytes: gzipped('{"errorCode":0}'.padEnd(512 * 1024)),
      headers: GZIP,
      answers: 200,
    },
    {
      title: 'gzip that inflates past the bound',
      call: line,
      bytes: gzipped('{"errorCode":0}'.padEnd(512 * 1024 + 1)),
      headers: GZIP,
      answers: 'too_large',
    },
    {
      title: 'a bomb',
      call: line,
      bytes: gzipped('{}'.padEnd(64 * MEBIBYTE)),
      headers: GZIP,
      answers: 'too_large',
    },
  ]),
]

const huge: readonly Row[] = [
  {
    title: '16 MiB',
    call: 'POST /users',
    text: '{}'.padEnd(16 * MEBIBYTE),
    headers: JSON_TYPE,
    answers: 'too_large',
  },
  {
    title: '16 MiB to nowhere',
    call: 'POST /nothing',
    text: '{}'.padEnd(16 * MEBIBYTE),
    headers: JSON_TYPE,
    answers: 'not_found',
  },
  {
    title: '16 MiB from nobody',
    call: 'POST /users',
    as: null,
    text: '{}'.padEnd(16 * MEBIBYTE),
    headers: JSON_TYPE,
    answers: 'unauthenticated',
  },
]

const REFUSED: readonly (readonly [call: string, request: object])[] = [
  ['GET /nothing', {}],
  ['DELETE /users', {}],
  ['GET /users', { as: null }],
  ['POST /users', { as: 'editor', json: {} }],
  ['GET /users/999999', {}],
  ['POST /users', { json: { username: '' } }],
  ['POST /users', { text: '{', headers: JSON_TYPE }],
  ['POST /users', { text: 'x' }],
  ['POST /users', { text: ' '.repeat(20_000), headers: JSON_TYPE }],
]

const problems: Scenario[] = [
  ...METHODS.map(([line, allow]) => ({
    title: `${line} answers 405 and what is allowed: ${allow}`,
    decidedAbovePorts: 'problem documents',
    async run(client: Client) {
      const answer = await call(client, line)
      expectAnswer(answer, { answers: 'method_not_allowed' })
      expect(answer.headers.get('allow')).toBe(allow)
    },
  })),
  ...REFUSED.map(([line, request], index) => ({
    title: `refusal ${index + 1}, of ${line}, is a problem document under the caller's request id`,
    decidedAbovePorts: 'problem documents',
    async run(client: Client) {
      const headers = { ...(request as { headers?: object }).headers, 'x-request-id': `request-${index}` }
      const answer = await call(client, line, { ...request, headers })
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      expect(answer.headers.get('x-request-id')).toBe(`request-${index}`)
      expect(answer.body).toEqual({
        type: `urn:tidemark:error:${String(answer.body['code'])}`,
        title: expect.stringMatching(/^[A-Z].+/),
        status: answer.status,
        code: expect.stringMatching(/^[a-z_]+$/),
        detail: expect.stringMatching(/\.$/),
        errors: expect.any(Array),
        requestId: `request-${index}`,
      })
    },
  })),
  ...['', 'x'.repeat(65), 'a b', 'a"b', '<script>', 'ä'].map((given) => ({
    title: `a request id ${JSON.stringify(given.slice(0, 12))} is not taken over: the service makes one`,
    async run(client: Client) {
      const { headers, body } = await client.request('GET', '/nothing', {
        headers: { 'x-request-id': encodeURI(given) === given ? given : 'a,b' },
      })
      expect(headers.get('x-request-id')).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
      expect(body['requestId']).toBe(headers.get('x-request-id'))
    },
  })),
  {
    title: 'a merge patch that is nested deeper than 100 levels is refused, however deep',
    async run(client) {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const)
        for (const depth of [100, 6_000]) {
          const text = `{"name":${open.repeat(depth)}1${close.repeat(depth)}}`
          const answer = await client.request('PATCH', '/groups/1', { text, headers: JSON_TYPE })
          expectAnswer(answer, { answers: 'invalid', pointers: [''] })
        }
    },
  },
  {
    title: 'no problem document repeats what was sent',
    async run(client) {
      const { job } = await stage(client)
      const echo = 'PLANTED-1a2b3c'
      const answers = [
        await client.request('GET', `/${echo}?q=${echo}`),
        await client.request('GET', `/jobs/${echo}`),
        await client.request('GET', `/jobs/${job}?values=${echo}`),
        await client.request(
          'GET',
          `/jobs/${job}/value-history?scale=${echo}&timestamp_begin=${echo}&cursor=${echo}`,
        ),
        await client.request('POST', '/users', {
          json: { username: `${echo}\n`, password: echo, role: echo, language: echo, timeZone: echo },
        }),
        await client.request('POST', '/users', { text: `{"${echo}`, headers: JSON_TYPE }),
        await client.request('POST', '/users', { text: '{}', headers: { 'content-type': `text/${echo}` } }),
        await client.request('PUT', `/jobs/${job}`, { json: { name: 'x' }, headers: { 'if-match': echo } }),
        await client.request('POST', `/webcollector/jobs/${job}/values`, {
          json: { returnValue1: echo, timestamp: echo, ttl: echo, signal: echo },
        }),
        await client.request('POST', '/session/setup', {
          as: null,
          json: { token: echo, username: echo, password: echo },
        }),
        await client.request('GET', '/users', {
          as: null,
          headers: { authorization: `Bearer ${echo}.${echo}.${echo}` },
        }),
      ]
      for (const { status, text } of answers) {
        expect(status).toBeGreaterThanOrEqual(400)
        expect(text).not.toContain(echo)
      }
    },
  },
]

const good200: Scenario[] = [
  {
    title: 'header fields beyond what the platform takes are 431, as the OpenAPI document says of each route',
    async run({ document, host }) {
      const { status } = await fetch(`${host.url}/version`, { headers: { 'x-long': 'x'.repeat(140_000) } })
      expect(status).toBe(ON_DENO ? 400 : 431)
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
      expect(operations.filter(({ responses }) => !(431 in responses))).toEqual([])
    },
  },
  {
    title: 'HEAD answers what GET answers, without the body',
    async run(client) {
      const { job } = await stage(client)
      for (const path of ['/healthz', '/users', `/jobs/${job}`, '/openapi.json']) {
        const [head, get] = [await client.request('HEAD', path), await client.request('GET', path)]
        expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
        for (const name of ['content-type', 'etag'])
          expect(head.headers.get(name)).toBe(get.headers.get(name))
        expect([path, head.headers.get('content-length')]).toEqual([path, String(get.bytes.byteLength)])
      }
      expect((await client.request('HEAD', '/users', { as: null })).status).toBe(401)
      expect((await client.request('HEAD', '/nothing')).status).toBe(404)
    },
  },
  {
    title: 'HEAD of a stream names no length, and streams are not buffered on their way',
    async run(client) {
      const head = await client.request('HEAD', '/events')
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', null])
      expect(head.headers.get('x-accel-buffering')).toBe('no')
      expect(head.headers.get('cache-control')).toBe('private, no-cache')
    },
  },
  {
    title: 'nobody may ask for health, readiness, version and the OpenAPI document',
    async run(client) {
      const ask = (path: string) => good(client.request('GET', path, { as: null }))
      expect(await ask('/healthz')).toEqual({ status: 'ok' })
      expect(await ask('/readyz')).toMatchObject({
        status: 'ok',
        checks: { database: { status: 'ok' }, blobs: { status: 'ok' } },
      })
      expect(await ask('/version')).toEqual({ interface: '9.5.0', tidemark: packageJson.version })
      expect(await ask('/openapi.json')).toEqual(client.document)
    },
  },
  {
    title: 'the address of the service answers programs with links',
    async run(client) {
      const ask = (accept?: string) =>
        client.request('GET', '/', { as: null, ...(accept === undefined ? {} : { headers: { accept } }) })
      for (const accept of [undefined, '*/*', 'application/json']) {
        const { body, headers } = await ask(accept)
        expect(headers.get('vary')).toContain('accept')
        expect(body).toMatchObject({ name: 'Tidemark', tidemark: packageJson.version, interface: '9.5.0' })
        for (const path of Object.values(body['links'] as Record<string, string>))
          expect([200, 405]).toContain((await client.request('GET', path)).status)
      }
    },
  },
  {
    title: 'below a context path the links have it',
    async run() {
      const settings = { ...portless.settings, basePath: '/monitor' }
      const { fetch } = createApp({ ...portless, settings })
      for (const path of ['/monitor', '/monitor/']) {
        const answer = await fetch(new Request(`http://host${path}`))
        expect(await answer.json()).toMatchObject({ links: { openapi: '/monitor/openapi.json' } })
      }
      expect((await fetch(new Request('http://host/'))).status).toBe(404)
    },
  },
]

export const errorsSuite: Suite = {
  name: 'errors',
  scenarios: [
    ...table(bareStage, paths),
    ...table(bareStage, bodies),
    ...table(bareStage, names),
    ...table(stage, pollution),
    ...table(stage, queries),
    ...table(stage, limits),
    ...table(stage, encodings),
    ...table(bareStage, huge),
    ...problems,
    ...parameters,
    ...good200,
  ],
}
