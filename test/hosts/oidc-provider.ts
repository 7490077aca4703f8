import { createServer } from 'node:http'

import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

/** Where hosts under test believe themselves to be: browsers of tests know better. */
const CALLBACK = 'https://tidemark.example/oidc/callback'
/** The pages to which a browser may come back. */
export const PAGES = ['https://pages.example/signed-in', 'https://other.example/?from=tidemark'] as const

const CLIENT = { client_id: 'tidemark', client_secret: 'a secret between the two of them' }
const LIFETIME_S = 600

/** What the provider says of a person: claims by name. */
export type Person = Readonly<Record<string, unknown>>

/** Who an OpenID Connect provider knows, and how a service is told of it. */
export type OidcProvider = {
  readonly issuer: string
  /** The settings of a service that trusts it. */
  readonly variables: Readonly<Record<string, string>>
  /** The people it knows, by subject. */
  readonly people: Map<string, Person>
  /** Takes what it sends to services of its own accord. */
  tell: (body: string) => Promise<Response>
}

let provider: Promise<OidcProvider> | null = null

/** The provider of all hosts of a test run: the library that many are made with. It lives as long as the process. */
export function oidcProvider(): Promise<OidcProvider> {
  return (provider ??= start('127.0.0.1', CALLBACK))
}

/** A provider for one host and browsers that people use: its own page asks for a name and any password. It lives as long as the
 * process. To a browser it is another site than a host at 127.0.0.1. */
export function oidcProviderOf(hostUrl: string): Promise<OidcProvider> {
  return start('localhost', `${hostUrl}/oidc/callback`)
}

/** The settings of a service that trusts a provider. */
export function variablesOf(issuer: string, callback: string = CALLBACK): Readonly<Record<string, string>> {
  return {
    TIDEMARK_OIDC_CALLBACK_URL: callback,
    TIDEMARK_OIDC_CLIENT_ID: CLIENT.client_id,
    TIDEMARK_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    TIDEMARK_OIDC_CREATE_USERS: 'on',
    TIDEMARK_OIDC_ISSUER: issuer,
    TIDEMARK_OIDC_LINK_BY_EMAIL: 'on',
    TIDEMARK_OIDC_MAPPING: JSON.stringify({
      ops: { role: 'editor', userGroups: ['Operations'] },
      night: { userGroups: ['Night shift', 'nowhere'] },
      view: { role: 'dashboard_viewer' },
    }),
    TIDEMARK_OIDC_RETURN_URLS: PAGES.join(','),
    TIDEMARK_OIDC_TRUSTED_MFA: 'hwk',
  }
}

async function start(hostname: string, callback: string): Promise<OidcProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const { port } = server.address() as { port: number }
  const issuer = `http://${hostname}:${port}`
  const here: OidcProvider = {
    issuer,
    variables: variablesOf(issuer, callback),
    people: new Map(),
    tell: () => Promise.reject(new Error('Nobody listens.')),
  }
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }
  const library = new Provider(issuer, {
    jwks: { keys: [key] },
    clients: [
      {
        ...CLIENT,
        redirect_uris: [callback],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        post_logout_redirect_uris: [PAGES[0]],
        backchannel_logout_uri: 'https://tidemark.example/oidc/backchannel-logout',
        backchannel_logout_session_required: true,
      },
    ],
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    cookies: { keys: ['a key of this test'] },
    ttl: Object.fromEntries(
      ['AccessToken', 'Grant', 'IdToken', 'Interaction', 'Session'].map((what) => [what, LIFETIME_S]),
    ),
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'locale', 'groups'],
    },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...here.people.get(sub) }),
    }),
    async loadExistingGrant({
      oidc,
    }: {
      oidc: { client: { clientId: string }; session: { accountId: string } }
    }) {
      const grant = new library.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    fetch: (_: string, { body }: { body: URLSearchParams }) => here.tell(body.toString()),
  })
  library.use(async (context, next) => {
    const person = context.req.headers['x-person']
    if (!context.path.startsWith('/interaction/') || person === undefined) return next()
    // The person of a test is who the header says, instead of somebody who fills in a form.
    const login = { accountId: String(person) }
    context.respond = false
    return library.interactionFinished(context.req, context.res, { login })
  })
  server.on('request', library.callback())
  return here
}

/** Somebody's browser: it keeps cookies, and follows redirects as long as they stay at the provider. */
export function browserOf(person: string) {
  const cookies = new Map<string, string>()
  const ask = async (url: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie, 'x-person': person },
    })
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return response
  }
  /** Where the provider at last sends the browser. */
  const leave = async (url: string, init: RequestInit = {}): Promise<URL> => {
    const { origin } = new URL(url)
    let response = await ask(url, init)
    for (let at = url; ;) {
      const location = response.headers.get('location')
      if (location === null)
        throw new Error(`The provider answered ${response.status}: ${await response.text()}`)
      const next = new URL(location, at)
      if (next.origin !== origin) return next
      at = next.href
      response = await ask(at)
    }
  }
  return { ask, leave }
}
