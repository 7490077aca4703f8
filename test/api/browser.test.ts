import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createApp } from '../../src/app.ts'
import type { Host } from '../hosts/host.ts'
import { ADMIN } from '../hosts/host.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { connectAdministrator } from './client.ts'
import type { Speaker } from './client.ts'
import { portless } from './portless.ts'
import { expectAnswer, good } from './suite.ts'

const ALLOWED = ['https://console.example.org', 'http://127.0.0.1:5173', 'https://xn--mnchen-3ya.example']
const START_MAX_MS = 180_000

/** Origins that look like an allowed one, or are none. */
const LOOKALIKES: readonly string[] = [
  'null',
  '*',
  'undefined',
  'https://',
  'https:',
  'console.example.org',
  '//console.example.org',
  'http://console.example.org',
  'HTTPS://console.example.org',
  'https://Console.example.org',
  'https://CONSOLE.EXAMPLE.ORG',
  'https://console.example.org/',
  'https://console.example.org/path',
  'https://console.example.org?',
  'https://console.example.org#',
  'https://console.example.org:443',
  'https://console.example.org:8443',
  'https://console.example.org:80',
  'https://console.example.org:',
  'https://console.example.org.',
  'https://console.example.org.evil.test',
  'https://console.example.orgevil.test',
  'https://evil.test/https://console.example.org',
  'https://evil.test?https://console.example.org',
  'https://evil.test#https://console.example.org',
  'https://console.example.org@evil.test',
  'https://user@console.example.org',
  'https://user:password@console.example.org',
  'https://evilconsole.example.org',
  'https://evil-console.example.org',
  'https://evil.console.example.org',
  'https://example.org',
  'https://console.example',
  'https://console.example.or',
  'https://console.example.orgg',
  'https://consoleXexample.org',
  'https://console_example.org',
  'https://console.example.org%00',
  'https://console.example.org%2eevil.test',
  'https://console.example.org%0d%0a',
  'https://console.example.org,https://evil.test',
  'https://evil.test,https://console.example.org',
  'https://console.example.org https://evil.test',
  'https://evil.test https://console.example.org',
  'https://xn--mnchen-3ya.example.evil.test',
  'https://xn--mnchen-3ya.exampl',
  'https://munchen.example',
  'https://xn--conole-eva.example.org',
  'wss://console.example.org',
  'ws://127.0.0.1:5173',
  'ftp://console.example.org',
  'file://',
  'data:text/html,x',
  'blob:https://console.example.org',
  'chrome-extension://console.example.org',
  'http://127.0.0.1',
  'http://127.0.0.1:5174',
  'http://127.0.0.1:517',
  'http://127.0.0.1:51730',
  'http://127.0.0.01:5173',
  'http://127.1:5173',
  'http://2130706433:5173',
  'http://localhost:5173',
  'https://127.0.0.1:5173',
  'http://[::1]:5173',
  'http://[::ffff:127.0.0.1]:5173',
]

describe.each([...HOST_NAMES])('browsers and %s', (name) => {
  let host: Host
  let client: Speaker & { sessionId: string }

  beforeAll(async () => {
    host = await startHost(name, {
      TIDEMARK_CORS_ALLOWED_ORIGINS: ALLOWED.join(', '),
      TIDEMARK_QUERY_CREDENTIALS: 'off',
    })
    client = await connectAdministrator(host)
  })
  afterAll(() => host.close())

  test.each(ALLOWED)('a page of %s may call, and read what is answered', async (origin) => {
    const preflight = await client.request('OPTIONS', '/jobs/1', {
      as: null,
      headers: { origin, 'access-control-request-method': 'PUT' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
    for (const answer of [
      preflight,
      await client.request('GET', '/users', { headers: { origin } }),
      await client.request('GET', '/users', { as: null, headers: { origin } }),
      await client.request('GET', '/nothing', { headers: { origin } }),
      await client.request('POST', '/webcollector/jobs/999999/values', {
        json: { returnValue1: 1 },
        headers: { origin },
      }),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      expect(answer.headers.get('vary')).toContain('Origin')
    }
  })

  test('no page of more than 60 other origins may, and every answer varies by origin', async () => {
    expect(LOOKALIKES.length).toBeGreaterThanOrEqual(60)
    const allowed: string[] = []
    for (const origin of LOOKALIKES) {
      for (const answer of [
        await client.request('GET', '/users', { headers: { origin } }),
        await client.request('OPTIONS', '/users', {
          as: null,
          headers: { origin, 'access-control-request-method': 'POST' },
        }),
      ]) {
        if (answer.headers.has('access-control-allow-origin')) allowed.push(origin)
        expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
        expect(answer.headers.get('vary')).toContain('Origin')
      }
    }
    expect(allowed).toEqual([])
  })

  test('an answer lets no browser guess, frame, refer, store, or lend it to other pages', async () => {
    for (const path of ['/users', '/healthz', '/nothing', '/openapi.json', '/jobs/999999']) {
      const { headers } = await client.request('GET', path)
      expect(Object.fromEntries(HEADERS.map((header) => [header, headers.get(header)]))).toEqual({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'set-cookie': null,
        'x-powered-by': null,
      })
    }
  })

  test('no page can be framed', async () => {
    for (const path of ['/', '/ui/', '/ui/login', '/session/setup?token=x', '/nothing']) {
      const { headers } = await client.request('GET', path, { headers: { accept: 'text/html' } })
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })

  test.each(ALLOWED)('a page of %s gets a session, but no cookie', async (origin) => {
    const login = (json: object) =>
      client.request('POST', '/session/login', { as: null, headers: { origin }, json: { ...ADMIN, ...json } })
    expectAnswer(await login({}), { answers: 200 })
    expectAnswer(await login({ cookie: true }), { answers: 'forbidden' })
  })

  test('with the switch off, credentials in a URL are good for nothing, and elsewhere as ever', async () => {
    const query = new URLSearchParams(ADMIN)
    const nobody = { as: null } as const
    expectAnswer(await client.request('GET', `/session/login?${query.toString()}`, nobody), {
      answers: 'forbidden',
    })
    const logout = `/session/logout?sessionId=${client.sessionId}`
    expectAnswer(await client.request('GET', logout, nobody), { answers: 'forbidden' })
    const users = await client.request('GET', `/users?sessionId=${client.sessionId}`, nobody)
    expectAnswer(users, { answers: 'unauthenticated' })
    expect(users.headers.get('deprecation')).toBeNull()
    await good(client.request('GET', '/users'))
    await good(client.request('POST', '/session/login', { ...nobody, json: ADMIN }))
  })
})

const HEADERS = [
  'x-content-type-options',
  'referrer-policy',
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'set-cookie',
  'x-powered-by',
]

test('a browser that came by TLS is told to stay with it, and no other', async () => {
  const { fetch: ask } = createApp(portless)
  const header = async (url: string) => (await ask(new Request(url))).headers.get('strict-transport-security')
  expect(await header('https://tidemark.example/healthz')).toBe('max-age=31536000')
  expect(await header('http://tidemark.example/healthz')).toBeNull()
})

test.each([...HOST_NAMES])(
  'without allowed origins %s answers no page and no preflight',
  async (name) => {
    const host = await startHost(name)
    try {
      const headers = { origin: 'https://console.example.org', 'access-control-request-method': 'GET' }
      for (const method of ['GET', 'OPTIONS']) {
        const response = await fetch(`${host.url}/healthz`, { method, headers })
        expect(response.status).toBe(method === 'GET' ? 200 : 405)
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
      }
    } finally {
      await host.close()
    }
  },
  START_MAX_MS,
)
