import { and, inArray, lt, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { orphanedBlobs } from '../../../db/tables/content.ts'
import type { Database, Write } from '../../ports/database.ts'

/** Marks blobs without references, so that the sweep removes them. */
export function markOrphaned(database: Database, keys: readonly string[], at: number): Write {
  return database.run(sql`
    insert into orphaned_blobs (key, at) select value, cast(${at} as integer) from ${eachOf(keys)}`)
}

/** Removes the marks of blobs. Fails, for an empty `at`, if a blob was not marked after `markedAfterAt`: the sweep may have
 * removed it. */
export function claimBlobs(database: Database, keys: readonly string[], markedAfterAt: number): Write[] {
  return [
    database.run(sql`
      insert into orphaned_blobs (key, at)
      select value, (select d.at from orphaned_blobs d where d.key = value and d.at > ${markedAfterAt})
      from ${eachOf(keys)} where true on conflict (key) do update set at = excluded.at`),
    database.delete(orphanedBlobs).where(inArray(orphanedBlobs.key, elementsOf(keys))),
  ]
}

/** Some blobs that were marked as orphaned before `at`. */
export async function listOrphaned(database: Database, at: number, limit: number): Promise<string[]> {
  const rows = await database
    .select({ key: orphanedBlobs.key })
    .from(orphanedBlobs)
    .where(lt(orphanedBlobs.at, at))
    .limit(limit)
  return rows.map(({ key }) => key)
}

/** Removes the marks of deleted blobs. */
export function removeMarks(database: Database, keys: readonly string[], at: number): Write {
  return database
    .delete(orphanedBlobs)
    .where(and(inArray(orphanedBlobs.key, elementsOf(keys)), lt(orphanedBlobs.at, at)))
}
