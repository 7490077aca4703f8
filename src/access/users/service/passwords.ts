import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { attempt, passwordTrials, succeeded } from '../../attempts/service.ts'
import { callersOf } from '../callers.ts'
import { hashPassword, verifyPassword } from '../password.ts'
import * as store from '../store.ts'
import { weaknessOf } from '../strength.ts'

/** @throws {Refusal} invalid when the password is not one that holds */
export function requireStrong(
  { settings }: Ports,
  chosen: { readonly password: string; readonly username: string },
  pointer = '/password',
): void {
  const message = weaknessOf(chosen, settings.passwords.lengthMin)
  if (message !== null) throw new Refusal('invalid', 'The password is too weak.', [{ pointer, message }])
}

/** The writes that remember a new password of a user and, unless `keepTokens` is true, end the personal tokens: the person
 * who knew the old password may have made some. */
export function passwordWrites(
  { database, clock, settings }: Ports,
  userId: number,
  { hash, keepTokens }: { readonly hash: string; readonly keepTokens: boolean },
): Write[] {
  return [
    ...store.notePassword(database, { userId, hash, setAt: clock.now() }, settings.passwords.history),
    ...(keepTokens ? [] : [store.deletePersonalTokensOf(database, userId)]),
  ]
}

/** The writes of a password that a user chose, which end the user's sessions but for `exceptSession`, and the personal
 * tokens unless `keepTokens` is true.
 * @throws {Refusal} invalid when it is weak or was used before */
export async function choosePassword(
  ports: Ports,
  user: { readonly userId: number; readonly username: string },
  chosen: {
    readonly password: string
    readonly pointer: string
    readonly exceptSession: string | null
    readonly keepTokens: boolean
  },
): Promise<Write[]> {
  const { database } = ports
  const { password, pointer, exceptSession, keepTokens } = chosen
  const { userId, username } = user
  const hash = await newPassword(ports, userId, { username, password, isOwn: true, pointer })
  return [
    store.updatePassword(database, userId, hash),
    ...passwordWrites(ports, userId, { hash, keepTokens }),
    store.deleteSessionsOf(database, userId, exceptSession ?? ''),
  ]
}

/** The hash of a user's new password. One's own may be none of the latest.
 * @throws {Refusal} invalid when it is weak or was used before */
export async function newPassword(
  ports: Ports,
  userId: number,
  chosen: {
    readonly username: string
    readonly password: string
    readonly isOwn: boolean
    readonly pointer?: string
  },
): Promise<string> {
  const { database, settings } = ports
  const { password, isOwn, pointer = '/password' } = chosen
  requireStrong(ports, chosen, pointer)
  const latest = isOwn ? await store.latestPasswords(database, userId, settings.passwords.history) : []
  for (const hash of latest) if (await verifyPassword(ports, password, hash)) throw usedBefore(pointer)
  return hashPassword(ports, password)
}

/** Lets pass who says the present password of a user. @throws {Refusal} invalid, too_many_attempts */
export async function requirePassword(
  { ports, request }: Context,
  user: { readonly username: string; readonly passwordHash: string },
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw notYours('is missing')
  const trials = await passwordTrials(ports, user.username, request)
  await attempt(ports, trials)
  if (!(await verifyPassword(ports, password, user.passwordHash))) throw notYours('is wrong')
  await succeeded(ports, trials)
}

/** The writes that remove the password of a user and end all sessions. */
export function removePassword({ database }: Ports, userId: number): Write[] {
  return [store.updatePassword(database, userId, ''), store.deleteSessionsOf(database, userId)]
}

/** The write that ends all sessions of a user. The caller clears the cache of credentials after its commit. */
export function endSessionsOf({ database }: Ports, userId: number): Write {
  return store.deleteSessionsOf(database, userId)
}

/** The write that ends all personal tokens of a user. The caller clears the cache of credentials after its commit. */
export function revokeTokensOf({ database }: Ports, userId: number): Write {
  return store.deletePersonalTokensOf(database, userId)
}

/** Makes all callers authenticate anew. */
export function forgetCallers(ports: Ports): void {
  callersOf(ports).clear()
}

function notYours(message: string): Refusal {
  return new Refusal('invalid', 'The current password is wrong.', [{ pointer: '/currentPassword', message }])
}

function usedBefore(pointer: string): Refusal {
  return new Refusal('invalid', 'The password was used before. Choose another one.', [
    { pointer, message: 'must not be one of your latest passwords' },
  ])
}
