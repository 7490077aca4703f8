import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { decodeNumber, pageOf } from '../../../lib/paging.ts'
import type { Page } from '../../../lib/paging.ts'
import { commit, commitAndRead } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { attempt, codeTrials, succeeded, triesForgotten, undecided } from '../../attempts/service.ts'
import { audited } from '../../audit/service.ts'
import { isOwn } from '../../users/changes.ts'
import { readUser } from '../../users/service.ts'
import { endSessionsOf, forgetCallers, revokeTokensOf } from '../../users/service/passwords.ts'
import { seal, unseal } from '../keys.ts'
import { setRequiredAction } from '../store.ts'
import * as store from './store.ts'
import { base32, stepOf } from './totp.ts'

const SECRET_BYTES = 20
const RECOVERY_CODES = 10
/** Codes have 80 bits, so that their fast hash cannot be guessed. */
const RECOVERY_BYTES = 10

/** The state of a user's MFA. */
export async function readMfa({ ports }: Context, userId: number): Promise<store.MfaState> {
  return store.stateIn(await store.selectState(ports.database, userId))
}

/** The users with active or enforced MFA, by id, a page of them. @throws {Refusal} invalid for a cursor of another list */
export async function listMfa({ ports }: Context, { limit, cursor }: Page) {
  const afterId = cursor === undefined ? 0 : decodeNumber(cursor)
  const rows = await store.listMfa(ports.database, { afterId, limit: limit + 1 })
  const { shown, next } = pageOf(rows, limit, ({ userId }) => userId)
  return { items: shown, next }
}

/** Makes a secret for an authenticator. The secret is valid once one of its codes was confirmed; until then another call
 * replaces it.
 * @throws {Refusal} conflict while MFA is active, forbidden where it is not the caller's to set up */
export async function beginMfa(context: Context) {
  const { ports } = context
  const { userId, username } = requireUser(context)
  const mfa = await store.findMfa(ports.database, userId)
  await requireOwnMfa(context, { userId, isEnforced: mfa.isEnforced })
  if (mfa.isConfirmed) throw new Refusal('conflict', 'MFA is active. Turn it off first.')
  const bytes = ports.secrets.random(SECRET_BYTES)
  const secret = base32(bytes)
  const sealed = await seal(ports.secrets, bytes, purposeOf(userId))
  await commitUnlessOvertaken(ports, [
    store.beginSecret(ports.database, userId, sealed),
    audited(context, { action: 'begin', objectType: 'mfa', objectId: userId }),
  ])
  const label = encodeURIComponent(`Tidemark:${username}`)
  return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=Tidemark` }
}

/** Turns MFA on with a first code; the session is no longer limited to the set-up of MFA. Personal tokens end: they
 * were made with a password alone.
 * @returns the recovery codes, which are not shown again
 * @throws {Refusal} conflict, invalid for a wrong code, too_many_attempts, forbidden where it is not the caller's to set up */
export async function confirmMfa(context: Context, code: string): Promise<string[]> {
  const { ports } = context
  const { userId, scopes, sessionHash } = requireUser(context)
  const mfa = await store.findMfa(ports.database, userId)
  await requireOwnMfa(context, { userId, isEnforced: mfa.isEnforced })
  if (mfa.isConfirmed || mfa.secret === '')
    throw new Refusal(
      'conflict',
      mfa.isConfirmed ? 'MFA is active already.' : 'Request a secret first (POST /session/mfa).',
    )
  await requireCode(ports, userId, code)
  const { codes, writes } = await newRecoveryCodes(ports, userId)
  const owing = scopes ? sessionHash : null
  await commitUnlessOvertaken(ports, [
    store.confirmSecret(ports.database, userId, mfa.secret),
    revokeTokensOf(ports, userId),
    ...writes,
    ...(owing === null ? [] : [setRequiredAction(ports.database, owing, '')]),
    audited(context, { action: 'activate', objectType: 'mfa', objectId: userId }),
  ])
  forgetCallers(ports)
  return codes
}

/** Replaces the recovery codes. @throws {Refusal} conflict, invalid for a wrong code, too_many_attempts */
export async function renewRecoveryCodes(context: Context, code: string): Promise<string[]> {
  const { ports } = context
  const { userId } = requireUser(context)
  await requireActive(ports, userId)
  await requireCode(ports, userId, code)
  const { codes, writes } = await newRecoveryCodes(ports, userId)
  const entry = audited(context, { action: 'renew', objectType: 'recovery codes', objectId: userId })
  await commit(ports.database, [...writes, entry])
  return codes
}

/** Turns the caller's MFA off. @throws {Refusal} conflict, forbidden where it is enforced, invalid, too_many_attempts */
export async function leaveMfa(context: Context, code: string): Promise<void> {
  const { ports } = context
  const { userId } = requireUser(context)
  const { isEnforced } = await requireActive(ports, userId)
  if (isEnforced)
    throw new Refusal('forbidden', 'MFA is enforced for your user. Ask an administrator to end that.')
  await requireOwnMfa(context, { userId, isEnforced })
  await requireCode(ports, userId, code)
  await commitUnlessOvertaken(ports, [
    store.guardNotEnforced(ports.database, userId),
    ...removal(context, userId),
  ])
  forgetCallers(ports)
}

/** Requires MFA of a user, or ends the requirement. A user without MFA is signed out, also from personal tokens, and can then
 * only set MFA up.
 * @throws {Refusal} not_found */
export async function enforceMfa(
  context: Context,
  userId: number,
  isEnforced: boolean,
): Promise<store.MfaState> {
  const { ports } = context
  await readUser(context, userId)
  const before = await store.findMfa(ports.database, userId)
  const writes = [
    store.saveMfa(ports.database, userId, { isEnforced }),
    // The user may turn MFA off at the same time.
    ...(isEnforced ? [store.deleteSessionsWithoutMfa(ports.database, userId)] : []),
    store.deleteTokensWithoutMfa(ports.database, userId),
    audited(context, {
      action: 'update',
      objectType: 'mfa',
      objectId: userId,
      before: { isEnforced: before.isEnforced },
      after: { isEnforced },
    }),
  ]
  const [state] = await commitAndRead(ports.database, writes, [store.selectState(ports.database, userId)])
  forgetCallers(ports)
  return store.stateIn(state)
}

/** Removes the lost secret and recovery codes of a user, and forgets the wrong codes. The user's sessions end, and the personal
 * tokens where MFA is enforced. @throws {Refusal} not_found */
export async function resetMfa(context: Context, userId: number): Promise<void> {
  await readUser(context, userId)
  const { database } = context.ports
  await commit(database, [
    ...removal(context, userId),
    triesForgotten(context.ports, codeTrials(userId)),
    endSessionsOf(context.ports, userId),
    store.deleteTokensWithoutMfa(database, userId),
  ])
  forgetCallers(context.ports)
}

/** Lets a login pass with a code of the authenticator that was not used yet, or with a recovery code, which is used up.
 * @throws {Refusal} mfa_code_required without a code, unauthenticated for a wrong one, too_many_attempts after five, conflict
 * for a secret that cannot be decrypted */
export async function checkCode(ports: Ports, userId: number, code: string | undefined): Promise<void> {
  if (code === undefined)
    throw new Refusal(
      'mfa_code_required',
      'MFA is active. Send a code of your authenticator, or a recovery code, as `code`.',
    )
  if (!(await takeCode(ports, userId, code)))
    throw new Refusal('unauthenticated', 'The code is wrong or was used before.')
}

async function requireCode(ports: Ports, userId: number, code: string): Promise<void> {
  if (await takeCode(ports, userId, code)) return
  throw new Refusal('invalid', 'The code is wrong or was used before.', [
    { pointer: '/code', message: 'must be a code of your authenticator' },
  ])
}

async function takeCode(ports: Ports, userId: number, code: string): Promise<boolean> {
  const { database, clock, secrets } = ports
  const trials = codeTrials(userId)
  await attempt(ports, trials)
  const plain = code.replaceAll(/[\s-]/g, '').toUpperCase()
  const isTaken = /^\d{6}$/.test(plain)
    ? await takeTimed()
    : await store.takeRecoveryCode(database, userId, await sha256(plain))
  if (isTaken) await succeeded(ports, trials)
  return isTaken

  async function takeTimed(): Promise<boolean> {
    const { secret: sealed } = await store.findMfa(database, userId)
    if (sealed === '') return false
    const secret = await unseal(secrets, sealed, purposeOf(userId)).catch(async (cause: unknown) => {
      await undecided(ports, trials)
      throw undecryptable(cause)
    })
    const step = await stepOf(secret, plain, clock.now())
    return step !== null && store.takeStep(database, userId, step)
  }
}

function undecryptable(cause: unknown): Refusal {
  const refusal = new Refusal(
    'conflict',
    'The secret of your authenticator cannot be decrypted: the installation key has changed or is missing. Use a recovery code, or ask an administrator to reset MFA.',
  )
  refusal.cause = cause
  return refusal
}

async function newRecoveryCodes({ database, secrets }: Ports, userId: number) {
  const plain = Array.from({ length: RECOVERY_CODES }, () => base32(secrets.random(RECOVERY_BYTES)))
  const writes = store.replaceRecoveryCodes(database, userId, await Promise.all(plain.map(sha256)))
  return { codes: plain.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-')), writes }
}

function removal(context: Context, userId: number) {
  const { database } = context.ports
  return [
    store.saveMfa(database, userId, { secret: '', isConfirmed: false }),
    ...store.replaceRecoveryCodes(database, userId, []),
    audited(context, { action: 'remove', objectType: 'mfa', objectId: userId }),
  ]
}

/** Local users choose about MFA; other users set MFA up where an administrator requires it. The second factor of one
 * person would shut the other persons of a shared user out. @throws {Refusal} forbidden */
async function requireOwnMfa(
  context: Context,
  { userId, isEnforced }: { readonly userId: number; readonly isEnforced: boolean },
): Promise<void> {
  if (isEnforced) return
  const { view: user } = await readUser(context, userId)
  if (!isOwn(user.type, 'mfa'))
    throw new Refusal('forbidden', 'MFA of this user is managed by an administrator.')
}

/** Commits a user's own change of MFA. @throws {Refusal} conflict when another request has changed it meanwhile */
async function commitUnlessOvertaken({ database }: Ports, writes: readonly Write[]): Promise<void> {
  try {
    await commit(database, writes)
  } catch (error) {
    if (!store.isOvertaken(error)) throw error
    throw new Refusal('conflict', 'MFA was changed at the same time. Read its state, and try again.')
  }
}

async function requireActive({ database }: Ports, userId: number) {
  const mfa = await store.findMfa(database, userId)
  if (!mfa.isConfirmed) throw new Refusal('conflict', 'MFA is not active.')
  return mfa
}

/** The purpose binds an encrypted secret to its user: a row that is copied to another user cannot be decrypted. */
function purposeOf(userId: number): string {
  return `mfa ${userId}`
}
