import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { unlessFull } from '../../../../db/row-limit.ts'
import { personalTokens } from '../../../../db/tables/credentials.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type PersonalTokenRow = typeof personalTokens.$inferSelect

/** Adds a token, deletes the expired ones of its owner, and runs `also`, which may refer to the new row. Fails, as
 * `refuseFull` recognises, when the owner has `max`. */
export async function insertPersonalToken(
  database: Database,
  token: Omit<PersonalTokenRow, 'id'>,
  { max, also }: { readonly max: number; readonly also: Write },
): Promise<number> {
  const { userId, createdAt } = token
  const rows = sql`select 1 from personal_tokens where user_id = ${userId}`
  const [, [row]] = await database.batch([
    database
      .delete(personalTokens)
      .where(and(eq(personalTokens.userId, userId), lte(personalTokens.expiresAt, createdAt))),
    database
      .insert(personalTokens)
      .values({ ...token, createdAt: unlessFull(createdAt, { rows, max }) })
      .returning({ id: personalTokens.id }),
    also,
  ])
  if (!row) throw new Error('The database returned no row for a new token.')
  return row.id
}

/** The tokens of a user that hold at `now`. */
export function listPersonalTokens(
  database: Database,
  userId: number,
  now: number,
): Promise<PersonalTokenRow[]> {
  return Promise.resolve(
    database
      .select()
      .from(personalTokens)
      .where(and(eq(personalTokens.userId, userId), gt(personalTokens.expiresAt, now)))
      .orderBy(personalTokens.id),
  )
}

export async function findPersonalToken(database: Database, id: number): Promise<PersonalTokenRow | null> {
  const [row] = await database.select().from(personalTokens).where(eq(personalTokens.id, id))
  return row ?? null
}

export function deletePersonalToken(database: Database, id: number): Write {
  return database.delete(personalTokens).where(eq(personalTokens.id, id))
}
