import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { commit } from '../../../ports/database.ts'
import { audited } from '../../audit/service.ts'
import { choosePassword, forgetCallers } from '../../users/service/passwords.ts'
import * as store from '../store.ts'
import { isElsewhere, owedBy, prove } from './proving.ts'

/** Gives the caller another password. Every other session of theirs ends, and this one owes no password any more.
 * @throws {Refusal} forbidden for who has their password elsewhere, invalid, too_many_attempts */
export async function changePassword(
  context: Context,
  { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
): Promise<void> {
  const { ports, caller, request } = context
  if (caller.kind !== 'user') throw new Refusal('unauthenticated', 'Sign in first.')
  const { userId, username, sessionHash } = caller
  const account = await prove(ports, { username, password: currentPassword }, { request })
  if (!account) {
    throw new Refusal('invalid', 'That is not your password.', [
      { pointer: '/currentPassword', message: 'is wrong' },
    ])
  }
  if (isElsewhere(account)) throw new Refusal('forbidden', 'Your password is kept elsewhere.')
  const writes = await choosePassword(
    ports,
    { userId, username },
    { password: newPassword, pointer: '/newPassword', exceptSession: sessionHash },
  )
  const owed = owedBy(ports, { ...account, passwordSetAt: ports.clock.now() })
  await commit(ports.database, [
    ...writes,
    ...(sessionHash === null ? [] : [store.setOwed(ports.database, sessionHash, owed)]),
    audited(context, { action: 'change password', objectType: 'user', objectId: userId }),
  ])
  forgetCallers(ports)
}
