import { and, eq, gt, sql } from 'drizzle-orm'
import { unlessFull } from '../../../../db/row-limit.ts'
import { scriptGroups } from '../../../../db/tables/scripts.ts'
import type { Database, Write } from '../../../ports/database.ts'
import { FORECASTS_ID } from '../forecasts-id.ts'

export type GroupRow = typeof scriptGroups.$inferSelect

type NewGroup = Omit<GroupRow, 'id' | 'version'> & { readonly id?: number }

const IS_GROUP = gt(scriptGroups.id, FORECASTS_ID)

export function listGroups(database: Database): Promise<GroupRow[]> {
  return Promise.resolve(
    database
      .select()
      .from(scriptGroups)
      .where(IS_GROUP)
      .orderBy(sql`${scriptGroups.name} collate nocase`),
  )
}

export async function findGroup(database: Database, key: number | string): Promise<GroupRow | null> {
  const isThis =
    typeof key === 'number' ? eq(scriptGroups.id, key) : sql`${scriptGroups.name} = ${key} collate nocase`
  const [row] = await database.select().from(scriptGroups).where(and(isThis, IS_GROUP))
  return row ?? null
}

/** Adds a group. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertGroup(database: Database, row: NewGroup, max: number) {
  const rows = sql`select 1 from script_groups where ${IS_GROUP}`
  return database
    .insert(scriptGroups)
    .values({ ...row, createdAt: unlessFull(row.createdAt, { rows, max }) })
    .returning()
}

/** Adds a group unless one has the name. */
export function insertMissingGroup(database: Database, row: NewGroup): Write {
  return database.insert(scriptGroups).values(row).onConflictDoNothing()
}

/** Changes a group that is still at this version; otherwise the whole batch fails for the empty version. */
export function updateGroup(
  database: Database,
  { id, version }: GroupRow,
  change: Pick<GroupRow, 'name' | 'description' | 'updatedAt'>,
): Write {
  const next = sql`case when ${scriptGroups.version} = cast(${version} as integer) then ${version + 1} end`
  return database
    .update(scriptGroups)
    .set({ ...change, version: next })
    .where(eq(scriptGroups.id, id))
}

/** Fails for the foreign key while a script is in it. */
export function deleteGroup(database: Database, id: number): Write {
  return database.delete(scriptGroups).where(eq(scriptGroups.id, id))
}
