import { eq, sql } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import { unlessFull } from '../../../../db/row-limit.ts'
import { dataQueries, dataQueryGroups } from '../../../../db/tables/queries.ts'
import { guardCircle } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type GroupRow = typeof dataQueryGroups.$inferSelect
export type GroupChange = Pick<GroupRow, 'name' | 'description' | 'parentId' | 'updatedAt'>

/** The groups, by name. */
export async function listGroups(database: Database): Promise<GroupRow[]> {
  return database
    .select()
    .from(dataQueryGroups)
    .orderBy(sql`${dataQueryGroups.name} collate nocase`, dataQueryGroups.id)
}

export async function findGroup(database: Database, id: number): Promise<GroupRow | null> {
  const [row] = await database.select().from(dataQueryGroups).where(eq(dataQueryGroups.id, id))
  return row ?? null
}

/** A group by its name and its parent. */
export function selectGroupNamed(
  database: Database,
  { name, parentId }: Pick<GroupRow, 'name' | 'parentId'>,
) {
  return database
    .select()
    .from(dataQueryGroups)
    .where(
      sql`${dataQueryGroups.name} = ${name} collate nocase and ${dataQueryGroups.parentId} is ${parentId}`,
    )
}

/** Adds a group. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertGroup(database: Database, row: Omit<GroupRow, 'id'>, max: number): Write {
  const createdAt = unlessFull(row.createdAt, { rows: sql`select 1 from data_query_groups`, max })
  return database.insert(dataQueryGroups).values({ ...row, createdAt })
}

/** Changes a group. The batch fails, as `writeGroup` recognises, for a group that has another version, or that would be below
 * itself. */
export function updateGroup(
  database: Database,
  { id, version }: Pick<GroupRow, 'id' | 'version'>,
  change: GroupChange,
): Write[] {
  const next = sql`case when ${dataQueryGroups.version} = cast(${version} as integer) then ${version + 1} end`
  return [
    database
      .update(dataQueryGroups)
      .set({ ...change, version: next })
      .where(eq(dataQueryGroups.id, id)),
    guardCircle(database, 'data_query_groups', id),
  ]
}

/** Deletes groups. Fails for the foreign key while something else is in one of them. */
export function deleteGroups(database: Database, ids: readonly number[]): Write {
  return database.run(sql`delete from data_query_groups where id in ${elementsOf(ids)}`)
}

/** The data queries in groups, by id. */
export function listMembers(
  database: Database,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly name: string }[]> {
  const { id, name, groupId } = dataQueries
  return Promise.resolve(
    database
      .select({ id, name })
      .from(dataQueries)
      .where(sql`${groupId} in ${elementsOf(ids)}`)
      .orderBy(id),
  )
}
