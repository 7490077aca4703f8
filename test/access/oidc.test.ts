import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  beginLogin,
  beginOwnLogin,
  endLogin,
  endSessionsFor,
  openProvenSession,
} from '../../src/access/oidc/service.ts'
import { endSessionUrl } from '../../src/access/oidc/service/provider.ts'
import type { Context } from '../../src/context.ts'
import type { OidcSettings } from '../../src/ports/oidc-settings.ts'
import { parseEnvironment } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import { rejection } from '../contract/rejection.ts'
import { variablesOf } from '../hosts/oidc-provider.ts'
import { openPorts } from '../hosts/ports.ts'
import { startLyingProvider } from './lying-provider.ts'
import type { Lie } from './lying-provider.ts'
import { comeBack, newVerifier } from './oidc-login.ts'

const STATE_MS = 10 * 60_000
const LOGIN_MS = 60_000
const AGAIN_MS = 10_000
const NETWORK_MAX = 100
const HUGE = 'x'.repeat(64 * 1024)

let provider: Awaited<ReturnType<typeof startLyingProvider>>

beforeAll(async () => {
  provider = await startLyingProvider()
})
afterAll(() => provider.close())

const settingsFor = (variables: Readonly<Record<string, string>>) =>
  settingsOf(parseEnvironment(settingsSchema, variables))

/** Runs a test with ports of its own, which know nothing of the provider yet. */
async function withPorts(run: (at: Stage) => Promise<void>, more: Partial<OidcSettings> = {}): Promise<void> {
  const { oidc } = settingsFor(variablesOf(provider.issuer))
  const opened = await openPorts({ oidc: oidc && { ...oidc, ...more } })
  opened.clock.at = Date.now()
  const request = new Request('https://tidemark.example/oidc/callback')
  const context: Context = { ports: opened.ports, caller: { kind: 'anonymous' }, requestId: 'test', request }
  provider.asked.length = 0
  try {
    await run({ ...opened, context })
  } finally {
    await opened.close()
  }
}

type Stage = Awaited<ReturnType<typeof openPorts>> & { readonly context: Context }

async function logIn({ context }: Stage, lie: Lie = {}) {
  provider.tell(lie)
  const { verifier, challenge } = await newVerifier()
  const sentTo = await beginLogin(context, { challenge })
  const { loginCode } = await endLogin(context, comeBack(provider, sentTo, lie))
  return { verifier, loginCode: loginCode ?? '' }
}

const timesAsked = (place: string) => provider.asked.filter((one) => one === place).length

describe('the provider of logins', () => {
  test('is asked what it is and for its keys once in ten minutes', () =>
    withPorts(async (at) => {
      for (let login = 0; login < 3; login++) await logIn(at)
      expect([timesAsked('/.well-known/openid-configuration'), timesAsked('/jwks')]).toEqual([1, 1])
      at.clock.at += STATE_MS
      await rejection(logIn(at))
      expect([timesAsked('/.well-known/openid-configuration'), timesAsked('/jwks')]).toEqual([2, 2])
    }))

  test('may change its keys at any moment, and made up names of keys make nobody ask more often than in ten seconds', () =>
    withPorts(async (at) => {
      await logIn(at)
      await provider.rotate('second')
      await logIn(at)
      expect(timesAsked('/jwks')).toBe(2)
      for (let told = 0; told < 20; told++) {
        const token = await provider.logoutToken(({ header }) => {
          header.kid = `made up ${told}`
        })
        expect(await rejection(endSessionsFor(at.context, token))).toMatchObject({ code: 'bad_request' })
      }
      expect(timesAsked('/jwks')).toBe(2)
      await provider.rotate('third')
      expect(await rejection(logIn(at))).toMatchObject({ code: 'unauthenticated' })
      at.clock.at += AGAIN_MS
      await logIn(at)
      expect(timesAsked('/jwks')).toBe(3)
    }))

  const WRONG: readonly (readonly [string, Lie])[] = [
    [
      'that calls itself otherwise',
      { metadata: (answer) => ({ ...answer, issuer: 'https://another.example' }) },
    ],
    [
      'that is nearly the same',
      { metadata: (answer) => ({ ...answer, issuer: `${String(answer['issuer'])}/` }) },
    ],
    ['that is broken', { metadata: () => new Response(null, { status: 502 }) }],
    ['that is not there', { metadata: () => new Response(null, { status: 404 }) }],
    ['that shows a page', { metadata: () => new Response('<h1>Hello</h1>') }],
    ['that sends elsewhere', { metadata: () => Response.redirect(`${provider.issuer}/jwks`) }],
    ['that talks without end', { metadata: (answer) => ({ ...answer, more: HUGE }) }],
    ['without keys', { metadata: (answer) => ({ ...answer, jwks_uri: undefined }) }],
    ['whose keys are a page', { jwks: () => new Response('<h1>Keys</h1>') }],
    ['whose keys are none', { jwks: () => ({ keys: 'none' }) }],
    ['whose keys are broken', { jwks: () => new Response(null, { status: 500 }) }],
    ['whose keys have no end', { jwks: (answer) => ({ ...answer, more: HUGE }) }],
  ]

  test.each([...WRONG])('%s is away, and asked anew when it is not', (_, lie) =>
    withPorts(async (at) => {
      expect(await rejection(logIn(at, lie))).toMatchObject({ code: 'unavailable', retryAfterS: 5 })
      await logIn(at)
    }),
  )

  const PLACES = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
  const UNSAFE = [
    'http://127.0.0.1:9/',
    'https://localhost/',
    'https://[::1]/',
    'http://169.254.169.254/',
    'http://provider.example/',
    'https://user:password@provider.example/',
    'ftp://provider.example/',
    'file:///etc/passwd',
    '//provider.example/',
    'no address',
  ]

  test('elsewhere that names an unsafe address is away, and is not followed there', () =>
    withPorts(
      async ({ ports, context }) => {
        const issuer = 'https://provider.example'
        const { challenge } = await newVerifier()
        for (const [name, url] of [
          ['token_endpoint', `${issuer}/token`],
          ...UNSAFE.flatMap((place) => PLACES.map((one) => [one, place] as const)),
        ] as const) {
          const asked: string[] = []
          const metadata = {
            issuer,
            ...Object.fromEntries(PLACES.map((place) => [place, issuer])),
            [name]: url,
          }
          const network = {
            ...ports.network,
            fetch(request: Request) {
              asked.push(request.url)
              return Promise.resolve(Response.json(metadata))
            },
          }
          const there = { ...context, ports: { ...ports, network } }
          if (url.startsWith(issuer)) expect(await beginLogin(there, { challenge })).toStartWith(issuer)
          else
            expect(await rejection(beginLogin(there, { challenge }))).toMatchObject({ code: 'unavailable' })
          expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`])
        }
      },
      { issuer: 'https://provider.example' },
    ))

  test('that is not there is away', () =>
    withPorts(
      async (at) => {
        const { challenge } = await newVerifier()
        expect(await rejection(beginLogin(at.context, { challenge }))).toMatchObject({ code: 'unavailable' })
      },
      { issuer: 'http://127.0.0.1:9' },
    ))
})

describe('a login', () => {
  test.each([
    [STATE_MS - 1, true],
    [STATE_MS, false],
  ])('that comes back after %d ms is taken: %p', (afterMs, isTaken) =>
    withPorts(async ({ context, clock }) => {
      const { challenge } = await newVerifier()
      provider.tell({})
      const begun = comeBack(provider, await beginLogin(context, { challenge }), {})
      clock.at += afterMs
      // What the provider says is a matter of its own time: it refuses, too, but later.
      begun.set('error', 'access_denied')
      const refusal = await rejection(endLogin(context, begun))
      expect(String(refusal)).toContain(
        isTaken ? 'answer of the OpenID Connect provider is invalid' : 'This login is unknown',
      )
    }),
  )

  test.each([
    [LOGIN_MS - 1, true],
    [LOGIN_MS, false],
  ])('whose page asks for the session after %d ms gets it: %p', (afterMs, isOpened) =>
    withPorts(async (at) => {
      const login = await logIn(at)
      at.clock.at += afterMs
      const opened = await openProvenSession(at.context, login).catch((error: unknown) => error)
      expect(opened).toMatchObject(isOpened ? { owed: null } : { code: 'unauthenticated' })
    }),
  )

  test('leaves no code, token or name of a login readable in the database', () =>
    withPorts(async (at) => {
      const login = await logIn(at)
      const { sessionId } = await openProvenSession(at.context, login)
      const waiting = await logIn(at)
      const { database } = at.ports
      const tables = ['oidc_states', 'oidc_logins', 'oidc_sessions', 'oidc_identities', 'sessions'] as const
      const rows = await Promise.all(tables.map((table) => database.all(`select * from ${table}`)))
      expect(rows.map(({ length }) => length)).toEqual([2, 1, 1, 1, 1])
      const text = JSON.stringify(rows)
      expect(text).toContain(provider.issuer)
      for (const secret of [login.loginCode, waiting.loginCode, waiting.verifier, sessionId, 'eyJ'])
        expect(text).not.toContain(secret)
    }))

  test('may come back wrong a hundred times from one network; right ones do not count', () =>
    withPorts(async (at) => {
      const wrong: Lie = { callback: (sent) => sent.set('error', 'access_denied') }
      for (let tried = 0; tried < NETWORK_MAX - 1; tried++) await rejection(logIn(at, wrong))
      for (let tried = 0; tried < 3; tried++) await logIn(at)
      expect(await rejection(logIn(at, wrong))).toMatchObject({ code: 'unauthenticated' })
      expect(await rejection(logIn(at))).toMatchObject({ code: 'too_many_attempts' })
    }))

  test('comes back once, however its state is spelled, and being away counts for nothing', () =>
    withPorts(async (at) => {
      const { challenge } = await newVerifier()
      const begun = comeBack(provider, await beginLogin(at.context, { challenge }), {})
      expect((await endLogin(at.context, begun)).page).toContain('#loginCode=')
      for (const spelled of [begun.get('state'), `${begun.get('state')} `, ` ${begun.get('state')}`]) {
        begun.set('state', spelled ?? '')
        const refusal = await rejection(endLogin(at.context, begun))
        expect(String(refusal)).toContain('This login is unknown')
      }
      const broken: Lie = { token: () => new Response(null, { status: 500 }) }
      for (let tried = 0; tried <= NETWORK_MAX; tried++)
        expect(await rejection(logIn(at, broken))).toMatchObject({ code: 'unavailable' })
      await logIn(at)
    }))

  test('of another installation is none here', () =>
    withPorts((one) =>
      withPorts(async (another) => {
        const { challenge } = await newVerifier()
        const begun = comeBack(provider, await beginLogin(one.context, { challenge }), {})
        const refusal = await rejection(endLogin(another.context, begun))
        expect(String(refusal)).toContain('This login is unknown')
      }),
    ))
})

describe('the settings', () => {
  const variables = variablesOf('https://provider.example')

  test('name the provider with all that it takes', () => {
    expect(settingsFor({}).oidc).toBeNull()
    expect(settingsFor(variables).oidc).toMatchObject({ algorithm: 'RS256', createsUsers: true })
    for (const name of ['CALLBACK_URL', 'CLIENT_ID', 'CLIENT_SECRET'])
      expect(() => settingsFor({ ...variables, [`TIDEMARK_OIDC_${name}`]: '' })).toThrow(
        `TIDEMARK_OIDC_${name}`,
      )
  })

  test('take the pages of other front ends and a name of the provider, both optional', async () => {
    expect(settingsFor({ ...variables, TIDEMARK_OIDC_RETURN_URLS: '' }).oidc).toMatchObject({
      returnUrls: [],
      label: 'provider.example',
    })
    expect(settingsFor({ ...variables, TIDEMARK_OIDC_LABEL: 'Staff' }).oidc?.label).toBe('Staff')
    await withPorts(
      async ({ context }) => {
        const { challenge } = await newVerifier()
        expect(await rejection(beginLogin(context, { challenge }))).toMatchObject({ code: 'invalid' })
        expect(await beginOwnLogin(context, '/ui/')).toHaveProperty('verifier')
        const { oidc } = context.ports.settings
        const url = new URL(String(oidc && (await endSessionUrl(context.ports, oidc, 'x'))))
        expect(url.searchParams.get('post_logout_redirect_uri')).toBe('https://tidemark.example/ui/login')
      },
      { returnUrls: [] },
    )
  })

  test.each([
    ['ALGORITHM', 'none'],
    ['ALGORITHM', 'HS256'],
    ['CALLBACK_URL', 'http://tidemark.example/oidc/callback'],
    ['ISSUER', 'http://provider.example'],
    ['ISSUER', 'https://user:password@provider.example'],
    ['MAPPING', '{'],
    ['MAPPING', '[]'],
    ['MAPPING', '{"ops": {"role": "root"}}'],
    ['MAPPING', '{"ops": {"roles": ["editor"]}}'],
    ['RETURN_URLS', 'http://pages.example/'],
    ['RETURN_URLS', 'https://pages.example/#here'],
    ['RETURN_URLS', 'https://pages.example/, javascript:alert(1)'],
    ['SCOPE', 'profile email'],
  ])('refuse TIDEMARK_OIDC_%s=%s', (name, value) => {
    expect(() => settingsFor({ ...variables, [`TIDEMARK_OIDC_${name}`]: value })).toThrow(
      `TIDEMARK_OIDC_${name}`,
    )
  })
})
