import { eq, sql } from 'drizzle-orm'
import { settings } from '../../../db/tables/content.ts'
import type { Database, Write } from '../../ports/database.ts'

export type SettingsRow = Omit<typeof settings.$inferSelect, 'id'>

const ONLY_ID = 1

/** The changed settings; null before the first change. */
export async function findSettings(database: Database): Promise<SettingsRow | null> {
  const [row] = await database.select().from(settings).where(eq(settings.id, ONLY_ID))
  return row ?? null
}

/** Stores settings whose version is one more than the version they were made of; otherwise the whole batch fails for the
 * empty version. */
export function saveSettings(database: Database, row: SettingsRow): Write {
  const version = sql`case when ${settings.version} = ${row.version - 1} then ${row.version} end`
  return database
    .insert(settings)
    .values({ id: ONLY_ID, ...row })
    .onConflictDoUpdate({ target: settings.id, set: { ...row, version } })
}
