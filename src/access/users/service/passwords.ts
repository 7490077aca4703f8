import { Refusal } from '../../../lib/errors.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
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

/** The writes that remember a new password of a user. */
export function passwordWrites({ database, clock, settings }: Ports, userId: number, hash: string): Write[] {
  return store.notePassword(database, { userId, hash, setAt: clock.now() }, settings.passwords.history)
}

/** The writes of a password that a user chose, which end the user's sessions but for `exceptSession`.
 * @throws {Refusal} invalid when it is weak or was used before */
export async function choosePassword(
  ports: Ports,
  user: { readonly userId: number; readonly username: string },
  chosen: { readonly password: string; readonly pointer: string; readonly exceptSession: string | null },
): Promise<Write[]> {
  const { database, secrets, settings } = ports
  const { password, pointer, exceptSession } = chosen
  requireStrong(ports, { password, username: user.username }, pointer)
  for (const hash of await store.latestPasswords(database, user.userId, settings.passwords.history)) {
    if (await verifyPassword(secrets, password, hash)) throw usedBefore(pointer)
  }
  const hash = await hashPassword(secrets, password)
  return [
    store.updatePassword(database, user.userId, hash),
    ...passwordWrites(ports, user.userId, hash),
    store.deleteSessionsOf(database, user.userId, exceptSession ?? ''),
  ]
}

/** The write that ends all sessions of a user. Whoever commits it forgets who was known. */
export function endSessionsOf({ database }: Ports, userId: number): Write {
  return store.deleteSessionsOf(database, userId)
}

/** Everybody has to prove again who they are. */
export function forgetCallers(ports: Ports): void {
  callersOf(ports).clear()
}

function usedBefore(pointer: string): Refusal {
  return new Refusal('invalid', 'That password was used before.', [
    { pointer, message: 'must not be one of your latest passwords' },
  ])
}
