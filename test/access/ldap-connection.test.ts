import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { Client } from 'ldapts'
import { Miniflare } from 'miniflare'

import { openLdap } from '../../workers/ldap.ts'
import { rejection } from '../contract/rejection.ts'
import { bundleWorker } from '../hosts/bundle.ts'
import { askDirectory } from '../hosts/ldap-worker.ts'
import { SELF_SIGNED } from '../hosts/self-signed.ts'
import { ADMIN_DN, ADMIN_PASSWORD, BASE_DN, hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { dnOf, PASSWORD, person, settingsFrom } from './ldap-stage.ts'

/** How long a directory that says nothing is waited for. */
const IMPATIENT = { TIDEMARK_LDAP_TIMEOUT: 'PT0.3S' }

/** Long enough to hear that a connection was closed. */
const PAUSE_MS = 100

type Ask = typeof askDirectory

/** A server that does something with what it receives, and counts. */
function listen(answer: (socket: Socket<undefined>, data: Uint8Array) => void, tls?: typeof SELF_SIGNED) {
  const seen = { connections: 0, bytes: 0, text: '' }
  const socket = {
    open: () => {
      seen.connections++
    },
    data: (one: Socket<undefined>, data: Uint8Array) => {
      seen.bytes += data.byteLength
      seen.text += new TextDecoder('latin1').decode(data)
      answer(one, data)
    },
    error: () => undefined,
  }
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket, ...(tls && { tls }) })
  return { seen, port: server.port, stop: () => server.stop(true) }
}

/** Passes everything on to a server, and hangs up once that many answers have come. */
function relay(to: number, answersMax: number) {
  const upstreams = new Map<Socket<undefined>, Promise<Socket<undefined>>>()
  const proxy = listen((socket, data) => {
    const upstream = upstreams.get(socket) ?? connectTo(socket)
    upstreams.set(socket, upstream)
    upstream.then((one) => one.write(data)).catch(() => socket.end())
  })
  function connectTo(socket: Socket<undefined>) {
    let answers = 0
    return Bun.connect<undefined>({
      hostname: '127.0.0.1',
      port: to,
      socket: {
        data: (upstream, data) => {
          socket.write(data)
          if (++answers < answersMax) return
          socket.end()
          upstream.end()
        },
      },
    })
  }
  return proxy
}

let slapd: Slapd
let miniflare: Miniflare
let inWorkerd: Ask

beforeAll(async () => {
  if (!hasSlapd) return
  slapd = await startSlapd(person('ada'))
  const contents = await bundleWorker(join(import.meta.dir, '../hosts/ldap-worker.ts'))
  miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'main.mjs', contents }],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    cf: false,
    // The one authority that browsers trust, for this test.
    outboundService: { network: { allow: ['local'], tlsOptions: { trustedCertificates: [slapd.ca] } } },
    // It says of every certificate that it does not trust.
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const stream of streams) stream.resume()
    },
  })
  const origin = await miniflare.ready
  inWorkerd = async (asked) => {
    const response = await fetch(origin, { method: 'POST', body: JSON.stringify(asked) })
    return ((await response.json()) as { answer: string | boolean }).answer
  }
}, 180_000)

afterAll(async () => {
  if (!hasSlapd) return
  await miniflare.dispose()
  await slapd.close()
})

function question(url: string, variables: Readonly<Record<string, string>> = {}, password = PASSWORD) {
  const named = { ...slapd.variables, TIDEMARK_LDAP_URL: url, ...variables }
  const { ldap } = settingsFrom(named)
  if (!ldap) throw new Error('There is no directory.')
  return { settings: ldap, dn: dnOf('ada'), password }
}

const asks: Readonly<Record<'bun' | 'workerd', Ask>> = {
  bun: askDirectory,
  workerd: (asked) => inWorkerd(asked),
}

describe.skipIf(!hasSlapd).each(['bun', 'workerd'] as const)('OpenLDAP as %s reaches it', (host) => {
  const ask: Ask = (asked) => asks[host](asked)
  const trusted = () => (host === 'bun' ? { TIDEMARK_LDAP_CA: slapd.ca } : {})

  test('over ldap: on this machine', async () => {
    expect(await ask(question(slapd.url))).toBe(true)
    expect(await ask(question(slapd.url, {}, 'wrong'))).toBe(false)
    expect(await ask(question(slapd.url, {}, ''))).toBe(false)
  })

  test('over ldaps: where the certificate is of the host, and of somebody who is trusted', async () => {
    const url = `ldaps://localhost:${slapd.securePort}`
    expect(await ask(question(url, trusted()))).toBe(true)
    expect(await ask(question(url, trusted(), 'wrong'))).toBe(false)
  })

  test('not over ldaps: where the certificate is of another host', async () => {
    const url = `ldaps://127.0.0.1:${slapd.securePort}`
    expect(await ask(question(url, trusted()))).toBe('unavailable')
  })

  test('not where nobody trusts the certificate, and tells it nothing', async () => {
    const stranger = listen(() => undefined, SELF_SIGNED)
    expect(await ask(question(`ldaps://127.0.0.1:${stranger.port}`, trusted()))).toBe('unavailable')
    expect(stranger.seen.bytes).toBe(0)
    stranger.stop()
  })

  test('not with a wrong password of the service, nor one that has no such entry', async () => {
    for (const variables of [
      { TIDEMARK_LDAP_BIND_PASSWORD: 'wrong' },
      { TIDEMARK_LDAP_BIND_DN: 'cn=nobody,dc=example,dc=org' },
      { TIDEMARK_LDAP_BIND_DN: 'no name' },
    ])
      expect(await ask(question(slapd.url, variables))).toBe('unavailable')
  })

  test('not where nothing listens', async () => {
    const gone = listen(() => undefined)
    gone.stop()
    expect(await ask(question(`ldap://127.0.0.1:${gone.port}`))).toBe('unavailable')
  })

  test.each<readonly [string, (socket: Socket<undefined>) => void]>([
    ['hangs', () => undefined],
    ['hangs up', (socket) => socket.end()],
    ['speaks HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    [
      'begins an answer of 2 GB',
      (socket) => socket.write(new Uint8Array([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff])),
    ],
  ])('not where the server %s', async (_, answer) => {
    const server = listen(answer)
    expect(await ask(question(`ldap://127.0.0.1:${server.port}`, IMPATIENT))).toBe('unavailable')
    expect(server.seen.connections).toBe(1)
    server.stop()
  })

  test('over one connection only: where it breaks, nothing is said over another', async () => {
    const proxy = relay(slapd.port, 2)
    const asked = { ...question(`ldap://127.0.0.1:${proxy.port}`), pauseMs: PAUSE_MS }
    expect(await ask(asked)).toBe('unavailable')
    expect(proxy.seen.connections).toBe(1)
    expect(proxy.seen.text).not.toContain(PASSWORD)
    proxy.stop()
    const whole = relay(slapd.port, Infinity)
    expect(await ask({ ...question(`ldap://127.0.0.1:${whole.port}`), pauseMs: PAUSE_MS })).toBe(true)
    expect(whole.seen.text).toContain(PASSWORD)
    whole.stop()
  })
})

describe.skipIf(!hasSlapd)('OpenLDAP as Bun alone reaches it', () => {
  test('over StartTLS, where the certificate is of the host and trusted; nothing else is said in the clear', async () => {
    const proxy = relay(slapd.port, Infinity)
    const url = `ldap://localhost:${proxy.port}`
    const start = { TIDEMARK_LDAP_START_TLS: 'on' }
    expect(await askDirectory(question(url, { ...start, TIDEMARK_LDAP_CA: slapd.ca }))).toBe(true)
    expect(await askDirectory(question(url, { ...start, TIDEMARK_LDAP_CA: slapd.ca }, 'wrong'))).toBe(false)
    expect(await askDirectory(question(url, start))).toBe('unavailable')
    const address = `ldap://127.0.0.1:${proxy.port}`
    expect(await askDirectory(question(address, { ...start, TIDEMARK_LDAP_CA: slapd.ca }))).toBe(
      'unavailable',
    )
    expect(proxy.seen.text).not.toContain('ada')
    // Control: without StartTLS it is there to be read.
    expect(await askDirectory(question(url))).toBe(true)
    expect(proxy.seen.text).toContain(PASSWORD)
    proxy.stop()
  })

  test('with a certificate that nobody trusts only where that was asked for', async () => {
    const url = `ldaps://localhost:${slapd.securePort}`
    expect(await askDirectory(question(url, { TIDEMARK_LDAP_TLS_VERIFY: 'off' }))).toBe(true)
    expect(await askDirectory(question(url))).toBe('unavailable')
    expect(await askDirectory(question(url, { TIDEMARK_LDAP_CA: SELF_SIGNED.cert }))).toBe('unavailable')
  })

  test('and after StartTLS never in the clear again, as the library by itself would', async () => {
    // What is said after the turn to TLS comes in a few pieces; the line is cut after each number of them.
    for (let answers = 2; answers < 8; answers++) {
      const proxy = relay(slapd.port, answers)
      const variables = { ...IMPATIENT, TIDEMARK_LDAP_START_TLS: 'on', TIDEMARK_LDAP_CA: slapd.ca }
      await askDirectory({ ...question(`ldap://localhost:${proxy.port}`, variables), pauseMs: PAUSE_MS })
      expect(proxy.seen.connections).toBe(1)
      expect(proxy.seen.text).not.toContain(PASSWORD)
      proxy.stop()
    }
    const proxy = relay(slapd.port, 1)
    const client = new Client({ url: `ldap://127.0.0.1:${proxy.port}`, timeout: 1_000 })
    await client.bind('', '')
    while (client.isConnected) await Bun.sleep(1)
    await rejection(client.bind(dnOf('ada'), PASSWORD).then(() => Promise.reject(new Error('bound'))))
    expect(proxy.seen.connections).toBe(2)
    expect(proxy.seen.text).toContain(PASSWORD)
    proxy.stop()
  })

  test('not where an answer never ends', async () => {
    const [begin, more] = [new Uint8Array([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]), new Uint8Array(1 << 20)]
    let sentBytes = 0
    const server = listen((socket) => {
      socket.write(begin)
      const timer = setInterval(() => {
        const wrote = socket.write(more)
        if (wrote < 0) clearInterval(timer)
        else sentBytes += wrote
      }, 1)
    })
    const variables = { TIDEMARK_LDAP_TIMEOUT: 'PT30S' }
    expect(await askDirectory(question(`ldap://127.0.0.1:${server.port}`, variables))).toBe('unavailable')
    expect(sentBytes).toBeLessThan(64 << 20)
    server.stop()
  }, 180_000)
})

test('a filter that is none is seen at the start', () => {
  const { ldap } = settingsFrom({
    TIDEMARK_LDAP_URL: 'ldaps://localhost',
    TIDEMARK_LDAP_BIND_DN: ADMIN_DN,
    TIDEMARK_LDAP_BIND_PASSWORD: ADMIN_PASSWORD,
    TIDEMARK_LDAP_BASE_DN: BASE_DN,
    TIDEMARK_LDAP_USER_FILTER: '(no filter)',
  })
  if (!ldap) throw new Error('There is no directory.')
  expect(() => openLdap(ldap)).toThrow('TIDEMARK_LDAP_USER_FILTER')
})
