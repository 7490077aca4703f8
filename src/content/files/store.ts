import { eq, gt, sql } from 'drizzle-orm'
import { unlessFull } from '../../../db/row-limit.ts'
import { orphanedBlobs, files } from '../../../db/tables/content.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'

export type FileRow = typeof files.$inferSelect

/** Files by name, those after `afterName`. */
export function listFiles(database: Database, afterName: string, limit: number): Promise<FileRow[]> {
  return Promise.resolve(
    database.select().from(files).where(gt(files.name, afterName)).orderBy(files.name).limit(limit),
  )
}

export async function findFile(database: Database, name: string): Promise<FileRow | null> {
  const [row] = await database.select().from(files).where(eq(files.name, name))
  return row ?? null
}

/** Keeps a file under its name, in place of the one that was there, whose blob is orphaned. Fails, as `refuseFull` recognises
 * by `updated_at`, for a new file when there are `max`. */
export function saveFile(database: Database, row: FileRow, max: number): Write[] {
  const isThere = sql`exists (select 1 from files where name = ${row.name})`
  const updatedAt = unlessFull(row.updatedAt, { rows: sql`select 1 from files`, isThere, max })
  return [
    markBlobOrphaned(database, row.name, row.updatedAt),
    database
      .insert(files)
      .values({ ...row, updatedAt })
      .onConflictDoUpdate({
        target: files.name,
        set: {
          mimeType: sql`excluded.mime_type`,
          sizeBytes: sql`excluded.size_bytes`,
          blob: sql`excluded.blob`,
          updatedAt: sql`excluded.updated_at`,
        },
      }),
  ]
}

/** Removes a file with this blob, which is orphaned. Fails, as `isOvertaken` recognises, when the file has another blob. */
export function deleteFile(
  database: Database,
  { name, blob: known }: Pick<FileRow, 'name' | 'blob'>,
  at: number,
): Write[] {
  const blob = sql`case when ${files.blob} = ${known} then ${files.blob} end`
  return [
    database.update(files).set({ blob }).where(eq(files.name, name)),
    markBlobOrphaned(database, name, at),
    database.delete(files).where(eq(files.name, name)),
  ]
}

/** Whether a commit failed because a file was replaced since it was read. */
export function isOvertaken(error: unknown): boolean {
  return isNotNullViolation(error, 'files.blob')
}

function markBlobOrphaned(database: Database, name: string, at: number): Write {
  const orphaned = database
    .select({ key: files.blob, at: sql<number>`cast(${at} as integer)`.as('at') })
    .from(files)
    .where(eq(files.name, name))
  return database.insert(orphanedBlobs).select(orphaned)
}
