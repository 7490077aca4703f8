import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Host } from '../hosts/host.ts'
import { ADMIN } from '../hosts/host.ts'
import { PAGES, variablesOf } from '../hosts/oidc-provider.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { SUBJECT, startLyingProvider } from './lying-provider.ts'
import type { Draft, Lie } from './lying-provider.ts'
import { comeBack, newVerifier } from './oidc-login.ts'

type Row = readonly [title: string, lie: Lie]

const drafted = (title: string, draft: (draft: Draft) => void): Row => [title, { draft }]
const claim = (name: string, value: unknown): Row =>
  drafted(`${name} ${JSON.stringify(value)}`, ({ claims }) => {
    claims[name] = value
  })
const now = () => Math.floor(Date.now() / 1000)
const HUGE = 'x'.repeat(64 * 1024)
const html = () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })
const broken = () => new Response(null, { status: 500 })
const redirect = () => new Response(null, { status: 307, headers: { location: '/elsewhere' } })

const BELIEVED: readonly Row[] = [
  ['the truth', {}],
  claim('aud', ['tidemark']),
  drafted('several audiences, and us as the authorized party', ({ claims }) => {
    claims.aud = ['tidemark', 'another']
    claims['azp'] = 'tidemark'
  }),
  drafted('expired within the tolerance', ({ claims }) => {
    claims.exp = now() - 5
  }),
  ['nearly 64 KiB', { userinfo: (answer) => ({ ...answer, more: HUGE.slice(200) }) }],
]

/** Answers that prove nothing: 401. */
const REFUSED: readonly Row[] = [
  claim('nonce', 'another'),
  claim('nonce', undefined),
  claim('nonce', ''),
  claim('aud', 'another'),
  claim('aud', ['another']),
  claim('aud', []),
  claim('aud', undefined),
  claim('aud', ['tidemark', 'another']),
  claim('azp', 'another'),
  claim('iss', 'https://another.example'),
  claim('iss', undefined),
  claim('sub', undefined),
  claim('sub', 7),
  claim('exp', undefined),
  claim('exp', 'tomorrow'),
  claim('iat', undefined),
  drafted('expired', ({ claims }) => {
    claims.exp = now() - 60
  }),
  drafted('made long ago', ({ claims }) => {
    claims.iat = now() - 700
  }),
  drafted('made in the future', ({ claims }) => {
    claims.iat = now() + 120
  }),
  drafted('not good yet', ({ claims }) => {
    claims.nbf = now() + 120
  }),
  drafted('alg none', (draft) => {
    draft.header = { alg: 'none' }
    draft.sign = 'nothing'
  }),
  drafted('no signature', (draft) => {
    draft.sign = 'nothing'
  }),
  drafted('HS256 with the public key', (draft) => {
    draft.header.alg = 'HS256'
    draft.sign = 'public key'
  }),
  drafted('HS256 with the secret of the client', (draft) => {
    draft.header.alg = 'HS256'
    draft.sign = 'secret'
  }),
  drafted('a key of somebody else', (draft) => {
    draft.sign = 'other key'
  }),
  drafted('a key that is not published', ({ header }) => {
    header.kid = 'made up'
  }),
  drafted('a header that nobody knows and everybody must', (draft) => {
    draft.header['crit'] = ['made']
    draft.header['made'] = 'up'
  }),
  ['no ID token', { token: (answer) => ({ ...answer, id_token: undefined }) }],
  ['an ID token of something else', { token: (answer) => ({ ...answer, id_token: 'a.b.c' }) }],
  ['no JSON', { token: html }],
  ['a code that was used', { token: () => Response.json({ error: 'invalid_grant' }, { status: 400 }) }],
  ['userinfo of somebody else', { userinfo: (answer) => ({ ...answer, sub: 'another' }) }],
  ['userinfo of nobody', { userinfo: (answer) => ({ ...answer, sub: undefined }) }],
  ['an answer of another issuer', { callback: (sent) => sent.set('iss', 'https://another.example') }],
  ['an answer of no issuer', { callback: (sent) => sent.delete('iss') }],
  ['an answer without a code', { callback: (sent) => sent.delete('code') }],
  ['no', { callback: (sent) => sent.set('error', 'access_denied') }],
]

/** Answers that no provider gives: 503. */
const AWAY: readonly Row[] = [
  ['a broken token endpoint', { token: broken }],
  ['a redirecting token endpoint', { token: redirect }],
  ['tokens of more than 64 KiB', { token: (answer) => ({ ...answer, more: HUGE }) }],
  ['a broken userinfo endpoint', { userinfo: broken }],
  ['userinfo of more than 64 KiB', { userinfo: (answer) => ({ ...answer, more: HUGE }) }],
]

describe.each(HOST_NAMES)('a login at a provider that lies, on %s', (name) => {
  let host: Host
  let provider: Awaited<ReturnType<typeof startLyingProvider>>
  const secrets = new Set(['a secret between the two of them'])

  beforeAll(async () => {
    provider = await startLyingProvider()
    host = await startHost(name, variablesOf(provider.issuer))
    await ask('GET', '/healthz')
  }, 180_000)
  afterAll(async () => {
    await host.close()
    await provider.close()
  })

  test.each([...BELIEVED])('%s is believed', async (_, lie) => {
    const { status, location } = await logIn(lie)
    expect(status).toBe(302)
    expect(location).toStartWith(`${PAGES[0]}#loginCode=`)
  })

  test.each([...REFUSED])('%s is refused, and the truth is not', async (_, lie) => {
    expect(await logIn(lie)).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect(await logIn({})).toMatchObject({ status: 302 })
  })

  test.each([...AWAY])('%s is away, and the truth is not', async (_, lie) => {
    expect(await logIn(lie)).toMatchObject({ status: 503, code: 'unavailable' })
    expect(await logIn({})).toMatchObject({ status: 302 })
  })

  test('an enforced second factor is ours, unless the provider names one that is trusted', async () => {
    const { sessionId } = await ask('POST', '/session/login', { json: ADMIN })
    const asAdministrator = { 'x-session-id': String(sessionId) }
    await logIn({})
    const users = (await ask('GET', '/users', { headers: asAdministrator })) as unknown as {
      username: string
      id: number
    }[]
    const id = users.find(({ username }) => username === 'somebody there')?.id
    const path = `/users/${id}/mfa`
    await ask('PUT', path, { headers: asAdministrator, json: { isEnforced: true } })
    for (const [claims, owed] of [
      [{}, 'mfa'],
      [{ amr: ['pwd'] }, 'mfa'],
      [{ amr: ['pwd', 'hwk'] }, null],
      [{ acr: 'hwk' }, null],
      [{ acr: ['high'] }, 'mfa'],
    ] as const) {
      const { location, verifier } = await logIn({ draft: (draft) => Object.assign(draft.claims, claims) })
      const loginCode = location?.split('loginCode=')[1]
      expect(await ask('POST', '/oidc/session', { json: { loginCode, verifier } })).toMatchObject({ owed })
    }
  })

  test('a logout token by subject ends the sessions of that subject; one that is not right ends none', async () => {
    await forgetFactor()
    const { location, verifier } = await logIn({})
    const loginCode = location?.split('loginCode=')[1]
    const { sessionId } = await ask('POST', '/oidc/session', { json: { loginCode, verifier } })
    const headers = { 'x-session-id': String(sessionId) }
    const rest = (change: (draft: Draft) => void) => provider.logoutToken(change)
    const wrong = await Promise.all([
      rest(({ claims }) => delete claims['events']),
      rest(({ claims }) => void (claims['events'] = { other: {} })),
      rest(({ claims }) => void (claims['nonce'] = 'x')),
      rest(({ claims }) => delete claims.jti),
      rest(({ claims }) => delete claims.sub),
      rest(({ claims }) => delete claims.exp),
      rest(({ claims }) => void (claims.aud = 'another')),
      rest(({ claims }) => void (claims.iss = 'https://another.example')),
      rest(({ claims }) => void (claims.exp = now() - 60)),
      rest((draft) => void (draft.sign = 'other key')),
      rest((draft) => void (draft.sign = 'nothing')),
      rest((draft) => Object.assign(draft, { header: { alg: 'none' }, sign: 'nothing' })),
      rest((draft) => Object.assign(draft, { header: { alg: 'HS256' }, sign: 'public key' })),
    ])
    for (const token of wrong) expect(await tellLogout(token)).toBe(400)
    expect(await tellLogout(await rest(({ claims }) => void (claims.sub = 'another')))).toBe(200)
    expect((await raw('GET', '/sessions', { headers })).status).toBe(200)
    expect(await tellLogout(await rest(({ claims }) => void (claims.sub = SUBJECT)))).toBe(200)
    expect((await raw('GET', '/sessions', { headers })).status).toBe(401)
  })

  test('no line of the log holds a secret of all these logins', () => {
    expect(host.logs.length).toBeGreaterThan(10)
    expect(secrets.size).toBeGreaterThan(100)
    const found = [...secrets].filter((secret) => host.logs.some((line) => line.includes(secret)))
    expect(found).toEqual([])
  })

  async function forgetFactor() {
    const { sessionId } = await ask('POST', '/session/login', { json: ADMIN })
    const headers = { 'x-session-id': String(sessionId) }
    const users = (await ask('GET', '/users', { headers })) as unknown as { username: string; id: number }[]
    for (const { id } of users) await ask('PUT', `/users/${id}/mfa`, { headers, json: { isEnforced: false } })
  }

  async function tellLogout(token: string): Promise<number> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ logout_token: token }).toString()
    const response = await fetch(`${host.url}/oidc/backchannel-logout`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }

  async function logIn(lie: Lie) {
    const { challenge, verifier } = await newVerifier()
    const sent = await raw('GET', `/oidc/login?challenge=${challenge}`)
    const sentTo = sent.headers.get('location') ?? ''
    const asked = new URL(sentTo).searchParams
    for (const one of ['state', 'nonce']) secrets.add(asked.get(one) ?? one)
    const answer = comeBack(provider, sentTo, lie)
    const response = await raw('GET', `/oidc/callback?${answer.toString()}`)
    const text = await response.text()
    const loginCode = response.headers.get('location')?.split('loginCode=')[1]
    for (const secret of [verifier, loginCode ?? verifier]) secrets.add(secret)
    const { code } = (text === '' ? {} : JSON.parse(text)) as { code?: string }
    return { status: response.status, location: response.headers.get('location'), code, verifier }
  }

  async function ask(method: string, path: string, request: Sent = {}): Promise<Record<string, unknown>> {
    const text = await (await raw(method, path, request)).text()
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  }

  function raw(method: string, path: string, { json, headers = {} }: Sent = {}): Promise<Response> {
    return fetch(host.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
  }
})

type Sent = { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> }
