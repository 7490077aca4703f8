import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { unlessFull } from '../../../db/row-limit.ts'
import { dataUploads } from '../../../db/tables/sources.ts'
import type { Database, Write } from '../../ports/database.ts'

export type UploadRow = typeof dataUploads.$inferSelect

/** Adds an upload. The commit fails, as `refuseFull` recognises by `size_bytes`, when the data source has `max` uploads. */
export function insertUpload(database: Database, row: UploadRow, max: number): Write {
  const rows = sql`select 1 from data_uploads where data_source_id = ${row.dataSourceId}`
  return database.insert(dataUploads).values({ ...row, sizeBytes: unlessFull(row.sizeBytes, { rows, max }) })
}

/** An upload that has not expired. */
export async function findUpload(
  database: Database,
  { dataSourceId, id, now }: { readonly dataSourceId: number; readonly id: string; readonly now: number },
): Promise<UploadRow | null> {
  const isThis = and(
    eq(dataUploads.id, id),
    eq(dataUploads.dataSourceId, dataSourceId),
    gt(dataUploads.expiresAt, now),
  )
  const [row] = await database.select().from(dataUploads).where(isThis)
  return row ?? null
}

export function listExpired(database: Database, now: number, limit: number): Promise<UploadRow[]> {
  return database.select().from(dataUploads).where(lte(dataUploads.expiresAt, now)).limit(limit)
}

export function listUploadsOf(database: Database, dataSourceId: number): Promise<UploadRow[]> {
  return database.select().from(dataUploads).where(eq(dataUploads.dataSourceId, dataSourceId))
}

export function deleteUpload(database: Database, id: string): Write {
  return database.delete(dataUploads).where(eq(dataUploads.id, id))
}
