import { SCOPES } from '../../../context.ts'
import type { Bound, Scope, UserCaller } from '../../../context.ts'
import type { Credentials } from '../../../http/credentials.ts'
import { sha256 } from '../../../lib/digest.ts'
import type { Ports } from '../../../ports/index.ts'
import { callersOf } from '../../users/callers.ts'
import type { FoundUser } from '../../users/callers.ts'
import * as store from '../store.ts'
import type { Account } from '../store.ts'
import { readToken } from '../token.ts'
import { requiredActionOf, verifyCredentials } from './verify-credentials.ts'

/** The scopes of a session whose user still owes an action, such as a new password. */
const ACCOUNT_ONLY: readonly Scope[] = ['account']

export function callerOfSession(ports: Ports, sessionId: string): FoundUser {
  return callersOf(ports).find('session', sessionId, ports.clock.now(), async () =>
    userOfSession(ports, await sha256(sessionId)),
  )
}

export function callerOfToken(ports: Ports, token: string): FoundUser {
  const now = ports.clock.now()
  return callersOf(ports).find('token', token, now, async () => {
    const hash = await readToken(ports.secrets, token, now)
    return hash === null ? null : userOfSession(ports, hash)
  })
}

export function callerOfPersonalToken(ports: Ports, token: string): FoundUser {
  const now = ports.clock.now()
  return callersOf(ports).find('personal', token, now, async () => {
    const found = await store.findPersonalToken(ports.database, await sha256(token), now)
    if (!found) return null
    const { scopes, ...user } = found
    return { kind: 'user', ...user, sessionHash: null, scopes: scopesIn(scopes) }
  })
}

/** The user of Basic credentials; null also if the account has a second factor or owes an action. */
export function callerOfCredentials(ports: Ports, credentials: Credentials, request?: Request): FoundUser {
  // The cache is not keyed by the credentials themselves, which must not stay in memory.
  const key = ports.secrets.hmac(JSON.stringify([credentials.username, credentials.password]))
  return callersOf(ports).find('basic', key, ports.clock.now(), async () => {
    const account = await verifyCredentials(ports, credentials, { request, key })
    const isEnough = account && !account.hasFactor && requiredActionOf(ports, account) === ''
    return isEnough ? userOf(account) : null
  })
}

/** The user of an account, without a session. */
export function userOf({ userId, username, role }: Account): UserCaller {
  return { kind: 'user', userId, username, role, sessionHash: null }
}

async function userOfSession(ports: Ports, hash: string): Promise<UserCaller | null> {
  const found = await store.findSession(ports.database, hash, ports.clock.now())
  if (!found) return null
  const { owes, scopes, bounds, ...user } = found
  const goodFor = owes === '' ? scopes && scopesIn(scopes) : ACCOUNT_ONLY
  const one = { kind: 'user', ...user, sessionHash: hash, ...(goodFor && { scopes: goodFor }) } as const
  if (bounds === null) return one
  const boundBy = await boundsOf(ports, JSON.parse(bounds) as number[])
  return boundBy && { ...one, bounds: boundBy }
}

/** The users whose rights bound a session; null if one of them was deleted: the session then allows nothing. */
async function boundsOf({ database }: Ports, ids: readonly number[]): Promise<readonly Bound[] | null> {
  const accounts = await Promise.all(ids.map((id) => store.findAccount(database, { id })))
  const found = accounts.filter((account) => account !== null)
  if (found.length < ids.length) return null
  return found.map(({ userId, role }) => ({ userId, role }))
}

function scopesIn(text: string): readonly Scope[] {
  const granted = text.split(' ')
  return SCOPES.filter((scope) => granted.includes(scope))
}
