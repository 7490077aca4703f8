import { sha256 } from '../../../lib/digest.ts'
import { base64url } from '../../../lib/text.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import * as store from '../store.ts'

const LENT_MS = 86_400_000
const SCOPES = 'read write execute'
/** A change is on record under one user, so a session that has the rights of several users changes nothing. */
const SHARED_SCOPES = 'read execute'

/** A session that a program has for a while in the name of a user. It has the scopes of personal tokens but `backup`. It is
 * there once `write` is committed, for 24 hours at most. The audit log has no entry of it, but of what lends it.
 * @param agent what its user sees of it in the list of sessions
 * @param boundBy users besides; the session has the rights that all of them have */
export async function createDelegatedSession(
  { database, clock, secrets }: Pick<Ports, 'database' | 'clock' | 'secrets'>,
  {
    userId,
    agent,
    boundBy = [],
  }: { readonly userId: number; readonly agent: string; readonly boundBy?: readonly number[] },
): Promise<{ readonly sessionId: string; readonly hash: string; readonly write: Write }> {
  const sessionId = base64url(secrets.random(32))
  const hash = await sha256(sessionId)
  const createdAt = clock.now()
  const session = {
    hash,
    userId,
    createdAt,
    expiresAt: createdAt + LENT_MS,
    address: '',
    agent,
    owes: '',
  } as const
  const isShared = boundBy.length > 0
  const limits = {
    scopes: isShared ? SHARED_SCOPES : SCOPES,
    bounds: isShared ? JSON.stringify(boundBy) : null,
  }
  return { sessionId, hash, write: store.insertSession(database, { ...session, ...limits }) }
}

/** Ends a session that was lent; one that has ended is fine. Where it was used within the last second it may work for one
 * more. */
export function endDelegatedSession(database: Ports['database'], hash: string): Write {
  return store.deleteSession(database, hash)
}
