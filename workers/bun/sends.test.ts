import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

import type { Handle } from '../../src/app.ts'
import { Session } from '../../test/faults/session.ts'
import { startBun } from '../../test/hosts/bun.ts'
import { inFewSends } from './sends.ts'

const JSON_TYPE = 'application/json'
/** More than a socket takes at once. */
const SLOW_BYTES = 16_000_000

/** Answers as the service does: later than within the event of the request, with a dozen header fields. */
const late: Handle = async (request) => {
  await Bun.sleep(1)
  const { searchParams } = new URL(request.url)
  const headers = new Headers({ 'content-type': searchParams.get('type') ?? JSON_TYPE })
  for (let field = 0; field < 8; field++) headers.set(`x-field-${field}`, String(field))
  return new Response('x'.repeat(Number(searchParams.get('length'))), { headers })
}

const plain = Bun.serve({ port: 0, fetch: late })
const wrapped = Bun.serve({ port: 0, fetch: inFewSends(late) })
afterAll(() => Promise.all([plain.stop(true), wrapped.stop(true)]))

// On Debian: apt-get install iproute2
describe.skipIf(Bun.which('ss') === null)('an answer, as the kernel counts it', () => {
  test.each([
    [0, JSON_TYPE],
    [15_359, JSON_TYPE],
    [15_360, JSON_TYPE],
    [60_000, JSON_TYPE],
    [60_000, 'text/csv; charset=utf-8'],
    [60_000, 'text/html; charset=utf-8'],
    [60_000, 'application/problem+json'],
  ])('of %d bytes of %s leaves in three pieces at most', async (length, type) => {
    expect(await piecesOf(wrapped, length, type)).toBeLessThanOrEqual(3)
  })

  test('to many deliveries leaves in three pieces at most', async () => {
    const host = await startBun()
    const { id } = await Session.open(host.url)
    const body = JSON.stringify({
      deliveries: Array.from({ length: 200 }, () => ({ jobId: 1, errorCode: 0 })),
    })
    const headers = { 'x-session-id': id, 'content-type': JSON_TYPE, 'content-length': String(body.length) }
    const [port, path] = [Number(new URL(host.url).port), '/webcollector/values']
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${fields.join('')}\r\n${body}`
    expect(await piecesAt(port, request, 15_360)).toBeLessThanOrEqual(3)
    await host.close()
  })

  // When this fails, Bun joins the pieces of all answers, and this room has one file too many.
  test('is seen to leave in many as Bun sends it, from so many bytes on', async () => {
    expect(await piecesOf(plain, 15_359, JSON_TYPE)).toBeLessThanOrEqual(3)
    expect(await piecesOf(plain, 15_360, JSON_TYPE)).toBeGreaterThan(6)
  })
})

describe('an answer that leaves in few pieces', () => {
  const answer = (response: Response) => inFewSends(() => response)(new Request('http://localhost/'))

  test.each([15_359, 15_360, 4_000_000])('holds what it held, of %d bytes', async (length) => {
    // Half as many characters as bytes, and one that is alone.
    const text = 'ü'.repeat(Math.floor(length / 2)) + 'u'.repeat(length % 2)
    const headers = { 'content-type': JSON_TYPE, 'x-own': 'yes', 'set-cookie': 'a=b' }
    const given = await answer(new Response(text, { status: 422, headers }))
    expect(given.status).toBe(422)
    expect(Object.fromEntries(given.headers)).toEqual(headers)
    expect(await given.text()).toBe(text)
  })

  test.each([204, 304])('may be empty, as a %d is', async (status) => {
    const given = await answer(new Response(null, { status, headers: { 'content-type': JSON_TYPE } }))
    expect(given.status).toBe(status)
    expect(given.body).toBeNull()
  })

  test.each([
    { 'content-type': 'text/event-stream' },
    { 'content-type': 'application/x-ndjson' },
    { 'content-type': 'application/octet-stream' },
    { 'content-type': JSON_TYPE, 'content-length': '20000' },
    {},
  ])('is neither a stream nor a file: %j', async (headers) => {
    const response = new Response(new Blob(['x'.repeat(20_000)]).stream(), { headers })
    expect(await answer(response)).toBe(response)
    expect(response.bodyUsed).toBe(false)
  })
})

test('a long answer reaches a slow reader whole, and a reader that leaves disturbs no other', async () => {
  const path = `/?length=${SLOW_BYTES}`
  const socket = connect(wrapped.port ?? 0, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()

  let bytes = 0
  const answer = await fetch(new URL(path, wrapped.url))
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    await Bun.sleep(1)
  }
  expect(bytes).toBe(SLOW_BYTES)
})

test('a long answer of the service is whole for those who speak HTTP/1.1, HTTP/1.0 and ask for its head', async () => {
  const host = await startBun()
  const { port } = new URL(host.url)
  const expected = await (await fetch(`${host.url}/openapi.json`)).text()
  expect(expected.length).toBeGreaterThan(100_000)

  const [head, body] = await ask(Number(port), 'GET', '1.1')
  expect(head).toContain('transfer-encoding: chunked')
  expect(body).toContain(expected.slice(-1_000))
  const [oldHead, oldBody] = await ask(Number(port), 'GET', '1.0')
  expect(oldHead).not.toContain('transfer-encoding')
  expect(oldBody).toBe(expected)
  const [status, nothing] = await ask(Number(port), 'HEAD', '1.1')
  expect(status).toStartWith('http/1.1 200')
  expect(nothing).toBe('')
  await host.close()
})

function piecesOf({ port = 0 }: Bun.Server<undefined>, length: number, type: string): Promise<number> {
  const path = `/?length=${length}&type=${encodeURIComponent(type)}`
  return piecesAt(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, length)
}

/** How many segments with data an answer of at least so many bytes took on the loopback, where as many bytes go into one as
 * are sent at once. */
async function piecesAt(port: number, request: string, length: number): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  // Not `for await`, which ends the connection as it leaves.
  await new Promise<void>((resolve) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += String(chunk)
      const begin = received.indexOf('\r\n\r\n') + 4
      if (begin > 3 && received.length - begin >= length) resolve()
    })
  })
  const ss = Bun.spawn(['ss', '-tinH', `sport = :${port} and dport = :${socket.localPort}`])
  const segments = /data_segs_out:(\d+)/.exec(await ss.stdout.text())?.[1]
  socket.destroy()
  return Number(segments)
}

/** Header fields in lower case, and the body as it came. */
async function ask(port: number, method: string, version: string): Promise<readonly [string, string]> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `${method} /openapi.json HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: identity\r\n\r\n`,
  )
  const text = await textOf(socket)
  const end = text.indexOf('\r\n\r\n')
  return [text.slice(0, end).toLowerCase(), text.slice(end + 4)]
}
