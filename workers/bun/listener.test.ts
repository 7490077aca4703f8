import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { openListener } from './listener.ts'

const seen: Request[] = []
const listener = openListener({ host: '127.0.0.1', port: 0 }, async (request) => {
  seen.push(request)
  const { url, method } = request
  const body = await request.text()
  return Response.json({ url, method, body, address: listener.peerOf(request) })
})
afterAll(() => listener.drain(0))

/** The answer to raw bytes. */
function send(bytes: string): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(listener.port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => {
      const body = text.slice(text.indexOf('{'))
      resolve({ status: Number(text.slice(9, 12)), body: JSON.parse(body) as Record<string, unknown> })
    })
  })
}

test.each([
  ['GET /healthz?a=1 HTTP/1.0\r\n\r\n', 'http://localhost/healthz?a=1', ''],
  ['GET /a%2Fb HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 'http://localhost/a%2Fb', ''],
  ['POST /v HTTP/1.0\r\nContent-Length: 4\r\n\r\nbody', 'http://localhost/v', 'body'],
  ['GET /v HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n', 'http://[::1]/v', ''],
])('%j is a request for %s, whose sender is known', async (bytes, url, body) => {
  const answer = await send(bytes)
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ url, body, address: '127.0.0.1' })
})

test.each(['a b', 'evil/x', 'a@b', 'a#b', '?'])(
  'the host %j is refused before anything is done',
  async (host) => {
    const before = seen.length
    const { status, body } = await send(`GET /v HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect([status, body['code']]).toEqual([400, 'bad_request'])
    expect(seen.length).toBe(before)
  },
)
