import { and, inArray, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { doomedBlobs } from '../../../db/tables/content.ts'
import type { Database, Write } from '../../ports/database.ts'

/** Notes blobs that nothing refers to, so that they are swept. */
export function doomBlobs(database: Database, keys: readonly string[], at: number): Write {
  return database.run(sql`
    insert into doomed_blobs (key, at) select value, cast(${at} as integer) from ${these(keys)}`)
}

/** Takes the doom away from blobs. Fails for the empty time where one was not doomed after `doomedAfterAt`: then it may have
 * been swept. */
export function spareBlobs(database: Database, keys: readonly string[], doomedAfterAt: number): Write[] {
  return [
    database.run(sql`
      insert into doomed_blobs (key, at)
      select value, (select d.at from doomed_blobs d where d.key = value and d.at > ${doomedAfterAt})
      from ${these(keys)} where true on conflict (key) do update set at = excluded.at`),
    database.delete(doomedBlobs).where(inArray(doomedBlobs.key, selected(keys))),
  ]
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
  return database
    .delete(doomedBlobs)
    .where(and(inArray(doomedBlobs.key, selected(keys)), lt(doomedBlobs.at, at)))
}

function these(keys: readonly string[]): SQL {
  return sql`json_each(${JSON.stringify(keys)})`
}

function selected(keys: readonly string[]): SQL {
  return sql`(select value from ${these(keys)})`
}
