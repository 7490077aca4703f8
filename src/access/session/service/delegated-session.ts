import { sha256 } from '../../../lib/digest.ts'
import { base64url } from '../../../lib/text.ts'
import { DAY_MS } from '../../../lib/time.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import * as store from '../store.ts'

const SCOPES = 'read write execute'
/** The audit log names one user for a change, so a session with the rights of several users changes nothing. */
const SHARED_SCOPES = 'read execute'

/** A session of 24 hours that a program uses in the name of a user, with the scopes of personal tokens except `backup`. It
 * exists once `write` is committed. The audit log has no entry of the session; the change that lends it has one.
 * @param agent the program, in the user's list of sessions
 * @param boundBy other users: the session has the rights that all of these users have */
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
    expiresAt: createdAt + DAY_MS,
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

/** The write that ends a lent session, if it has not ended. A session that was used within the last second can work for one
 * more second. */
export function endDelegatedSession(database: Ports['database'], hash: string): Write {
  return store.deleteSession(database, hash)
}
