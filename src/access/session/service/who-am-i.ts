import type { Context } from '../../../context.ts'
import { SCOPES } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import { audited } from '../../audit/service.ts'
import { isOwn } from '../../users/changes.ts'
import { readUser } from '../../users/service.ts'
import type { CallerView } from '../schema.ts'
import { ownerOf } from '../service.ts'
import * as store from '../store.ts'
import type { RequiredAction } from '../store.ts'

type Preferences = CallerView['preferences']

/** The caller with the session and the scopes of the call. */
export async function whoAmI(context: Context): Promise<CallerView> {
  const { ports, caller } = context
  const { view: user } = await readUser(context, ownerOf(context))
  const { sessionHash = null, scopes = SCOPES } = caller.kind === 'user' ? caller : {}
  const now = ports.clock.now()
  const session = sessionHash === null ? null : await store.readSession(ports.database, sessionHash, now)
  const preferences = await store.findPreferences(ports.database, user.id)
  const owed = (session?.owes ?? '') as RequiredAction
  const format = timeFormat(ports.settings.timeZone)
  return {
    user,
    owed: owed === '' ? null : owed,
    scopes: [...scopes],
    session: session && { id: session.hash, expiresAt: format(session.expiresAt) },
    preferences: JSON.parse(preferences ?? '{}') as Preferences,
  }
}

/** Replaces the preferences of the caller. @throws {Refusal} forbidden for a shared user without the role `administrator` */
export async function replacePreferences(context: Context, preferences: Preferences): Promise<void> {
  const { ports } = context
  const userId = ownerOf(context)
  const { view: user } = await readUser(context, userId)
  if (user.role !== 'administrator' && !isOwn(user.type, 'preferences'))
    throw new Refusal('forbidden', 'Several people share this user. Its preferences cannot be changed.')
  await commit(ports.database, [
    store.savePreferences(ports.database, userId, JSON.stringify(preferences)),
    audited(context, { action: 'update', objectType: 'preferences', objectId: userId }),
  ])
}
