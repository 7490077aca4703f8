import { and, count, desc, eq, gt, isNull, ne, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { elementsOf } from '../../../db/lists.ts'
import { sessions, users } from '../../../db/tables/access.ts'
import { passwords, personalTokens } from '../../../db/tables/credentials.ts'
import type { Role } from '../../context.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { UserType } from './changes.ts'
import { nameKey } from '../../lib/text.ts'

export type UserRow = typeof users.$inferSelect & { readonly role: Role; readonly type: UserType }
export type NewUser = Omit<typeof users.$inferInsert, 'id' | 'usernameKey'>

export async function countUsers(database: Database): Promise<number> {
  const [row] = await database.select({ total: count() }).from(users)
  return row?.total ?? 0
}

/** Users by id, those after one. */
export async function listUsers(
  database: Database,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<readonly UserRow[]> {
  const rows = database.select().from(users).where(gt(users.id, afterId)).orderBy(users.id).limit(limit)
  return (await rows) as UserRow[]
}

/** The users with these ids, by id. */
export async function findUsers(database: Database, ids: readonly number[]): Promise<readonly UserRow[]> {
  const these = sql`${users.id} in ${elementsOf(ids)}`
  return (await database.select().from(users).where(these).orderBy(users.id)) as UserRow[]
}

export async function findUser(database: Database, id: number): Promise<UserRow | null> {
  const [row] = await database.select().from(users).where(eq(users.id, id))
  return (row as UserRow | undefined) ?? null
}

/** The user of this name; of two whose names are compared as equal, the one that is spelled so. */
export async function findUserByName(database: Database, username: string): Promise<UserRow | null> {
  const [row] = await database
    .select()
    .from(users)
    .where(or(eq(users.username, username), eq(users.usernameKey, nameKey(username))))
    .orderBy(desc(eq(users.username, username)))
    .limit(1)
  return (row as UserRow | undefined) ?? null
}

/** Adds a user with their password, and what `also` writes about the row just inserted, the first of it right behind it. */
export async function insertUser(
  database: Database,
  user: NewUser,
  [entry, ...also]: readonly [Write, ...Write[]],
): Promise<UserRow> {
  const named = sql<number>`(select id from users where username = ${user.username})`
  const password = { userId: named, hash: user.passwordHash, setAt: user.createdAt }
  const [[row]] = await database.batch([
    database
      .insert(users)
      .values({ ...user, usernameKey: nameKey(user.username) })
      .returning(),
    entry,
    database.insert(passwords).values(password),
    ...also,
  ])
  if (!row) throw new Error('The database returned no row for a new user.')
  return row as UserRow
}

/** The hashes of a user's latest passwords, the present one first. */
export async function latestPasswords(
  database: Database,
  userId: number,
  limit: number,
): Promise<readonly string[]> {
  const rows = await database
    .select({ hash: passwords.hash })
    .from(passwords)
    .where(eq(passwords.userId, userId))
    .orderBy(desc(passwords.id))
    .limit(limit)
  return rows.map(({ hash }) => hash)
}

/** Stores a new password, and removes former ones that are no longer compared. */
export function notePassword(
  database: Database,
  password: { readonly userId: number; readonly hash: string; readonly setAt: number },
  keep: number,
): Write[] {
  const { userId } = password
  return [
    database.insert(passwords).values(password),
    database.run(
      sql`delete from passwords where user_id = ${userId} and id not in
        (select id from passwords where user_id = ${userId} order by id desc limit ${Math.max(1, keep)})`,
    ),
  ]
}

/** Sets a password; the version of the user stays. */
export function updatePassword(database: Database, id: number, passwordHash: string): Write {
  return database.update(users).set({ passwordHash }).where(eq(users.id, id))
}

/** Changes a user who is still at this version and, when that takes the role or the access of an administrator, is not the
 * last one; otherwise the whole batch fails for the empty version. */
export function updateUser(database: Database, row: UserRow, change: Partial<NewUser>): Write {
  const { role = row.role, disabledAt = row.disabledAt } = change
  const staysPossible = role === 'administrator' && disabledAt === null ? sql`true` : isDispensable()
  const version = sql`case when ${users.version} = ${row.version} and ${staysPossible} then ${row.version + 1} end`
  const { username = row.username } = change
  const renamed = username === row.username ? {} : { usernameKey: nameKey(username) }
  return database
    .update(users)
    .set({ ...change, ...renamed, version })
    .where(eq(users.id, row.id))
}

/** Removes a user; for the last administrator the whole batch fails for the empty version. */
export function deleteUser(database: Database, id: number): readonly Write[] {
  const version = sql`case when ${isDispensable()} then ${users.version} end`
  return [
    database.update(users).set({ version }).where(eq(users.id, id)),
    database.delete(users).where(eq(users.id, id)),
  ]
}

function isDispensable(): SQL {
  return sql`(${users.role} <> 'administrator' or ${users.disabledAt} is not null
    or (select count(*) from users as others where others.role = 'administrator' and others.disabled_at is null) > 1)`
}

/** The number of administrators that can sign in. */
export async function countAdministrators(database: Database): Promise<number> {
  const [row] = await database
    .select({ total: count() })
    .from(users)
    .where(and(eq(users.role, 'administrator'), isNull(users.disabledAt)))
  return row?.total ?? 0
}

/** Ends the sessions of a user, but for the one with the hash `except`. */
export function deleteSessionsOf(database: Database, userId: number, except = ''): Write {
  return database.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.hash, except)))
}

export function deletePersonalTokensOf(database: Database, userId: number): Write {
  return database.delete(personalTokens).where(eq(personalTokens.userId, userId))
}
