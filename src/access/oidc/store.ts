import { and, eq, gt, inArray, lte, notExists, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { sessions, users } from '../../../db/tables/access.ts'
import { oidcIdentities, oidcLogins, oidcSessions, oidcStates } from '../../../db/tables/oidc.ts'
import type { Role } from '../../context.ts'
import { isUniqueViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'

export type Identity = { readonly issuer: string; readonly subject: string }
export type LoginRow = typeof oidcLogins.$inferSelect

/** Notes that a state came back; false when it had before. Forgets those that have expired. */
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

/** @param user their id, or their name where that is not known yet */
export function insertIdentity(
  database: Database,
  identity: Identity,
  user: { readonly id: number } | { readonly username: string },
): Write {
  const userId: number | SQL<number> =
    'id' in user ? user.id : sql<number>`(select id from users where username = ${user.username})`
  return database.insert(oidcIdentities).values({ ...identity, userId })
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

/** A login that waits at `now`. */
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

/** The provider's data of a session; null for a session that began otherwise. */
export async function findIdToken(database: Database, sessionHash: string): Promise<string | null> {
  const [row] = await database
    .select({ idToken: oidcSessions.idToken })
    .from(oidcSessions)
    .where(eq(oidcSessions.sessionHash, sessionHash))
  return row?.idToken ?? null
}

/** The users whose sessions the provider calls so: by its session where it names one, else by its subject. */
export async function findEnding(
  database: Database,
  named: { readonly subject: string; readonly sid: string },
): Promise<readonly number[]> {
  const rows = await database
    .selectDistinct({ userId: sessions.userId })
    .from(sessions)
    .where(inArray(sessions.hash, called(database, named)))
  return rows.map(({ userId }) => userId)
}

/** Ends them, with the logins that wait for their pages. */
export function deleteSessions(
  database: Database,
  named: { readonly subject: string; readonly sid: string },
): Write[] {
  const { subject, sid } = named
  return [
    database.delete(sessions).where(inArray(sessions.hash, called(database, named))),
    database.delete(oidcLogins).where(sid === '' ? eq(oidcLogins.subject, subject) : eq(oidcLogins.sid, sid)),
  ]
}

function called(database: Database, { subject, sid }: { readonly subject: string; readonly sid: string }) {
  return database
    .select({ hash: oidcSessions.sessionHash })
    .from(oidcSessions)
    .where(sid === '' ? eq(oidcSessions.subject, subject) : eq(oidcSessions.sid, sid))
}
