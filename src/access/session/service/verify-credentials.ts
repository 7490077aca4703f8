import type { Credentials } from '../../../http/credentials.ts'
import type { Ports } from '../../../ports/index.ts'
import { attempt, passwordTrials, succeeded, undecided } from '../../attempts/service.ts'
import type { Trial } from '../../attempts/service.ts'
import { isPasswordOf } from '../../directory/service/password.ts'
import { callersOf } from '../../users/callers.ts'
import { enterTurn } from '../../users/password.ts'
import type { HashTurn } from '../../users/password.ts'
import * as store from '../store.ts'
import type { Account, RequiredAction } from '../store.ts'
import { askAuthService } from './external.ts'

type Login = {
  readonly credentials: Credentials
  readonly request: Request | undefined
  readonly key: string | null
}

/** The account of this name and password; null for a wrong password or an unknown name, which take equally long. With `key`, which
 * identifies the credentials, the slow hash is computed once, an external service is called once a minute, and the guesses of
 * others do not lock out a sender who has proved the password before.
 * @throws {Refusal} too_many_attempts, overloaded, unavailable */
export async function verifyCredentials(
  ports: Ports,
  credentials: Credentials,
  { request, key = null }: { readonly request: Request | undefined; readonly key?: string | null },
): Promise<Account | null> {
  // Credentials without a cache key always need a hash: a full queue refuses them before any read.
  const turn = key === null ? enterTurn(ports) : null
  try {
    return await proveIn(turn, ports, { credentials, request, key })
  } finally {
    turn?.leave()
  }
}

async function proveIn(
  turn: HashTurn | null,
  ports: Ports,
  { credentials, request, key }: Login,
): Promise<Account | null> {
  const { username } = credentials
  const account = await store.findAccount(ports.database, { username })
  const proof = account && key !== null ? { key, hash: account.passwordHash } : null
  const callers = callersOf(ports)
  // A right password does not reset the count of others' guesses, unless it was counted as a trial itself.
  if (account && proof && callers.isKnown(proof.key, proof.hash)) {
    // The same password matches the same hash again; an external service is asked anew.
    if (!isExternal(account) || callers.wasProven(proof.key, proof.hash, ports.clock.now())) return account
    if (!(await askElsewhere(ports, account, credentials))) return null
  } else {
    const trials = await passwordTrials(ports, username, request)
    if (!(await isRight(ports, { account, credentials, trials, turn: turn ?? enterTurn(ports) }))) return null
  }
  if (proof) callers.proven(proof.key, proof.hash, ports.clock.now())
  return account
}

type CredentialCheck = {
  readonly account: Account | null
  readonly credentials: Credentials
  readonly trials: readonly Trial[]
  readonly turn: HashTurn
}

/** Verifies the password where it is known: here, in the directory or by the service. A hash waits for its turn before the attempt counts. */
async function isRight(
  ports: Ports,
  { account, credentials, trials, turn }: CredentialCheck,
): Promise<boolean> {
  const tryWith = async (ask: () => Promise<boolean>) => {
    await attempt(ports, trials)
    const isYes = await decided(ports, trials, ask)
    if (isYes) await succeeded(ports, trials)
    return isYes
  }
  const { password } = credentials
  try {
    if (!account || !isExternal(account))
      return await turn.run((verify) => tryWith(() => verify(password, account?.passwordHash ?? null)))
    return await tryWith(async () => {
      // It takes as long as a password that is checked here, at least.
      const asLong = turn.run((verify) => verify(password, null))
      const [answer] = await Promise.all([askElsewhere(ports, account, credentials), asLong])
      return answer
    })
  } finally {
    turn.leave()
  }
}

/** The result of `ask`; an unavailable verifier does not count as an attempt. */
async function decided(
  ports: Ports,
  trials: readonly Trial[],
  ask: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await ask()
  } catch (error) {
    await undecided(ports, trials)
    throw error
  }
}

/** Whether the password of an account is known to another service, and not here. */
export function isExternal({ type }: Pick<Account, 'type'>): boolean {
  return type === 'LDAP_MANAGED'
}

async function askElsewhere(ports: Ports, account: Account, credentials: Credentials): Promise<boolean> {
  const { network, settings, log } = ports
  try {
    if (ports.directory) return await isPasswordOf(ports, account, credentials.password)
    if (settings.authServiceUrl === null) return false
    const { username } = account
    return await askAuthService(network, settings.authServiceUrl, { ...credentials, username })
  } catch (error) {
    log.error('session: the external password service is unavailable; the login was refused', error)
    throw error
  }
}

/** The duty that the user has first. */
export function requiredActionOf({ clock, settings }: Ports, account: Account): RequiredAction {
  const { maxAgeMs } = settings.passwords
  if (maxAgeMs !== null && !isExternal(account) && account.passwordSetAt + maxAgeMs <= clock.now())
    return 'password'
  return account.needsFactor && !account.hasFactor ? 'mfa' : ''
}
