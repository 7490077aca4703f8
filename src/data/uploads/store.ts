import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { dataUploads } from '../../../db/tables/sources.ts'
import type { Database, Write } from '../../ports/database.ts'

export type UploadRow = typeof dataUploads.$inferSelect

/** Adds an upload. The commit fails when the source has `max`, since `size_bytes` is null then. */
export function insertUpload(database: Database, row: UploadRow, max: number): Write {
  const { dataSourceId: id } = row
  const count = sql`(select count(*) from data_uploads where data_source_id = ${id})`
  const sizeBytes = sql`case when ${count} < ${max} then ${row.sizeBytes} end`
  return database.insert(dataUploads).values({ ...row, sizeBytes })
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
