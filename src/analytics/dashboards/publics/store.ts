import { eq } from 'drizzle-orm'
import { dashboardPublics } from '../../../../db/tables/dashboards.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { PublicSettings } from './schema.ts'

export type PublicRow = Omit<typeof dashboardPublics.$inferSelect, 'settings'> & {
  readonly settings: PublicSettings
}

/** The public link of a dashboard. */
export async function findPublic(database: Database, dashboardId: number): Promise<PublicRow | null> {
  const [row] = await database
    .select()
    .from(dashboardPublics)
    .where(eq(dashboardPublics.dashboardId, dashboardId))
  // The definition was checked when it was stored.
  return (row as PublicRow | undefined) ?? null
}

/** The public link with a token. */
export async function findByToken(database: Database, tokenHash: string): Promise<PublicRow | null> {
  const [row] = await database
    .select()
    .from(dashboardPublics)
    .where(eq(dashboardPublics.tokenHash, tokenHash))
  return (row as PublicRow | undefined) ?? null
}

/** Adds the public link of a dashboard, or replaces all but its token. */
export function savePublic(database: Database, row: PublicRow): Write {
  const { userId, expiresAt, settings } = row
  return database
    .insert(dashboardPublics)
    .values(row)
    .onConflictDoUpdate({ target: dashboardPublics.dashboardId, set: { userId, expiresAt, settings } })
}

export function moveToken(
  database: Database,
  dashboardId: number,
  token: Pick<PublicRow, 'tokenHash' | 'tokenSealed'>,
): Write {
  return database.update(dashboardPublics).set(token).where(eq(dashboardPublics.dashboardId, dashboardId))
}

export function deletePublic(database: Database, dashboardId: number): Write {
  return database.delete(dashboardPublics).where(eq(dashboardPublics.dashboardId, dashboardId))
}
