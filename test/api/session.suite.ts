import { expect } from 'bun:test'

import { SCOPES } from '../../src/context.ts'
import type { Role } from '../../src/context.ts'
import type { Host } from '../hosts/host.ts'
import { startHost } from '../hosts/start.ts'
import { PASSWORD, speakTo } from './client.ts'
import type { Answer, Client, Request, Speaker } from './client.ts'
import { forgeries, tokenLike } from './forged-tokens.ts'
import { bareStage, expectAnswer, good, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Session = { readonly sessionId: string; readonly expiresAt: string }
type Token = { readonly accessToken: string; readonly tokenType: string; readonly expiresIn: number }

const WRONG = { username: 'editor', password: 'not the password' }
const NOBODY = { as: null } as const
/** The header fields of a browser for a request of a page of another origin. */
const FOREIGN = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
] as const
const LOGOUT = 'GET /session/logout?sessionId=x'
const LOGIN = `GET /session/login?username=editor&password=${encodeURIComponent(PASSWORD)}`
const DAY_MS = 86_400_000

const refusals = table(bareStage, [
  {
    title: 'no credentials',
    call: 'GET /session/login',
    ...NOBODY,
    answers: 'invalid',
    pointers: ['?username', '?password'],
  },
  {
    title: 'an empty password',
    call: 'GET /session/login?username=editor&password=',
    ...NOBODY,
    answers: 'invalid',
    pointers: ['?password'],
  },
  {
    title: 'a wrong password',
    call: 'GET /session/login?username=editor&password=wrong',
    ...NOBODY,
    answers: 'unauthenticated',
  },
  {
    title: 'an unknown user',
    call: 'GET /session/login?username=nobody&password=wrong',
    ...NOBODY,
    answers: 'unauthenticated',
  },
  {
    title: 'two user names',
    call: `${LOGIN}&username=admin`,
    ...NOBODY,
    answers: 'bad_request',
    pointers: ['?username'],
  },
  ...FOREIGN.flatMap((headers) =>
    [LOGIN, LOGOUT, 'GET /session/logout'].map((call): Row => ({
      title: `a page of another origin, by ${JSON.stringify(headers)}`,
      call,
      ...NOBODY,
      headers,
      answers: 'forbidden',
    })),
  ),
  {
    title: 'a wrong password',
    call: 'POST /session/login',
    ...NOBODY,
    json: WRONG,
    answers: 'unauthenticated',
  },
  {
    title: 'an unknown user',
    call: 'POST /session/login',
    ...NOBODY,
    json: { ...WRONG, username: 'nobody' },
    answers: 'unauthenticated',
  },
  {
    title: 'no password',
    call: 'POST /session/login',
    ...NOBODY,
    json: { username: 'editor' },
    answers: 'invalid',
    pointers: ['/password'],
  },
  {
    title: 'a password that is none',
    call: 'POST /session/login',
    ...NOBODY,
    json: { username: 'editor', password: 12345678 },
    answers: 'invalid',
    pointers: ['/password'],
  },
  {
    title: 'a field of its own',
    call: 'POST /session/login',
    ...NOBODY,
    json: { ...WRONG, sessionId: 'mine' },
    answers: 'invalid',
    pointers: ['/sessionId'],
  },
  {
    title: 'a request without credentials',
    call: 'GET /session/logout',
    ...NOBODY,
    answers: 'unauthenticated',
  },
  {
    title: 'Basic credentials, which are no session',
    call: 'GET /session/logout',
    ...NOBODY,
    headers: basic('editor', PASSWORD),
    answers: 'invalid',
    pointers: ['?sessionId'],
  },
  {
    title: 'a request without credentials',
    call: 'POST /session/logout',
    ...NOBODY,
    json: {},
    answers: 'unauthenticated',
  },
  {
    title: 'Basic credentials, which are no session',
    call: 'POST /session/logout',
    ...NOBODY,
    headers: basic('editor', PASSWORD),
    json: {},
    answers: 'invalid',
    pointers: ['/sessionId'],
  },
  {
    title: 'a request without credentials',
    call: 'POST /session/token',
    ...NOBODY,
    answers: 'unauthenticated',
  },
  {
    title: 'a token that is none',
    call: 'GET /users',
    ...NOBODY,
    headers: { authorization: 'Bearer nonsense' },
    answers: 'unauthenticated',
  },
  {
    title: 'a scheme that nobody knows',
    call: 'GET /users',
    ...NOBODY,
    headers: { authorization: 'Digest username="admin"' },
    answers: 'unauthenticated',
  },
  {
    title: 'an unknown session',
    call: 'GET /users',
    ...NOBODY,
    headers: { 'x-session-id': 'unknown' },
    answers: 'unauthenticated',
  },
  {
    title: 'an unknown session',
    call: 'GET /users?sessionId=unknown',
    ...NOBODY,
    answers: 'unauthenticated',
  },
  {
    title: 'no set-up token',
    call: 'GET /session/setup',
    ...NOBODY,
    answers: 'invalid',
    pointers: ['?token'],
  },
  {
    title: 'a wrong set-up token',
    call: 'POST /session/setup',
    ...NOBODY,
    json: { token: 'wrong', username: 'second', password: PASSWORD },
    answers: 'forbidden',
  },
  {
    title: 'a wrong language and time zone of a set-up',
    call: 'POST /session/setup',
    ...NOBODY,
    json: { token: 'wrong', username: 'second', password: PASSWORD, language: 'DE', timeZone: 'Mars/Base' },
    answers: 'invalid',
    pointers: ['/language', '/timeZone'],
  },
])

const logins: Scenario[] = [
  {
    title:
      'a refused login says how to authenticate, and the same for an unknown user as for a wrong password',
    async run(client) {
      const wrong = await client.request('POST', '/session/login', { json: WRONG, as: null })
      const unknown = await client.request('POST', '/session/login', {
        json: { ...WRONG, username: 'nobody' },
        as: null,
      })
      expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic realm="Tidemark"/)
      const same = ({ status, body }: Answer) => ({ status, ...body, requestId: null })
      expect(same(unknown)).toEqual(same(wrong))
    },
  },
  {
    title: 'twelve logins at once wait for each other, and all get in',
    async run(client) {
      const login = { json: { username: 'editor', password: PASSWORD }, as: null }
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => client.request('POST', '/session/login', login)),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    },
  },
  {
    title: 'GET and POST open a session of 24 hours, each a new one, whatever id the client brings along',
    async run(client) {
      const planted = { headers: { 'x-session-id': 'planted' }, as: null }
      const before = Date.now()
      const sessions = [
        await good<Session>(client.request('GET', LOGIN.slice(4), planted)),
        await good<Session>(
          client.request('POST', '/session/login?sessionId=planted', {
            ...planted,
            json: { username: 'editor', password: PASSWORD },
          }),
        ),
      ]
      for (const { sessionId, expiresAt } of sessions) {
        expect(sessionId).toMatch(/^[\w-]{43}$/)
        expect(Date.parse(expiresAt) - before).toBeGreaterThanOrEqual(DAY_MS)
        expect(Date.parse(expiresAt) - before).toBeLessThan(DAY_MS + 10_000)
        expect(await statusWith(client, { 'x-session-id': sessionId })).toBe(200)
      }
      expect(sessions[0]?.sessionId).not.toBe(sessions[1]?.sessionId)
      expect(await statusWith(client, { 'x-session-id': 'planted' })).toBe(401)
    },
  },
  ...[
    () => ({ 'sec-fetch-site': 'same-origin' }),
    () => ({ 'sec-fetch-site': 'none' }),
    ({ host }: Client) => ({ origin: new URL(host.url).origin }),
  ].map((headersOf) => ({
    title: `GET /session/login from ${headersOf.toString().slice(-40)} is answered`,
    run: async (client: Client) => {
      await good(client.request('GET', LOGIN.slice(4), { as: null, headers: headersOf(client) }))
    },
  })),
]

type Logout = readonly [title: string, run: (client: Client, session: Session) => Promise<Answer>]

const LOGOUTS: readonly Logout[] = [
  [
    'GET with the id',
    (client, { sessionId }) => client.request('GET', `/session/logout?sessionId=${sessionId}`, NOBODY),
  ],
  [
    'GET of its own by header',
    (client, { sessionId }) =>
      client.request('GET', '/session/logout', { ...NOBODY, headers: { 'x-session-id': sessionId } }),
  ],
  [
    'GET of its own by token',
    async (client, session) =>
      client.request('GET', '/session/logout', {
        ...NOBODY,
        headers: bearer(await tokenOf(client, session)),
      }),
  ],
  [
    'POST with the id in the body',
    (client, { sessionId }) => client.request('POST', '/session/logout', { json: { sessionId } }),
  ],
  [
    'POST of its own by header',
    (client, { sessionId }) => logOutOwn(client, { headers: { 'x-session-id': sessionId } }),
  ],
  [
    'POST of its own by query',
    (client, { sessionId }) =>
      client.request('POST', `/session/logout?sessionId=${sessionId}`, { ...NOBODY, json: {} }),
  ],
  [
    'POST of its own by token',
    async (client, session) => logOutOwn(client, { headers: bearer(await tokenOf(client, session)) }),
  ],
]

const logouts: Scenario[] = LOGOUTS.map(([title, logOut]) => ({
  title: `after logout by ${title} the session and its token are refused at once, and another one stays`,
  async run(client) {
    const session = await logIn(client)
    const token = await tokenOf(client, session)
    const ways = [{ 'x-session-id': session.sessionId }, bearer(token)]
    for (const headers of ways) expect(await statusWith(client, headers)).toBe(200)
    expect((await logOut(client, session)).status).toBe(204)
    for (const headers of ways) expect(await statusWith(client, headers)).toBe(401)
    expect((await client.request('GET', `/users?sessionId=${session.sessionId}`, NOBODY)).status).toBe(401)
    expect(await statusWith(client, { 'x-session-id': client.sessionIds.editor })).toBe(200)
    const again = await client.request('GET', `/session/logout?sessionId=${session.sessionId}`, NOBODY)
    expect(again.status).toBe(204)
  },
}))

/** Requests by the deprecated ways, good and refused. */
const DEPRECATED: readonly (readonly [call: string, status: number, request?: Request])[] = [
  ['GET /users', 200],
  ['GET /jobs/999999', 404],
  ['POST /users', 403, { json: {} }],
  ['POST /groups?parentId=1', 422, { json: {} }],
  ['PUT /groups/1', 415, { text: 'text' }],
  ['PUT /groups/1', 400, { text: '{', headers: { 'content-type': 'application/json' } }],
]

const ways: Scenario[] = [
  ...DEPRECATED.map(([line, status, request = {}]) => ({
    title: `a session id as header or query parameter is answered with Deprecation: ${line} ${status}`,
    async run(client: Client) {
      const sessionId = client.sessionIds.editor
      const [method = '', path = ''] = line.split(' ')
      const byHeader = { ...request, as: null, headers: { ...request.headers, 'x-session-id': sessionId } }
      const byQuery = `${path}${path.includes('?') ? '&' : '?'}sessionId=${sessionId}`
      const answers = [
        await client.request(method, path, byHeader),
        await client.request(method, byQuery, { ...request, as: null }),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(status)
        expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/)
      }
    },
  })),
  {
    title: 'an ended session is refused with Deprecation, too',
    async run(client) {
      for (const answer of [
        await client.request('GET', '/users', { as: null, headers: { 'x-session-id': 'ended' } }),
        await client.request('GET', '/users?sessionId=ended', NOBODY),
      ]) {
        expect(answer.status).toBe(401)
        expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/)
      }
    },
  },
  {
    title: 'a session id given twice is nobody',
    async run(client) {
      const sessionId = client.sessionIds.editor
      expect(
        (await client.request('GET', `/users?sessionId=${sessionId}&sessionId=other`, NOBODY)).status,
      ).toBe(401)
    },
  },
  {
    title: 'Basic credentials and tokens, behind any number of spaces, are answered without Deprecation',
    async run(client) {
      const token = await tokenOf(client, await logIn(client))
      const spaced = ({ authorization = '' }: Record<string, string>) => ({
        authorization: authorization.replace(' ', '   '),
      })
      const plain = [basic('editor', PASSWORD), bearer(token)]
      for (const headers of [...plain, ...plain.map(spaced)]) {
        const answer = await client.request('GET', '/users', { as: null, headers })
        expect({ status: answer.status, deprecation: answer.headers.get('deprecation') }).toEqual({
          status: 200,
          deprecation: null,
        })
      }
    },
  },
  ...table(bareStage, [
    {
      title: 'Basic with a wrong password',
      call: 'GET /users',
      ...NOBODY,
      headers: basic('editor', 'wrong'),
      answers: 'unauthenticated',
    },
    {
      title: 'Basic with the password of another',
      call: 'GET /users',
      ...NOBODY,
      headers: basic('admin', PASSWORD),
      answers: 'unauthenticated',
    },
    {
      title: 'Basic without a password',
      call: 'GET /users',
      ...NOBODY,
      headers: basic('editor', ''),
      answers: 'unauthenticated',
    },
    {
      title: 'Basic without a colon',
      call: 'GET /users',
      ...NOBODY,
      headers: { authorization: `Basic ${btoa('editor')}` },
      answers: 'unauthenticated',
    },
    {
      title: 'Basic that is no base64',
      call: 'GET /users',
      ...NOBODY,
      headers: { authorization: 'Basic ***' },
      answers: 'unauthenticated',
    },
    {
      title: 'Basic that is no UTF-8',
      call: 'GET /users',
      ...NOBODY,
      headers: { authorization: `Basic ${btoa('\xff:\xfe')}` },
      answers: 'unauthenticated',
    },
    {
      title: 'Basic with the scheme in small letters',
      call: 'GET /users',
      ...NOBODY,
      headers: { authorization: `basic ${btoa(`editor:${PASSWORD}`)}` },
      answers: 200,
    },
  ]),
  {
    title: 'wrong credentials in Authorization are not made good by a session beside them',
    async run(client) {
      const sessionId = client.sessionIds.editor
      expect(await statusWith(client, { ...basic('editor', 'wrong'), 'x-session-id': sessionId })).toBe(401)
      expect(await statusWith(client, { authorization: 'Bearer a.b.c', 'x-session-id': sessionId })).toBe(401)
    },
  },
]

const tokens: Scenario[] = [
  {
    title: 'a token of five minutes is taken as Baerer and as Bearer, in any case of letters',
    async run(client) {
      const token = await good<Token>(client.request('POST', '/session/token', { as: 'editor' }))
      expect(token).toEqual({ ...token, tokenType: 'Baerer', expiresIn: 300 })
      for (const scheme of ['Baerer', 'Bearer', 'bearer', 'BAERER']) {
        expect(await statusWith(client, { authorization: `${scheme} ${token.accessToken}` })).toBe(200)
      }
    },
  },
  {
    title:
      'a token stands for the user of its session, and is issued for Basic credentials and tokens as well',
    async run(client) {
      const first = await good<Token>(
        client.request('POST', '/session/token', { as: null, headers: basic('editor', PASSWORD) }),
      )
      const second = await good<Token>(
        client.request('POST', '/session/token', { as: null, headers: bearer(first.accessToken) }),
      )
      for (const { accessToken } of [first, second]) {
        const { body } = await client.request('GET', '/groups/1', { as: null, headers: bearer(accessToken) })
        expect(body['permissions']).toEqual({ read: true, write: true, execute: true, maintain: true })
        const refused = await client.request('POST', '/users', {
          as: null,
          headers: bearer(accessToken),
          json: {},
        })
        expectAnswer(refused, { answers: 'forbidden' })
      }
    },
  },
  {
    title:
      'more than 200 forged tokens of more than 13 kinds are refused, and the pattern they follow is not',
    async run(client) {
      const session = await logIn(client)
      const genuine = await tokenOf(client, session)
      expect(await statusWith(client, bearer(await tokenLike(genuine, client.host.key)))).toBe(200)
      const forged = await forgeries(genuine, { hostKey: client.host.key, sessionId: session.sessionId })
      expect(new Set(forged.map(([kind]) => kind)).size).toBeGreaterThanOrEqual(13)
      expect(forged.length).toBeGreaterThanOrEqual(200)
      const accepted: string[] = []
      for (const [kind, token] of forged) {
        if ((await statusWith(client, bearer(token))) !== 401) accepted.push(`${kind}: ${token}`)
      }
      expect(accepted).toEqual([])
      expect(await statusWith(client, bearer(genuine))).toBe(200)
    },
  },
]

const caller: Scenario[] = [
  {
    title: 'GET /session answers the caller with the session and the scopes of the call',
    async run(client) {
      const session = await logIn(client)
      const user = await good(client.request('GET', `/users/${client.userIds.editor}`, { as: 'editor' }))
      const own = { as: null, headers: { 'x-session-id': session.sessionId } }
      const { items } = await good<{ items: { id: string; isCurrent: boolean }[] }>(
        client.request('GET', '/sessions', own),
      )
      const { id } = items.find(({ isCurrent }) => isCurrent) ?? { id: '' }
      const { expiresAt } = session
      const all = { user, owed: null, scopes: [...SCOPES], preferences: {} }
      expect(await good(client.request('GET', '/session', own))).toEqual({
        ...all,
        session: { id, expiresAt },
      })
      const byPassword = { as: null, headers: basic('editor', PASSWORD) }
      expect(await good(client.request('GET', '/session', byPassword))).toEqual({ ...all, session: null })
    },
  },
  {
    title: 'a user replaces the preferences, and no other user sees them',
    async run(client) {
      const chosen = { theme: 'dark', keys: { single: false }, text: 'ä\u0000\ud800' }
      const put = (json: unknown) => client.request('PUT', '/session/preferences', { json, as: 'collector' })
      const read = async (as: Role) => (await good(client.request('GET', '/session', { as })))['preferences']
      expectAnswer(await put(chosen), { answers: 204 })
      expect(await read('collector')).toEqual(chosen)
      expect(await read('editor')).toEqual({})
      expectAnswer(await put({ theme: 'system' }), { answers: 204 })
      expect(await read('collector')).toEqual({ theme: 'system' })
      for (const body of [[], null, 'dark']) expectAnswer(await put(body), { answers: 'invalid' })
      expectAnswer(await put({ text: 'x'.repeat(4096) }), { answers: 'too_large' })
      expectAnswer(await put({ text: 'x'.repeat(4096 - 11) }), { answers: 204 })
    },
  },
  {
    title: 'the preferences of a shared user cannot be changed',
    async run(client) {
      const user = { username: 'shared by a shift', password: PASSWORD, type: 'shared', role: 'editor' }
      await good(client.request('POST', '/users', { json: user }))
      const headers = basic(user.username, PASSWORD)
      const request = { as: null, headers, json: { theme: 'dark' } }
      expectAnswer(await client.request('PUT', '/session/preferences', request), { answers: 'forbidden' })
    },
  },
  {
    title: 'GET /session names the action that a session owes',
    async run(client) {
      const user = { username: 'owing', password: PASSWORD }
      const { id } = await good<{ id: number }>(
        client.request('POST', '/users', { json: { ...user, role: 'editor' } }),
      )
      await good(client.request('PUT', `/users/${id}/mfa`, { json: { isEnforced: true } }))
      const { sessionId } = await good<Session>(
        client.request('POST', '/session/login', { json: user, as: null }),
      )
      const own = { as: null, headers: { 'x-session-id': sessionId } }
      expect(await good(client.request('GET', '/session', own))).toMatchObject({
        owed: 'mfa',
        scopes: ['account'],
      })
    },
  },
]

const setup: Scenario[] = [
  {
    title: 'without a configured password, a one-time link creates the first administrator, once',
    async run(client) {
      const host = await startHost(client.host.name, { TIDEMARK_ADMIN_PASSWORD: '' })
      try {
        await setUpOnce(host, await speakTo(host, { seen: client.seen }))
      } finally {
        await host.close()
      }
    },
  },
]

async function setUpOnce(host: Host, { request }: Speaker): Promise<void> {
  const link = new URL((await host.setupLink()) ?? 'no link')
  const token = link.searchParams.get('token')
  const isSetUp = async () => (await good(request('GET', '/session/options')))['isSetUp']
  expect(await isSetUp()).toBe(false)
  const page = await request('GET', link.pathname + link.search)
  expect([page.status, page.headers.get('location')]).toEqual([303, `/ui/setup#${token}`])

  const credentials = { username: 'first', password: PASSWORD }
  const choices = { language: 'de-CH', timeZone: 'Asia/Kathmandu' }
  const setUp = (json: object) => request('POST', '/session/setup', { json })
  expectAnswer(await setUp({ ...credentials, token: 'wrong' }), { answers: 'forbidden' })
  expectAnswer(await setUp({ ...credentials, token, password: 'short' }), {
    answers: 'invalid',
    pointers: ['/password'],
  })
  expectAnswer(await request('POST', '/session/login', { json: credentials }), { answers: 'unauthenticated' })
  const answers = await Promise.all([
    setUp({ ...credentials, ...choices, token }),
    setUp({ ...credentials, ...choices, username: 'rival', token }),
  ])
  expect(statusesOf(answers)).toEqual([201, 403])
  expect(await isSetUp()).toBe(true)
  const created = answers.find(({ status }) => status === 201)
  expect(created?.body).toMatchObject({ id: 1, role: 'administrator', ...choices })

  const username = created?.body['username']
  const json = { ...credentials, username }
  const { sessionId } = await good<Session>(request('POST', '/session/login', { json }))
  const settings = await good(request('GET', '/settings.json', { headers: { 'x-session-id': sessionId } }))
  expect(settings['language']).toBe(choices.language)
  expectAnswer(await setUp({ ...credentials, username: 'late', token }), { answers: 'forbidden' })
}

export const sessionSuite: Suite = {
  name: 'session',
  scenarios: [...refusals, ...logins, ...logouts, ...ways, ...tokens, ...caller, ...setup],
}

function logIn(client: Client): Promise<Session> {
  const json = { username: 'editor', password: PASSWORD }
  return good<Session>(client.request('POST', '/session/login', { json, as: null }))
}

async function tokenOf(client: Client, { sessionId }: Session): Promise<string> {
  const request = { as: null, headers: { 'x-session-id': sessionId } }
  return (await good<Token>(client.request('POST', '/session/token', request))).accessToken
}

function logOutOwn(client: Client, { headers }: { headers: Record<string, string> }): Promise<Answer> {
  return client.request('POST', '/session/logout', { as: null, headers, json: {} })
}

async function statusWith(client: Client, headers: Record<string, string>): Promise<number> {
  return (await client.request('GET', '/users', { as: null, headers })).status
}

function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${username}:${password}`)}` }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
