import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { unlessFull } from '../../../db/row-limit.ts'
import { styles } from '../../../db/tables/content.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'

export type StyleRow = typeof styles.$inferSelect

export type StyleFacts = Omit<StyleRow, 'text'> & { readonly sizeBytes: number }

/** All styles by name, without their texts. */
export function listStyles(database: Database): Promise<StyleFacts[]> {
  const { name, digest, updatedAt } = styles
  const sizeBytes = sql<number>`length(cast(${styles.text} as blob))`.as('size_bytes')
  return Promise.resolve(database.select({ name, digest, updatedAt, sizeBytes }).from(styles).orderBy(name))
}

export async function findStyle(database: Database, name: string): Promise<StyleRow | null> {
  const [row] = await database.select().from(styles).where(eq(styles.name, name))
  return row ?? null
}

/** Adds a style. Fails for the unique name where there is such a style, and, as `refuseFull` recognises by `updated_at`,
 * when there are `max`. */
export function insertStyle(database: Database, row: StyleRow, max: number): Write {
  return database.insert(styles).values({ ...row, updatedAt: updatedUnlessFull(row, max) })
}

/** Puts a style in place of the one with this digest, or of none. Fails, as `isOvertaken` knows, when there is another one,
 * and for a new style as `insertStyle`. */
export function replaceStyle(
  database: Database,
  row: StyleRow,
  { before, max }: { readonly before: string | null; readonly max: number },
): Write {
  const { name, ...set } = row
  const isSame = sql`(select digest from styles where name = ${name}) is ${before}`
  const digest = sql`case when ${isSame} then ${row.digest} end`
  return database
    .insert(styles)
    .values({ ...row, digest, updatedAt: updatedUnlessFull(row, max) })
    .onConflictDoUpdate({ target: styles.name, set })
}

function updatedUnlessFull({ name, updatedAt }: StyleRow, max: number): SQL {
  const isThere = sql`exists (select 1 from styles where name = ${name})`
  return unlessFull(updatedAt, { rows: sql`select 1 from styles`, isThere, max })
}

/** Whether a commit failed because a style was changed since it was read. */
export function isOvertaken(error: unknown): boolean {
  return isNotNullViolation(error, 'styles.digest')
}

/** Deletes a style with this digest. Fails, as `isOvertaken` recognises, when the style has another one. */
export function deleteStyle(
  database: Database,
  { name, digest: known }: Pick<StyleRow, 'name' | 'digest'>,
): Write[] {
  const digest = sql`case when ${styles.digest} = ${known} then ${styles.digest} end`
  const isThis = eq(styles.name, name)
  return [database.update(styles).set({ digest }).where(isThis), database.delete(styles).where(isThis)]
}
