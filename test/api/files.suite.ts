import { expect } from 'bun:test'

import { FILE_TYPES } from '../../src/content/files/mime-types.ts'
import type { Answer, Client, Request } from './client.ts'
import { bytes, SAMPLES, zip } from './file-samples.ts'
import { NO_NAMES } from './no-names.ts'
import { nextOf } from './objects.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type File = { name: string; size: number; mimeType: string; etag: string; updatedAt: string; url: string }

const MAX_BYTES = 10 * 1024 * 1024
const TEXT = { 'content-type': 'text/plain' }
const stage = once(async (client) => {
  await good(client.request('POST', '/files/stage.txt', { text: '0123456789', headers: TEXT }))
  return {}
})

const refusals: readonly Row[] = [
  ...['GET /files', 'GET /files/stage.txt', 'POST /files/x', 'DELETE /files/stage.txt'].map((call): Row => ({
    title: 'a request without credentials',
    call,
    as: null,
    answers: 'unauthenticated',
  })),
  ...(['editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).flatMap((as): Row[] => [
    { title: as, call: 'GET /files?limit=1', as, answers: 200 },
    { title: as, call: 'GET /files/stage.txt', as, answers: 200 },
    { title: as, call: 'POST /files/x', as, text: 'x', headers: TEXT, answers: 'forbidden' },
    { title: as, call: 'DELETE /files/stage.txt', as, answers: 'forbidden' },
  ]),
  { title: 'no page', call: 'GET /files?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the largest page', call: 'GET /files?limit=1000', answers: 200 },
  { title: 'a larger page', call: 'GET /files?limit=1001', answers: 'invalid', pointers: ['?limit'] },
  { title: 'a foreign cursor', call: 'GET /files?cursor=NQ', answers: 'invalid', pointers: ['?cursor'] },
  { title: 'a file that is not there', call: 'GET /files/nothing', answers: 'not_found' },
  { title: 'a file that is not there', call: 'DELETE /files/nothing', answers: 'not_found' },
  {
    title: 'bytes with an encoding',
    call: 'POST /files/x.txt',
    text: 'x',
    headers: { ...TEXT, 'content-encoding': 'gzip' },
    answers: 'unsupported_media_type',
  },
]

/** Texts that are odd names, and what they are called. */
const NAMES: readonly (readonly [path: string, name: string])[] = [
  ['x'.repeat(255), 'x'.repeat(255)],
  ['%c3%a9'.repeat(127), 'é'.repeat(127)],
  ['e%cc%81.txt', 'é.txt'],
  ['a%20b%22%27.txt', `a b"'.txt`],
  ['%252e%252e', '%2e%2e'],
  ['a..b', 'a..b'],
  ['.hidden', '.hidden'],
  ['__proto__', '__proto__'],
  ['x%3fy%23z%26', 'x?y#z&'],
  ['%f0%9f%8c%8a.txt', '🌊.txt'],
]

const names: Scenario[] = [
  ...NO_NAMES.map((path) => ({
    title: `${JSON.stringify(path.slice(0, 30))} is no name`,
    decidedAbovePorts: 'types of files',
    async run(client: Client) {
      const sent = await client.request('POST', `/files/${path}`, { text: 'x', headers: TEXT })
      expectAnswer(sent, { answers: 'invalid', pointers: ['{filename}'] })
      for (const method of ['GET', 'DELETE'])
        expect((await client.request(method, `/files/${path}`)).status).toBe(404)
    },
  })),
  ...NAMES.map(([path, name]) => ({
    title: `${JSON.stringify(name.slice(0, 30))} is a name`,
    decidedAbovePorts: 'names of files',
    async run(client: Client) {
      const sent = await client.request('POST', `/files/${path}`, { text: name, headers: TEXT })
      expectAnswer(sent, { answers: 201 })
      expect(sent.body).toMatchObject({ name, url: `/files/${encodeURIComponent(name)}` })
      const read = await client.request('GET', String(sent.body['url']))
      expect(read.text).toBe(name)
      expect(read.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''/,
      )
      expect((await client.request('DELETE', `/files/${path}`)).status).toBe(204)
      expect((await client.request('GET', `/files/${path}`)).status).toBe(404)
    },
  })),
]

const types: Scenario[] = [
  {
    title: 'there is a sample of each type that is taken',
    run() {
      expect(Object.keys(SAMPLES).sort()).toEqual([...FILE_TYPES.accepted].sort())
      expect(FILE_TYPES.accepted.length).toBe(67)
      return Promise.resolve()
    },
  },
  ...Object.entries(SAMPLES).map(([type, sample]) => ({
    title: `${type} is taken as declared, told and served safely, and not for something else`,
    decidedAbovePorts: 'types of files',
    async run(client: Client) {
      const sent = await send(client, 'sample', { bytes: sample, headers: { 'content-type': type } })
      expect({ status: sent.status, type: sent.body['mimeType'] }).toEqual({
        status: sent.status === 201 ? 201 : 200,
        type,
      })
      const read = await client.request('GET', '/files/sample')
      expect(read.bytes).toEqual(sample)
      expectSafe(read, type)
      const isText = /^text\/(?:plain|csv|markdown|yaml)$|yaml$/.test(type)
      const another = isText ? 'image/png' : 'image/gif'
      const wrong = type === another ? 'image/png' : another
      expectAnswer(await send(client, 'sample', { bytes: sample, headers: { 'content-type': wrong } }), {
        answers: 'unsupported_media_type',
      })
      const binary = { bytes: bytes('\x01\x02\x03\0', 40), headers: { 'content-type': type } }
      expectAnswer(await send(client, 'sample', binary), { answers: 'unsupported_media_type' })
    },
  })),
  ...[
    ['video/3 gpp', 'video/3gpp'],
    ['audio/3 gpp2', 'audio/3gpp2'],
    [' Image/PNG ; q=1', 'image/png'],
  ].map(([declared = '', type = '']) => ({
    title: `${declared} is ${type}`,
    decidedAbovePorts: 'types of files',
    async run(client: Client) {
      const request = {
        bytes: SAMPLES[type] as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': declared },
      }
      expect((await send(client, 'spaced', request)).body['mimeType']).toBe(type)
    },
  })),
  ...[
    'text/html',
    'application/xhtml+xml',
    'application/javascript',
    'text/css',
    'application/zip',
    'application/x-sh',
    'application/x-msdownload',
    'multipart/mixed; boundary=x',
    'nonsense',
    'image/*',
    '*/*',
    '__proto__',
    'constructor',
  ].map((type) => ({
    title: `${type} is not taken`,
    decidedAbovePorts: 'types of files',
    async run(client: Client) {
      const request = { text: '<p>x</p>', headers: { 'content-type': type } }
      expectAnswer(await send(client, 'x', request), { answers: 'unsupported_media_type' })
    },
  })),
  ...(
    [
      ['by its content', 'sample', SAMPLES['image/png'], 'image/png'],
      ['by its content, whatever its name', 'sample.txt', SAMPLES['image/png'], 'image/png'],
      ['by its name', 'table.CSV', bytes('a,b'), 'text/csv'],
      ['by its name among those that look alike', 'sound.weba', SAMPLES['audio/webm'], 'audio/webm'],
      ['as unknown', 'sample', bytes('\x01\x02\x03\0', 40), 'application/octet-stream'],
      [
        'as unknown although it looks like a page',
        'page.html',
        bytes('<script>alert(1)</script>'),
        'application/octet-stream',
      ],
      ['as unknown when it is empty', 'empty', bytes(''), 'application/octet-stream'],
    ] as const
  ).map(([how, name, sample, type]) => ({
    title: `what is declared as nothing is known ${how}`,
    decidedAbovePorts: 'types of files',
    async run(client: Client) {
      for (const headers of [{}, { 'content-type': 'application/octet-stream' }]) {
        const sent = await send(client, name, { bytes: sample as Uint8Array<ArrayBuffer>, headers })
        expect(sent.body).toMatchObject({ mimeType: type, size: sample?.byteLength })
        expectSafe(await client.request('GET', `/files/${name}`), type)
      }
    },
  })),
  ...(
    [
      ['a program', 'x', bytes('MZ\x90\0', 60)],
      ['an archive', 'x', zip({ 'a.txt': 'a' })],
      ['no image for its name', 'x.png', bytes('just a text')],
    ] as const
  ).map(([what, name, sample]) => ({
    title: `${what} that is declared as nothing is not taken`,
    decidedAbovePorts: 'types of files',
    async run(client: Client) {
      expectAnswer(await send(client, name, { bytes: sample }), { answers: 'unsupported_media_type' })
    },
  })),
]

/** Bytes that are of two types at once, as the one that is taken. */
const POLYGLOTS: readonly (readonly [type: string, sample: Uint8Array<ArrayBuffer>])[] = [
  ['image/gif', bytes('GIF89a/*<html><script>alert(1)</script>*/=1;')],
  ['image/bmp', bytes(`BM${'\0'.repeat(60)}<script>alert(1)</script>`)],
  [
    'image/svg+xml',
    bytes(
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></body></foreignObject></svg>',
    ),
  ],
  ['application/pdf', bytes('%PDF-1.7\n<html><script>alert(1)</script></html>')],
  ['application/xml', bytes('<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>')],
  [
    'text/xml',
    bytes(
      '<?xml-stylesheet type="text/xsl" href="#"?><script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>',
    ),
  ],
  ['application/json', bytes('["</script><script>alert(1)</script>"]')],
  ['text/plain', bytes('<!doctype html><script>alert(1)</script>')],
  ['text/csv', bytes('=cmd|calc!A1')],
  ['text/markdown', bytes('<img src=x onerror=alert(1)>')],
  ['text/vtt', bytes('WEBVTT\n\n<script>alert(1)</script>')],
  ['application/epub+zip', zip({ mimetype: 'application/epub+zip', 'x.html': '<script>alert(1)</script>' })],
]

const polyglots: Scenario[] = POLYGLOTS.map(([type, sample]) => ({
  title: `${type} that is a page as well is no page for a browser`,
  decidedAbovePorts: 'types of files',
  async run(client) {
    const name = 'page.html'
    expect(
      (await send(client, name, { bytes: sample, headers: { 'content-type': type } })).body,
    ).toMatchObject({
      mimeType: type,
    })
    for (const headers of [{}, { range: 'bytes=0-' }, { accept: 'text/html' }])
      expectSafe(await client.request('GET', `/files/${name}`, { headers }), type)
  },
}))

const bounds: Scenario[] = (['with a length', 'in chunks', 'in a form'] as const).flatMap((how) => [
  {
    title: `10 MiB ${how} are kept and come back`,
    async run(client: Client) {
      const whole = pattern(MAX_BYTES)
      const sent = await client.request('POST', '/files/large', requestOf(how, whole))
      expect(sent.body).toMatchObject({ name: 'large', size: MAX_BYTES, mimeType: 'image/png' })
      const read = await client.request('GET', '/files/large')
      expect(Bun.hash(read.bytes)).toBe(Bun.hash(whole))
    },
  },
  {
    title: `a byte more ${how} is refused, and what was there stays`,
    async run(client: Client) {
      const before = await client.request('HEAD', '/files/large')
      const answer = await client.request('POST', '/files/large', requestOf(how, pattern(MAX_BYTES + 1)))
      expectAnswer(answer, { answers: 'too_large' })
      const after = await client.request('HEAD', '/files/large')
      expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
    },
  },
])

const forms: Scenario[] = [
  {
    title: 'a form brings its one file, with the type of its part, whatever fields stand beside it',
    async run(client) {
      const form = new FormData()
      form.append('comment', 'a field')
      form.append('file', new File(['a,b'], '../../ignored.csv', { type: 'text/csv' }))
      form.append('another', 'field')
      const sent = await client.request('POST', '/files/form', await sentForm(form))
      expect(sent.body).toMatchObject({ name: 'form', size: 3, mimeType: 'text/csv' })
      expect((await client.request('GET', '/files/form')).text).toBe('a,b')
    },
  },
  ...(
    [
      ['no file', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--\r\n'],
      ['two files', `${part('x')}${part('y')}--b--\r\n`],
      ['an end in the middle', part('x').slice(0, -4)],
      ['no end', part('x')],
      ['nothing', ''],
      ['another boundary', `${part('x').replaceAll('--b', '--c')}--c--\r\n`],
      ['a head without an end', `--b\r\nX: ${'x'.repeat(20_000)}`],
    ] as const
  ).map(([what, text]) => ({
    title: `a form with ${what} is refused`,
    async run(client: Client) {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const answer = await client.request('POST', '/files/no-form', { text, headers })
      expectAnswer(answer, { answers: 'bad_request' })
      expect((await client.request('GET', '/files/no-form')).status).toBe(404)
    },
  })),
  {
    title: 'a form without a boundary is refused',
    async run(client) {
      const headers = { 'content-type': 'multipart/form-data' }
      expectAnswer(await client.request('POST', '/files/no-form', { text: part('x'), headers }), {
        answers: 'bad_request',
      })
    },
  },
]

const reading: Scenario[] = [
  {
    title: 'a list names each file once over all pages, in order of their names',
    async run(client) {
      for (const name of ['b', 'a', 'é', 'c'])
        await send(client, `page-${name}.txt`, { text: name, headers: TEXT })
      const all = (await client.request('GET', '/files')).body as unknown as File[]
      expect(all.map(({ name }) => name).filter((name) => name.startsWith('page-'))).toEqual([
        'page-a.txt',
        'page-b.txt',
        'page-c.txt',
        'page-é.txt',
      ])
      const found: File[] = []
      for (let next: string | null = '/files?limit=2'; next !== null;) {
        const answer = await client.request('GET', next)
        expect((answer.body as unknown as File[]).length).toBeLessThanOrEqual(2)
        found.push(...(answer.body as unknown as File[]))
        next = nextOf(answer)
      }
      expect(found).toEqual(all)
    },
  },
  {
    title: 'a tag is answered with 304 until the file is another',
    async run(client) {
      await send(client, 'tagged.txt', { text: 'one', headers: TEXT })
      const { headers } = await client.request('GET', '/files/tagged.txt')
      const etag = String(headers.get('etag'))
      const fresh = await client.request('GET', '/files/tagged.txt', {
        headers: { 'if-none-match': `"x", W/${etag}` },
      })
      expect({ status: fresh.status, text: fresh.text, etag: fresh.headers.get('etag') }).toEqual({
        status: 304,
        text: '',
        etag,
      })
      const { body } = await send(client, 'tagged.txt', { text: 'two', headers: TEXT })
      expect(body['etag']).not.toBe(etag)
      const stale = await client.request('GET', '/files/tagged.txt', { headers: { 'if-none-match': etag } })
      expect({ status: stale.status, text: stale.text }).toEqual({ status: 200, text: 'two' })
    },
  },
  ...(
    [
      ['bytes=0-0', 206, '0'],
      ['bytes=2-4', 206, '234'],
      ['bytes=7-', 206, '789'],
      ['bytes=-3', 206, '789'],
      ['bytes=-99', 206, '0123456789'],
      ['bytes=0-99', 206, '0123456789'],
      ['Bytes = 9-9', 206, '9'],
      ['bytes=10-', 416, null],
      ['bytes=10-12', 416, null],
      ['bytes=-0', 416, null],
      ['bytes=4-2', 200, '0123456789'],
      ['bytes=0-1,4-5', 200, '0123456789'],
      ['bytes=-', 200, '0123456789'],
      ['items=0-1', 200, '0123456789'],
      ['bytes=a-b', 200, '0123456789'],
    ] as const
  ).map(([range, status, text]) => ({
    title: `the range ${range} of 10 bytes answers ${status}`,
    decidedAbovePorts: 'types of files',
    async run(client: Client) {
      await stage(client)
      const answer = await client.request('GET', '/files/stage.txt', { headers: { range } })
      expect(answer.status).toBe(status)
      if (text === null) expectAnswer(answer, { answers: 'range_not_satisfiable' })
      else expect(answer.text).toBe(text)
      const shown = answer.headers.get('content-range')
      if (status === 206)
        expect(shown).toBe(
          `bytes ${'0123456789'.indexOf(text)}-${'0123456789'.indexOf(text) + text.length - 1}/10`,
        )
      else expect(shown).toBe(status === 416 ? 'bytes */10' : null)
    },
  })),
  {
    title: 'a range holds only of the version that If-Range names, and not for HEAD',
    async run(client) {
      await stage(client)
      const etag = String((await client.request('HEAD', '/files/stage.txt')).headers.get('etag'))
      const read = (method: string, ifRange: string) =>
        client.request(method, '/files/stage.txt', { headers: { range: 'bytes=0-1', 'if-range': ifRange } })
      expect((await read('GET', etag)).text).toBe('01')
      expect((await read('GET', '"another"')).text).toBe('0123456789')
      expect((await read('GET', `W/${etag}`)).text).toBe('0123456789')
      const head = await read('HEAD', etag)
      expect({ status: head.status, length: head.headers.get('content-length') }).toEqual({
        status: 200,
        length: '10',
      })
    },
  },
  {
    title: 'a large file is read in ranges that come to the whole',
    async run(client) {
      const whole = pattern(3 * 1024 * 1024 + 17)
      await send(client, 'ranges.png', { bytes: whole, headers: { 'content-type': 'image/png' } })
      const parts: Uint8Array[] = []
      for (let from = 0; from < whole.length; from += 1_000_003) {
        const range = `bytes=${from}-${from + 1_000_002}`
        parts.push((await client.request('GET', '/files/ranges.png', { headers: { range } })).bytes)
      }
      expect(Bun.hash(Buffer.concat(parts))).toBe(Bun.hash(whole))
    },
  },
]

function send(client: Client, name: string, request: Request): Promise<Answer> {
  return client.request('POST', `/files/${encodeURIComponent(name)}`, request)
}

function expectSafe({ headers }: Answer, type: string): void {
  expect(headers.get('content-type')).toBe(type)
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cache-control')).toBe('private, no-cache')
  const isMedia = /^(?:image|audio|video)\//.test(type) && type !== 'image/svg+xml'
  expect(headers.get('content-disposition')?.split(';')[0]).toBe(isMedia ? 'inline' : 'attachment')
}

/** A PNG of so many bytes, each telling its place. */
function pattern(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeBytes)
  for (let at = 0; at < sizeBytes; at++) whole[at] = at * 31 + (at >> 8) + (at >> 16)
  whole.set(SAMPLES['image/png'] ?? [])
  return whole
}

function requestOf(
  how: 'with a length' | 'in chunks' | 'in a form',
  whole: Uint8Array<ArrayBuffer>,
): Request {
  const type = { 'content-type': 'image/png' }
  if (how === 'with a length') return { bytes: whole, headers: type }
  if (how === 'in chunks') return { chunks: slicesOf(whole), headers: type }
  const head = bytes(
    '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\nContent-Type: image/png\r\n\r\n',
  )
  const form = new Uint8Array(Buffer.concat([head, whole, bytes('\r\n--b--\r\n')]))
  return { bytes: form, headers: { 'content-type': 'multipart/form-data; boundary=b' } }
}

function slicesOf(whole: Uint8Array): Uint8Array[] {
  const slices: Uint8Array[] = []
  for (let at = 0; at < whole.length; at += 1_000_003) slices.push(whole.subarray(at, at + 1_000_003))
  return slices
}

function part(text: string): string {
  return `--b\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\n${text}\r\n`
}

async function sentForm(form: FormData): Promise<Request> {
  const response = new Response(form)
  const headers = { 'content-type': String(response.headers.get('content-type')) }
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers }
}

export const filesSuite: Suite = {
  name: 'files',
  scenarios: [...table(stage, refusals), ...names, ...types, ...polyglots, ...bounds, ...forms, ...reading],
}
