import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { backups, restores } from '../../../db/tables/backups.ts'
import type { Database, Write } from '../../ports/database.ts'

export type BackupRow = typeof backups.$inferSelect

export { dropRunsBefore } from './store/snapshot.ts'

/** Backups, the latest first, those before an id. */
export function listBackups(database: Database, beforeId: number, limit: number): Promise<BackupRow[]> {
  return Promise.resolve(
    database.select().from(backups).where(lt(backups.id, beforeId)).orderBy(desc(backups.id)).limit(limit),
  )
}

export async function findBackup(database: Database, id: number): Promise<BackupRow | null> {
  const [row] = await database.select().from(backups).where(eq(backups.id, id))
  return row ?? null
}

/** The latest of the backups that were made for the schedule. */
export async function latestScheduled(database: Database): Promise<BackupRow | null> {
  const [row] = await database
    .select()
    .from(backups)
    .where(eq(backups.origin, 'scheduled'))
    .orderBy(desc(backups.id))
    .limit(1)
  return row ?? null
}

/** Scheduled backups beyond so many of the latest. */
export function listSuperfluous(database: Database, keep: number, limit: number): Promise<BackupRow[]> {
  const kept = sql`(select id from backups where origin = 'scheduled' order by id desc limit ${keep})`
  return Promise.resolve(
    database
      .select()
      .from(backups)
      .where(and(eq(backups.origin, 'scheduled'), sql`${backups.id} not in ${kept}`))
      .orderBy(backups.id)
      .limit(limit),
  )
}

/** Keeps a backup, whose new id it returns. */
export function insertBackup(database: Database, row: Omit<BackupRow, 'id'>): Write {
  return database.insert(backups).values(row).returning({ id: backups.id })
}

export function deleteBackup(database: Database, id: number): Write {
  return database.delete(backups).where(eq(backups.id, id))
}

const LATEST_ID = 1

/** Records that the tables were replaced by the tables of a backup. */
export function noteRestore(
  database: Database,
  restore: Pick<typeof restores.$inferSelect, 'digest' | 'madeAt' | 'beganAt'>,
): Write {
  const row = { ...restore, finishedAt: null }
  return database
    .insert(restores)
    .values({ id: LATEST_ID, ...row })
    .onConflictDoUpdate({ target: restores.id, set: row })
}

/** Notes that the latest restore is complete. */
export function finishRestore(database: Database, finishedAt: number): Write {
  return database.update(restores).set({ finishedAt }).where(eq(restores.id, LATEST_ID))
}

/** The latest restore of a whole backup. */
export async function latestRestore(database: Database): Promise<typeof restores.$inferSelect | null> {
  const [row] = await database.select().from(restores).where(eq(restores.id, LATEST_ID))
  return row ?? null
}
