import { and, count, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { doomedBlobs, files } from '../../../db/tables/content.ts'
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

export async function countFiles(database: Database): Promise<number> {
  const [row] = await database.select({ total: count() }).from(files)
  return row?.total ?? 0
}

/** Notes a blob before it is put, so that it is swept unless a file comes to refer to it. */
export function doomBlob(database: Database, key: string, at: number): Write {
  return database.insert(doomedBlobs).values({ key, at })
}

/** Keeps a file under its name, in place of the one that was there, whose blob is doomed. Fails for the empty blob where
 * the new one was not doomed after `doomedAfterAt`: then it may have been swept. */
export function saveFile(database: Database, row: FileRow, doomedAfterAt: number): Write[] {
  const blob = sql`(select key from doomed_blobs where key = ${row.blob} and at > ${doomedAfterAt})`
  return [
    doomBlobOf(database, row.name, row.updatedAt),
    database
      .insert(files)
      .values({ ...row, blob })
      .onConflictDoUpdate({
        target: files.name,
        set: {
          mimeType: sql`excluded.mime_type`,
          sizeBytes: sql`excluded.size_bytes`,
          blob: sql`excluded.blob`,
          updatedAt: sql`excluded.updated_at`,
        },
      }),
    database.delete(doomedBlobs).where(eq(doomedBlobs.key, row.blob)),
  ]
}

/** Removes a file, whose blob is doomed. */
export function deleteFile(database: Database, name: string, at: number): Write[] {
  return [doomBlobOf(database, name, at), database.delete(files).where(eq(files.name, name))]
}

/** Blobs that were doomed before `at`, some of them. */
export async function listDoomed(database: Database, at: number, limit: number): Promise<string[]> {
  const rows = await database
    .select({ key: doomedBlobs.key })
    .from(doomedBlobs)
    .where(lt(doomedBlobs.at, at))
    .limit(limit)
  return rows.map(({ key }) => key)
}

/** Forgets doomed blobs, which are no longer there. */
export function forgetDoomed(database: Database, keys: readonly string[], at: number): Write {
  const these = sql`(select value from json_each(${JSON.stringify(keys)}))`
  return database.delete(doomedBlobs).where(and(inArray(doomedBlobs.key, these), lt(doomedBlobs.at, at)))
}

function doomBlobOf(database: Database, name: string, at: number): Write {
  const doomed = database
    .select({ key: files.blob, at: sql<number>`cast(${at} as integer)`.as('at') })
    .from(files)
    .where(eq(files.name, name))
  return database.insert(doomedBlobs).select(doomed)
}
