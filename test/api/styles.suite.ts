import { expect } from 'bun:test'

import type { Answer, Client, Request } from './client.ts'
import { NO_NAMES } from './no-names.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const MAX_BYTES = 256 * 1024
const CSS = { 'content-type': 'text/css' }
const GREEN = 'body { color: green }'
const stage = once(async (client) => {
  for (const name of ['stage.css', 'stage-large.css'])
    await good(client.request('POST', `/styles/${name}`, { text: GREEN, headers: CSS }))
  return {}
})

const others = ['editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const

const rows: readonly Row[] = [
  ...[
    'GET /styles',
    'GET /styles/stage.css',
    'GET /styles/nothing',
    'POST /styles/x',
    'PUT /styles/custom.css',
  ].map((call): Row => ({
    title: 'a request without credentials',
    call,
    as: null,
    answers: 'unauthenticated',
  })),
  ...others.flatMap((as): Row[] => [
    { title: as, call: 'GET /styles/stage.css', as, answers: 200 },
    { title: as, call: 'POST /styles/x.css', as, text: 'x', headers: CSS, answers: 'forbidden' },
    { title: as, call: 'PUT /styles/custom.css', as, text: 'x', headers: CSS, answers: 'forbidden' },
    { title: as, call: 'DELETE /styles/stage.css', as, answers: 'forbidden' },
  ]),
  ...['POST', 'PUT'].flatMap((method): Row[] => [
    ...[
      'text/html',
      'application/css',
      'text/css2',
      'image/svg+xml',
      'application/json',
      '*/*',
      'text/*',
    ].map((type): Row => ({
      title: `a style as ${type}`,
      call: `${method} /styles/type.css`,
      text: GREEN,
      headers: { 'content-type': type },
      answers: 'unsupported_media_type',
    })),
    {
      title: 'a style as nothing',
      call: `${method} /styles/type.css`,
      bytes: new TextEncoder().encode(GREEN),
      answers: 'unsupported_media_type',
    },
    {
      title: 'a style with an encoding',
      call: `${method} /styles/type.css`,
      text: GREEN,
      headers: { ...CSS, 'content-encoding': 'gzip' },
      answers: 'unsupported_media_type',
    },
    ...NO_NAMES.map((name): Row => ({
      title: 'a name that is none',
      call: `${method} /styles/${name}`,
      text: GREEN,
      headers: CSS,
      answers: 'invalid',
      pointers: ['{filename}'],
    })),
    ...[new Uint8Array([0x61, 0xff]), new Uint8Array([0x61, 0])].map((bytes): Row => ({
      title: 'bytes that are no text',
      call: `${method} /styles/bytes.css`,
      bytes,
      headers: CSS,
      answers: 'invalid',
      pointers: [''],
    })),
    ...sized(method, MAX_BYTES + 1, 'too_large'),
  ]),
  ...sized('PUT', MAX_BYTES, 200),
  {
    title: 'a name that is taken',
    call: 'POST /styles/stage.css',
    text: 'x',
    headers: CSS,
    answers: 'name_taken',
  },
  { title: 'nothing to delete', call: 'DELETE /styles/nothing', answers: 'not_found' },
  { title: 'nothing to read', call: 'GET /styles/nothing', answers: 'not_found' },
]

function sized(method: string, sizeBytes: number, answers: Row['answers']): Row[] {
  const text = 'x'.padEnd(sizeBytes)
  const call = `${method} /styles/stage-large.css`
  return [
    { title: `${sizeBytes} bytes`, call, text, headers: CSS, answers },
    { title: `${sizeBytes} bytes in chunks`, call, chunks: [text], headers: CSS, answers },
  ]
}

const scenarios: Scenario[] = [
  {
    title: 'everybody gets custom.css, empty at first, as CSS that may be kept for a minute',
    decidedAbovePorts: 'styles',
    async run(client) {
      const before = await read(client, {})
      expect({ text: before.text, status: before.status }).toEqual({ text: '', status: 200 })
      expectCss(before)
      expect(before.headers.get('etag')).toBeNull()
      const created = await client.request('PUT', '/styles/custom.css', { text: GREEN, headers: CSS })
      expectAnswer(created, { answers: 201 })
      const after = await read(client, {})
      expect(after.text).toBe(GREEN)
      expect(after.headers.get('etag')).toBe(String(created.body['etag']))
      expectCss(after)
      expect(after.headers.get('etag')).toMatch(/^"[\da-f]{64}"$/)
      expect((await client.request('GET', '/styles/custom.css?v=3', { as: null })).text).toBe(GREEN)
      const head = await client.request('HEAD', '/styles/custom.css', { as: null })
      expect({ status: head.status, etag: head.headers.get('etag') }).toEqual({
        status: 200,
        etag: after.headers.get('etag'),
      })
    },
  },
  {
    title: 'custom.css is answered with 304 until it is another',
    async run(client) {
      const put = (text: string) => good(client.request('PUT', '/styles/custom.css', { text, headers: CSS }))
      await put('a {}')
      const etag = String((await read(client, {})).headers.get('etag'))
      const fresh = await read(client, { 'if-none-match': etag })
      expect({ status: fresh.status, text: fresh.text }).toEqual({ status: 304, text: '' })
      expect(fresh.headers.get('cache-control')).toBe('public, max-age=60')
      await put('b {}')
      expect((await read(client, { 'if-none-match': etag })).text).toBe('b {}')
      await put('a {}')
      expect((await read(client, { 'if-none-match': etag })).status).toBe(304)
      const removed = await client.request('DELETE', '/styles/custom.css')
      expect(removed.status).toBe(204)
      expect((await read(client, { 'if-none-match': etag })).text).toBe('')
    },
  },
  {
    title:
      'whoever read custom.css may change what they read: the tag, or no tag for a style that is not there',
    async run(client) {
      const put = (headers: Readonly<Record<string, string>>) =>
        client.request('PUT', '/styles/custom.css', { text: GREEN, headers: { ...CSS, ...headers } })
      const etagOf = async () => (await read(client, {})).headers.get('etag')
      expect(await etagOf()).toBeNull()
      expect((await read(client, { 'if-none-match': '*' })).status).toBe(200)
      expectAnswer(await put({ 'if-match': '*' }), { answers: 'precondition_failed' })
      expectAnswer(await put({ 'if-none-match': '*' }), { answers: 201 })
      expectAnswer(await put({ 'if-none-match': '*' }), { answers: 'precondition_failed' })
      expectAnswer(await put({ 'if-match': String(await etagOf()) }), { answers: 200 })
      const empty = await client.request('PUT', '/styles/custom.css', { text: '', headers: CSS })
      expectAnswer(empty, { answers: 200 })
      expectAnswer(await put({ 'if-match': String(await etagOf()) }), { answers: 200 })
      const headers = { 'if-match': String(await etagOf()) }
      expectAnswer(await client.request('DELETE', '/styles/custom.css', { headers }), { answers: 204 })
    },
  },
  {
    title:
      'whatever is in a style and whatever it is sent as, it is served as CSS from which nothing else is made',
    async run(client) {
      const page = '<!doctype html><script>alert(1)</script>'
      await good(
        client.request('PUT', '/styles/custom.css', {
          text: page,
          headers: { 'content-type': 'text/plain' },
        }),
      )
      const answer = await read(client, {})
      expect(answer.text).toBe(page)
      expectCss(answer)
      await client.request('DELETE', '/styles/custom.css')
    },
  },
  {
    title: 'styles are added, replaced, listed and removed',
    async run(client) {
      const added = await client.request('POST', '/styles/a%20b.css', { text: 'é {}', headers: CSS })
      expectAnswer(added, { answers: 201 })
      expect(added.headers.get('location')).toBe('/styles/a%20b.css')
      expect(added.body).toMatchObject({ name: 'a b.css', size: 5, url: '/styles/a%20b.css' })
      const replaced = await client.request('PUT', '/styles/a%20b.css', {
        text: GREEN,
        headers: { 'content-type': 'Text/CSS; charset=utf-8' },
      })
      expectAnswer(replaced, { answers: 200 })
      const list = (await client.request('GET', '/styles', { as: 'editor' })).body as unknown as {
        name: string
      }[]
      expect(list.find(({ name }) => name === 'a b.css')).toEqual(replaced.body as { name: string })
      const answer = await client.request('GET', '/styles/a%20b.css', { as: 'collector' })
      expect(answer.text).toBe(GREEN)
      expect(answer.headers.get('cache-control')).toBe('private, no-cache')
      const headers = { 'if-none-match': String(answer.headers.get('etag')) }
      expect((await client.request('GET', '/styles/a%20b.css', { headers })).status).toBe(304)
      expectAnswer(await client.request('DELETE', '/styles/a%20b.css'), { answers: 204 })
      expect((await client.request('GET', '/styles/a%20b.css')).status).toBe(404)
    },
  },
  {
    title: '100 styles are taken and no more; one of them may still be replaced',
    decidedAbovePorts: 'styles',
    async run(client) {
      const count = async () => ((await client.request('GET', '/styles')).body as unknown as unknown[]).length
      const put = (name: string) => client.request('PUT', `/styles/${name}`, { text: 'x', headers: CSS })
      const added: string[] = []
      while ((await count()) < 100) {
        added.push(`many-${added.length}.css`)
        expectAnswer(await put(String(added.at(-1))), { answers: 201 })
      }
      expectAnswer(await put('one-more.css'), { answers: 'conflict' })
      const posted = await client.request('POST', '/styles/one-more.css', { text: 'x', headers: CSS })
      expectAnswer(posted, { answers: 'conflict' })
      expectAnswer(await put(String(added[0])), { answers: 200 })
      for (const name of added) expect((await client.request('DELETE', `/styles/${name}`)).status).toBe(204)
    },
  },
]

function read(client: Client, headers: NonNullable<Request['headers']>): Promise<Answer> {
  return client.request('GET', '/styles/custom.css', { as: null, headers })
}

function expectCss({ headers }: Answer): void {
  expect(headers.get('content-type')).toBe('text/css; charset=utf-8')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('cache-control')).toBe('public, max-age=60')
}

export const stylesSuite: Suite = { name: 'styles', scenarios: [...table(stage, rows), ...scenarios] }
