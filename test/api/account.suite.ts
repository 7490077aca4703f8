import { expect } from 'bun:test'

import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { encodeCursor } from '../../src/lib/paging.ts'
import { fromBase32 } from '../access/base32.ts'
import { PASSWORD } from './client.ts'
import type { Answer, Client } from './client.ts'
import { bareStage, expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Login = {
  readonly sessionId: string
  readonly accessToken: string
  readonly refreshToken: string
  readonly owed: string | null
}
type Listed = { readonly items: readonly { readonly id: string; readonly isCurrent: boolean }[] }
type Token = { readonly id: number; readonly token: string }

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
const TOKEN = { name: 'a script', scopes: ['read'], expiresAt: inDays(7) }

/** A user of one scenario alone. */
async function newUser(client: Client, username: string, role = 'editor'): Promise<number> {
  const json = { username, password: PASSWORD, role }
  return (await good<{ id: number }>(client.request('POST', '/users', { json }))).id
}

function tryLogin(client: Client, username: string, more: object = {}): Promise<Answer> {
  const json = { username, password: PASSWORD, ...more }
  return client.request('POST', '/session/login', { json, as: null })
}

const logIn = (client: Client, username: string, more: object = {}) =>
  good<Login>(tryLogin(client, username, more))

const bySession = ({ sessionId }: { sessionId: string }) => ({
  as: null,
  headers: { 'x-session-id': sessionId },
})
const byToken = (token: string) => ({ as: null, headers: { authorization: `Bearer ${token}` } })
const byBasic = (username: string, password: string) => ({
  as: null,
  headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
})

const sessions: Scenario[] = [
  {
    title: 'open sessions are listed for their user and for administrators, and each can be ended at once',
    async run(client) {
      const userId = await newUser(client, 'with sessions')
      const [first, second] = [await logIn(client, 'with sessions'), await logIn(client, 'with sessions')]
      const own = bySession(first)
      const { items } = await good<Listed>(client.request('GET', '/sessions', own))
      expect(items.filter(({ isCurrent }) => isCurrent).length).toBe(1)
      expect(JSON.stringify(items)).not.toContain(first.sessionId)
      const shown = await good<Listed>(client.request('GET', `/sessions?userId=${userId}`))
      expect(shown.items.map(({ id }) => id)).toEqual(items.map(({ id }) => id))
      const page = await client.request('GET', '/sessions?limit=1', own)
      expect(page.body['items']).toEqual(items.slice(0, 1))
      const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? 'no link'
      expect((await good<Listed>(client.request('GET', next, own))).items).toEqual(items.slice(1))
      expect(shown.items[0]).toMatchObject({
        userId,
        isCurrent: false,
        address: expect.any(String) as string,
      })

      const other = items.find(({ isCurrent }) => !isCurrent)?.id
      expectAnswer(await client.request('DELETE', `/sessions/${other}`, { as: 'collector' }), {
        answers: 'not_found',
      })
      expectAnswer(await client.request('DELETE', `/sessions/${other}`, own), { answers: 204 })
      expect((await client.request('GET', '/users', bySession(second))).status).toBe(401)
      expect((await client.request('GET', '/users', byToken(second.accessToken))).status).toBe(401)
      expectAnswer(await client.request('DELETE', `/sessions/${other}`, own), { answers: 'not_found' })

      const last = items.find(({ isCurrent }) => isCurrent)?.id
      expectAnswer(await client.request('DELETE', `/sessions/${last}`), { answers: 204 })
      expect((await client.request('GET', '/users', own)).status).toBe(401)
    },
  },
  ...table(bareStage, [
    {
      title: "an editor the administrator's",
      call: 'GET /sessions?userId=1',
      as: 'editor',
      answers: 'forbidden',
    },
    { title: 'a request without credentials', call: 'GET /sessions', as: null, answers: 'unauthenticated' },
    { title: 'no page', call: 'GET /sessions?limit=0', answers: 'invalid', pointers: ['?limit'] },
    { title: 'the smallest page', call: 'GET /sessions?limit=1', answers: 200 },
    { title: 'the largest page', call: 'GET /sessions?limit=1000', answers: 200 },
    { title: 'a larger page', call: 'GET /sessions?limit=1001', answers: 'invalid', pointers: ['?limit'] },
    {
      title: 'a cursor of another list',
      call: `GET /sessions?cursor=${encodeCursor([1, 2])}`,
      answers: 'invalid',
      pointers: ['?cursor'],
    },
    { title: 'an id that is none', call: `DELETE /sessions/${'x'.repeat(65)}`, answers: 'not_found' },
    {
      title: "an editor the administrator's",
      call: 'GET /session/personal-tokens?userId=1',
      as: 'editor',
      answers: 'forbidden',
    },
  ]),
]

const refreshes: Scenario[] = [
  {
    title: 'a refresh token gives another pair, once; one that comes a second time ends the session',
    async run(client) {
      await newUser(client, 'refreshing')
      const login = await logIn(client, 'refreshing')
      const refresh = (refreshToken: string) =>
        client.request('POST', '/session/refresh', { as: null, json: { refreshToken } })
      const second = await good<Login>(refresh(login.refreshToken))
      const third = await good<Login>(refresh(second.refreshToken))
      for (const { accessToken } of [login, second, third])
        expect((await client.request('GET', '/users', byToken(accessToken))).status).toBe(200)

      expectAnswer(await refresh(second.refreshToken), { answers: 'unauthenticated' })
      for (const { accessToken } of [login, second, third])
        expect((await client.request('GET', '/users', byToken(accessToken))).status).toBe(401)
      expect((await client.request('GET', '/users', bySession(login))).status).toBe(401)
      expectAnswer(await refresh(third.refreshToken), { answers: 'unauthenticated' })
    },
  },
  {
    title: 'of two refreshes at once with one token, one succeeds and the session ends',
    async run(client) {
      const login = await logIn(client, 'refreshing')
      const json = { refreshToken: login.refreshToken }
      const answers = await Promise.all(
        [1, 2].map(() => client.request('POST', '/session/refresh', { as: null, json })),
      )
      expect(statusesOf(answers)).toEqual([200, 401])
      expect((await client.request('GET', '/users', bySession(login))).status).toBe(401)
    },
  },
  {
    title: 'tokens of one kind are not taken for the other, nor any that was altered, and the session stays',
    decidedAbovePorts: 'accounts',
    async run(client) {
      const login = await logIn(client, 'refreshing')
      const { accessToken, refreshToken } = login
      expect((await client.request('GET', '/users', byToken(refreshToken))).status).toBe(401)
      const [head = '', claims = '', mac = ''] = refreshToken.split('.')
      const other = accessToken.split('.')
      const wrong = [
        accessToken,
        '',
        'x',
        `${head}.${claims}.`,
        `${head}.${claims}.${other[2]}`,
        `${other[0]}.${claims}.${mac}`,
        `${head}.${other[1]}.${mac}`,
        `${refreshToken}x`,
      ]
      for (const token of wrong) {
        const json = { refreshToken: token }
        const { status } = await client.request('POST', '/session/refresh', { as: null, json })
        expect([401, 422]).toContain(status)
      }
      expect((await client.request('GET', '/users', bySession(login))).status).toBe(200)
    },
  },
]

const personal: Scenario[] = [
  {
    title: 'a personal token acts for its owner within its scopes, is shown once, and ends at once',
    async run(client) {
      const make = (scopes: readonly string[]) =>
        good<Token>(
          client.request('POST', '/session/personal-tokens', { json: { ...TOKEN, scopes }, as: 'editor' }),
        )
      const reader = await make(['read'])
      const writer = await make(['read', 'write'])
      const runner = await make(['execute'])
      expect(reader.token).toMatch(/^tidemark_[\w-]{43}$/)
      const list = await client.request('GET', '/session/personal-tokens', { as: 'editor' })
      expect(list.text).not.toContain('tidemark_')
      expect(list.text).toContain('a script')

      const group = { json: { name: 'made by a token' } }
      const statuses = async ({ token }: Token) => [
        (await client.request('GET', '/groups/1', byToken(token))).status,
        (await client.request('POST', '/groups?parentId=1', { ...byToken(token), ...group })).status,
        (await client.request('POST', '/webcollector/jobs/999999/values', { ...byToken(token), json: {} }))
          .status,
        (await client.request('GET', '/sessions', byToken(token))).status,
        (await client.request('POST', '/session/personal-tokens', { ...byToken(token), json: TOKEN })).status,
        (await client.request('POST', '/users', { ...byToken(token), json: {} })).status,
      ]
      expect(await statuses(reader)).toEqual([200, 403, 403, 403, 403, 403])
      expect(await statuses(writer)).toEqual([200, 201, 403, 403, 403, 403])
      expect(await statuses(runner)).toEqual([403, 403, 403, 403, 403, 403])

      const path = `/session/personal-tokens/${reader.id}`
      expectAnswer(await client.request('DELETE', path, { as: 'collector' }), { answers: 'not_found' })
      expectAnswer(await client.request('DELETE', path, { as: 'editor' }), { answers: 204 })
      expect((await client.request('GET', '/groups/1', byToken(reader.token))).status).toBe(401)
      expectAnswer(await client.request('DELETE', `/session/personal-tokens/${writer.id}`), { answers: 204 })
      expect((await client.request('GET', '/groups/1', byToken(writer.token))).status).toBe(401)
    },
  },
  {
    title: 'a token with the scope to execute delivers for a collector',
    decidedAbovePorts: 'accounts',
    async run(client) {
      const { token } = await good<Token>(
        client.request('POST', '/session/personal-tokens', {
          json: { ...TOKEN, scopes: ['execute'] },
          as: 'collector',
        }),
      )
      const { status } = await client.request('POST', '/webcollector/jobs/999999/values', {
        ...byToken(token),
        json: { returnValue1: 1 },
      })
      expect(status).toBe(404)
    },
  },
  {
    title: 'a token to back up makes, reads and deletes a backup of an administrator, and restores none',
    decidedAbovePorts: 'accounts',
    async run(client) {
      const json = { ...TOKEN, scopes: ['backup'] }
      const asEditor = client.request('POST', '/session/personal-tokens', { json, as: 'editor' })
      expectAnswer(await asEditor, { answers: 'forbidden' })
      const { token } = await good<Token>(client.request('POST', '/session/personal-tokens', { json }))
      const own = byToken(token)
      const sealing = { json: { passphrase: 'kept somewhere else' } }
      const { url } = await good<{ url: string }>(client.request('POST', '/backups', { ...own, ...sealing }))
      expect((await client.request('GET', url, own)).status).toBe(200)
      const restored = await client.request('POST', `${url}/restore`, { ...own, ...sealing })
      expectAnswer(restored, { answers: 'forbidden' })
      expect((await client.request('GET', '/groups/1', own)).status).toBe(403)
      expectAnswer(await client.request('DELETE', url, own), { answers: 204 })
    },
  },
  ...table(
    bareStage,
    (
      [
        ['no name', { name: ' ' }, '/name'],
        ['no scope', { scopes: [] }, '/scopes'],
        ['a scope twice', { scopes: ['read', 'read'] }, '/scopes'],
        ['the scope that tokens cannot have', { scopes: ['account'] }, '/scopes/0'],
        ['yesterday', { expiresAt: inDays(-1) }, '/expiresAt'],
        ['in 367 days', { expiresAt: inDays(367) }, '/expiresAt'],
        ['the scope of whole sessions', { scopes: ['administration'] }, '/scopes/0'],
        ['a field of its own', { token: 'mine' }, '/token'],
      ] as const
    ).map(([title, change, pointer]) => ({
      title,
      call: 'POST /session/personal-tokens',
      json: { ...TOKEN, ...change },
      answers: 'invalid' as const,
      pointers: [pointer],
    })),
  ),
  {
    title: 'a user has 50 personal tokens, and no more when they are made at the same time',
    async run(client) {
      const user = await newUser(client, 'with tokens').then(() => logIn(client, 'with tokens'))
      const make = () =>
        client.request('POST', '/session/personal-tokens', {
          ...bySession(user),
          json: { ...TOKEN, expiresAt: inDays(365) },
        })
      for (let made = 0; made < 40; made++) await good(make())
      const answers = await Promise.all(Array.from({ length: 30 }, make))
      expect(statusesOf(answers)).toEqual([...Array<number>(10).fill(201), ...Array<number>(20).fill(409)])
      expectAnswer(await make(), { answers: 'conflict' })
    },
  },
]

/** Signs a new user up for MFA, with the code of the step that is over soonest. */
async function withMfa(client: Client, username: string) {
  const userId = await newUser(client, username)
  return { userId, ...(await setUpMfa(client, await logIn(client, username))) }
}

async function setUpMfa(client: Client, login: Login) {
  const { secret } = await good<{ secret: string }>(client.request('POST', '/session/mfa', bySession(login)))
  const bytes = fromBase32(secret)
  const step = stepAt(Date.now())
  const code = await codeOf(bytes, step - 1)
  const { recoveryCodes } = await good<{ recoveryCodes: string[] }>(
    client.request('POST', '/session/mfa/confirmation', { ...bySession(login), json: { code } }),
  )
  return { login, used: code, recoveryCodes, codeAt: (offset: number) => codeOf(bytes, step + offset) }
}

const mfa: Scenario[] = [
  {
    title: 'switching MFA on ends personal tokens that were made before, and those of nobody else',
    decidedAbovePorts: 'accounts',
    async run(client) {
      const expected = async (...statuses: number[]) => {
        const asked = tokens.map((token) => client.request('GET', '/users', byToken(token)))
        expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(statuses)
      }
      const tokens: string[] = []
      const make = async (login: Login) => {
        const json = TOKEN
        const request = { ...bySession(login), json }
        tokens.push((await good<Token>(client.request('POST', '/session/personal-tokens', request))).token)
      }
      await newUser(client, 'with a token')
      await newUser(client, 'with another token')
      const login = await logIn(client, 'with a token')
      for (const owner of [login, login, await logIn(client, 'with another token')]) await make(owner)
      const { secret } = await good<{ secret: string }>(
        client.request('POST', '/session/mfa', bySession(login)),
      )
      await expected(200, 200, 200)
      const code = await codeOf(fromBase32(secret), stepAt(Date.now()))
      const wrong = { ...bySession(login), json: { code: code === '000000' ? '111111' : '000000' } }
      expectAnswer(await client.request('POST', '/session/mfa/confirmation', wrong), { answers: 'invalid' })
      await expected(200, 200, 200)
      await good(client.request('POST', '/session/mfa/confirmation', { ...bySession(login), json: { code } }))
      await expected(401, 401, 200)
      await make(login)
      await expected(401, 401, 200, 200)
    },
  },
  {
    title: 'with MFA a login needs a code, no code is good twice, and a password alone is good for nothing',
    async run(client) {
      const { used, codeAt, login } = await withMfa(client, 'careful')
      expect((await client.request('GET', '/users', bySession(login))).status).toBe(200)
      expectAnswer(await tryLogin(client, 'careful'), { answers: 'mfa_code_required' })
      expectAnswer(await tryLogin(client, 'careful', { code: used }), { answers: 'unauthenticated' })
      const code = await codeAt(0)
      const answers = await Promise.all([1, 2].map(() => tryLogin(client, 'careful', { code })))
      expect(statusesOf(answers)).toEqual([200, 401])
      expectAnswer(await tryLogin(client, 'careful', { code }), { answers: 'unauthenticated' })
      expectAnswer(await tryLogin(client, 'careful', { code: await codeAt(-1) }), {
        answers: 'unauthenticated',
      })
      expect((await client.request('GET', '/users', byBasic('careful', PASSWORD))).status).toBe(401)
      const query = new URLSearchParams({ username: 'careful', password: PASSWORD, code: await codeAt(1) })
      await good(client.request('GET', `/session/login?${query.toString()}`, { as: null }))
    },
  },
  {
    title: 'a recovery code is good for one login, and new ones take the place of the old',
    async run(client) {
      const { recoveryCodes, codeAt, login } = await withMfa(client, 'forgetful')
      expect(recoveryCodes.length).toBe(10)
      const [first, second] = recoveryCodes
      await logIn(client, 'forgetful', { code: first?.toLowerCase() })
      expectAnswer(await tryLogin(client, 'forgetful', { code: first }), { answers: 'unauthenticated' })
      expect(await good(client.request('GET', '/session/mfa', bySession(login)))).toEqual({
        isActive: true,
        isEnforced: false,
        recoveryCodesLeft: 9,
      })
      await good(
        client.request('POST', '/session/mfa/recovery-codes', {
          ...bySession(login),
          json: { code: await codeAt(0) },
        }),
      )
      expectAnswer(await tryLogin(client, 'forgetful', { code: second }), { answers: 'unauthenticated' })
    },
  },
  {
    title: 'after five wrong codes the right one is refused as well, until later',
    async run(client) {
      const { codeAt } = await withMfa(client, 'guessed')
      const wrong = () => tryLogin(client, 'guessed', { code: '000000' })
      expect(statusesOf(await Promise.all(Array.from({ length: 5 }, wrong)))).toEqual(
        Array.from({ length: 5 }, () => 401),
      )
      const answer = await tryLogin(client, 'guessed', { code: await codeAt(0) })
      expectAnswer(answer, { answers: 'too_many_attempts' })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800)
    },
  },
  {
    title: 'who is made to use MFA may do nothing else before, and cannot leave it',
    async run(client) {
      const userId = await newUser(client, 'obliged')
      const before = await logIn(client, 'obliged')
      const token = (login: Login) =>
        client.request('POST', '/session/personal-tokens', { ...bySession(login), json: TOKEN })
      const made = await good<Token>(token(before))
      expectAnswer(await client.request('GET', '/users', byToken(made.token)), { answers: 200 })
      await good(client.request('PUT', `/users/${userId}/mfa`, { json: { isEnforced: true } }))
      expect((await client.request('GET', '/users', bySession(before))).status).toBe(401)
      expect((await client.request('GET', '/users', byBasic('obliged', PASSWORD))).status).toBe(401)
      expect((await client.request('GET', '/users', byToken(made.token))).status).toBe(401)
      const login = await logIn(client, 'obliged')
      expect(login.owed).toBe('mfa')
      expectAnswer(await token(login), { answers: 'forbidden' })
      const list = () => good<{ items: object[] }>(client.request('GET', '/mfa'))
      expect((await list()).items).toContainEqual({ userId, isActive: false, isEnforced: true })
      expectAnswer(await client.request('GET', '/users', bySession(login)), { answers: 'forbidden' })
      expectAnswer(await client.request('GET', '/users', byToken(login.accessToken)), {
        answers: 'forbidden',
      })
      const { codeAt } = await setUpMfa(client, login)
      expectAnswer(await token(login), { answers: 201 })
      expect((await client.request('GET', '/users', bySession(login))).status).toBe(200)
      expect((await list()).items).toContainEqual({ userId, isActive: true, isEnforced: true })
      const page = await client.request('GET', '/mfa?limit=1')
      expect((page.body['items'] as object[]).length).toBe(1)
      const [, next = ''] = /<([^>]+)>/.exec(page.headers.get('link') ?? '') ?? []
      const [first] = page.body['items'] as { userId: number }[]
      for (const { userId: id } of (await good<{ items: { userId: number }[] }>(client.request('GET', next)))
        .items)
        expect(id).toBeGreaterThan(Number(first?.userId))
      for (const limit of [0, 1001])
        expectAnswer(await client.request('GET', `/mfa?limit=${limit}`), {
          answers: 'invalid',
          pointers: ['?limit'],
        })
      const json = { code: await codeAt(0) }
      expectAnswer(await client.request('POST', '/session/mfa/removal', { ...bySession(login), json }), {
        answers: 'forbidden',
      })
      await good(client.request('PUT', `/users/${userId}/mfa`, { json: { isEnforced: false } }))
      expectAnswer(await client.request('POST', '/session/mfa/removal', { ...bySession(login), json }), {
        answers: 204,
      })
      expect((await logIn(client, 'obliged')).owed).toBeNull()
      expect((await list()).items).not.toContainEqual(expect.objectContaining({ userId }))
    },
  },
  {
    title:
      'an administrator helps who lost everything; the state of a secret that is not there is a conflict',
    async run(client) {
      const { userId, login } = await withMfa(client, 'lost')
      const { token } = await good<Token>(
        client.request('POST', '/session/personal-tokens', { ...bySession(login), json: TOKEN }),
      )
      expectAnswer(await client.request('POST', '/session/mfa', bySession(login)), { answers: 'conflict' })
      await good(client.request('PUT', `/users/${userId}/mfa`, { json: { isEnforced: true } }))
      expectAnswer(await client.request('GET', '/users', byToken(token)), { answers: 200 })
      expectAnswer(await client.request('DELETE', `/users/${userId}/mfa`), { answers: 204 })
      expect(await good(client.request('GET', `/users/${userId}/mfa`))).toMatchObject({ isActive: false })
      expectAnswer(await client.request('GET', '/users', byToken(token)), { answers: 'unauthenticated' })
      const again = await logIn(client, 'lost')
      const json = { code: '123456' }
      for (const what of ['confirmation', 'removal', 'recovery-codes'])
        expectAnswer(await client.request('POST', `/session/mfa/${what}`, { ...bySession(again), json }), {
          answers: 'conflict',
        })
      const early = await client.request('POST', '/session/mfa/confirmation', { ...bySession(again), json })
      expect(early.body['detail']).toContain('(POST /session/mfa)')
    },
  },
]

const changing = once(async (client: Client) => {
  await newUser(client, 'changing mind')
  return logIn(client, 'changing mind')
})

const passwords: Scenario[] = [
  ...(
    [
      ['a wrong password', { currentPassword: 'wrong' }, '/currentPassword'],
      ['a common one', { newPassword: 'P@ssw0rd2026!' }, '/newPassword'],
      ['a sequence', { newPassword: 'abcdefghij' }, '/newPassword'],
      ['the user name', { newPassword: 'Changing Mind 1' }, '/newPassword'],
      ['one that is too short', { newPassword: 'g7#kQ2!' }, '/newPassword'],
      ['the present one', { newPassword: PASSWORD }, '/newPassword'],
    ] as const
  ).map(([title, change, pointer]) => ({
    title: `POST /session/password refuses ${title}`,
    decidedAbovePorts: 'accounts',
    async run(client: Client) {
      const json = { currentPassword: PASSWORD, newPassword: 'another good password', ...change }
      const answer = client.request('POST', '/session/password', {
        ...bySession(await changing(client)),
        json,
      })
      expectAnswer(await answer, { answers: 'invalid', pointers: [pointer] })
    },
  })),
  {
    title: 'a new password ends the personal tokens of its user, unless it says that they go on',
    decidedAbovePorts: 'accounts',
    async run(client) {
      const username = 'with old tokens'
      const id = await newUser(client, username)
      const passwordAt = (at: number) => (at === 0 ? PASSWORD : `good password number ${at}`)
      let changes = 0
      const statusesAfter = async (own: boolean, json: object) => {
        const login = await logIn(client, username, { password: passwordAt(changes) })
        const made = client.request('POST', '/session/personal-tokens', { ...bySession(login), json: TOKEN })
        const { token } = await good<Token>(made)
        const before = (await client.request('GET', '/users', byToken(token))).status
        const currentPassword = passwordAt(changes++)
        const chosen = passwordAt(changes)
        const changed = own
          ? client.request('POST', '/session/password', {
              ...bySession(login),
              json: { currentPassword, newPassword: chosen, ...json },
            })
          : client.request('PUT', `/users/${id}`, { json: { password: chosen, ...json } })
        await good(changed)
        return [before, (await client.request('GET', '/users', byToken(token))).status]
      }
      for (const own of [true, false]) {
        expect(await statusesAfter(own, {})).toEqual([200, 401])
        expect(await statusesAfter(own, { keepTokens: false })).toEqual([200, 401])
        expect(await statusesAfter(own, { keepTokens: true })).toEqual([200, 200])
      }
    },
  },
  {
    title: 'people who share a user change neither its password nor its MFA, unless MFA is demanded of it',
    decidedAbovePorts: 'accounts',
    async run(client) {
      const json = { username: 'shared desk', password: PASSWORD, role: 'editor', type: 'shared' }
      const { id } = await good<{ id: number }>(client.request('POST', '/users', { json }))
      const login = await logIn(client, 'shared desk')
      const ask = (path: string, body: object) =>
        client.request('POST', path, { ...bySession(login), json: body })
      const change = { currentPassword: PASSWORD, newPassword: 'another good password' }
      expectAnswer(await ask('/session/password', change), { answers: 'forbidden' })
      await logIn(client, 'shared desk')
      for (const [path, body] of [
        ['/session/mfa', {}],
        ['/session/mfa/confirmation', { code: '123456' }],
      ] as const)
        expectAnswer(await ask(path, body), { answers: 'forbidden' })
      expect(await good(client.request('GET', `/users/${id}/mfa`))).toMatchObject({ isActive: false })
      await good(client.request('PUT', `/users/${id}/mfa`, { json: { isEnforced: true } }))
      const owing = await logIn(client, 'shared desk')
      expect(owing.owed).toBe('mfa')
      const { login: enforced, codeAt } = await setUpMfa(client, owing)
      await good(client.request('PUT', `/users/${id}/mfa`, { json: { isEnforced: false } }))
      const removal = { ...bySession(enforced), json: { code: await codeAt(1) } }
      expectAnswer(await client.request('POST', '/session/mfa/removal', removal), { answers: 'forbidden' })
    },
  },
  {
    title: 'a new password signs the user out everywhere else, and the old one may not come back',
    async run(client) {
      const here = await changing(client)
      const elsewhere = await logIn(client, 'changing mind')
      const change = (currentPassword: string, newPassword: string) =>
        client.request('POST', '/session/password', {
          ...bySession(here),
          json: { currentPassword, newPassword },
        })
      expectAnswer(await change(PASSWORD, 'a second good password'), { answers: 204 })
      expect((await client.request('GET', '/users', bySession(here))).status).toBe(200)
      expect((await client.request('GET', '/users', bySession(elsewhere))).status).toBe(401)
      expectAnswer(await tryLogin(client, 'changing mind'), { answers: 'unauthenticated' })
      expectAnswer(await change('a second good password', PASSWORD), {
        answers: 'invalid',
        pointers: ['/newPassword'],
      })
      await logIn(client, 'changing mind', { password: 'a second good password' })
    },
  },
]

const limits: Scenario[] = (
  [
    ['a user', 'locked', true],
    ['an unknown user', 'locked nobody', false],
  ] as const
).map(([title, username, exists]) => ({
  title: `after ten wrong passwords of ${title} the eleventh try is refused, by login and by Basic, however it would end`,
  decidedAbovePorts: 'accounts',
  async run(client) {
    if (exists) await newUser(client, username)
    const wrong = () => tryLogin(client, username, { password: 'wrong' })
    expect(statusesOf(await Promise.all(Array.from({ length: 10 }, wrong)))).toEqual(
      Array.from({ length: 10 }, () => 401),
    )
    for (const answer of [
      await tryLogin(client, username),
      await tryLogin(client, username.toUpperCase(), { password: 'wrong' }),
      await client.request('GET', '/users', byBasic(username, PASSWORD)),
    ]) {
      expectAnswer(answer, { answers: 'too_many_attempts' })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800)
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(900)
    }
  },
}))

/** Everything about how one proves who one is, beyond logging in and out. */
export const accountSuite: Suite = {
  name: 'account',
  scenarios: [...sessions, ...refreshes, ...personal, ...mfa, ...passwords, ...limits],
}
