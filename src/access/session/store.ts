import { and, desc, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { personalTokens, mfa } from '../../../db/tables/credentials.ts'
import { preferences, sessions, setups, users } from '../../../db/tables/access.ts'
import type { Role } from '../../context.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { UserType } from '../users/changes.ts'
import { nameKey } from '../../lib/text.ts'

/** The duty of a user that comes before all other use of a session. */
export type RequiredAction = 'mfa' | 'password' | ''

export type SessionUser = { readonly userId: number; readonly username: string; readonly role: Role }
export type SessionRow = typeof sessions.$inferSelect
export type NewSession = Omit<SessionRow, 'refreshCount' | 'scopes' | 'bounds'> & {
  readonly owes: RequiredAction
  readonly scopes?: string
  readonly bounds?: string | null
}

const USER = { userId: users.id, username: users.username, role: users.role }

/** The user behind a session that has not ended by `now`. */
export async function findSession(
  database: Database,
  hash: string,
  now: number,
): Promise<
  | (SessionUser & {
      readonly owes: RequiredAction
      readonly scopes: string | null
      readonly bounds: string | null
    })
  | null
> {
  const rows = await database
    .select({ ...USER, owes: sessions.owes, scopes: sessions.scopes, bounds: sessions.bounds })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, now), isNull(users.disabledAt)))
  const [row] = rows
  return row ? { ...row, role: row.role as Role, owes: row.owes as RequiredAction } : null
}

/** The user that a name stands for, and the data that verify the password. */
export type Account = SessionUser & {
  readonly type: UserType
  /** The id of the person in the directory, once it is known. */
  readonly directoryId: string | null
  readonly passwordHash: string
  readonly passwordSetAt: number
  readonly hasFactor: boolean
  readonly needsFactor: boolean
}

/** The account of this user; null also for a disabled user. A name stands for the user that has exactly this name, or else
 * for the user whose name is compared as the same. */
export async function findAccount(
  database: Database,
  user: { readonly username: string } | { readonly id: number },
): Promise<Account | null> {
  const [row] = await database
    .select({
      ...USER,
      type: users.type,
      directoryId: users.directoryId,
      passwordHash: users.passwordHash,
      passwordSetAt:
        sql<number>`coalesce((select max(set_at) from passwords where user_id = ${users.id}), ${users.createdAt})`.as(
          'password_set_at',
        ),
      isConfirmed: mfa.isConfirmed,
      isEnforced: mfa.isEnforced,
    })
    .from(users)
    .leftJoin(mfa, eq(mfa.userId, users.id))
    .where(and('id' in user ? eq(users.id, user.id) : isNamed(user.username), isNull(users.disabledAt)))
    .orderBy('id' in user ? users.id : desc(eq(users.username, user.username)))
    .limit(1)
  if (!row) return null
  const { isConfirmed, isEnforced, role, type, ...rest } = row
  return {
    ...rest,
    type: type as UserType,
    role: role as Role,
    hasFactor: isConfirmed === 1,
    needsFactor: isEnforced === 1,
  }
}

function isNamed(username: string) {
  return or(eq(users.username, username), eq(users.usernameKey, nameKey(username)))
}

/** The user of a personal token that is valid at `now`, and the scopes of the token. */
export async function findPersonalToken(
  database: Database,
  hash: string,
  now: number,
): Promise<(SessionUser & { readonly scopes: string; readonly tokenName: string }) | null> {
  const [row] = await database
    .select({ ...USER, scopes: personalTokens.scopes, tokenName: personalTokens.name })
    .from(personalTokens)
    .innerJoin(users, eq(users.id, personalTokens.userId))
    .where(and(eq(personalTokens.hash, hash), gt(personalTokens.expiresAt, now), isNull(users.disabledAt)))
  return row ? { ...row, role: row.role as Role } : null
}

/** A place in the list of sessions: the time of creation and the hash of a session. */
export type SessionPlace = readonly [createdAt: number, hash: string]

/** The sessions of a user that are open at `now`, the latest first, from those after a place on. */
export function listSessions(
  database: Database,
  userId: number,
  {
    now,
    after,
    limit,
  }: { readonly now: number; readonly after: SessionPlace | null; readonly limit: number },
): Promise<SessionRow[]> {
  const isAfter =
    after &&
    or(lt(sessions.createdAt, after[0]), and(eq(sessions.createdAt, after[0]), gt(sessions.hash, after[1])))
  return Promise.resolve(
    database
      .select()
      .from(sessions)
      .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now), isAfter ?? undefined))
      .orderBy(desc(sessions.createdAt), sessions.hash)
      .limit(limit),
  )
}

/** An open session by its hash. */
export async function readSession(database: Database, hash: string, now: number): Promise<SessionRow | null> {
  const [row] = await database
    .select()
    .from(sessions)
    .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, now)))
  return row ?? null
}

/** Counts one refresh of a session that was refreshed `count` times; null if it was not refreshed so often, or has ended. */
export async function countRefresh(
  database: Database,
  { hash, count }: { readonly hash: string; readonly count: number },
  now: number,
): Promise<Pick<SessionRow, 'expiresAt' | 'refreshCount'> | null> {
  const [row] = await database
    .update(sessions)
    .set({ refreshCount: sql`${sessions.refreshCount} + 1` })
    .where(and(eq(sessions.hash, hash), eq(sessions.refreshCount, count), gt(sessions.expiresAt, now)))
    .returning({ expiresAt: sessions.expiresAt, refreshCount: sessions.refreshCount })
  return row ?? null
}

export function insertSession(database: Database, session: NewSession): Write {
  return database.insert(sessions).values(session)
}

export function deleteSession(database: Database, hash: string): Write {
  return database.delete(sessions).where(eq(sessions.hash, hash))
}

/** Changes the duty of a session, or removes it. */
export function setRequiredAction(database: Database, hash: string, owes: RequiredAction): Write {
  return database.update(sessions).set({ owes }).where(eq(sessions.hash, hash))
}

export function deleteExpiredSessions(database: Database, now: number): Write {
  return database.delete(sessions).where(lte(sessions.expiresAt, now))
}

/** The JSON document of a user's preferences. */
export async function findPreferences(database: Database, userId: number): Promise<string | null> {
  const [row] = await database
    .select({ document: preferences.document })
    .from(preferences)
    .where(eq(preferences.userId, userId))
  return row?.document ?? null
}

export function savePreferences(database: Database, userId: number, document: string): Write {
  return database
    .insert(preferences)
    .values({ userId, document })
    .onConflictDoUpdate({ target: preferences.userId, set: { document } })
}

/** Adds a set-up link; several may be open, one for each process that found no user. */
export function insertSetup(database: Database, setup: { hash: string; expiresAt: number }): Write {
  return database.insert(setups).values(setup)
}

export function deleteExpiredSetups(database: Database, now: number): Write {
  return database.delete(setups).where(lte(setups.expiresAt, now))
}

/** Whether a set-up link is neither used nor expired at an instant. */
export async function isSetupOpen(database: Database, hash: string, now: number): Promise<boolean> {
  return (await openSetup(database, hash, now)).length > 0
}

/** Writes that delete all set-up links after the creation of a user. They fail the batch, as `isSetupUsed` tells, unless the link is
 * open and the user is the only one. */
export function useSetup(
  database: Database,
  { hash, username, now }: { readonly hash: string; readonly username: string; readonly now: number },
): readonly Write[] {
  const isFirst = sql`exists ${openSetup(database, hash, now)} and (select count(*) from ${users}) = 1`
  return [
    database
      .update(users)
      .set({ createdAt: sql`case when ${isFirst} then ${users.createdAt} end` })
      .where(eq(users.usernameKey, nameKey(username))),
    database.delete(setups),
  ]
}

/** Tells whether a commit failed because of a set-up link that is used or expired, as `useSetup` refuses. */
export function isSetupUsed(error: unknown): boolean {
  return isNotNullViolation(error, 'users.created_at')
}

function openSetup(database: Database, hash: string, now: number) {
  return database
    .select({ hash: setups.hash })
    .from(setups)
    .where(and(eq(setups.hash, hash), gt(setups.expiresAt, now)))
}
