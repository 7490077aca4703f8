import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { commit } from '../../../ports/database.ts'
import { audited } from '../../audit/service.ts'
import { isOwn } from '../../users/changes.ts'
import { choosePassword, forgetCallers } from '../../users/service/passwords.ts'
import * as store from '../store.ts'
import { isExternal, requiredActionOf, verifyCredentials } from './verify-credentials.ts'

/** Gives the caller another password. All other sessions of the caller end and, unless `keepTokens` is true, the personal
 * tokens. This session owes no password any more.
 * @throws {Refusal} forbidden for a shared user and where the password is kept elsewhere, invalid, too_many_attempts */
export async function changePassword(
  context: Context,
  {
    currentPassword,
    newPassword,
    keepTokens = false,
  }: {
    readonly currentPassword: string
    readonly newPassword: string
    readonly keepTokens?: boolean | undefined
  },
): Promise<void> {
  const { ports, request } = context
  const { userId, username, sessionHash } = requireUser(context)
  const account = await verifyCredentials(ports, { username, password: currentPassword }, { request })
  if (!account) {
    throw new Refusal('invalid', 'The current password is wrong.', [
      { pointer: '/currentPassword', message: 'is wrong' },
    ])
  }
  if (isExternal(account))
    throw new Refusal(
      'forbidden',
      'Your password is managed by the directory or an external service. Change it there.',
    )
  if (!isOwn(account.type, 'password'))
    throw new Refusal(
      'forbidden',
      'Several people share this user. Ask an administrator to change its password.',
    )
  const writes = await choosePassword(
    ports,
    { userId, username },
    { password: newPassword, pointer: '/newPassword', exceptSession: sessionHash, keepTokens },
  )
  const owed = requiredActionOf(ports, { ...account, passwordSetAt: ports.clock.now() })
  await commit(ports.database, [
    ...writes,
    ...(sessionHash === null ? [] : [store.setRequiredAction(ports.database, sessionHash, owed)]),
    audited(context, { action: 'change password', objectType: 'user', objectId: userId }),
  ])
  forgetCallers(ports)
}
