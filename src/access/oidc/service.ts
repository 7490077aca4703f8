import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { invalidAt, Refusal, refusalIn } from '../../lib/errors.ts'
import { base64url, sameText } from '../../lib/text.ts'
import { commit, isUniqueViolation } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { OidcSettings } from '../../ports/oidc-settings.ts'
import { attempt, providerTrials, succeeded, undecided } from '../attempts/service.ts'
import { audited } from '../audit/service.ts'
import { sealText, unseal } from '../session/keys.ts'
import type { Carrier } from '../session/token.ts'
import { checkCode } from '../session/mfa/service.ts'
import { accountOf, openSession } from '../session/service.ts'
import { readUser } from '../users/service.ts'
import { forgetCallers } from '../users/service/passwords.ts'
import { profileOf } from './mapping.ts'
import type { IdentitiesView, IdentityView } from './schema.ts'
import { isOwnPage, loginPageFor } from './own-page.ts'
import { accountFor } from './service/accounts.ts'
import { authorizationUrl, endSessionUrl, verifyAnswer, readLogout } from './service/provider.ts'
import * as store from './store.ts'

export const STATE_LIFETIME_MS = 10 * 60_000
export const LOGIN_LIFETIME_MS = 60_000
const SECRET_BYTES = 32
const STATE = 'oidc state'
const ID_TOKEN = 'oidc id token'

/** A login that has begun. Its sealed form is the `state`, so that the service stores nothing for it. */
type Begun = {
  readonly nonce: string
  readonly codeVerifier: string
  readonly challenge: string
  readonly returnUrl: string
  readonly endAt: number
}

type ProvenLogin = {
  readonly loginCode: string
  readonly verifier: string
  readonly code?: string | undefined
  readonly carrier?: Carrier
}

/** The URL of the provider at which a browser signs in.
 * @throws {Refusal} not_found without a provider, invalid for a page that is not configured, unavailable */
export async function beginLogin(
  context: Context,
  { challenge, returnUrl }: { readonly challenge: string; readonly returnUrl?: string | undefined },
): Promise<string> {
  const { returnUrls } = requireOidc(context.ports)
  const page = returnUrl ?? returnUrls[0] ?? ''
  if (!returnUrls.includes(page)) {
    throw new Refusal(
      'invalid',
      'returnUrl is not one of the configured pages (TIDEMARK_OIDC_RETURN_URLS).',
      [{ pointer: '?returnUrl', message: 'must be one of the configured pages' }],
    )
  }
  return begin(context, { challenge, returnUrl: page })
}

/** The URL of the provider for a login of a page of this service. The browser returns to the login page, which opens
 * `returnTo`.
 * @returns the verifier, for a cookie
 * @throws {Refusal} not_found without a provider, invalid for a path that is not below /ui/, unavailable */
export async function beginOwnLogin(
  context: Context,
  returnTo: string,
): Promise<{ readonly url: string; readonly verifier: string }> {
  const { secrets, settings } = context.ports
  const returnUrl = loginPageFor(settings.basePath, returnTo)
  if (returnUrl === null) throw invalidAt('?returnTo', `must be a path below ${settings.basePath}/ui/`)
  const verifier = base64url(secrets.random(SECRET_BYTES))
  return { url: await begin(context, { challenge: await challengeOf(verifier), returnUrl }), verifier }
}

async function begin(context: Context, page: Pick<Begun, 'challenge' | 'returnUrl'>): Promise<string> {
  const { ports } = context
  const oidc = requireOidc(ports)
  const random = () => base64url(ports.secrets.random(SECRET_BYTES))
  const begun: Begun = {
    nonce: random(),
    codeVerifier: random(),
    ...page,
    endAt: ports.clock.now() + STATE_LIFETIME_MS,
  }
  const state = await sealText(ports.secrets, JSON.stringify(begun), STATE)
  return authorizationUrl(ports, oidc, { ...begun, state })
}

/** The page to which a browser is redirected after it returns from the provider. `loginCode` is valid once, for a minute, with the
 * verifier of the login; null when a page of this service is to show a refusal.
 * @param verifier the verifier in the cookie of a login of a page of this service
 * @throws {Refusal} not_found, unauthenticated for a wrong state or a wrong answer, forbidden for a person without a user,
 * too_many_attempts, unavailable */
export async function endLogin(
  context: Context,
  answer: URLSearchParams,
  verifier = '',
): Promise<{ readonly page: string; readonly loginCode: string | null }> {
  const begun = await readState(context.ports, answer.get('state') ?? '')
  const { returnUrl } = begun
  if (!isOwnPage(returnUrl)) {
    const loginCode = await createLoginCode(context, answer, begun)
    return { page: `${returnUrl}#loginCode=${loginCode}`, loginCode }
  }
  try {
    // Another person may have begun the login and sent the address of its end.
    if (!sameText(begun.challenge, await challengeOf(verifier))) throw unknownState()
    const loginCode = await createLoginCode(context, answer, begun)
    return { page: `${returnUrl}&oidc=ok`, loginCode }
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal) throw error
    return { page: `${returnUrl}&oidc=${refusal.code}`, loginCode: null }
  }
}

async function createLoginCode(context: Context, answer: URLSearchParams, begun: Begun): Promise<string> {
  const { ports, request } = context
  const { database, clock, secrets } = ports
  const oidc = requireOidc(ports)
  const state = answer.get('state') ?? ''
  const trials = providerTrials(ports, request)
  await attempt(ports, trials)
  const isFirst = await store.takeState(
    database,
    // By its content: the same state can be spelled in several ways.
    { hash: await sha256(begun.nonce), expiresAt: begun.endAt },
    clock.now(),
  )
  if (!isFirst) throw unknownState()
  const proven = await verifyAnswer(ports, oidc, { answer, asked: { ...begun, state } }).catch(
    async (error: unknown) => {
      if (refusalIn(error)?.code === 'unavailable') await undecided(ports, trials)
      throw error
    },
  )
  const profile = profileOf(proven.claims, oidc)
  const userId = await accountFor(context, oidc, { subject: proven.subject, profile })
  const loginCode = base64url(secrets.random(SECRET_BYTES))
  await commit(database, [
    store.deleteExpiredLogins(database, clock.now()),
    store.insertLogin(database, {
      hash: await sha256(loginCode),
      userId,
      challenge: begun.challenge,
      subject: proven.subject,
      sid: proven.sid,
      idToken: await sealText(secrets, proven.idToken, ID_TOKEN),
      isStrong: profile.isStrong,
      expiresAt: clock.now() + LOGIN_LIFETIME_MS,
    }),
  ])
  await succeeded(ports, trials)
  return loginCode
}

/** The session of a login that the provider confirmed, for the browser that began it.
 * @throws {Refusal} not_found, unauthenticated, mfa_code_required, too_many_attempts */
export async function openProvenSession(
  context: Context,
  { loginCode, verifier, code, carrier = 'body' }: ProvenLogin,
) {
  const { ports } = context
  requireOidc(ports)
  const { database, clock } = ports
  const hash = await sha256(loginCode)
  const login = await store.findLogin(database, hash, clock.now())
  const account = login && (await accountOf(ports, login.userId))
  if (!account || !sameText(login.challenge, await challengeOf(verifier))) throw notProven()
  if (account.hasFactor && !login.isStrong) await checkCode(ports, account.userId, code)
  if (!(await store.takeLogin(database, hash))) throw notProven()
  const owed = account.needsFactor && !account.hasFactor && !login.isStrong ? 'mfa' : ''
  const { subject, sid, idToken } = login
  return openSession(context, account, {
    owed,
    carrier,
    also: (sessionHash) => [store.insertSession(database, { sessionHash, subject, sid, idToken })],
  })
}

/** The URL at which the provider ends its own session. @throws {Refusal} not_found for a session that was opened without the
 * provider */
export async function readLogoutUrl({ ports, caller }: Context): Promise<string | null> {
  const oidc = requireOidc(ports)
  const hash = caller.kind === 'user' ? caller.sessionHash : null
  const sealed = hash === null ? null : await store.findIdToken(ports.database, hash)
  if (sealed === null)
    throw new Refusal('not_found', 'This session was not opened through the OpenID Connect provider.')
  const idToken = new TextDecoder().decode(await unseal(ports.secrets, sealed, ID_TOKEN))
  return endSessionUrl(ports, oidc, idToken)
}

/** Ends the sessions that the provider has ended. @throws {Refusal} not_found, bad_request, unavailable */
export async function endSessionsFor(context: Context, logoutToken: string): Promise<void> {
  const { ports } = context
  const ended = await readLogout(ports, requireOidc(ports), logoutToken)
  const userIds = await store.findUsersOf(ports.database, ended)
  await commit(ports.database, [
    ...store.deleteSessions(ports.database, ended),
    ...userIds.map((userId) =>
      audited(context, { action: 'end by provider', objectType: 'session', objectId: userId }),
    ),
  ])
  forgetCallers(ports)
}

/** The identity of a user at the provider. @throws {Refusal} not_found for a user without one */
export async function readIdentity({ ports }: Context, userId: number): Promise<IdentityView> {
  const identity = await store.findIdentity(ports.database, userId)
  if (!identity) throw new Refusal('not_found', 'The user is not linked to the OpenID Connect provider.')
  return identity
}

/** The identities of a user at the provider and in the directory. @throws {Refusal} not_found */
export async function listIdentities(context: Context, userId: number): Promise<IdentitiesView> {
  const { database } = context.ports
  await readUser(context, userId)
  const [identity, directoryId] = await Promise.all([
    store.findIdentity(database, userId),
    store.findDirectoryId(database, userId),
  ])
  return {
    items: [
      ...(identity ? [{ kind: 'oidc' as const, ...identity }] : []),
      ...(directoryId === null ? [] : [{ kind: 'ldap' as const, directoryId }]),
    ],
  }
}

/** Links a user to an identity at the provider. @throws {Refusal} not_found, conflict when another user has this identity */
export async function linkIdentity(context: Context, userId: number, subject: string): Promise<IdentityView> {
  const { database } = context.ports
  const { issuer } = requireOidc(context.ports)
  await readUser(context, userId)
  const before = await store.findIdentity(database, userId)
  const identity = { issuer, subject }
  try {
    await commit(database, [
      store.deleteIdentity(database, userId),
      store.insertIdentity(database, identity, { id: userId }),
      audited(context, {
        action: 'link',
        objectType: 'identity',
        objectId: userId,
        before: before ?? {},
        after: identity,
      }),
    ])
  } catch (error) {
    if (!isUniqueViolation(error, 'oidc_identities.subject')) throw error
    throw new Refusal('conflict', 'Another user is already linked to this subject.', [
      { pointer: '/subject', message: 'is already used' },
    ])
  }
  return identity
}

/** Unlinks a user from the provider; sessions stay open. @throws {Refusal} not_found */
export async function unlinkIdentity(context: Context, userId: number): Promise<void> {
  const { database } = context.ports
  const before = await readIdentity(context, userId)
  await commit(database, [
    store.deleteIdentity(database, userId),
    audited(context, { action: 'unlink', objectType: 'identity', objectId: userId, before }),
  ])
}

function requireOidc({ settings }: Ports): OidcSettings {
  if (settings.oidc === null)
    throw new Refusal('not_found', 'OpenID Connect is not configured. Set TIDEMARK_OIDC_ISSUER.')
  return settings.oidc
}

async function readState({ secrets, clock }: Ports, state: string): Promise<Begun> {
  let begun: Begun
  try {
    begun = JSON.parse(new TextDecoder().decode(await unseal(secrets, state, STATE))) as Begun
  } catch {
    throw unknownState()
  }
  if (begun.endAt <= clock.now()) throw unknownState()
  return begun
}

/** The challenge of a verifier (RFC 7636 section 4.2). */
async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64url(new Uint8Array(digest))
}

function unknownState(): Refusal {
  return new Refusal(
    'unauthenticated',
    'This login is unknown, was already completed or has expired. Start the login again.',
  )
}

function notProven(): Refusal {
  return new Refusal(
    'unauthenticated',
    'The login code is wrong, was used before or has expired. Start the login again.',
  )
}
