import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { backups } from '../../../db/tables/backups.ts'
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

/** Keeps a backup whose blob is doomed since after an instant, and takes the doom away; fails for the empty blob where it
 * may have been swept by now. The new id is what the first write returns. */
export function insertBackup(
  database: Database,
  row: Omit<BackupRow, 'id'>,
  doomedAfterAt: number,
): [Write, Write] {
  const blob = sql`(select key from doomed_blobs where key = ${row.blob} and at > ${doomedAfterAt})`
  return [
    database
      .insert(backups)
      .values({ ...row, blob })
      .returning({ id: backups.id }),
    database.run(sql`delete from doomed_blobs where key = ${row.blob}`),
  ]
}

/** Removes a backup, whose blob is doomed. */
export function deleteBackup(database: Database, row: BackupRow, at: number): Write[] {
  return [
    database.run(sql`insert into doomed_blobs (key, at) values (${row.blob}, cast(${at} as integer))`),
    database.delete(backups).where(eq(backups.id, row.id)),
  ]
}
