import { and, count, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { sessions, users } from '../../../db/tables/access.ts'
import type { Role } from '../../context.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { UserType } from './changes.ts'

export type UserRow = typeof users.$inferSelect & { readonly role: Role; readonly type: UserType }
export type NewUser = Omit<typeof users.$inferInsert, 'id'>

export async function countUsers(database: Database): Promise<number> {
  const [row] = await database.select({ total: count() }).from(users)
  return row?.total ?? 0
}

/** @param ids of some; all when absent */
export async function listUsers(database: Database, ids?: readonly number[]): Promise<readonly UserRow[]> {
  const some = ids && sql`${users.id} in (select value from json_each(${JSON.stringify(ids)}))`
  return (await database.select().from(users).where(some).orderBy(users.id)) as UserRow[]
}

export async function findUser(database: Database, id: number): Promise<UserRow | null> {
  const [row] = await database.select().from(users).where(eq(users.id, id))
  return (row as UserRow | undefined) ?? null
}

export async function findUserByName(database: Database, username: string): Promise<UserRow | null> {
  const [row] = await database.select().from(users).where(eq(users.username, username))
  return (row as UserRow | undefined) ?? null
}

export async function insertUser(database: Database, user: NewUser): Promise<UserRow> {
  const [row] = await database.insert(users).values(user).returning()
  if (!row) throw new Error('The database returned no row for a new user.')
  return row as UserRow
}

/** Changes a user who is still at this version and, when that takes the last administrator's role, is not the last
 * one; otherwise the whole batch fails for the empty version. */
export function updateUser(database: Database, row: UserRow, change: Partial<NewUser>): Write {
  const staysPossible = change.role === 'administrator' ? sql`true` : isDispensable()
  const version = sql`case when ${users.version} = ${row.version} and ${staysPossible} then ${row.version + 1} end`
  return database
    .update(users)
    .set({ ...change, version })
    .where(eq(users.id, row.id))
}

/** Removes a user unless it is the last administrator. */
export function deleteUser(database: Database, id: number): Write {
  return database.delete(users).where(and(eq(users.id, id), isDispensable()))
}

function isDispensable(): SQL {
  return sql`(${users.role} <> 'administrator'
    or (select count(*) from users as others where others.role = 'administrator') > 1)`
}

export async function countAdministrators(database: Database): Promise<number> {
  const [row] = await database.select({ total: count() }).from(users).where(eq(users.role, 'administrator'))
  return row?.total ?? 0
}

export function deleteSessionsOf(database: Database, userId: number): Write {
  return database.delete(sessions).where(eq(sessions.userId, userId))
}
