import { expect } from 'bun:test'

import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { fromBase32 } from '../access/base32.ts'
import { newVerifier } from '../access/oidc-login.ts'
import { browserOf, oidcProvider, PAGES } from '../hosts/oidc-provider.ts'
import type { Person } from '../hosts/oidc-provider.ts'
import { PASSWORD } from './client.ts'
import type { Answer, Client } from './client.ts'
import { bareStage, expectAnswer, good, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Session = { readonly sessionId: string; readonly owed: string | null }
type User = Readonly<Record<string, unknown>> & { readonly id: number }
type Entry = { readonly action: string; readonly objectType: string; readonly objectId: string }

const SECRET = 'A'.repeat(43)
const LOGOUT = '/oidc/backchannel-logout'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const login = (query: string, answers: Row['answers'], pointers?: readonly string[]): Row => ({
  title: 'a login',
  call: `GET /oidc/login?${query}`,
  as: null,
  answers,
  ...(pointers && { pointers }),
})

const elsewhere = [
  'https://pages.example/signed-in/',
  'https://pages.example/signed-in?more=1',
  'https://pages.example/signed-in#here',
  'https://pages.example/',
  'https://pages.example.evil.example/signed-in',
  'https://pages.example@evil.example/signed-in',
  'http://pages.example/signed-in',
  'HTTPS://pages.example/signed-in',
  'https://pages.example:443/signed-in',
  '//pages.example/signed-in',
  '/signed-in',
  'https://evil.example/',
  'javascript:alert(1)',
  'https://pages.example/signed-in\r\nset-cookie: a=b',
]

const refusals = table(bareStage, [
  login('', 'invalid', ['?challenge']),
  login(`challenge=${SECRET.slice(1)}`, 'invalid', ['?challenge']),
  login(`challenge=${SECRET}A`, 'invalid', ['?challenge']),
  login(`challenge=${SECRET.slice(1)}%3D`, 'invalid', ['?challenge']),
  login(`challenge=${SECRET}&challenge=${SECRET}`, 'bad_request', ['?challenge']),
  login(`challenge=${SECRET}`, 302),
  ...PAGES.map((page) => login(`challenge=${SECRET}&returnUrl=${encodeURIComponent(page)}`, 302)),
  ...elsewhere.map((page) =>
    login(`challenge=${SECRET}&returnUrl=${encodeURIComponent(page)}`, 'invalid', ['?returnUrl']),
  ),
  login('returnTo=%2Fui%2F', 302),
  ...['/', '/ui', '/ui/../jobs', '//evil.example/ui/', '/\\evil.example/ui/', 'https://evil.example/ui/'].map(
    (path) => login(`returnTo=${encodeURIComponent(path)}`, 'invalid', ['?returnTo']),
  ),
  login(`returnTo=%2Fui%2F&challenge=${SECRET}&returnUrl=x`, 'invalid', ['?challenge', '?returnUrl']),
  {
    title: 'a login code beside a cookie',
    call: 'POST /oidc/session',
    as: null,
    json: { loginCode: SECRET, cookie: true },
    answers: 'invalid',
    pointers: ['/loginCode'],
  },
  {
    title: 'neither a login code nor a cookie',
    call: 'POST /oidc/session',
    as: null,
    json: {},
    answers: 'invalid',
    pointers: ['/loginCode', '/verifier'],
  },
  {
    title: 'no cookie',
    call: 'POST /oidc/session',
    as: null,
    json: { cookie: true },
    answers: 'unauthenticated',
  },
  {
    title: 'no state',
    call: 'GET /oidc/callback?code=x',
    as: null,
    answers: 'invalid',
    pointers: ['?state'],
  },
  {
    title: 'a made up state',
    call: 'GET /oidc/callback?code=x&state=x.y.z',
    as: null,
    answers: 'unauthenticated',
  },
  {
    title: 'a made up state, with parameters of the provider',
    call: 'GET /oidc/callback?code=x&state=x.y.z&scope=openid&session_state=x',
    as: null,
    answers: 'unauthenticated',
  },
  {
    title: 'two codes',
    call: 'GET /oidc/callback?code=x&code=y&state=x',
    as: null,
    answers: 'bad_request',
    pointers: ['?code'],
  },
  {
    title: 'an unknown login code',
    call: 'POST /oidc/session',
    as: null,
    json: { loginCode: SECRET, verifier: SECRET },
    answers: 'unauthenticated',
  },
  {
    title: 'a login code without a verifier',
    call: 'POST /oidc/session',
    as: null,
    json: { loginCode: SECRET },
    answers: 'invalid',
    pointers: ['/verifier'],
  },
  { title: 'a session of a password', call: 'GET /oidc/logout-url', answers: 'not_found' },
  { title: 'JSON', call: `POST ${LOGOUT}`, as: null, json: {}, answers: 'unsupported_media_type' },
  ...['', 'logout_token=', 'logout_token=a.b.c', 'logout_token=a&logout_token=b', 'token=x'].map(
    (text): Row => ({
      title: `"${text}"`,
      call: `POST ${LOGOUT}`,
      as: null,
      text,
      headers: FORM,
      answers: 'bad_request',
    }),
  ),
  {
    title: 'a body that is too large',
    call: `POST ${LOGOUT}`,
    as: null,
    text: `logout_token=${'x'.repeat(16 * 1024 - 12)}`,
    headers: FORM,
    answers: 'too_large',
  },
  {
    title: 'the largest body',
    call: `POST ${LOGOUT}`,
    as: null,
    text: `logout_token=${'x'.repeat(16 * 1024 - 13)}`,
    headers: FORM,
    answers: 'bad_request',
  },
  { title: 'who is nobody there', call: 'GET /users/1/identity', answers: 'not_found' },
  { title: 'who is nobody there', call: 'GET /users/1/identities', answers: 200 },
  { title: 'no user', call: 'GET /users/999999/identities', answers: 'not_found' },
  { title: 'who is nobody there', call: 'DELETE /users/1/identity', answers: 'not_found' },
  {
    title: 'a request without credentials',
    call: 'PUT /users/999999/identity',
    json: { subject: 'x' },
    answers: 'not_found',
  },
  {
    title: 'an empty subject',
    call: 'PUT /users/1/identity',
    json: { subject: '' },
    answers: 'invalid',
    pointers: ['/subject'],
  },
])

const scenarios: Scenario[] = [
  {
    title: 'whom the provider knows becomes a user with what it says of them, and the record says so',
    async run(client) {
      const groupId = await newGroup(client, 'Operations')
      const session = await signIn(client, 'grace', {
        preferred_username: 'grace',
        name: 'Grace Hopper',
        email: 'grace@example.org',
        email_verified: true,
        locale: 'de_CH',
        groups: ['ops', 'of no meaning'],
      })
      expect(session).toMatchObject({ owed: null })
      const user = await userCalled(client, 'grace')
      expect(user).toMatchObject({
        role: 'editor',
        type: 'local',
        fullname: 'Grace Hopper',
        email: 'grace@example.org',
        language: 'de-CH',
      })
      expect(await groupIdsOf(client, user.id)).toEqual([groupId])
      expect(await good(client.request('GET', `/users/${user.id}/identity`))).toEqual({
        issuer: (await oidcProvider()).issuer,
        subject: 'grace',
      })
      const { items } = await good<{ items: object[] }>(client.request('GET', `/users/${user.id}/identities`))
      expect(items).toMatchObject([{ kind: 'oidc', issuer: expect.any(String) as string }])
      expect(await actionsOn(client, user.id)).toEqual(['merge memberships', 'create'])
      const own = await client.request('GET', `/users/${user.id}`, bySession(session))
      expect(own.status).toBe(200)
      for (const password of ['', 'grace'])
        expect((await client.request('GET', '/sessions', byBasic('grace', password))).status).toBe(401)
    },
  },
  {
    title:
      'what the provider says at the next login is taken over: another role, other groups; nothing else is',
    decidedAbovePorts: 'OpenID Connect',
    async run(client) {
      const night = await newGroup(client, 'Night shift')
      const day = await newGroup(client, 'Day shift')
      const person = { preferred_username: 'alan', groups: ['ops', 'night'], name: 'Alan' }
      await signIn(client, 'alan', person)
      const { id } = await userCalled(client, 'alan')
      const json = { userIds: [id] }
      await good(client.request('PUT', `/userGroups/${day}/users`, { json }))
      const before = await groupIdsOf(client, id)
      expect(before).toContain(night)
      await good(client.request('PUT', `/users/${id}`, { json: { language: 'fr' } }))

      await signIn(client, 'alan', { ...person, groups: 'view', locale: 'en', name: 'Alan Turing' })
      expect(await userCalled(client, 'alan')).toMatchObject({
        role: 'dashboard_viewer',
        fullname: 'Alan Turing',
        language: 'fr',
      })
      expect(await groupIdsOf(client, id)).toEqual([day])

      const [again] = await signInRaw(client, 'alan', { ...person, groups: ['night'] })
      expectAnswer(again, { answers: 'forbidden' })
    },
  },
  {
    title: 'the name of a user here makes nobody that user until an administrator says so',
    async run(client) {
      const person = { preferred_username: 'editor', groups: ['ops'], email: 'x@example.org' }
      const [refused] = await signInRaw(client, 'stranger', person)
      expectAnswer(refused, { answers: 'forbidden' })
      const id = client.userIds.editor
      expect(
        await good(client.request('PUT', `/users/${id}/identity`, { json: { subject: 'stranger' } })),
      ).toEqual({
        issuer: (await oidcProvider()).issuer,
        subject: 'stranger',
      })
      const session = await signIn(client, 'stranger', person)
      const { items } = await good<{ items: { userId: number }[] }>(
        client.request('GET', '/sessions', bySession(session)),
      )
      expect(items[0]?.userId).toBe(id)
      const json = { subject: 'stranger' }
      expectAnswer(await client.request('PUT', `/users/${client.userIds.collector}/identity`, { json }), {
        answers: 'conflict',
        pointers: ['/subject'],
      })
      expectAnswer(await client.request('DELETE', `/users/${id}/identity`), { answers: 204 })
      const [gone] = await signInRaw(client, 'stranger', person)
      expectAnswer(gone, { answers: 'forbidden' })
    },
  },
  {
    title: 'a verified address of exactly one local user is that user, whose password and tokens then end',
    decidedAbovePorts: 'OpenID Connect',
    async run(client) {
      const email = 'katherine@example.org'
      const person = { preferred_username: 'kj', groups: ['ops'], email, email_verified: true }
      const { id } = await newUser(client, 'katherine', { email: email.toUpperCase() })
      const token = await newToken(client, 'katherine')
      await refusedAs('unverified', { ...person, email_verified: 'true', preferred_username: 'katherine' })
      const twin = await newUser(client, 'twin', { email })
      await refusedAs('of two', { ...person, preferred_username: 'katherine' })
      await good(client.request('DELETE', `/users/${twin.id}`))
      await good(client.request('PUT', `/users/${id}`, { json: { role: 'administrator' } }))
      await refusedAs('of an administrator', { ...person, preferred_username: 'katherine' })
      await good(client.request('PUT', `/users/${id}`, { json: { role: 'collector' } }))
      expect((await client.request('GET', '/sessions', byBasic('katherine', PASSWORD))).status).toBe(200)

      await signIn(client, 'katherine at the provider', person)
      expect(await userCalled(client, 'katherine')).toMatchObject({ id, role: 'editor' })
      expect((await client.request('GET', '/users', byBasic('katherine', PASSWORD))).status).toBe(401)
      expect((await client.request('GET', '/users', token)).status).toBe(401)
      expect(await actionsOn(client, id)).toContain('link by email')

      async function refusedAs(subject: string, as: Person) {
        const [answer] = await signInRaw(client, subject, as)
        expectAnswer(answer, { answers: 'forbidden' })
      }
    },
  },
  {
    title: 'a login code is good once, and for the page that began the login only',
    async run(client) {
      const { answer, page, verifier } = await throughProvider(client, 'ada', {
        preferred_username: 'ada l',
        groups: ['ops'],
      })
      expect(answer.status).toBe(302)
      expect(page?.href.split('#')[0]).toBe(PAGES[0])
      const loginCode = codeIn(page)
      expectAnswer(await open(client, { loginCode, verifier: SECRET }), { answers: 'unauthenticated' })
      const tries = Array.from({ length: 5 }, () => open(client, { loginCode, verifier }))
      expect(statusesOf(await Promise.all(tries))).toEqual([200, 401, 401, 401, 401])
      expectAnswer(await open(client, { loginCode, verifier }), { answers: 'unauthenticated' })
    },
  },
  {
    title: 'what came back from the provider comes back once',
    async run(client) {
      const person = { preferred_username: 'bletchley', groups: ['ops'] }
      const first = await throughProvider(client, 'bletchley', person)
      expect(first.answer.status).toBe(302)
      expectAnswer(await client.request('GET', first.callback, { as: null }), { answers: 'unauthenticated' })
      const { state } = await begin(client)
      const replayed = new URLSearchParams(first.callback.split('?')[1])
      replayed.set('state', state)
      // The code was made for another login: it has another PKCE challenge, and was used.
      expectAnswer(await client.request('GET', `/oidc/callback?${replayed.toString()}`, { as: null }), {
        answers: 'unauthenticated',
      })
    },
  },
  {
    title: 'own MFA is asked for after the provider, and the login code is not used up by asking',
    decidedAbovePorts: 'OpenID Connect',
    async run(client) {
      const person = { preferred_username: 'careful at work', groups: ['ops'] }
      const session = await signIn(client, 'careful', person)
      const { secret } = await good<{ secret: string }>(
        client.request('POST', '/session/mfa', bySession(session)),
      )
      const step = stepAt(Date.now())
      const codeAt = (at: number) => codeOf(fromBase32(secret), at)
      const json = { code: await codeAt(step - 1) }
      const { recoveryCodes } = await good<{ recoveryCodes: string[] }>(
        client.request('POST', '/session/mfa/confirmation', { ...bySession(session), json }),
      )
      const { page, verifier } = await throughProvider(client, 'careful', person)
      const loginCode = codeIn(page)
      expectAnswer(await open(client, { loginCode, verifier }), { answers: 'mfa_code_required' })
      expectAnswer(await open(client, { loginCode, verifier, code: '000000' }), {
        answers: 'unauthenticated',
      })
      expectAnswer(await open(client, { loginCode, verifier, code: recoveryCodes[0] }), { answers: 200 })
    },
  },
  {
    title: 'a logout at the provider ends what began there, by its own word, and leads back to the page',
    async run(client) {
      const provider = await oidcProvider()
      const person = { preferred_username: 'signing off', groups: ['ops'] }
      const browser = browserOf('leaving')
      const session = await signIn(client, 'leaving', person, browser)
      const other = await signIn(client, 'leaving', person)
      const { url } = await good<{ url: string }>(
        client.request('GET', '/oidc/logout-url', bySession(session)),
      )
      const form = await (await browser.ask(url)).text()
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? ''
      const told: Answer[] = []
      provider.tell = async (text) => {
        const answer = await client.request('POST', LOGOUT, { as: null, text, headers: FORM })
        told.push(answer)
        return new Response(null, { status: answer.status })
      }
      const back = await browser.leave(`${provider.issuer}/session/end/confirm`, {
        method: 'POST',
        headers: FORM,
        body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
      })
      expect(back.href).toBe(PAGES[0])
      expect(told.map(({ status }) => status)).toEqual([200])
      expect((await client.request('GET', '/users', bySession(session))).status).toBe(401)
      expect((await client.request('GET', '/users', bySession(other))).status).toBe(200)
      const { id } = await userCalled(client, 'signing off')
      expect(await actionsOn(client, id, 'session')).toEqual(['end by provider'])
    },
  },
]

const RETURN_TO = '/ui/alarms?status=open'
const LOGIN_PAGE = `/ui/login?returnTo=${encodeURIComponent(RETURN_TO)}`

const ownPages: Scenario[] = [
  {
    title: 'a page of this service signs in through the provider by cookies, with no token in a URL',
    async run(client) {
      const { callback, cookie, begun } = await fromOwnPage(client, 'own page', { groups: ['ops'] })
      expect(begun).toMatch(/^tidemark_oidc=[\w-]{43}\.; Max-Age=600; Path=\/oidc; HttpOnly; SameSite=Lax$/)
      const answer = await client.request('GET', callback, { as: null, headers: { cookie } })
      expect([answer.status, answer.headers.get('location')]).toEqual([302, `${LOGIN_PAGE}&oidc=ok`])
      const proven = setBy(answer)
      expect(proven).toMatch(/^tidemark_oidc=[\w-]{43}\.[\w-]{43}; Max-Age=60; /)
      expectAnswer(await openOwn(client, cookie), { answers: 'unauthenticated' })
      const foreign = { 'sec-fetch-site': 'cross-site' }
      expectAnswer(await openOwn(client, pairOf(proven), {}, foreign), { answers: 'forbidden' })
      const opened = await openOwn(client, pairOf(proven))
      const body = await good(Promise.resolve(opened))
      expect(Object.keys(body).sort()).toEqual(['accessToken', 'expiresAt', 'expiresIn', 'owed', 'tokenType'])
      expect(setBy(opened)).toMatch(/^tidemark_session=.*; Path=\/session; HttpOnly; SameSite=Strict$/)
      const refresh = { as: null, headers: { cookie: pairOf(setBy(opened)) }, json: {} }
      expectAnswer(await client.request('POST', '/session/refresh', refresh), { answers: 200 })
      expectAnswer(await openOwn(client, pairOf(proven)), { answers: 'unauthenticated' })
    },
  },
  {
    title: 'another browser cannot end the login of a page of this service',
    async run(client) {
      const { callback, cookie } = await fromOwnPage(client, 'lured', { groups: ['ops'] })
      const other = pairOf(setBy(await beginOwn(client)))
      const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
      for (const headers of [{}, { cookie: other }, { ...foreign }, { ...foreign, cookie: other }]) {
        const answer = await client.request('GET', callback, { as: null, headers })
        expect(answer.headers.get('location')).toBe(`${LOGIN_PAGE}&oidc=unauthenticated`)
        expect(answer.headers.getSetCookie()).toEqual([])
      }
      // The provider is another site as well: its redirect has the cookie of the browser that began the login.
      const own = await client.request('GET', callback, { as: null, headers: { ...foreign, cookie } })
      expect(own.headers.get('location')).toBe(`${LOGIN_PAGE}&oidc=ok`)
      const begun = await client.request('GET', '/oidc/login?returnTo=/ui/', { as: null, headers: foreign })
      expect(begun.headers.get('access-control-allow-origin')).toBeNull()
    },
  },
  {
    title: 'the login page gets the code of a refusal',
    decidedAbovePorts: 'OpenID Connect',
    async run(client) {
      const { callback, cookie } = await fromOwnPage(client, 'no role', { groups: ['of no meaning'] })
      const answer = await client.request('GET', callback, { as: null, headers: { cookie } })
      expect(answer.headers.get('location')).toBe(`${LOGIN_PAGE}&oidc=forbidden`)
      expect(answer.headers.getSetCookie()).toEqual([])
    },
  },
  {
    title: 'a page of this service sends the code of MFA after the provider',
    decidedAbovePorts: 'OpenID Connect',
    async run(client) {
      const person = { preferred_username: 'own page with MFA', groups: ['ops'] }
      const session = await signIn(client, 'own page with MFA', person)
      const { secret } = await good<{ secret: string }>(
        client.request('POST', '/session/mfa', bySession(session)),
      )
      const json = { code: await codeOf(fromBase32(secret), stepAt(Date.now()) - 1) }
      const { recoveryCodes } = await good<{ recoveryCodes: string[] }>(
        client.request('POST', '/session/mfa/confirmation', { ...bySession(session), json }),
      )
      const { callback, cookie } = await fromOwnPage(client, 'own page with MFA', person)
      const proven = pairOf(setBy(await client.request('GET', callback, { as: null, headers: { cookie } })))
      expectAnswer(await openOwn(client, proven), { answers: 'mfa_code_required' })
      expectAnswer(await openOwn(client, proven, { code: recoveryCodes[0] }), { answers: 200 })
    },
  },
]

type Browser = ReturnType<typeof browserOf>

function beginOwn(client: Client): Promise<Answer> {
  return client.request('GET', `/oidc/login?returnTo=${encodeURIComponent(RETURN_TO)}`, { as: null })
}

/** Goes from a page of this service to the provider, as this person. */
async function fromOwnPage(client: Client, subject: string, person: Person) {
  const { people } = await oidcProvider()
  people.set(subject, { preferred_username: subject, ...person })
  const answer = await beginOwn(client)
  const { pathname, search } = await browserOf(subject).leave(answer.headers.get('location') ?? '')
  const begun = setBy(answer)
  return { callback: `${pathname}${search}`, begun, cookie: pairOf(begun) }
}

function openOwn(client: Client, cookie: string, json: object = {}, headers: Record<string, string> = {}) {
  const sent = { as: null, headers: { cookie, ...headers }, json: { cookie: true, ...json } }
  return client.request('POST', '/oidc/session', sent)
}

/** The one cookie that an answer sets. */
function setBy({ headers }: Answer): string {
  const cookies = headers.getSetCookie()
  expect(cookies.length).toBe(1)
  return cookies[0] ?? ''
}

function pairOf(cookie: string): string {
  return cookie.split(';')[0] ?? ''
}

/** Begins a login as a page does. */
async function begin(client: Client) {
  const { verifier, challenge } = await newVerifier()
  const { status, headers } = await client.request('GET', `/oidc/login?challenge=${challenge}`, { as: null })
  expect(status).toBe(302)
  const url = headers.get('location') ?? ''
  return { verifier, url, state: new URL(url).searchParams.get('state') ?? '' }
}

/** Goes to the provider and comes back, as this person. */
async function throughProvider(
  client: Client,
  subject: string,
  person: Person,
  browser: Browser = browserOf(subject),
) {
  const { people } = await oidcProvider()
  people.set(subject, person)
  const { verifier, url } = await begin(client)
  const { pathname, search } = await browser.leave(url)
  const callback = `${pathname}${search}`
  const answer = await client.request('GET', callback, { as: null })
  const location = answer.headers.get('location')
  return { answer, callback, verifier, page: location === null ? null : new URL(location) }
}

async function signInRaw(client: Client, ...input: [string, Person, Browser?]): Promise<[Answer]> {
  const { answer, page, verifier } = await throughProvider(client, ...input)
  return [page === null ? answer : await open(client, { loginCode: codeIn(page), verifier })]
}

async function signIn(client: Client, ...input: [string, Person, Browser?]): Promise<Session> {
  const [answer] = await signInRaw(client, ...input)
  return good<Session>(Promise.resolve(answer))
}

function open(client: Client, json: object): Promise<Answer> {
  return client.request('POST', '/oidc/session', { as: null, json })
}

function codeIn(page: URL | null): string {
  return new URLSearchParams(page?.hash.slice(1)).get('loginCode') ?? ''
}

function bySession({ sessionId }: Session) {
  return { as: null, headers: { 'x-session-id': sessionId } }
}

function byBasic(username: string, password: string) {
  return { as: null, headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` } }
}

async function userCalled(client: Client, username: string): Promise<User> {
  const users = await good<User[]>(client.request('GET', '/users?limit=1000'))
  const user = users.find((one) => one['username'] === username)
  if (!user) throw new Error(`There is no user ${username}.`)
  return user
}

async function newUser(client: Client, username: string, more: object): Promise<User> {
  const json = { username, password: PASSWORD, role: 'collector', ...more }
  return good<User>(client.request('POST', '/users', { json }))
}

async function newToken(client: Client, username: string) {
  const json = {
    name: 'a script',
    scopes: ['read'],
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  }
  const asked = client.request('POST', '/session/personal-tokens', { ...byBasic(username, PASSWORD), json })
  return { as: null, headers: { authorization: `Bearer ${(await good<{ token: string }>(asked)).token}` } }
}

async function newGroup(client: Client, name: string): Promise<number> {
  return (await good<User>(client.request('POST', '/userGroups', { json: { name } }))).id
}

async function groupIdsOf(client: Client, userId: number): Promise<number[]> {
  const groups = await good<User[]>(client.request('GET', `/userGroups/users/${userId}`))
  return groups.map(({ id }) => id)
}

async function actionsOn(client: Client, id: number, objectType?: string): Promise<string[]> {
  const { items } = await good<{ items: Entry[] }>(
    client.request('GET', `/audit?objectId=${id}${objectType ? `&objectType=${objectType}` : ''}`),
  )
  return items
    .filter((one) => objectType !== undefined || /^(?:user|identity)$/.test(one.objectType))
    .map(({ action }) => action)
}

export const oidcSuite: Suite = {
  name: 'OpenID Connect',
  scenarios: [...refusals, ...scenarios, ...ownPages],
}
