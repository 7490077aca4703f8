import { and, count, eq, gt, lt, or, sql } from 'drizzle-orm'
import { recoveryCodes, mfa, personalTokens } from '../../../../db/tables/credentials.ts'
import { sessions } from '../../../../db/tables/access.ts'
import { isNotNullViolation } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type MfaRow = {
  readonly isEnforced: boolean
  readonly isConfirmed: boolean
  /** Encrypted with the installation key; empty if the user has no secret. */
  readonly secret: string
}

export async function findMfa(database: Database, userId: number): Promise<MfaRow> {
  const [row] = await database.select().from(mfa).where(eq(mfa.userId, userId))
  const { isEnforced, isConfirmed, secret } = row ?? { isEnforced: 0, isConfirmed: 0, secret: '' }
  return { isEnforced: isEnforced === 1, isConfirmed: isConfirmed === 1, secret }
}

/** The users with active or enforced MFA, by id, those after one. */
export async function listMfa(
  database: Database,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<readonly { readonly userId: number; readonly isActive: boolean; readonly isEnforced: boolean }[]> {
  const rows = await database
    .select({ userId: mfa.userId, isActive: mfa.isConfirmed, isEnforced: mfa.isEnforced })
    .from(mfa)
    .where(and(gt(mfa.userId, afterId), or(eq(mfa.isConfirmed, 1), eq(mfa.isEnforced, 1))))
    .orderBy(mfa.userId)
    .limit(limit)
  return rows.map(({ userId, isActive, isEnforced }) => ({
    userId,
    isActive: isActive === 1,
    isEnforced: isEnforced === 1,
  }))
}

export function saveMfa(
  database: Database,
  userId: number,
  change: Partial<MfaRow> & { lastStep?: number },
): Write {
  const { isEnforced, isConfirmed, ...rest } = change
  const set = {
    ...rest,
    ...(isEnforced !== undefined && { isEnforced: Number(isEnforced) }),
    ...(isConfirmed !== undefined && { isConfirmed: Number(isConfirmed) }),
  }
  return database
    .insert(mfa)
    .values({ userId, isEnforced: 0, isConfirmed: 0, secret: '', lastStep: 0, ...set })
    .onConflictDoUpdate({ target: mfa.userId, set })
}

/** Gives a user a secret of which no code was used or has confirmed it. The commit fails, as `isOvertaken` knows, while MFA is
 * active. */
export function beginSecret(database: Database, userId: number, secret: string): Write {
  return database
    .insert(mfa)
    .values({ userId, isEnforced: 0, isConfirmed: 0, secret, lastStep: 0 })
    .onConflictDoUpdate({
      target: mfa.userId,
      set: { secret: sql`case when ${mfa.isConfirmed} = 0 then excluded.secret end`, lastStep: 0 },
    })
}

/** Activates MFA. The commit fails, as `isOvertaken` knows, unless the user still has this secret, not confirmed. */
export function confirmSecret(database: Database, userId: number, secret: string): Write {
  const isConfirmed = sql`case when ${mfa.isConfirmed} = 0 and ${mfa.secret} = ${secret} then 1 end`
  return database.update(mfa).set({ isConfirmed }).where(eq(mfa.userId, userId))
}

/** Fails the commit, as `isOvertaken` knows, when MFA of a user is enforced. */
export function guardNotEnforced(database: Database, userId: number): Write {
  const secret = sql`case when ${mfa.isEnforced} = 0 then ${mfa.secret} end`
  return database.update(mfa).set({ secret }).where(eq(mfa.userId, userId))
}

/** Whether a commit failed because MFA of the user was changed since it was read. */
export function isOvertaken(error: unknown): boolean {
  return isNotNullViolation(error, 'mfa.secret') || isNotNullViolation(error, 'mfa.is_confirmed')
}

/** Ends the personal tokens of a user who has to set MFA up at the commit: they were made without it. */
export function deleteTokensWithoutMfa(database: Database, userId: number): Write {
  const owes = sql`exists (select 1 from mfa where mfa.user_id = ${userId} and mfa.is_enforced = 1 and mfa.is_confirmed = 0)`
  return database.delete(personalTokens).where(and(eq(personalTokens.userId, userId), owes))
}

/** Ends the sessions of a user unless MFA is active at the commit. */
export function deleteSessionsWithoutMfa(database: Database, userId: number): Write {
  const isActive = sql`exists (select 1 from mfa where mfa.user_id = ${userId} and mfa.is_confirmed = 1)`
  return database.delete(sessions).where(and(eq(sessions.userId, userId), sql`not ${isActive}`))
}

/** Marks this time step of TOTP and all earlier ones as used. @returns false if this step or a later one was used before */
export async function takeStep(database: Database, userId: number, step: number): Promise<boolean> {
  const taken = await database
    .update(mfa)
    .set({ lastStep: step })
    .where(and(eq(mfa.userId, userId), lt(mfa.lastStep, step)))
    .returning({ userId: mfa.userId })
  return taken.length > 0
}

/** Deletes a recovery code. @returns false if the user does not have this code */
export async function takeRecoveryCode(database: Database, userId: number, hash: string): Promise<boolean> {
  const taken = await database
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.hash, hash)))
    .returning({ userId: recoveryCodes.userId })
  return taken.length > 0
}

export type MfaState = {
  readonly isActive: boolean
  readonly isEnforced: boolean
  readonly recoveryCodesLeft: number
}

/** The state of a user's MFA, as `stateIn` reads it. */
export function selectState(database: Database, userId: number) {
  const codes = database
    .select({ total: count() })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId))
  const recoveryCodesLeft = sql<number>`(${codes})`.as('recovery_codes_left')
  const { isConfirmed: isActive, isEnforced } = mfa
  return database.select({ isActive, isEnforced, recoveryCodesLeft }).from(mfa).where(eq(mfa.userId, userId))
}

/** The state that was found; a user without a row has no MFA. */
export function stateIn([row]: Awaited<ReturnType<typeof selectState>>): MfaState {
  const { isActive, isEnforced, recoveryCodesLeft } = row ?? {
    isActive: 0,
    isEnforced: 0,
    recoveryCodesLeft: 0,
  }
  return { isActive: isActive === 1, isEnforced: isEnforced === 1, recoveryCodesLeft }
}

/** Replaces all recovery codes of the user. */
export function replaceRecoveryCodes(
  database: Database,
  userId: number,
  hashes: readonly string[],
): readonly Write[] {
  const old = database.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  if (hashes.length === 0) return [old]
  return [old, database.insert(recoveryCodes).values(hashes.map((hash) => ({ userId, hash })))]
}
