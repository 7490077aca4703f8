import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { integer } from './row.ts'

export type BlobRow = { readonly id: number; readonly jobId: number }

/** The next free number of a blob. */
export async function nextBlobId(values: ValuesDatabase): Promise<number> {
  const [row] = await values.read({ sql: 'select coalesce(max(id), 0) + 1 as id from blobs', cells: [] })
  return integer(row?.['id'])
}

/** Notes a blob that nothing refers to yet: unless it is kept, it is removed. */
export function reserveBlob({ id, jobId }: BlobRow): Statement {
  return { sql: 'insert into blobs values (?, ?, 1)', cells: [id, jobId] }
}

export function keepBlob(id: number): Statement {
  return { sql: 'update blobs set orphaned = 0 where id = ?', cells: [id] }
}

export function markBlobsOrphaned(ids: readonly number[]): readonly Statement[] {
  if (ids.length === 0) return []
  const sql = 'update blobs set orphaned = 1 where id in (select value from json_each(?))'
  return [{ sql, cells: [JSON.stringify(ids)] }]
}

/** Blobs to which nothing refers any more, `limit` at most. */
export async function readOrphanedBlobs(values: ValuesDatabase, limit: number): Promise<readonly BlobRow[]> {
  const rows = await values.read({
    sql: 'select id, job_id from blobs where orphaned = 1 order by id limit ?',
    cells: [limit],
  })
  return rows.map((row) => ({ id: integer(row['id']), jobId: integer(row['job_id']) }))
}

export function deleteBlobRows(ids: readonly number[]): Statement {
  return {
    sql: 'delete from blobs where id in (select value from json_each(?))',
    cells: [JSON.stringify(ids)],
  }
}
