import { expect } from 'bun:test'

import { ADMIN } from '../hosts/host.ts'
import { startHost } from '../hosts/start.ts'
import { PASSWORD, speakTo } from './client.ts'
import type { Answer, Client, Request } from './client.ts'
import { routes } from './roles.suite.ts'
import { expectAnswer, good } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Login = Readonly<Record<string, unknown>> & { readonly accessToken: string }

const DAY_S = 86_400
/** Headers by which a browser marks the request of a page of another origin. */
const FOREIGN = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
] as const
/** Headers of a page of this service, of a request that a person typed, and of a client that is no browser. */
const OWN = [
  () => ({ 'sec-fetch-site': 'same-origin' }),
  () => ({ 'sec-fetch-site': 'none' }),
  ({ host }: Client) => ({ origin: new URL(host.url).origin }),
  () => ({}),
] as const

const scenarios: Scenario[] = [
  {
    title: 'a login with cookie: true puts the refresh token into a cookie that only this service reads',
    async run(client) {
      const answer = await logIn(client)
      expect(attributesOf(answer)).toEqual({
        'max-age': String(DAY_S),
        path: '/session',
        httponly: '',
        samesite: 'Strict',
      })
      const body = await good<Login>(Promise.resolve(answer))
      expect(Object.keys(body).sort()).toEqual(['accessToken', 'expiresAt', 'expiresIn', 'owed', 'tokenType'])
      expect(await statusWith(client, body)).toBe(200)
      expect(attributesOf(await logIn(client, { 'x-forwarded-proto': 'https' }))).toHaveProperty('secure')
      const plain = await good<Login>(client.request('POST', '/session/login', login({})))
      expect(plain).toHaveProperty('refreshToken')
      expect(plain).toHaveProperty('sessionId')
    },
  },
  {
    title: 'a refresh by the cookie answers an access token alone and moves the cookie on',
    async run(client) {
      const first = await logIn(client)
      const second = await refresh(client, cookieIn(first))
      const body = await good<Login>(Promise.resolve(second))
      expect(Object.keys(body).sort()).toEqual(['accessToken', 'expiresIn', 'tokenType'])
      expect(await statusWith(client, body)).toBe(200)
      expect(cookieIn(second)).not.toBe(cookieIn(first))
      expect(attributesOf(second)).toMatchObject({ path: '/session', httponly: '', samesite: 'Strict' })
      expectAnswer(await refresh(client, cookieIn(second)), { answers: 200 })
    },
  },
  {
    title: 'tabs that refresh at the same moment stay signed in, and so does a page whose answer was lost',
    async run(client) {
      const cookie = cookieIn(await logIn(client))
      const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(client, cookie)))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expectAnswer(await refresh(client, cookie), { answers: 200 })
      for (const answer of answers) expectAnswer(await refresh(client, cookieIn(answer)), { answers: 200 })
    },
  },
  {
    title: 'a cookie whose successor was used ends the session',
    async run(client) {
      const first = cookieIn(await logIn(client))
      const second = cookieIn(await refresh(client, first))
      const third = await refresh(client, second)
      expectAnswer(await refresh(client, first), { answers: 'unauthenticated' })
      expectAnswer(await refresh(client, cookieIn(third)), { answers: 'unauthenticated' })
      expect(await statusWith(client, third.body as Login)).toBe(401)
    },
  },
  {
    title: 'the token of a cookie is refused in a body, and the reverse',
    async run(client) {
      const cookie = cookieIn(await logIn(client))
      const refreshToken = cookie.slice(cookie.indexOf('=') + 1)
      const { refreshToken: plain } = await good(client.request('POST', '/session/login', login({})))
      const inBody = { as: null, json: { refreshToken } }
      expectAnswer(await client.request('POST', '/session/refresh', inBody), { answers: 'unauthenticated' })
      expectAnswer(await refresh(client, `tidemark_session=${String(plain)}`), { answers: 'unauthenticated' })
      expectAnswer(await refresh(client, 'tidemark_session=x'), { answers: 'unauthenticated' })
      expectAnswer(await refresh(client, 'other=x'), { answers: 'unauthenticated' })
      expectAnswer(await refresh(client, cookie), { answers: 200 })
    },
  },
  ...FOREIGN.map((headers) => ({
    title: `a page of another origin neither gets nor uses the cookie: ${JSON.stringify(headers)}`,
    async run(client: Client) {
      const cookie = cookieIn(await logIn(client))
      const asked = await logIn(client, headers)
      expectAnswer(asked, { answers: 'forbidden' })
      const used = await refresh(client, cookie, headers)
      expectAnswer(used, { answers: 'forbidden' })
      for (const { headers: sent } of [asked, used]) expect(sent.getSetCookie()).toEqual([])
      expectAnswer(await refresh(client, cookie), { answers: 200 })
    },
  })),
  ...OWN.map((headersOf) => ({
    title: `a page of this service gets and uses the cookie: ${headersOf.toString().slice(-40)}`,
    decidedAbovePorts: 'cookies',
    async run(client: Client) {
      const headers = headersOf(client)
      const cookie = cookieIn(await logIn(client, headers))
      expectAnswer(await refresh(client, cookie, headers), { answers: 200 })
    },
  })),
  {
    title: 'no route but the refresh takes the cookie as a credential',
    decidedAbovePorts: 'cookies',
    async run(client) {
      const headers = { cookie: cookieIn(await logIn(client)) }
      const accepted: string[] = []
      for (const { method, path, policy } of routes.filter((route) => route.policy.roles !== 'anyone')) {
        const reached = path.replaceAll(
          /:(\w+)(?:\{([^}]*)\})?/g,
          (_, _name: string, kinds?: string) => kinds?.split('|')[0] ?? '999999999',
        )
        const { status } = await client.request(method, reached, { as: null, headers, ...bodyOf(method) })
        if (status !== 401) accepted.push(`${method} ${path} (${String(policy.roles)}): ${status}`)
      }
      expect(accepted).toEqual([])
      expectAnswer(await refresh(client, headers.cookie), { answers: 200 })
    },
  },
  {
    title: 'a logout ends the session of the cookie and deletes it; a logout of another session does not',
    async run(client) {
      const first = await logIn(client)
      const { sessionId } = await good(client.request('POST', '/session/login', login({})))
      const other = await logOut(client, first, { sessionId })
      expect([other.status, other.headers.getSetCookie()]).toEqual([204, []])
      const answer = await logOut(client, first, {})
      expect(answer.status).toBe(204)
      expect(cookieIn(answer)).toBe('tidemark_session=')
      expect(attributesOf(answer)).toMatchObject({ 'max-age': '0', path: '/session' })
      expectAnswer(await refresh(client, cookieIn(first)), { answers: 'unauthenticated' })
      expect(await statusWith(client, first.body as Login)).toBe(401)
    },
  },
  {
    title: 'a logout everywhere ends all sessions of the caller, on record, and no session of another user',
    async run(client) {
      const user = { username: 'signed in twice', password: PASSWORD }
      const { id } = await good<{ id: number }>(
        client.request('POST', '/users', { json: { ...user, role: 'editor' } }),
      )
      const here = await client.request('POST', '/session/login', login({ ...user, cookie: true }))
      const there = await good<Login>(client.request('POST', '/session/login', login(user)))
      const answer = await logOut(client, here, { everywhere: true })
      expect([answer.status, cookieIn(answer)]).toEqual([204, 'tidemark_session='])
      for (const one of [here.body as Login, there]) expect(await statusWith(client, one)).toBe(401)
      expectAnswer(await refresh(client, cookieIn(here)), { answers: 'unauthenticated' })
      expectAnswer(await client.request('GET', '/users', { as: 'editor' }), { answers: 200 })
      const { items } = await good<{ items: { action: string }[] }>(
        client.request('GET', `/audit?objectType=session&objectId=${id}`),
      )
      expect(items.map(({ action }) => action)).toEqual(['end all'])
      const both = { sessionId: 'x', everywhere: true }
      expectAnswer(await client.request('POST', '/session/logout', { json: both, as: 'editor' }), {
        answers: 'invalid',
        pointers: ['/everywhere'],
      })
    },
  },
  {
    title: 'below a base path the cookie is sent below that path only',
    decidedAbovePorts: 'cookies',
    async run(client) {
      const host = await startHost(client.host.name, { TIDEMARK_BASE_PATH: '/monitor' })
      try {
        const { request } = await speakTo({ ...host, url: new URL('/monitor', host.url).href })
        const answer = await request('POST', '/session/login', { json: { ...ADMIN, cookie: true } })
        expect(attributesOf(answer)).toMatchObject({ path: '/monitor/session' })
      } finally {
        await host.close()
      }
    },
  },
]

/** A session of a browser: the cookie, where it goes, and where it does not. */
export const cookieSuite: Suite = { name: 'cookie', scenarios }

function login(json: object, headers: Readonly<Record<string, string>> = {}): Request {
  return { as: null, headers, json: { username: 'editor', password: PASSWORD, ...json } }
}

function logIn(client: Client, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return client.request('POST', '/session/login', login({ cookie: true }, headers))
}

function refresh(client: Client, cookie: string, headers: Readonly<Record<string, string>> = {}) {
  return client.request('POST', '/session/refresh', { as: null, headers: { cookie, ...headers }, json: {} })
}

function logOut(client: Client, { body, headers }: Answer, json: object): Promise<Answer> {
  const sent = { ...bearer(body as Login), cookie: cookieIn({ headers }) }
  return client.request('POST', '/session/logout', { as: null, headers: sent, json })
}

async function statusWith(client: Client, session: Login): Promise<number> {
  return (await client.request('GET', '/users', { as: null, headers: bearer(session) })).status
}

function bearer({ accessToken }: Login) {
  return { authorization: `Bearer ${accessToken}` }
}

function bodyOf(method: string): Request {
  return method === 'GET' || method === 'DELETE' ? {} : { json: {} }
}

/** `name=value` of the one cookie of an answer. */
function cookieIn({ headers }: Pick<Answer, 'headers'>): string {
  const [cookie = '', another] = headers.getSetCookie()
  expect(another).toBeUndefined()
  return cookie.split(';')[0] ?? ''
}

function attributesOf({ headers }: Answer): Record<string, string> {
  const [cookie = ''] = headers.getSetCookie()
  const pairs = cookie
    .split('; ')
    .slice(1)
    .map((pair) => pair.split('='))
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value]))
}
