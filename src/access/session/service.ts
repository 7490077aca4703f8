import { isAdministrator } from '../rights/permissions.ts'
import { requireUser } from '../../context.ts'
import type { Context, UserCaller } from '../../context.ts'
import type { Credentials } from '../../http/credentials.ts'
import { sha256 } from '../../lib/digest.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import { decodeCursor, pageOf, unknownCursor } from '../../lib/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { base64url } from '../../lib/text.ts'
import { DAY_MS, timeFormat } from '../../lib/time.ts'
import { commit } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { audited } from '../audit/service.ts'
import { callersOf } from '../users/callers.ts'
import { endSessionsOf, forgetCallers } from '../users/service/passwords.ts'
import type { SessionItem } from './schema.ts'
import { checkCode } from './mfa/service.ts'
import { userOf } from './service/callers.ts'
import { requiredActionOf, verifyCredentials } from './service/verify-credentials.ts'
import * as store from './store.ts'
import type { Account, RequiredAction, SessionPlace } from './store.ts'
import { readRefresh, signRefresh, signToken, TOKEN_LIFETIME_S } from './token.ts'
import type { Carrier } from './token.ts'

const AGENT_MAX = 255

type Login = Credentials & { readonly code?: string | undefined; readonly carrier?: Carrier }

/** Logs a user in: opens a session of 24 hours (specification: Limits), as `openSession` does.
 * @throws {Refusal} unauthenticated, mfa_code_required, too_many_attempts, overloaded */
export async function logIn(context: Context, { code, carrier = 'body', ...credentials }: Login) {
  const { ports, request } = context
  const account = await verifyCredentials(ports, credentials, { request })
  if (!account) throw new Refusal('unauthenticated', 'The username or the password is wrong.')
  if (account.hasFactor) await checkCode(ports, account.userId, code)
  return openSession(context, account, { owed: requiredActionOf(ports, account), carrier })
}

/** The account of a user; null for an unknown user. */
export function accountOf({ database }: Pick<Ports, 'database'>, userId: number): Promise<Account | null> {
  return store.findAccount(database, { id: userId })
}

/** Opens a session of 24 hours for an authenticated user. Until the user has done what is `owed`, it is valid for
 * that only. `also` goes into the same commit. */
export async function openSession(
  context: Context,
  account: Account,
  {
    owed,
    carrier,
    also = () => [],
  }: {
    readonly owed: RequiredAction
    readonly carrier: Carrier
    readonly also?: (sessionHash: string) => readonly Write[]
  },
) {
  const { ports } = context
  const sessionId = base64url(ports.secrets.random(32))
  const hash = await sha256(sessionId)
  const user = userOf(account)
  const opened = { hash, user, lifetimeMs: DAY_MS, owed, also: also(hash) }
  const expiresAt = await keepSession({ ...context, caller: user }, opened)
  ports.log.info('signed in', { userId: user.userId })
  const nowMs = ports.clock.now()
  const refresh = { sessionHash: hash, count: 0, carrier }
  return {
    sessionId,
    expiresAt,
    owed: owed === '' ? null : owed,
    ...tokenFields(await signToken(ports.secrets, hash, nowMs)),
    refreshToken: await signRefresh(ports.secrets, refresh, { nowMs, endMs: expiresAt }),
  }
}

/** Ends a session; one that has ended already is fine. */
export async function logOut(context: Context, sessionId: string): Promise<void> {
  await end(context, await sha256(sessionId))
}

/** Ends the session behind the call.
 * @param pointer where another session could be named
 * @throws {Refusal} invalid when the call came without a session */
export async function logOutCaller(context: Context, pointer: string): Promise<void> {
  const { caller } = context
  if (caller.kind !== 'user' || caller.sessionHash === null) {
    throw new Refusal('invalid', 'Send the sessionId of the session to end.', [
      { pointer, message: 'is missing' },
    ])
  }
  await end(context, caller.sessionHash)
}

/** Ends all sessions of the caller. */
export async function logOutEverywhere(context: Context): Promise<void> {
  const { ports } = context
  const userId = ownerOf(context)
  await commit(ports.database, [
    endSessionsOf(ports, userId),
    audited(context, { action: 'end all', objectType: 'session', objectId: userId }),
  ])
  forgetCallers(ports)
}

/** A short-lived access token for the session of the call, or for a new session without one. */
export async function issueToken(context: Context) {
  const { ports } = context
  const caller = requireUser(context)
  let sessionHash = caller.sessionHash
  if (sessionHash === null) {
    sessionHash = await sha256(base64url(ports.secrets.random(32)))
    const lifetimeMs = TOKEN_LIFETIME_S * 1000
    await keepSession(context, { hash: sessionHash, user: caller, lifetimeMs, owed: '', also: [] })
  }
  return tokenFields(await signToken(ports.secrets, sessionHash, ports.clock.now()))
}

/** A new access token for a refresh token, and a new refresh token. A refresh token that comes a second time was copied, so
 * its session ends. The token of a cookie may come again until its successor is used: tabs of a browser share the cookie, and
 * an answer may be lost.
 * @throws {Refusal} unauthenticated */
export async function refreshSession(
  context: Context,
  token: string,
  carrier: Carrier = 'body',
): Promise<ReturnType<typeof tokenFields> & { readonly refreshToken: string; readonly expiresAt: number }> {
  const { ports } = context
  const nowMs = ports.clock.now()
  const refresh = await readRefresh(ports.secrets, { token, carrier }, nowMs)
  if (!refresh) throw notRefreshed()
  const { sessionHash: hash, count } = refresh
  const session =
    (await store.countRefresh(ports.database, { hash, count }, nowMs)) ??
    (carrier === 'cookie' ? await store.readSession(ports.database, hash, nowMs) : null)
  if (session?.refreshCount !== count + 1) {
    ports.log.warn('session: a refresh token was used twice; its session was ended', {
      session: hash.slice(0, 8),
    })
    await end(context, hash)
    throw notRefreshed()
  }
  const { expiresAt } = session
  const next = { ...refresh, count: count + 1 }
  return {
    ...tokenFields(await signToken(ports.secrets, hash, nowMs)),
    refreshToken: await signRefresh(ports.secrets, next, { nowMs, endMs: expiresAt }),
    expiresAt,
  }
}

/** The open sessions of a user, a page of them: the caller's own, or for administrators of any user.
 * @throws {Refusal} forbidden, invalid for a cursor of another list */
export async function listSessions(
  context: Context,
  { limit, cursor }: Page,
  userId?: number,
): Promise<{ items: SessionItem[]; next: string | null }> {
  const { ports, caller } = context
  const ownerId = ownerOf(context, userId)
  const format = timeFormat(ports.settings.timeZone)
  const rows = await store.listSessions(ports.database, ownerId, {
    now: ports.clock.now(),
    after: cursor === undefined ? null : placeOf(cursor),
    limit: limit + 1,
  })
  const { shown, next } = pageOf(rows, limit, ({ createdAt, hash }): SessionPlace => [createdAt, hash])
  const own = caller.kind === 'user' ? caller.sessionHash : null
  const items = shown.map(({ hash, createdAt, expiresAt, address, agent }) => ({
    id: hash,
    userId: ownerId,
    createdAt: format(createdAt),
    expiresAt: format(expiresAt),
    address,
    agent,
    isCurrent: hash === own,
  }))
  return { items, next }
}

function placeOf(cursor: string): SessionPlace {
  const place = decodeCursor(cursor)
  if (!Array.isArray(place) || place.length !== 2) throw unknownCursor()
  const [createdAt, hash] = place as readonly unknown[]
  if (typeof createdAt === 'number' && typeof hash === 'string') return [createdAt, hash]
  throw unknownCursor()
}

/** Ends a session of the caller, or as an administrator of any user. @throws {Refusal} not_found */
export async function endSession(context: Context, id: string): Promise<void> {
  const { ports, caller } = context
  const session = await store.readSession(ports.database, id, ports.clock.now())
  const isOwn = caller.kind === 'user' && caller.userId === session?.userId
  if (!session || !(isOwn || isAdministrator(caller))) throw noSuch('session')
  await end(context, id)
}

/** The id of the user that a request is about: the caller unless an administrator names another user.
 * @throws {Refusal} unauthenticated, forbidden */
export function ownerOf(context: Context, userId?: number): number {
  const caller = requireUser(context)
  const ownerId = userId ?? caller.userId
  if (ownerId === caller.userId || isAdministrator(caller)) return ownerId
  throw new Refusal('forbidden', 'Only administrators can do this for other users.')
}

async function end(context: Context, hash: string): Promise<void> {
  const { ports } = context
  const session = await store.readSession(ports.database, hash, ports.clock.now())
  if (!session) return
  const { userId } = session
  await commit(ports.database, [
    store.deleteSession(ports.database, hash),
    audited(context, { action: 'delete', objectType: 'session', objectId: hash, before: { userId } }),
  ])
  callersOf(ports).clear()
}

async function keepSession(
  context: Context,
  session: {
    hash: string
    user: UserCaller
    lifetimeMs: number
    owed: RequiredAction
    also: readonly Write[]
  },
): Promise<number> {
  const { ports, request } = context
  const { hash, owed } = session
  const { userId } = session.user
  const createdAt = ports.clock.now()
  const expiresAt = createdAt + session.lifetimeMs
  const address = request ? ports.network.addressOf(request) : ''
  const agent = (request?.headers.get('user-agent') ?? '').slice(0, AGENT_MAX)
  await commit(ports.database, [
    store.deleteExpiredSessions(ports.database, createdAt),
    store.insertSession(ports.database, { hash, userId, createdAt, expiresAt, address, agent, owes: owed }),
    audited(context, { action: 'create', objectType: 'session', objectId: hash, after: { userId, agent } }),
    ...session.also,
  ])
  return expiresAt
}

function tokenFields(accessToken: string) {
  return { accessToken, tokenType: 'Baerer' as const, expiresIn: TOKEN_LIFETIME_S }
}

function notRefreshed(): Refusal {
  return new Refusal('unauthenticated', 'The refresh token is wrong, was used before or has expired.')
}
