import { and, eq, gt, inArray, lte, notExists, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { sessions, users } from '../../../db/tables/access.ts'
import { oidcIdentities, oidcLogins, oidcSessions, oidcStates } from '../../../db/tables/oidc.ts'
import type { Role } from '../../context.ts'
import { isUniqueViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'

export type Identity = { readonly issuer: string; readonly subject: string }
export type LoginRow = typeof oidcLogins.$inferSelect

/** The sessions that a logout token names: one session of the provider if `sid` is not empty, else all of a subject. */
export type EndedSessions = { readonly subject: string; readonly sid: string }

/** Marks a state as used. Deletes expired marks. @returns false if the state was used before */
export async function takeState(
  database: Database,
  state: { readonly hash: string; readonly expiresAt: number },
  now: number,
): Promise<boolean> {
  try {
    await database.batch([
      database.delete(oidcStates).where(lte(oidcStates.expiresAt, now)),
      database.insert(oidcStates).values(state),
    ])
    return true
  } catch (error) {
    if (isUniqueViolation(error, 'oidc_states.hash')) return false
    throw error
  }
}

export async function findUserId(database: Database, { issuer, subject }: Identity): Promise<number | null> {
  const [row] = await database
    .select({ userId: oidcIdentities.userId })
    .from(oidcIdentities)
    .where(and(eq(oidcIdentities.issuer, issuer), eq(oidcIdentities.subject, subject)))
  return row?.userId ?? null
}

export async function findIdentity(database: Database, userId: number): Promise<Identity | null> {
  const [row] = await database
    .select({ issuer: oidcIdentities.issuer, subject: oidcIdentities.subject })
    .from(oidcIdentities)
    .where(eq(oidcIdentities.userId, userId))
  return row ?? null
}

/** The permanent id of a user in the directory; null for a user of no directory. */
export async function findDirectoryId(database: Database, userId: number): Promise<string | null> {
  const [row] = await database
    .select({ directoryId: users.directoryId })
    .from(users)
    .where(eq(users.id, userId))
  return row?.directoryId ?? null
}

/** Links a user to an identity. @param user the id, or the name of a user that the same commit inserts */
export function insertIdentity(
  database: Database,
  identity: Identity,
  user: { readonly id: number } | { readonly username: string },
): Write {
  const userId: number | SQL<number> =
    'id' in user ? user.id : sql<number>`(select id from users where username = ${user.username})`
  return database.insert(oidcIdentities).values({ ...identity, userId })
}

/** Whether a commit failed because the identity or the user of `insertIdentity` is linked already. */
export function isLinked(error: unknown): boolean {
  return (
    isUniqueViolation(error, 'oidc_identities.subject') || isUniqueViolation(error, 'oidc_identities.user_id')
  )
}

export function deleteIdentity(database: Database, userId: number): Write {
  return database.delete(oidcIdentities).where(eq(oidcIdentities.userId, userId))
}

/** Local users with this address and without an identity at the provider, two at most. */
export async function findByEmail(
  database: Database,
  email: string,
): Promise<readonly { readonly userId: number; readonly role: Role }[]> {
  const linked = database
    .select({ one: sql`1` })
    .from(oidcIdentities)
    .where(eq(oidcIdentities.userId, users.id))
  const rows = await database
    .select({ userId: users.id, role: users.role })
    .from(users)
    .where(and(eq(users.type, 'local'), sql`lower(${users.email}) = lower(${email})`, notExists(linked)))
    .limit(2)
  return rows.map((row) => ({ ...row, role: row.role as Role }))
}

export function insertLogin(database: Database, login: LoginRow): Write {
  return database.insert(oidcLogins).values(login)
}

export function deleteExpiredLogins(database: Database, now: number): Write {
  return database.delete(oidcLogins).where(lte(oidcLogins.expiresAt, now))
}

/** A login that no page has completed and that has not expired at `now`. */
export async function findLogin(database: Database, hash: string, now: number): Promise<LoginRow | null> {
  const [row] = await database
    .select()
    .from(oidcLogins)
    .where(and(eq(oidcLogins.hash, hash), gt(oidcLogins.expiresAt, now)))
  return row ?? null
}

/** Consumes a login; false when another request has. */
export async function takeLogin(database: Database, hash: string): Promise<boolean> {
  const taken = await database
    .delete(oidcLogins)
    .where(eq(oidcLogins.hash, hash))
    .returning({ hash: oidcLogins.hash })
  return taken.length > 0
}

export function insertSession(database: Database, session: typeof oidcSessions.$inferInsert): Write {
  return database.insert(oidcSessions).values(session)
}

/** The sealed ID token of a session; null for a session that was opened without the provider. */
export async function findIdToken(database: Database, sessionHash: string): Promise<string | null> {
  const [row] = await database
    .select({ idToken: oidcSessions.idToken })
    .from(oidcSessions)
    .where(eq(oidcSessions.sessionHash, sessionHash))
  return row?.idToken ?? null
}

/** The users of sessions that the provider has ended. */
export async function findUsersOf(database: Database, ended: EndedSessions): Promise<readonly number[]> {
  const rows = await database
    .selectDistinct({ userId: sessions.userId })
    .from(sessions)
    .where(inArray(sessions.hash, hashesOf(database, ended)))
  return rows.map(({ userId }) => userId)
}

/** Ends sessions that the provider has ended, and the logins of these that no page has completed. */
export function deleteSessions(database: Database, ended: EndedSessions): Write[] {
  const { subject, sid } = ended
  return [
    database.delete(sessions).where(inArray(sessions.hash, hashesOf(database, ended))),
    database.delete(oidcLogins).where(sid === '' ? eq(oidcLogins.subject, subject) : eq(oidcLogins.sid, sid)),
  ]
}

function hashesOf(database: Database, { subject, sid }: EndedSessions) {
  return database
    .select({ hash: oidcSessions.sessionHash })
    .from(oidcSessions)
    .where(sid === '' ? eq(oidcSessions.subject, subject) : eq(oidcSessions.sid, sid))
}
