import { count, eq, sql } from 'drizzle-orm'
import { styles } from '../../../db/tables/content.ts'
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

export async function countStyles(database: Database): Promise<number> {
  const [row] = await database.select({ total: count() }).from(styles)
  return row?.total ?? 0
}

/** Fails for the unique name where there is such a style. */
export function insertStyle(database: Database, row: StyleRow): Write {
  return database.insert(styles).values(row)
}

export function replaceStyle(database: Database, row: StyleRow): Write {
  const { name: _, ...set } = row
  return database.insert(styles).values(row).onConflictDoUpdate({ target: styles.name, set })
}

export function deleteStyle(database: Database, name: string): Write {
  return database.delete(styles).where(eq(styles.name, name))
}
