import type { Context } from '../../../context.ts'
import { SCOPES } from '../../../context.ts'
import { timeFormat } from '../../../lib/time.ts'
import { readUser } from '../../users/service.ts'
import type { CallerView } from '../schema.ts'
import { ownerOf } from '../service.ts'
import * as store from '../store.ts'
import type { RequiredAction } from '../store.ts'

/** The caller with the session and the scopes of the call. */
export async function whoAmI(context: Context): Promise<CallerView> {
  const { ports, caller } = context
  const { user } = await readUser(context, ownerOf(context))
  const { sessionHash = null, scopes = SCOPES } = caller.kind === 'user' ? caller : {}
  const now = ports.clock.now()
  const session = sessionHash === null ? null : await store.readSession(ports.database, sessionHash, now)
  const owed = (session?.owes ?? '') as RequiredAction
  const format = timeFormat(ports.settings.timeZone)
  return {
    user,
    owed: owed === '' ? null : owed,
    scopes: [...scopes],
    session: session && { id: session.hash, expiresAt: format(session.expiresAt) },
  }
}
