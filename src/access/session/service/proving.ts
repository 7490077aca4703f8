import type { Ports } from '../../../ports/index.ts'
import { attempt, passwordTrials, succeeded } from '../../attempts/service.ts'
import { callersOf } from '../../users/callers.ts'
import { verifyPassword } from '../../users/password.ts'
import * as store from '../store.ts'
import type { Account, Owed } from '../store.ts'

export type Credentials = { readonly username: string; readonly password: string }

/** The account whose password this is; null when it is not, or there is none, which takes as long. With `key`, a name for
 * the credentials, the slow hash is asked once a minute, and others' guesses do not lock out who proved it here before.
 * @throws {Refusal} too_many_attempts, overloaded, unavailable */
export async function prove(
  ports: Ports,
  { username, password }: Credentials,
  { request, key = null }: { readonly request: Request | undefined; readonly key?: string | null },
): Promise<Account | null> {
  const { database, secrets, clock } = ports
  const callers = callersOf(ports)
  const account = await store.findAccount(database, username)
  if (account && key !== null && callers.wasProven(key, account.passwordHash, clock.now())) return account
  const trials = await passwordTrials(ports, username, request)
  await attempt(ports, trials, account !== null && key !== null && callers.isKnown(key, account.passwordHash))
  const fits = await verifyPassword(secrets, password, account?.passwordHash ?? null)
  if (!account || !fits) return null
  await succeeded(ports, trials)
  if (key !== null) callers.proven(key, account.passwordHash, clock.now())
  return account
}

/** What the user has to do before anything else. */
export function owedBy({ clock, settings }: Ports, account: Account): Owed {
  const { maxAgeMs } = settings.passwords
  if (maxAgeMs !== null && account.passwordSetAt + maxAgeMs <= clock.now()) return 'password'
  return account.needsFactor && !account.hasFactor ? 'mfa' : ''
}
