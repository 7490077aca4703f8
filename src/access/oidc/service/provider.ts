import { createLocalJWKSet, errors, jwtVerify } from 'jose'
import type { JSONWebKeySet, JWTPayload, JWTVerifyOptions } from 'jose'
import * as oauth from 'oauth4webapi'
import { Refusal } from '../../../lib/errors.ts'
import { TtlCache } from '../../../lib/ttl-cache.ts'
import type { Ports } from '../../../ports/index.ts'
import type { OidcSettings } from '../../../ports/oidc-settings.ts'
import type { EndedSessions } from '../store.ts'
import { endpoint, loggedUnavailable, providerFetch, requestOptions } from './provider-client.ts'

const KEEP_MS = 10 * 60_000
/** The minimum interval between fetches of keys for tokens that name an unknown key: invented names must not make the service
 * fetch more often. */
const KEYS_AGAIN_MS = 10_000
const TOKEN_MAX_AGE_S = 600
const TOLERANCE_S = 30
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** The verified claims of the person that signed in. */
export type Proven = {
  readonly subject: string
  /** The provider's name of its own session; empty without one. */
  readonly sid: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly idToken: string
}

/** The values of a request that bind the answer of the provider to it. */
export type AuthorizationRequest = {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

type KnownProvider = {
  readonly metadata: TtlCache<oauth.AuthorizationServer>
  readonly keys: TtlCache<JSONWebKeySet>
  readonly newKeys: TtlCache<JSONWebKeySet>
}

const known = new WeakMap<Ports, KnownProvider>()

/** The URL at which a browser signs in. @throws {Refusal} unavailable */
export async function authorizationUrl(
  ports: Ports,
  oidc: OidcSettings,
  asked: AuthorizationRequest,
): Promise<string> {
  const server = await metadataOf(ports, oidc)
  const url = endpoint(oidc, server.authorization_endpoint)
  const parameters = {
    client_id: oidc.clientId,
    code_challenge: await oauth.calculatePKCECodeChallenge(asked.codeVerifier),
    code_challenge_method: 'S256',
    nonce: asked.nonce,
    redirect_uri: oidc.callbackUrl,
    response_type: 'code',
    scope: oidc.scope,
    state: asked.state,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** Verifies the answer that a browser brings from the provider, and returns its claims.
 * @throws {Refusal} unauthenticated for an invalid answer or token, unavailable */
export async function verifyAnswer(
  ports: Ports,
  oidc: OidcSettings,
  { answer, asked }: { readonly answer: URLSearchParams; readonly asked: AuthorizationRequest },
): Promise<Proven> {
  const server = await metadataOf(ports, oidc)
  const client = clientOf(oidc)
  const options = requestOptions(ports.network, oidc)
  return refuseInvalid(ports, async () => {
    const parameters = oauth.validateAuthResponse(server, client, answer, asked.state)
    const authentication = oauth.ClientSecretBasic(oidc.clientSecret)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      oidc.callbackUrl,
      asked.codeVerifier,
      options,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: asked.nonce,
      requireIdToken: true,
    })
    const idToken = tokens.id_token ?? ''
    const signed = await verify(ports, oidc, idToken, ['sub', 'iat', 'exp'])
    const subject = signed.sub ?? ''
    // The library checks this only for several audiences.
    if (signed['azp'] !== undefined && signed['azp'] !== oidc.clientId)
      throw new errors.JWTClaimValidationFailed('another party', signed, 'azp', 'check_failed')
    const more = server.userinfo_endpoint
      ? await oauth.processUserInfoResponse(
          server,
          client,
          subject,
          await oauth.userInfoRequest(server, client, tokens.access_token, options),
        )
      : {}
    // Signed claims take precedence over unsigned ones.
    return { subject, sid: textOf(signed['sid']), claims: { ...more, ...signed }, idToken }
  })
}

/** The user or the session that a logout token ends (OpenID Connect Back-Channel Logout 1.0).
 * @throws {Refusal} bad_request for an invalid token, unavailable */
export async function readLogout(ports: Ports, oidc: OidcSettings, token: string): Promise<EndedSessions> {
  let claims: JWTPayload
  try {
    claims = await verify(ports, oidc, token, ['iat', 'exp', 'jti', 'events'])
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    throw notALogout()
  }
  const events = claims['events']
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT)
  const named = { subject: textOf(claims.sub), sid: textOf(claims['sid']) }
  if (!isLogout || 'nonce' in claims || (named.subject === '' && named.sid === '')) throw notALogout()
  return named
}

/** The URL at which a browser ends the provider's session as well; null if the provider has none.
 * @throws {Refusal} unavailable */
export async function endSessionUrl(
  ports: Ports,
  oidc: OidcSettings,
  idToken: string,
): Promise<string | null> {
  const { end_session_endpoint: published } = await metadataOf(ports, oidc)
  if (published === undefined) return null
  const url = endpoint(oidc, published)
  url.searchParams.set('client_id', oidc.clientId)
  url.searchParams.set('id_token_hint', idToken)
  const page = oidc.returnUrls[0] ?? new URL('../ui/login', oidc.callbackUrl).href
  url.searchParams.set('post_logout_redirect_uri', page)
  return url.href
}

/** The claims of a token that the provider signed for this service, with the configured algorithm, in the last 10 minutes.
 * @throws {errors.JOSEError} for any other token @throws {Refusal} unavailable */
async function verify(
  ports: Ports,
  oidc: OidcSettings,
  token: string,
  requiredClaims: string[],
): Promise<JWTPayload> {
  const now = ports.clock.now()
  const options: JWTVerifyOptions = {
    algorithms: [oidc.algorithm],
    issuer: oidc.issuer,
    audience: oidc.clientId,
    currentDate: new Date(now),
    clockTolerance: TOLERANCE_S,
    maxTokenAge: TOKEN_MAX_AGE_S,
    requiredClaims,
  }
  const { jwks_uri: published } = await metadataOf(ports, oidc)
  const url = endpoint(oidc, published)
  const readKeys = () => fetchKeys(ports, oidc, url)
  const { keys, newKeys } = knownBy(ports)
  try {
    const usual = await keys.find(url.href, now, readKeys)
    return (await jwtVerify(token, createLocalJWKSet(usual ?? { keys: [] }), options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    const latest = await newKeys.find(url.href, now, readKeys)
    return (await jwtVerify(token, createLocalJWKSet(latest ?? { keys: [] }), options)).payload
  }
}

async function metadataOf(ports: Ports, oidc: OidcSettings): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(oidc.issuer)
  const found = await knownBy(ports).metadata.find(oidc.issuer, ports.clock.now(), async () => {
    try {
      const response = await oauth.discoveryRequest(issuer, requestOptions(ports.network, oidc))
      const server = await oauth.processDiscoveryResponse(issuer, response)
      if (server.issuer !== oidc.issuer) throw new TypeError("The provider's metadata has another issuer.")
      const { authorization_endpoint: page, token_endpoint: tokens, jwks_uri: keys } = server
      for (const url of [page, tokens, keys]) endpoint(oidc, url)
      return server
    } catch (cause) {
      throw loggedUnavailable(ports, cause)
    }
  })
  if (!found) throw loggedUnavailable(ports, new TypeError('The provider answered no metadata.'))
  return found
}

async function fetchKeys(ports: Ports, oidc: OidcSettings, url: URL): Promise<JSONWebKeySet> {
  try {
    const response = await providerFetch(ports.network, oidc)(url.href, { method: 'GET' })
    if (response.status !== 200) throw new TypeError(`The provider answered ${response.status}.`)
    const keys = (await response.json()) as JSONWebKeySet
    // The function throws for an invalid key set.
    createLocalJWKSet(keys)
    return keys
  } catch (cause) {
    throw loggedUnavailable(ports, cause)
  }
}

/** Runs a part of a login: an invalid answer of the provider ends it.
 * @throws {Refusal} unauthenticated, unavailable */
async function refuseInvalid<Result>(ports: Ports, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof Refusal) throw loggedUnavailable(ports, cause)
    ports.log.warn("OpenID Connect: the provider's answer to a login is invalid; the login was refused", {
      reason: reasonOf(cause),
    })
    throw new Refusal(
      'unauthenticated',
      'The answer of the OpenID Connect provider is invalid. Start the login again.',
    )
  }
}

/** The error code of the library: its messages may quote the request. */
function reasonOf(cause: unknown): string {
  const { code, error, name } = Object(cause) as Readonly<Record<'code' | 'error' | 'name', unknown>>
  const words = [code, error].filter((word) => typeof word === 'string')
  return words.length > 0 ? words.join(' ') : String(name)
}

function notALogout(): Refusal {
  return new Refusal('bad_request', 'The logout_token is not valid for this service.')
}

function clientOf({ clientId, algorithm }: OidcSettings): oauth.Client {
  return { client_id: clientId, id_token_signed_response_alg: algorithm, [oauth.clockTolerance]: TOLERANCE_S }
}

function knownBy(ports: Ports): KnownProvider {
  let here = known.get(ports)
  if (!here) {
    here = {
      metadata: new TtlCache(KEEP_MS),
      keys: new TtlCache(KEEP_MS),
      newKeys: new TtlCache(KEYS_AGAIN_MS),
    }
    known.set(ports, here)
  }
  return here
}

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim : ''
}
