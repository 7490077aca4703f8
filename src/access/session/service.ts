import type { Caller, Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { sha256 } from '../../lib/digest.ts'
import { base64url } from '../../lib/text.ts'
import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { callersOf } from '../users/callers.ts'
import { verifyPassword } from '../users/password.ts'
import type { UserView } from '../users/schema.ts'
import { countUsers, createUser, findCredentials } from '../users/service.ts'
import * as store from './store.ts'
import { readToken, signToken, TOKEN_LIFETIME_S } from './token.ts'

const DAY_MS = 86_400_000
const SETUP_LIFETIME_MS = 30 * 60_000

type User = Extract<Caller, { kind: 'user' }>
type Credentials = { readonly username: string; readonly password: string }

/** Opens a session for 24 hours (specification: Limits).
 * @throws {Refusal} unauthenticated */
export async function logIn({ ports }: Context, credentials: Credentials) {
  const user = await checkCredentials(ports, credentials)
  if (!user) throw new Refusal('unauthenticated', 'The user name or the password is wrong.')
  const sessionId = base64url(ports.secrets.random(32))
  const hash = await sha256(sessionId)
  const expiresAt = await openSession(ports, { hash, userId: user.userId, lifetimeMs: DAY_MS })
  ports.log.info('signed in', { userId: user.userId })
  return { sessionId, expiresAt }
}

/** Ends a session; one that has ended already is fine. */
export async function logOut({ ports }: Context, sessionId: string): Promise<void> {
  await commit(ports.database, [store.deleteSession(ports.database, await sha256(sessionId))])
  callersOf(ports).clear()
}

/** Ends the session behind the call. @throws {Refusal} invalid when the call came without one */
export async function logOutCaller({ ports, caller }: Context): Promise<void> {
  if (caller.kind !== 'user' || caller.sessionHash === null) {
    throw new Refusal('invalid', 'Name the session that ends.', [
      { pointer: '/sessionId', message: 'is missing' },
    ])
  }
  await commit(ports.database, [store.deleteSession(ports.database, caller.sessionHash)])
  callersOf(ports).clear()
}

/** A short-lived access token for the session behind the call, or for one of its own when there is none. */
export async function issueToken({ ports, caller }: Context) {
  if (caller.kind !== 'user') throw new Refusal('unauthenticated', 'Sign in first.')
  let sessionHash = caller.sessionHash
  if (sessionHash === null) {
    sessionHash = await sha256(base64url(ports.secrets.random(32)))
    const session = { hash: sessionHash, userId: caller.userId, lifetimeMs: TOKEN_LIFETIME_S * 1000 }
    await openSession(ports, session)
  }
  const accessToken = await signToken(ports.secrets.key, sessionHash, ports.clock.now())
  return { accessToken, tokenType: 'Baerer' as const, expiresIn: TOKEN_LIFETIME_S }
}

/** Makes sure that somebody can sign in: creates `admin` when a password is configured, else a one-time token for the
 * set-up page. Both only while there is no user. */
export async function prepareFirstStart(
  ports: Ports,
): Promise<{ isFirstStart: boolean; setupToken: string | null }> {
  if ((await countUsers(ports)) > 0) return { isFirstStart: false, setupToken: null }
  const { adminPassword } = ports.settings
  if (adminPassword !== null) {
    await createUser(ports, { username: 'admin', password: adminPassword, role: 'administrator' })
    return { isFirstStart: true, setupToken: null }
  }
  const setupToken = base64url(ports.secrets.random(32))
  const now = ports.clock.now()
  await commit(ports.database, [
    store.deleteExpiredSetups(ports.database, now),
    store.insertSetup(ports.database, { hash: await sha256(setupToken), expiresAt: now + SETUP_LIFETIME_MS }),
  ])
  return { isFirstStart: true, setupToken }
}

/** Creates the first administrator with the one-time token.
 * @throws {Refusal} forbidden when the token is not, or no longer, valid */
export async function setUp({ ports }: Context, input: Credentials & { token: string }): Promise<UserView> {
  const isValid = await store.takeSetup(ports.database, await sha256(input.token), ports.clock.now())
  if (!isValid || (await countUsers(ports)) > 0) {
    throw new Refusal(
      'forbidden',
      'This set-up link was used or has expired. Restart the service for a new one.',
    )
  }
  return createUser(ports, { username: input.username, password: input.password, role: 'administrator' })
}

export function callerOfSession(ports: Ports, sessionId: string): Promise<User | null> {
  return callersOf(ports).find(`session ${sessionId}`, ports.clock.now(), async () =>
    userOfSession(ports, await sha256(sessionId)),
  )
}

export function callerOfToken(ports: Ports, token: string): Promise<User | null> {
  const now = ports.clock.now()
  return callersOf(ports).find(`token ${token}`, now, async () => {
    const hash = await readToken(ports.secrets.key, token, now)
    return hash === null ? null : userOfSession(ports, hash)
  })
}

export async function callerOfCredentials(ports: Ports, credentials: Credentials): Promise<User | null> {
  const callers = callersOf(ports)
  const key = await callers.keyOf(
    ports.secrets.key,
    JSON.stringify([credentials.username, credentials.password]),
  )
  return callers.find(`basic ${key}`, ports.clock.now(), () => checkCredentials(ports, credentials, key))
}

async function userOfSession(ports: Ports, hash: string): Promise<User | null> {
  const found = await store.findSession(ports.database, hash, ports.clock.now())
  return found && { kind: 'user', ...found, sessionHash: hash }
}

/** Asks the slow hash, unless these credentials, named by `key`, have fitted the same hash within the last minute. */
async function checkCredentials(
  ports: Ports,
  { username, password }: Credentials,
  key: string | null = null,
): Promise<User | null> {
  const callers = callersOf(ports)
  const found = await findCredentials(ports, username)
  const user =
    found && ({ kind: 'user', userId: found.id, username, role: found.role, sessionHash: null } as const)
  if (found && key !== null && callers.wasProven(key, found.passwordHash, ports.clock.now())) return user
  const fits = await verifyPassword(ports.secrets, password, found?.passwordHash ?? null)
  if (!found || !fits) return null
  if (key !== null) callers.proven(key, found.passwordHash, ports.clock.now())
  return user
}

async function openSession(
  ports: Ports,
  session: { hash: string; userId: number; lifetimeMs: number },
): Promise<number> {
  const { hash, userId } = session
  const createdAt = ports.clock.now()
  const expiresAt = createdAt + session.lifetimeMs
  await commit(ports.database, [
    store.deleteExpiredSessions(ports.database, createdAt),
    store.insertSession(ports.database, { hash, userId, createdAt, expiresAt }),
  ])
  return expiresAt
}
