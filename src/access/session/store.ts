import { and, eq, gt, lte } from 'drizzle-orm'
import { sessions, setups, users } from '../../../db/tables/access.ts'
import type { Role } from '../../context.ts'
import type { Database, Write } from '../../ports/database.ts'

export type SessionUser = { readonly userId: number; readonly username: string; readonly role: Role }

/** The user behind a session that has not ended by `now`. */
export async function findSession(
  database: Database,
  hash: string,
  now: number,
): Promise<SessionUser | null> {
  const rows = await database
    .select({ userId: users.id, username: users.username, role: users.role })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, now)))
  const [row] = rows
  return row ? { ...row, role: row.role as Role } : null
}

export function insertSession(
  database: Database,
  session: { hash: string; userId: number; createdAt: number; expiresAt: number },
): Write {
  return database.insert(sessions).values(session)
}

export function deleteSession(database: Database, hash: string): Write {
  return database.delete(sessions).where(eq(sessions.hash, hash))
}

export function deleteExpiredSessions(database: Database, now: number): Write {
  return database.delete(sessions).where(lte(sessions.expiresAt, now))
}

/** Adds a set-up link; several may be open, one for each process that found no user. */
export function insertSetup(database: Database, setup: { hash: string; expiresAt: number }): Write {
  return database.insert(setups).values(setup)
}

export function deleteExpiredSetups(database: Database, now: number): Write {
  return database.delete(setups).where(lte(setups.expiresAt, now))
}

/** Uses up a set-up link; false when it is unknown, used or expired. */
export async function takeSetup(database: Database, hash: string, now: number): Promise<boolean> {
  const taken = await database
    .delete(setups)
    .where(and(eq(setups.hash, hash), gt(setups.expiresAt, now)))
    .returning({ hash: setups.hash })
  return taken.length > 0
}
