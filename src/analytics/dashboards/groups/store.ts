import { eq, sql } from 'drizzle-orm'
import { dashboardGroups } from '../../../../db/tables/dashboards.ts'
import { isNotNullViolation } from '../../../ports/database.ts'
import type { Database, IdExpression, Write } from '../../../ports/database.ts'
import type { Values } from '../parameters.ts'

export type GroupRow = Omit<typeof dashboardGroups.$inferSelect, 'defaultParams'> & {
  readonly defaultParams: Values
}
export type GroupChange = Pick<GroupRow, 'name' | 'parentId' | 'position' | 'defaultParams' | 'updatedAt'>

/** The groups in the order of their positions. */
export async function listGroups(database: Database): Promise<GroupRow[]> {
  const rows = await database
    .select()
    .from(dashboardGroups)
    .orderBy(dashboardGroups.position, sql`${dashboardGroups.name} collate nocase`, dashboardGroups.id)
  return rows as GroupRow[]
}

/** The id of the group with this name and parent, within a commit. */
export function groupNamed({ name, parentId }: Pick<GroupRow, 'name' | 'parentId'>): IdExpression {
  return sql`(select id from dashboard_groups where name = ${name} collate nocase and parent_id is ${parentId})`
}

/** Adds a group. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertGroup(database: Database, row: Omit<GroupRow, 'id'>, max: number): Write {
  const createdAt = sql`case when (select count(*) from dashboard_groups) < ${max} then ${row.createdAt} end`
  return database.insert(dashboardGroups).values({ ...row, createdAt })
}

/** Changes a group. The batch fails as `isGuarded` recognises for one that has another version, and as `isCycle` recognises
 * when the group would be below itself, or more than `depthMax` levels would be above one another. */
export function updateGroup(
  database: Database,
  { id, version }: Pick<GroupRow, 'id' | 'version'>,
  change: GroupChange,
): Write[] {
  const next = sql`case when ${dashboardGroups.version} = cast(${version} as integer) then ${version + 1} end`
  return [
    database
      .update(dashboardGroups)
      .set({ ...change, version: next })
      .where(eq(dashboardGroups.id, id)),
    database.run(sql`
      update dashboard_groups set created_at = case when id not in (
        with recursive above (id) as (
          select parent_id from dashboard_groups where id = ${id}
          union select g.parent_id from dashboard_groups g join above on g.id = above.id)
        select id from above where id is not null) then created_at end
      where id = ${id}`),
  ]
}

/** Whether a commit failed because a group was no longer at its version. */
export function isGuarded(error: unknown): boolean {
  return isNotNullViolation(error, 'dashboard_groups.version')
}

export function isCycle(error: unknown): boolean {
  return isNotNullViolation(error, 'dashboard_groups.created_at')
}

/** Deletes groups. Fails for the foreign key while something else is in one of them. */
export function deleteGroups(database: Database, ids: readonly number[]): Write {
  return database.run(
    sql`delete from dashboard_groups where id in (select value from json_each(${JSON.stringify(ids)}))`,
  )
}
