import { count, eq } from 'drizzle-orm'
import { styles } from '../../../db/tables/content.ts'
import type { Database, Write } from '../../ports/database.ts'

export type StyleRow = typeof styles.$inferSelect

export function listStyles(database: Database): Promise<StyleRow[]> {
  return Promise.resolve(database.select().from(styles).orderBy(styles.name))
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
