import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { rejection } from '../../test/contract/rejection.ts'
import { openProxy, openTunnel } from './proxy.ts'
import type { Proxy, ProxyOptions } from './proxy.ts'

/** Spellings of places that no job may reach, as a name server or a resolver of names gives their addresses. */
const FORBIDDEN: readonly (readonly [host: string, addresses: readonly string[]])[] = [
  ['127.0.0.1', ['127.0.0.1']],
  ['localhost', ['127.0.0.1']],
  ['localhost', ['::1']],
  ['[::1]', ['::1']],
  ['[::ffff:127.0.0.1]', ['::ffff:127.0.0.1']],
  ['10.0.0.7', ['10.0.0.7']],
  ['172.16.3.4', ['172.16.3.4']],
  ['192.168.1.1', ['192.168.1.1']],
  ['169.254.169.254', ['169.254.169.254']],
  ['metadata.google.internal', ['169.254.169.254']],
  ['100.64.0.1', ['100.64.0.1']],
  ['0.0.0.0', ['0.0.0.0']],
  ['[fd00::1]', ['fd00::1']],
  ['[fe80::1]', ['fe80::1']],
  ['2130706433', ['127.0.0.1']],
  ['0x7f.1', ['127.0.0.1']],
  ['017700000001', ['127.0.0.1']],
  ['127.1', ['127.0.0.1']],
  ['rebound.example', ['127.0.0.1']],
  ['rebound.example', ['93.184.216.34', '127.0.0.1']],
  ['rebound.example.', ['10.1.1.1']],
  ['224.0.0.1', ['224.0.0.1']],
  ['[64:ff9b::7f00:1]', ['64:ff9b::7f00:1']],
  ['nowhere.example', []],
]

let directory: string
let upstream: Server
let port: number
let heard: string
let proxy: Proxy | null
const calls: string[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-proxy-'))
  heard = ''
  calls.length = 0
  upstream = createServer((socket: Socket) => {
    socket.on('data', (bytes) => {
      heard += bytes.toString()
      if (!heard.endsWith('\r\n\r\n') && !heard.endsWith('ping')) return
      if (heard.endsWith('ping')) socket.write('pong')
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi')
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const address = upstream.address()
  port = address !== null && typeof address === 'object' ? address.port : 0
})

afterEach(async () => {
  proxy?.close()
  proxy = null
  upstream.close()
  await rm(directory, { recursive: true })
})

const opened = async (changes: Partial<ProxyOptions> = {}) => {
  proxy = await openProxy({
    socket: join(directory, 'proxy.sock'),
    targets: [],
    outboundAllow: new Set(),
    service: `service.example:${port}`,
    addressesOf: async (name) => {
      calls.push(name)
      return ['127.0.0.1']
    },
    ...changes,
  })
  return proxy
}

/** Sends text, and what else once there is an answer; gives all that comes until it ends. */
async function exchange(text: string, then = ''): Promise<string> {
  const way = proxy?.way
  const socket = way?.kind === 'port' ? connect(way.port, '127.0.0.1') : connect(way?.path ?? '')
  let answer = ''
  let isAnswered = false
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => resolve())
    socket.on('data', (bytes) => {
      answer += bytes.toString()
      if (answer.endsWith('pong')) socket.end()
      else if (!isAnswered && then !== '') socket.write(then)
      isAnswered = true
    })
    socket.write(text)
  })
  return answer
}

const tunnel = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`

describe('the proxy of a job', () => {
  test('tunnels to a target, counts what goes through, and looks its name up once', async () => {
    const { traffic } = await opened()
    const answer = await exchange(tunnel(`service.example:${port}`), 'ping')
    expect(answer).toBe('HTTP/1.1 200 Connected\r\n\r\npong')
    expect(traffic()).toEqual({ sentBytes: 4, receivedBytes: 4 })
    expect(calls).toEqual(['service.example'])
  })

  test('hands requests for http: URLs on with the path alone, and without what is for proxies', async () => {
    await opened()
    const lines = [
      `GET http://service.example:${port}/a?b=c HTTP/1.1`,
      `Host: service.example:${port}`,
      'Proxy-Authorization: Basic eA==',
      'Proxy-Connection: keep-alive',
      'Connection: keep-alive',
      'X-Own: 1',
    ]
    const answer = await exchange(`${lines.join('\r\n')}\r\n\r\n`)
    expect(answer).toEndWith('hi')
    expect(heard).toBe(
      `GET /a?b=c HTTP/1.1\r\nHost: service.example:${port}\r\nX-Own: 1\r\nConnection: close\r\n\r\n`,
    )
  })

  test('tunnels what came with the head as well', async () => {
    await opened()
    expect(await exchange(`${tunnel(`service.example:${port}`)}ping`)).toEndWith('pong')
  })

  test.each(['other.example', 'service.example.evil.example'])(
    'refuses %s, which is not a target',
    async (host) => {
      await opened({ targets: [`one.example:${port}`] })
      expect(await exchange(tunnel(`${host}:${port}`))).toStartWith('HTTP/1.1 403 Forbidden')
      expect(calls).toEqual([])
    },
  )

  test('refuses a target at another port', async () => {
    await opened({ targets: [`one.example:${port}`], outboundAllow: new Set(['one.example']) })
    expect(await exchange(tunnel(`one.example:${port}`), 'ping')).toEndWith('pong')
    expect(await exchange(tunnel(`one.example:${port + 1}`))).toStartWith('HTTP/1.1 403 Forbidden')
  })

  test.each(FORBIDDEN)(
    'calls no server for %s at %p, even if it or every host is a target',
    async (host, addresses) => {
      let connections = 0
      upstream.on('connection', () => connections++)
      const canonical = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : host
      for (const targets of ['open', [`${canonical.replace(/\.$/, '')}:${port}`]] as const) {
        await opened({ targets, addressesOf: async () => addresses })
        for (const request of [tunnel(`${host}:${port}`), `GET http://${host}:${port}/ HTTP/1.1\r\n\r\n`])
          expect(await exchange(request)).toMatch(/^HTTP\/1\.1 (?:403 Forbidden|502 Bad Gateway)/)
        proxy?.close()
      }
      expect(connections).toBe(0)
    },
  )

  test('lets the operator allow a private target', async () => {
    await opened({ targets: 'open', outboundAllow: new Set(['inside.example']) })
    expect(await exchange(tunnel(`inside.example:${port}`), 'ping')).toEndWith('pong')
  })

  test.each([
    ['GET / HTTP/1.1\r\n\r\n', '400'],
    ['GET https://service.example/ HTTP/1.1\r\n\r\n', '400'],
    ['CONNECT service.example HTTP/1.1\r\n\r\n', '400'],
    ['CONNECT service.example:99999 HTTP/1.1\r\n\r\n', '400'],
    ['\r\n\r\n', '400'],
    [`GET http://a.example/${'x'.repeat(17_000)}`, '431'],
  ])('answers %p with %s', async (request, status) => {
    await opened()
    expect(await exchange(request)).toStartWith(`HTTP/1.1 ${status}`)
  })

  test('takes a head of 16 KiB', async () => {
    await opened()
    const start = `GET http://service.example:${port}/ HTTP/1.1\r\nX-Long: `
    const head = start + 'x'.repeat(16_384 - start.length - 4)
    expect(await exchange(`${head}\r\n\r\n`)).toEndWith('hi')
  })

  test('serves 64 connections at a time, and the next one when one of them is over', async () => {
    const { way } = await opened()
    const path = way.kind === 'socket' ? way.path : ''
    const held = Array.from({ length: 64 }, () => connect(path))
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    expect(await exchange(tunnel(`service.example:${port}`), 'ping').catch(String)).not.toContain('pong')
    held[0]?.destroy()
    let answer = ''
    for (let tries = 0; tries < 100 && !answer.includes('pong'); tries++)
      answer = await exchange(tunnel(`service.example:${port}`), 'ping').catch(String)
    expect(answer).toEndWith('pong')
    for (const socket of held) socket.destroy()
  })

  test('where it listens on a port of the machine only those who know its password are served', async () => {
    const { way } = await opened({ socket: null })
    if (way.kind !== 'port') throw new Error('no port')
    const target = `service.example:${port}`
    expect(await exchange(tunnel(target))).toStartWith('HTTP/1.1 407')
    const head = (password: string) =>
      `CONNECT ${target} HTTP/1.1\r\nProxy-Authorization: Basic ${btoa(`job:${password}`)}\r\n\r\n`
    expect(await exchange(head('guessed'))).toStartWith('HTTP/1.1 407')
    expect(await exchange(head(way.password ?? ''), 'ping')).toEndWith('pong')
  })
})

describe('a tunnel of a job', () => {
  const target = () => `db.example.org:${port}`
  const openedTo = async (changes: Partial<Parameters<typeof openTunnel>[0]> = {}) => {
    proxy = await openTunnel({
      socket: join(directory, 'tunnel.sock'),
      target: target(),
      outboundAllow: new Set([target()]),
      addressesOf: async () => ['127.0.0.1'],
      ...changes,
    })
    return proxy
  }

  test('passes on what comes as it is, and counts it', async () => {
    for (const socket of [join(directory, 'tunnel.sock'), null]) {
      const { traffic, way, close } = await openedTo({ socket })
      expect(way.kind).toBe(socket === null ? 'port' : 'socket')
      expect(await exchange('ping')).toBe('pong')
      expect(traffic()).toEqual({ sentBytes: 4, receivedBytes: 4 })
      close()
    }
  })

  test('leads to the first address of a name where a server listens', async () => {
    await openedTo({ addressesOf: async () => ['::1', '127.0.0.2', '127.0.0.1'] })
    expect(await exchange('ping')).toBe('pong')
  })

  test('is not opened to a private address, unless the operator lets this port of it be called', async () => {
    const refused = [new Set<string>(), new Set(['db.example.org:1']), new Set(['127.0.0.1'])]
    for (const outboundAllow of refused)
      expect(await rejection(openedTo({ outboundAllow }))).toMatchObject({
        message: `${target()} has a private address, and TIDEMARK_OUTBOUND_ALLOW of the runner does not list it.`,
      })
    expect(await rejection(openedTo({ addressesOf: () => Promise.resolve([]) }))).toMatchObject({
      message: 'db.example.org has no address.',
    })
    await openedTo({ outboundAllow: new Set(['db.example.org']) })
  })

  test('looks its name up with each connection, and ends one that would lead elsewhere by then', async () => {
    const addresses = ['93.184.215.14', '127.0.0.1']
    await openedTo({ outboundAllow: new Set(), addressesOf: async () => addresses.splice(0, 1) })
    expect(await exchange('ping').catch(() => '')).toBe('')
    expect(addresses).toEqual([])
  })
})
